"""The embedded store against the least that any search on this machine must do, measured in turn on the same data.

The least: numpy's matrix product, argpartition of the best 30, and one ranked FTS5 query with LIMIT 30; it returns
row numbers only. The legs: everything one question asks of the store, whole chunks returned. 1,000,000 chunks take
half an hour to write and 9 GB of memory to compare with: `python -m bench embedded --chunks 1000000`.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from bench.embedded_corpus import DIMENSION, NOW, SENTENCES, TENANT, VERSION, Corpus, Matrix
from shared.adapters.embedded import EmbeddedStore
from shared.model.index import tag_token, vault_token
from shared.model.questions import TimeRange
from shared.model.retrieval import Restriction
from shared.retrieval.options import UNBILLED_POSTINGS

Figure: TypeAlias = dict[str, Any]

SIZES = (10_000, 100_000)
LIMIT = 30
QUESTIONS = 60
WINDOW = Restriction(TimeRange(NOW - timedelta(days=90), None))
TARGETS_MS = {100_000: 25.0, 1_000_000: 250.0}
"""Of all legs, by chunks."""
LEGS_AGAINST_LEAST = {10_000: 1.2, 100_000: 0.5}
"""How long all legs may take, times the least work, by chunks."""
MAX_BYTES = 1.4e9
"""Of a process that has opened 1,000,000 chunks and asked."""


def run(sizes: Sequence[int] = SIZES, *, small: bool = False) -> dict[str, object]:
    """Figures with their targets; see `bench.__main__`. By default three minutes, most of them writing."""
    figures: dict[str, object] = {}
    for size in (1_000,) if small else sizes:
        with tempfile.TemporaryDirectory() as folder:
            corpus = Corpus(size, sentences=100 if small else SENTENCES)
            started = perf_counter()
            store = EmbeddedStore(Path(folder))
            corpus.save(store)
            figures[f"writing {size:,} chunks"] = _figure(size / (perf_counter() - started), "chunks/s")
            figures |= _legs(store, corpus, 5 if small else QUESTIONS)
            store.close()
            if size == max(sizes):
                figures |= _footprint(Path(folder), corpus)
    return figures


def _legs(store: EmbeddedStore, corpus: Corpus, questions: int) -> dict[str, object]:
    plain = sqlite3.connect(":memory:")
    plain.execute("CREATE VIRTUAL TABLE plain USING fts5 (text)")
    plain.executemany("INSERT INTO plain (rowid, text) VALUES (?, ?)", corpus.texts())
    tagged = Restriction(scopes=(frozenset({tag_token("tag3")}),))
    whole = Restriction(scopes=(frozenset({vault_token("default")}),))
    times: dict[str, list[float]] = {"least": [], "unranked": [], "legs": [], "tagged": [], "vault": []}
    recalls = []
    for vector, stems in corpus.questions(questions):
        times["least"].append(_ms(lambda: _least(corpus.vectors, plain, vector, stems, "ORDER BY rank")))  # noqa: B023 - called at once
        times["legs"].append(_ms(lambda: _question(store, vector, stems, Restriction())))  # noqa: B023
        times["unranked"].append(_ms(lambda: _least(corpus.vectors, plain, vector, stems, "")))  # noqa: B023
        times["tagged"].append(_ms(lambda: _question(store, vector, stems, tagged)))  # noqa: B023
        times["vault"].append(_ms(lambda: _question(store, vector, stems, whole)))  # noqa: B023
        recalls.append(_recall(store, corpus.vectors, vector))
    plain.close()
    middle = {name: median(values) for name, values in times.items()}
    size, target, recall = f"{corpus.size:,} chunks", TARGETS_MS.get(corpus.size), sum(recalls) / len(recalls)
    ratio, most = middle["legs"] / middle["least"], LEGS_AGAINST_LEAST.get(corpus.size, 1.2)
    return {
        f"legs against the least work, {size}": _figure(
            middle["legs"], "ms", ratio=ratio, target=most, ok=ratio <= most
        ),
        f"legs, {size}": _figure(middle["legs"], "ms", target=target, ok=target and middle["legs"] <= target),
        f"legs of one tag in twenty, {size}": _figure(middle["tagged"], "ms"),
        f"legs of a vault that holds all, {size}": _figure(middle["vault"], "ms"),
        f"least work, {size}": _figure(middle["least"], "ms"),
        f"least work without ranking, {size}": _figure(middle["unranked"], "ms"),
        f"recall of the exact best 30, {size}": _figure(recall, "", target=0.99, ok=recall >= 0.99),
    }


def _recall(store: EmbeddedStore, vectors: Matrix, vector: Matrix) -> float:
    """Share of the exact best that the store finds, too; a row that equals the last one is as good as it."""
    asked = array("f", vector.tobytes())
    near = store.nearest(TENANT, asked, limit=LIMIT, stems=(), restriction=Restriction(), index_version=VERSION)
    last = np.partition(vectors @ vector, -LIMIT)[-LIMIT]
    return sum(each.cosine >= float(last) - 1e-5 for each in near) / LIMIT


def _question(store: EmbeddedStore, vector: Matrix, stems: list[str], restriction: Restriction) -> None:
    """What retrieval asks for one question; the postings share its budget."""
    asked = array("f", vector.tobytes())
    near = store.nearest(TENANT, asked, limit=LIMIT, stems=stems, restriction=restriction, index_version=VERSION)
    each = UNBILLED_POSTINGS // len(stems)
    store.document_frequencies(TENANT, stems)
    matching = [store.postings(TENANT, stem, limit=each, stems=stems, restriction=restriction) for stem in stems]
    recent = store.recent(TENANT, limit=LIMIT, stems=stems, restriction=restriction)
    store.stats(TENANT)
    found = [neighbour.chunk for neighbour in near] + [chunk for chunks in (*matching, recent) for chunk in chunks]
    live = store.live_records(TENANT, sorted({chunk.note_id for chunk in found}))
    assert len(near) == LIMIT
    assert len(recent) == LIMIT
    assert all(chunk.note_id in live for chunk in found)


def _least(vectors: Matrix, plain: sqlite3.Connection, vector: Matrix, stems: list[str], order: str) -> None:
    scores = vectors @ vector
    best = np.argpartition(scores, -LIMIT)[-LIMIT:]
    found = plain.execute(
        f"SELECT rowid FROM plain WHERE plain MATCH ? {order} LIMIT {LIMIT}",  # noqa: S608 - constants
        (" OR ".join(stems),),
    ).fetchall()
    assert best.size == LIMIT
    assert found


def _footprint(home: Path, corpus: Corpus) -> dict[str, object]:
    """Each in fresh processes, after everything is imported. The fastest opening: other work only adds to it."""
    probes = [_probe(home) for _ in range(5)]
    opening = min(probe["opening_ms"] for probe in probes)
    taken = max(probe["bytes"] for probe in probes)
    process = max(probe["process_bytes"] for probe in probes)
    ratio = taken / corpus.vectors.nbytes
    size = f"{corpus.size:,} chunks"
    return {
        f"opening to the first neighbours, {size}": _figure(
            opening, "ms", **({"target": 300, "ok": opening <= 300} if corpus.size <= 100_000 else {})
        ),
        f"peak memory against the vectors, {size}": _figure(
            taken / 1e6, "MB", ratio=ratio, target=1.3, ok=ratio <= 1.3
        ),
        f"peak memory of the process, {size}": _figure(
            process / 1e6, "MB", target=MAX_BYTES / 1e6, ok=process <= MAX_BYTES
        ),
        f"file, {size}": _figure(sum(file.stat().st_size for file in home.rglob("*.sqlite3")) / 1e6, "MB"),
    }


def _probe(home: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.embedded", str(home)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _open_and_ask(home: Path) -> dict[str, float]:
    """What opening takes, and by how much the peak of resident memory rises over it and some questions."""
    vector = np.full(DIMENSION, DIMENSION**-0.5, dtype=np.float32)
    before = _peak_bytes()
    started = perf_counter()
    store = EmbeddedStore(home)
    _question(store, vector, ["stem1", "stem50", "stem9000"], Restriction())
    opening = (perf_counter() - started) * 1000
    for _ in range(20):
        _question(store, vector, ["stem1", "stem50", "stem9000"], WINDOW)
    store.close()
    peak = _peak_bytes()
    return {"opening_ms": opening, "bytes": peak - before, "process_bytes": peak}


def _peak_bytes() -> int:
    """Of this process since it began (Linux)."""
    status = Path("/proc/self/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def _ms(work: Callable[[], None]) -> float:
    started = perf_counter()
    work()
    return (perf_counter() - started) * 1000


def _figure(value: float, unit: str, **rest: object) -> Figure:
    return {"value": value, "unit": unit, **rest}


if __name__ == "__main__":
    print(json.dumps(_open_and_ask(Path(sys.argv[1]))))

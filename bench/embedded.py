"""The embedded store against the least that any search on this machine must do, measured in turn on the same data.

The least: numpy's matrix product, argpartition of the best 30, and one ranked FTS5 query with LIMIT 30; it returns
row numbers only. The legs: everything one question asks of the store, whole chunks returned.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from shared.adapters.embedded import EmbeddedStore
from shared.domain import ChunkPut, IndexChange, IndexedChunk, IndexRecord, IndexStatus, Note, Restriction, TimeRange
from shared.retrieval.options import RetrievalOptions
from shared.scopes import scopes_of, tag_token

Matrix: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
Figure: TypeAlias = dict[str, Any]

SIZES = (10_000, 100_000)
DIMENSION = 256
CHUNKS_A_NOTE = 10
WORDS = 20_000
WORDS_A_CHUNK = 120
LIMIT = 30
QUESTIONS = 100
TENANT = "bench"
VERSION = "bench:bench:256"
NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
WINDOW = Restriction(TimeRange(NOW - timedelta(days=90), None))


def run() -> dict[str, object]:
    """Figures with their targets; see `bench.__main__`. Takes about two minutes, most of them writing."""
    figures: dict[str, object] = {}
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            corpus = _Corpus(size)
            started = perf_counter()
            store = EmbeddedStore(Path(folder))
            corpus.save(store)
            figures[f"writing {size:,} chunks"] = _figure(size / (perf_counter() - started), "chunks/s")
            figures |= _legs(store, corpus)
            store.close()
            if size == max(SIZES):
                figures |= _footprint(Path(folder), corpus)
    return figures


class _Corpus:
    """Notes of ten chunks over five years; words by Zipf's law, vectors at random."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.dice = np.random.default_rng(7)
        vectors = self.dice.standard_normal((size, DIMENSION), dtype=np.float32)
        self.vectors: Matrix = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        chances = 1 / np.arange(10, WORDS + 10)
        self.words = self.dice.choice(WORDS, size=(size, WORDS_A_CHUNK), p=chances / chances.sum())
        self.minutes = self.dice.integers(0, 5 * 365 * 24 * 60, size // CHUNKS_A_NOTE)

    def terms(self, row: int) -> dict[str, int]:
        stems, counts = np.unique(self.words[row], return_counts=True)
        return {f"stem{stem}": count for stem, count in zip(stems.tolist(), counts.tolist(), strict=True)}

    def save(self, store: EmbeddedStore) -> None:
        for number in range(self.size // CHUNKS_A_NOTE):
            note_id, created_at = f"note-{number:06d}", NOW - timedelta(minutes=int(self.minutes[number]))
            puts = tuple(self._put(number, position, created_at) for position in range(CHUNKS_A_NOTE))
            store.put_note(TENANT, Note(note_id, "Title", "text", created_at, created_at))
            record = IndexRecord("r1", IndexStatus.INDEXED, CHUNKS_A_NOTE, VERSION, created_at)
            store.apply(TENANT, IndexChange(note_id, None, record, put=puts))

    def _put(self, number: int, position: int, created_at: datetime) -> ChunkPut:
        row = number * CHUNKS_A_NOTE + position
        path, tags = f"area{number % 40}/project{number % 400}/note.md", (f"tag{number % 20}",)
        chunk = IndexedChunk(
            chunk_id=f"note-{number:06d}_{position:03d}",
            note_id=f"note-{number:06d}",
            position=position,
            title="Title",
            heading_path="# Plan > ## Next",
            text=" ".join(f"word{word}" for word in self.words[row].tolist()),
            start=position * 1000,
            end=position * 1000 + 900,
            utf16_start=position * 1000,
            created_at=created_at,
            updated_at=created_at,
            vault="default",
            path=path,
            tags=tags,
            scopes=scopes_of("default", path, tags),
            terms=self.terms(row),
            length=WORDS_A_CHUNK,
            text_hash="0" * 64,
            index_version=VERSION,
            note_revision="r1",
        )
        return ChunkPut(chunk, array("f", self.vectors[row].tobytes()))

    def questions(self) -> Iterator[tuple[Matrix, list[str]]]:
        """A vector near a chunk and three words that stand in it."""
        for row in self.dice.integers(0, self.size, QUESTIONS):
            words = self.dice.choice(np.unique(self.words[row]), 3, replace=False)
            near = self.vectors[row] + 0.05 * self.dice.standard_normal(DIMENSION, dtype=np.float32)
            yield near / np.linalg.norm(near), [f"stem{word}" for word in words]


def _legs(store: EmbeddedStore, corpus: _Corpus) -> dict[str, object]:
    plain = sqlite3.connect(":memory:")
    plain.execute("CREATE VIRTUAL TABLE plain USING fts5 (text)")
    rows = ((row, " ".join(f"stem{word}" for word in words)) for row, words in enumerate(corpus.words.tolist()))
    plain.executemany("INSERT INTO plain (rowid, text) VALUES (?, ?)", rows)
    tagged = Restriction(scopes=(frozenset({tag_token("tag3")}),))
    times: dict[str, list[float]] = {"least": [], "unranked": [], "legs": [], "tagged": []}
    for vector, stems in corpus.questions():
        times["least"].append(_ms(lambda: _least(corpus.vectors, plain, vector, stems, "ORDER BY rank")))  # noqa: B023 - called at once
        times["legs"].append(_ms(lambda: _question(store, vector, stems, Restriction())))  # noqa: B023
        times["unranked"].append(_ms(lambda: _least(corpus.vectors, plain, vector, stems, "")))  # noqa: B023
        times["tagged"].append(_ms(lambda: _question(store, vector, stems, tagged)))  # noqa: B023
    plain.close()
    middle = {name: median(values) for name, values in times.items()}
    size = f"{corpus.size:,} chunks"
    ratio = middle["legs"] / middle["least"]
    return {
        f"legs, {size}": _figure(middle["legs"], "ms", ratio=ratio, target=2.0, ok=ratio <= 2.0),
        f"legs of one tag, {size}": _figure(middle["tagged"], "ms"),
        f"least work, {size}": _figure(middle["least"], "ms"),
        f"least work without ranking, {size}": _figure(middle["unranked"], "ms"),
    }


def _question(store: EmbeddedStore, vector: Matrix, stems: list[str], restriction: Restriction) -> None:
    """What retrieval asks for one question; the postings share its budget."""
    asked = array("f", vector.tobytes())
    near = store.nearest(TENANT, asked, limit=LIMIT, stems=stems, restriction=restriction, index_version=VERSION)
    each = RetrievalOptions().posting_budget // len(stems)
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


def _footprint(home: Path, corpus: _Corpus) -> dict[str, object]:
    """Each in fresh processes, after everything is imported. The fastest opening: other work only adds to it."""
    probes = [_probe(home) for _ in range(5)]
    opening = min(probe["opening_ms"] for probe in probes)
    taken = max(probe["bytes"] for probe in probes)
    ratio = taken / corpus.vectors.nbytes
    size = f"{corpus.size:,} chunks"
    return {
        f"opening to the first neighbours, {size}": _figure(opening, "ms", target=300, ok=opening <= 300),
        f"peak memory against the vectors, {size}": _figure(
            taken / 1e6, "MB", ratio=ratio, target=1.3, ok=ratio <= 1.3
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
    return {"opening_ms": opening, "bytes": _peak_bytes() - before}


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

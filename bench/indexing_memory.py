"""`python -m bench.indexing_memory`: the memory that a process takes at most to index notes, by their size and its workers.

Every figure is of a process of its own that is limited to the 512 MiB of a deployed instance (`bench.limited`) and has
loaded what one loads: the functions, their framework and the SDK of the models. The store is the product's for Firestore
with its real protobufs, each request serialised; replies come from memory, so that nothing but the process itself is
measured. A figure is the greatest resident size that the kernel tells (`VmHWM`).
"""

from __future__ import annotations

import random
import re
import string
import sys
import time
from array import array
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

from bench import limited
from shared.adapters.firestore import FirestoreStore
from shared.adapters.firestore.connection import Connection
from shared.adapters.firestore.documents import note_fields
from shared.adapters.firestore.protocol import put
from shared.errors import Unavailable
from shared.indexing.pipeline import Indexer
from shared.model.index import Vector
from shared.model.notes import Note, NoteKey

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 512
"""MiB of a deployed instance."""
LARGEST = 895_000
WORKERS = (1, 8, 32)
MEASURED = {
    ("prose", 5_000): (107, 113, 126),
    ("prose", 50_000): (109, 125, 167),
    ("prose", LARGEST): (115, 127, 151),
    ("short words", LARGEST): (120, 155, 207),
}
"""Kind and size of notes -> the MiB that were measured with so many WORKERS; docs/scale.md has them."""
TOLERANCE = 1.2
"""Times the figure in MEASURED that another machine may take."""
ROUNDS = 2
"""Notes a worker."""
DIMENSION = 768
TENANT = "tenant"
NOW = datetime(2026, 5, 8, tzinfo=UTC)


def text_of(kind: str, size: int) -> str:
    """Returns a text of so many bytes: sentences of words of three to ten letters, or words of one and two letters."""
    dice = random.Random(size)
    lengths: Sequence[int] = range(3, 11)
    if kind == "short words":
        lengths = (1, 2)
    words = []
    for _ in range(6000):
        letters = dice.choices(string.ascii_lowercase, k=dice.choice(lengths))
        words.append("".join(letters))

    pieces: list[str] = []
    length = 0
    while length < size:
        piece = " ".join(dice.choices(words, k=14)) + " "
        if kind == "prose":
            end = ". "
            if dice.random() < 0.12:
                end = ".\n\n"
            piece = piece.strip().capitalize() + end
        pieces.append(piece)
        length += len(piece)

    return "".join(pieces)[:size]


class _Replies(Connection):
    """A connection whose requests are serialised and answered from memory: any note asked for exists."""

    def __init__(self, text: str) -> None:
        super().__init__(
            "bench",
            read_seconds=60.0,
            write_seconds=60.0,
        )
        self._text = text
        self._documents: dict[str, Any] = {}
        self._writing = Lock()
        self._commits = 0

    def _call(self, method: str, request: Any, seconds: float) -> Any:  # noqa: ANN401, ARG002
        from google.cloud.firestore_v1 import types  # noqa: PLC0415

        request.SerializeToString()
        if method == "batch_get_documents":
            return [self._found(types, name) for name in request.documents]
        if method == "run_query":
            return []
        if method != "commit":
            raise NotImplementedError(method)
        response = types.CommitResponse()
        with self._writing:
            self._commits += 1
            for write in request.writes:
                name = write.update.name
                if name and "/chunks/" not in name:
                    self._documents.setdefault(name, type(write.update)()).MergeFrom(write.update)
                    self._documents[name].update_time.seconds = self._commits
                result = types.CommitResponse.pb(response).write_results.add()
                result.update_time.seconds = self._commits

        return response

    def _found(self, types: Any, name: str) -> Any:  # noqa: ANN401
        response = types.BatchGetDocumentsResponse()
        raw = types.BatchGetDocumentsResponse.pb(response)
        with self._writing:
            document = self._documents.get(name)
        if "/notes/" in name:
            note = Note(name.rpartition("/")[2], "Title", self._text, NOW, NOW)
            document = put(name, note_fields(note)).update
            document.create_time.seconds = 1
            document.update_time.seconds = 1

        if document is None:
            raw.missing = name
        else:
            raw.found.CopyFrom(document)

        return response


class _Flat:
    """An embedder that gives every text the same vector at once."""

    model = "flat"
    dimension = DIMENSION
    batch_size = 10

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return tuple([array("f", [1.0] + [0.0] * (DIMENSION - 1)) for _ in texts])

    def embed_query(self, text: str) -> Vector:  # noqa: ARG002
        return self.embed_documents([""])[0]


def measure(kind: str, size: int, workers: int) -> tuple[float, float]:
    """Returns the MiB that indexing takes this process at most, and the processor seconds of a note."""
    _load_function()
    store = FirestoreStore("bench")
    store._db = _Replies(text_of(kind, size))  # noqa: SLF001
    indexer = Indexer(store=store, embedder=_Flat(), clock=lambda: NOW)  # type: ignore[arg-type]
    notes = workers * ROUNDS
    if size == LARGEST:
        notes = workers
    began = time.process_time()

    def index(number: int) -> None:
        while True:
            try:
                outcome = indexer.index(NoteKey(TENANT, f"note-{number}"))
            except Unavailable:  # the gate was full for too long
                continue
            if outcome.action != "indexed":
                raise RuntimeError(outcome.error)
            return

    with ThreadPoolExecutor(workers) as threads:
        list(threads.map(index, range(notes)))
    seconds = (time.process_time() - began) / notes
    return peak_memory(), seconds


def _load_function() -> None:
    """Loads what an instance of the function has in memory before it indexes."""
    import functions_framework  # noqa: PLC0415
    from google import genai  # noqa: PLC0415

    client = genai.Client(api_key="none")
    client.close()
    functions_framework.create_app("on_note_write", str(ROOT / "main.py"))  # type: ignore[no-untyped-call]


def peak_memory() -> float:
    """Returns the MiB that this process has taken at most.

    Not `ru_maxrss`: a process inherits that of the one that started it.
    """
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    (kibibytes,) = re.findall(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    return int(kibibytes) / 1024


def measure_limited(kind: str, size: int, workers: int) -> tuple[float, float]:
    """Runs `measure` in a process of its own that cannot take more than LIMIT. Raises RuntimeError if that kills it."""
    done = limited.run(
        "bench.indexing_memory",
        kind,
        str(size),
        str(workers),
        mebibytes=LIMIT,
    )
    if done.returncode:
        raise RuntimeError(f"ended by {done.returncode} within {LIMIT} MiB: {done.stderr[-2000:]}")
    memory, seconds = done.stdout.split()
    return float(memory), float(seconds)


def run(*, small: bool) -> dict[str, dict[str, Any]]:
    """Returns a figure for each kind, size and number of workers; `small`: one of these alone."""
    cases = list(_cases())
    if small:
        cases = [("prose", 50_000, 8)]
    figures: dict[str, dict[str, Any]] = {}
    for kind, size, workers in cases:
        name = f"{size // 1000} KB of {kind}, {workers} workers"
        documented = MEASURED[kind, size][WORKERS.index(workers)]
        target = documented * TOLERANCE
        memory, seconds = measure_limited(kind, size, workers)
        figures[f"MiB: {name}"] = {
            "value": round(memory),
            "unit": "",
            "target": round(target),
            "ok": memory <= target,
        }
        figures[f"a note: {name}"] = {
            "value": round(seconds, 2),
            "unit": "s",
        }

    return figures


def _cases() -> Iterator[tuple[str, int, int]]:
    for kind, size in MEASURED:
        for workers in WORKERS:
            yield kind, size, workers


if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(*measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
    else:
        for figure, measured in run(small=False).items():
            print(f"{figure:52} {measured['value']} {measured['unit']}", flush=True)

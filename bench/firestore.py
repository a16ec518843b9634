"""Firestore on the emulator: writing chunks; all reads of one question, and /search, against one bare vector search.

Both sides of a ratio run in turn on the same emulator, so what the machine does besides falls on both.
"""

from __future__ import annotations

import math
import os
import random
import time
import uuid
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import product
from statistics import median
from typing import Any

from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client
from google.cloud.firestore_v1.base_vector_query import DistanceMeasure
from google.cloud.firestore_v1.vector import Vector as ClientVector

from bench import ratio_figure
from bench.reads import CountedStore, vector_reads
from bench.search_route import GivenVectors, SearchRoute
from desktop.product.emulator import start
from shared.adapters.firestore import FirestoreStore
from shared.adapters.firestore.documents import chunk_fields
from shared.indexing.versions import index_version
from shared.language.terms import stems
from shared.model.index import (
    ChunkPut,
    IndexChange,
    IndexedChunk,
    IndexRecord,
    IndexStatus,
    Vector,
    scopes_of,
)
from shared.model.notes import Note
from shared.model.retrieval import Restriction

DIMENSION = 768
CHUNKS_A_NOTE = 10
CHUNKS_A_LONG_NOTE = 100
WRITTEN = 600
SIZES = (2_000, 10_000)
ROUNDS = 7
LIMIT = 30
TENANT = "bench"
NOW = datetime(2026, 11, 1, tzinfo=UTC)
SYLLABLES = ("ba", "ko", "ri", "tu", "se", "no", "mi", "fa", "lu", "do", "vi", "ga")
WORDS = [word for word in map("".join, product(SYLLABLES, repeat=4)) if stems(word, "en") == [word]]
WEIGHTS = [1 / (rank + 1) for rank in range(len(WORDS))]
QUESTION = (WORDS[300], WORDS[1500], WORDS[6000])
"""Stems of about 2.5%, 0.5% and 0.1% of the chunks."""
FOUND = 10
"""Results of /search when it is asked for no other number."""


def run(*, small: bool = False) -> dict[str, Any]:
    """Figures by name; see `python -m bench`."""
    written = WRITTEN
    rounds_of_writing = 3
    sizes: Sequence[int] = SIZES
    rounds = ROUNDS
    if small:
        written = 100
        rounds_of_writing = 1
        sizes = (100,)
        rounds = 1
    with start(heap="3g") as emulator:
        os.environ["FIRESTORE_EMULATOR_HOST"] = emulator.host
        try:
            figures = _writing(written, rounds=rounds_of_writing)
            for size in sizes:
                figures |= _asking(size, rounds)
        finally:
            del os.environ["FIRESTORE_EMULATOR_HOST"]

    return figures


def _writing(written: int, *, rounds: int) -> dict[str, Any]:
    """Writes the same chunks in the same batches by the client library and by `apply`, in turn; the first turn warms Java."""
    notes = _notes(written, CHUNKS_A_LONG_NOTE)
    plain: list[float] = []
    ours: list[float] = []
    _write_plainly(notes)
    _write(_store(), notes)
    for _ in range(rounds):
        plain.append(written / _seconds(lambda: _write_plainly(notes)))
        ours.append(written / _seconds(lambda: _write(_store(), notes)))

    our_rate = median(ours)
    plain_rate = median(plain)
    ratio = our_rate / plain_rate
    return {
        "chunks written": {"value": our_rate, "unit": "chunks/s"},
        "chunks written by the plain client": {"value": plain_rate, "unit": "chunks/s"},
        "writing, times the plain client": ratio_figure(ratio, ">= 4", ok=ratio >= 4),
    }


def _asking(size: int, rounds: int) -> dict[str, Any]:
    """All reads of one question, with the figures of the corpus known and not, against one bare vector search."""
    store = _store()
    notes = _notes(size)
    _write(store, notes)
    for puts in notes:
        store.put_note(TENANT, Note(puts[0].chunk.note_id, "Bench", "", NOW, NOW))
    bare = []
    warm = []
    cold = []
    searched = []
    route = SearchRoute(
        FirestoreStore(store.project),
        TENANT,
        EMBEDDER,
        store.project,
    )
    _search(route)
    with ThreadPoolExecutor(8) as pool:
        for _ in range(rounds):
            bare.append(_seconds(lambda: _bare_search(store)))
            searched.append(_seconds(lambda: _search(route)))
            newcomer = FirestoreStore(store.project)
            cold.append(_seconds(partial(_question, newcomer, pool)))
            warm.append(_seconds(partial(_question, newcomer, pool)))

    route.close()
    name = f"{size:,} chunks"
    bare_seconds = median(bare)
    reads_ratio = median(warm) / bare_seconds
    cold_ratio = median(cold) / bare_seconds
    search_ratio = median(searched) / bare_seconds
    return {
        f"bare vector search, {name}": {"value": bare_seconds * 1000, "unit": "ms"},
        f"all reads of a question, {name}": ratio_figure(
            reads_ratio,
            "<= 1.3",
            ok=reads_ratio <= 1.3,
        ),
        f"the same in a new instance, {name}": ratio_figure(cold_ratio),
        f"/search, request to reply, {name}": ratio_figure(
            search_ratio,
            "<= 1.2",
            ok=search_ratio <= 1.2,
        ),
        f"billed reads, {name}": _bill(newcomer, size),
    }


def _search(route: SearchRoute) -> None:
    assert route.search(" ".join(QUESTION), k=FOUND) == FOUND


def _question(store: FirestoreStore, pool: Executor) -> None:
    """The legs as retrieval asks for them, side by side, then what may be cited."""
    free = Restriction()
    near = pool.submit(
        store.nearest,
        TENANT,
        _vector(),
        limit=LIMIT,
        stems=QUESTION,
        restriction=free,
        index_version=VERSION,
    )
    recent = pool.submit(
        store.recent,
        TENANT,
        limit=LIMIT,
        stems=QUESTION,
        restriction=free,
    )
    stats = pool.submit(store.stats, TENANT)
    frequencies = store.document_frequencies(TENANT, QUESTION)
    budget = 45
    searches = []
    rarest_first = sorted(QUESTION, key=frequencies.__getitem__)
    for stem in rarest_first:
        limit = min(frequencies[stem], budget)
        if not limit:
            continue
        search = pool.submit(
            store.postings,
            TENANT,
            stem,
            limit=limit,
            stems=QUESTION,
            restriction=free,
        )
        searches.append(search)
        budget -= limit

    neighbours = near.result().neighbours
    assert len(neighbours) == LIMIT
    assert len(recent.result()) == LIMIT
    assert stats.result().chunk_count
    cited_ids = [neighbour.chunk.note_id for neighbour in neighbours[:6]]
    for search in searches:
        cited_ids.extend(chunk.note_id for chunk in search.result())
    distinct_ids = list(dict.fromkeys(cited_ids))[:12]
    records = store.live_records(TENANT, distinct_ids)
    assert len(records) == len(distinct_ids)


def _bill(store: FirestoreStore, size: int) -> dict[str, Any]:
    """Counts the reads of a question in a new instance, without the index entries that its vector search scans."""
    fresh = CountedStore(store.project)
    with ThreadPoolExecutor(8) as pool:
        _question(fresh, pool)
    reads = fresh.reads
    entries = vector_reads(size) * reads.vector_searches
    return {
        "value": reads.total,
        "unit": "",
        "vectorEntries": entries,
        "target": "<= 150",
        "ok": reads.total <= 150,
    }


def _bare_search(store: FirestoreStore) -> None:
    chunks = _client(store.project).collection(f"tenants/{TENANT}/chunks")
    search = chunks.find_nearest(
        "embedding",
        ClientVector(_vector()),
        LIMIT,
        DistanceMeasure.COSINE,
    )
    assert len(search.get()) == LIMIT


def _write(store: FirestoreStore, notes: Sequence[Sequence[ChunkPut]]) -> None:
    for puts in notes:
        note_id = puts[0].chunk.note_id
        record = IndexRecord(
            "r",
            IndexStatus.INDEXED,
            len(puts),
            VERSION,
            NOW,
        )
        store.apply(TENANT, IndexChange(note_id, None, record, put=tuple(puts)))


def _write_plainly(notes: Sequence[Sequence[ChunkPut]]) -> None:
    """Writes as an application would: `batch.set` with the same fields, one batch a note."""
    client = _client(_store().project)
    chunks = client.collection(f"tenants/{TENANT}/chunks")
    for puts in notes:
        batch = client.batch()
        for put in puts:
            fields = {
                **chunk_fields(TENANT, put.chunk),
                "embedded": True,
                "embedding": ClientVector(put.vector or ()),
            }
            batch.set(
                chunks.document(put.chunk.chunk_id),
                {**fields, "tags": [], "scopes": list(put.chunk.scopes)},
            )
        batch.commit()


def _client(project: str) -> Client:
    return Client(project=project, credentials=AnonymousCredentials())  # type: ignore[no-untyped-call]


def _store() -> FirestoreStore:
    return FirestoreStore(f"demo-{uuid.uuid4().hex[:12]}")


def _notes(chunks: int, chunks_a_note: int = CHUNKS_A_NOTE) -> list[list[ChunkPut]]:
    return [
        [ChunkPut(_chunk(note, position), _vector()) for position in range(chunks_a_note)]
        for note in range(chunks // chunks_a_note)
    ]


def _chunk(note: int, position: int) -> IndexedChunk:
    terms = dict.fromkeys(_random.choices(WORDS, WEIGHTS, k=140), 1)
    path = f"area{note % 7}/topic{note % 31}/note.md"
    return IndexedChunk(
        chunk_id=f"n{note}_{position:03}",
        note_id=f"n{note}",
        position=position,
        title="Bench",
        heading_path="# Bench",
        text=" ".join(terms)[:1000],
        start=0,
        end=1000,
        utf16_start=0,
        created_at=NOW - timedelta(hours=note),
        updated_at=NOW,
        vault="default",
        path=path,
        tags=(),
        scopes=scopes_of("default", path, ()),
        terms=terms,
        length=140,
        text_hash="0" * 32,
        index_version=VERSION,
        note_revision="r",
    )


_random = random.Random(7)


def _vector() -> Vector:
    values = [_random.gauss(0, 1) for _ in range(DIMENSION)]
    norm = math.hypot(*values)
    return array("f", [value / norm for value in values])


EMBEDDER = GivenVectors(_vector, DIMENSION)
VERSION = index_version(EMBEDDER)


def _seconds(action: Callable[[], None]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began

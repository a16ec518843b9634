"""The cost of a question on Firestore, by the adapter's own count of billed reads, at 1,000 chunks in 60 folders.

Nightly at 10,000.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import pytest

from bench.reads import CountedStore, Reads
from desktop.product.emulator import Emulator
from shared.folders.retrieve import retrieve_from_folders
from shared.folders.scope import FolderScope
from shared.language.terms import stems
from shared.model.index import (
    ChunkPut,
    IndexChange,
    IndexedChunk,
    IndexRecord,
    IndexStatus,
    scopes_of,
)
from shared.model.notes import Note
from shared.model.questions import Filters, Question
from shared.model.retrieval import Retrieved
from shared.retrieval.folder_weights import MAX_PARTS
from tests.contracts.samples import TENANT
from tests.emulated import patient_store
from tests.fakes import HashingEmbedder, ScriptedWriter
from tests.retrieval.library import VERSION, Library
from tests.retrieval.samples import NOW, days_ago

NOTES = 100
AHEAD = "zebu"
"""Word of passages that were written months before what they name, the days of the questions that ask for it."""
LOOKS_AHEAD = range(20, 70, 5)
"""Numbers of the notes that have such a passage: more than are looked at."""
WORDS_A_CHUNK = 40
VOCABULARY = ["".join(parts) for parts in product(("ba", "ko", "ri", "tu", "se"), repeat=4)]
"""625 words, drawn as natural ones that are no stop words are: the first stands in a fifth of the chunks."""
READS = 125
"""Documents that a question may read which no time restricts and which does not set the number of passages."""
READS_AT_A_TIME = 150
"""Documents that a question may read which a time restricts, or which asks for 20 passages."""
COUNTS = 30
"""Reads of an instance that does not know how many chunks there are and how many hold each word, or no more."""
READS_OF_FOLDERS = 300


@pytest.fixture(scope="module", params=[10, pytest.param(100, marks=pytest.mark.nightly)])
def store(
    emulator: Emulator, firestore_host: str, request: pytest.FixtureRequest
) -> Iterator[CountedStore]:
    """100 notes over a year, of so many chunks each, in 60 folders of three vaults."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIRESTORE_EMULATOR_HOST", firestore_host)
        # The emulator takes as long for each value of `in` as for a whole search.
        store = patient_store("demo-bill")
        _fill(store, request.param)
        yield store
        store.close()
        emulator.reset("demo-bill")


def _fill(store: CountedStore, chunks_a_note: int) -> None:
    dice = random.Random(7)  # noqa: S311 - a reproducible corpus
    embedder = HashingEmbedder(batch_size=chunks_a_note)
    weights = [1 / (rank + 40) for rank in range(len(VOCABULARY))]
    for number in range(NOTES):
        note_id = f"note{number:03d}"
        created = days_ago(number * 365 // NOTES)
        texts = [
            " ".join(dice.choices(VOCABULARY, weights, k=WORDS_A_CHUNK))
            for _ in range(chunks_a_note)
        ]
        if number in LOOKS_AHEAD:
            named = (days_ago(days).date().isoformat() for days in (3, 45, 300))
            texts[0] = f"{' '.join((*COMMON, *RARE, AHEAD))} {' '.join(named)} {texts[0]}"
        vault = f"v{number % 3}"
        path = f"area{number % 10}/topic{number % 20}/{note_id}.md"
        note = Note(note_id, "", "\n".join(texts), created, created, vault, path)
        store.put_note(TENANT, note)
        vectors = embedder.embed_documents(texts)
        puts = tuple(
            ChunkPut(_chunk(note, position, text), vector)
            for position, (text, vector) in enumerate(zip(texts, vectors, strict=True))
        )
        record = IndexRecord("r1", IndexStatus.INDEXED, len(puts), VERSION, NOW)
        store.apply(TENANT, IndexChange(note_id, None, record, put=puts))


COMMON = VOCABULARY[:6]
RARE = VOCABULARY[-6:]


def _chunk(note: Note, position: int, text: str) -> IndexedChunk:
    terms = Counter(stems(text, "en"))
    return IndexedChunk(
        chunk_id=f"{note.note_id}_{position:03d}",
        note_id=note.note_id,
        position=position,
        title="",
        heading_path="",
        text=text,
        start=0,
        end=len(text),
        utf16_start=0,
        created_at=note.created_at,
        updated_at=note.updated_at,
        vault=note.vault,
        path=note.path,
        tags=(),
        scopes=scopes_of(note.vault, note.path, ()),
        terms=terms,
        length=terms.total(),
        text_hash=f"{note.note_id}{position}",
        index_version=VERSION,
        note_revision="r1",
    )


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (f"What about {' '.join(COMMON)}?", {}),
        (f"What about {' '.join(RARE)}?", {}),
        (f"What about {COMMON[0]} {RARE[0]} {' '.join(VOCABULARY[40:46])}?", {}),
        ("a question whose words nobody wrote", {}),
        (f"{COMMON[1]} {RARE[1]} last week", {}),
        (f"{COMMON[1]} {RARE[1]} in March", {}),
        (f"{COMMON[2]} {RARE[2]} since Monday", {}),
        (f"{COMMON[1]} {RARE[1]}", {"filters": Filters(window_days=60)}),
        (f"{COMMON[1]} {RARE[1]}", {"filters": Filters(window_days=10)}),
        (f"{COMMON[3]} {RARE[3]}", {"filters": Filters(vaults=("v1",))}),
        (f"{COMMON[3]} {RARE[3]}", {"filters": Filters(folders=("area4/topic4",))}),
        (f"{COMMON[3]} {RARE[3]} last month", {"filters": Filters(vaults=("v1",))}),
        (f"{COMMON[4]} {RARE[4]}", {"top_k": 20}),
    ],
)
def test_a_question_is_answered_within_so_many_reads_and_one_vector_search(
    store: CountedStore, text: str, question: dict[str, Any]
) -> None:
    retrieved, reads = _asked(store, text, question)
    assert retrieved.selected
    is_plain = retrieved.range_used is None and "top_k" not in question
    assert reads.documents <= (READS if is_plain else READS_AT_A_TIME), reads
    assert reads.aggregations <= COUNTS, reads
    assert reads.vector_searches <= 1


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (f"What about {AHEAD} {COMMON[0]} last week?", {}),
        (f"{COMMON[0]} {RARE[0]} {AHEAD} on {days_ago(3):%d %B %Y}", {}),
        (f"{COMMON[1]} {RARE[1]} {AHEAD} last month", {}),
        (f"{COMMON[1]} {RARE[1]} {AHEAD} last month", {"filters": Filters(vaults=("v1",))}),
        (f"{COMMON[1]} {AHEAD} last week", {"top_k": 20}),
    ],
)
def test_a_question_that_meets_passages_of_other_times_keeps_to_its_reads(
    store: CountedStore, text: str, question: dict[str, Any]
) -> None:
    """Their vectors are read beside those of the other legs' candidates."""
    retrieved, reads = _asked(store, text, question)
    time_range = retrieved.range_used
    assert time_range is not None
    found_at = [passage.chunk.created_at for passage in retrieved.selected]
    assert not all(map(time_range.contains, found_at)), "no passage of another time was met"
    assert reads.documents <= READS_AT_A_TIME, reads
    assert reads.aggregations <= COUNTS, reads
    assert reads.vector_searches <= 1


def _asked(store: CountedStore, text: str, question: Mapping[str, Any]) -> tuple[Retrieved, Reads]:
    """Ask a question. -> what was found, and what was read for it.

    The folders' names, which filters are checked against, are read when they change and not for each question.
    """
    store.folders(TENANT)
    with ThreadPoolExecutor(8) as executor:
        library = Library(store, executor)
        reads_before = store.reads
        retrieved = library.ask(text, **question)
    return retrieved, store.reads - reads_before


EVERY_FOLDER = json.dumps([f"area{number % 10}/topic{number}" for number in range(20)])


@pytest.mark.parametrize(
    ("scope", "reply"),
    [
        (FolderScope(), "prose, so all folders are searched in their order"),
        (FolderScope(), None),
        (FolderScope(vaults=("v1",)), EVERY_FOLDER),
        (
            FolderScope(vaults=("v0", "v2"), folders=("area4",)),
            '["area1", "area1/topic1", "area2/topic12"]',
        ),
    ],
)
def test_a_question_to_many_folders_is_answered_within_300_reads(
    store: CountedStore, scope: FolderScope, reply: str | None
) -> None:
    """`reply` is None where no model ranks folders."""
    store.folders(TENANT)
    question = Question(
        TENANT, f"What about {COMMON[0]} {RARE[0]} {' '.join(VOCABULARY[40:46])}?", NOW, top_k=5
    )
    with ThreadPoolExecutor(8) as executor:
        library = Library(store, executor)
        reads_before = store.reads
        ranker = None if reply is None else ScriptedWriter(reply)
        retrieved, _ = retrieve_from_folders(
            question, scope, library.retriever(), library.options, ranker
        )
    reads = store.reads - reads_before
    assert len(retrieved.selected) == 5
    assert reads.total <= READS_OF_FOLDERS, reads
    assert reads.vector_searches <= (MAX_PARTS if reply else 2 * MAX_PARTS)

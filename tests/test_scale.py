"""The tables of docs/scale.md are those that its script prints, from bounds that tests hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench import scale
from desktop.product.emulator import Emulator
from shared.adapters.firestore import FirestoreStore
from shared.indexing.pipeline import Indexer
from shared.model.notes import NoteKey
from shared.sweep.reconcile import reconcile
from tests.contracts.samples import DAY, TENANT, note
from tests.emulated import patient_store
from tests.fakes import HashingEmbedder
from tests.retrieval import test_firestore_bill
from tests.servers.firestore_proxy import Call, FirestoreProxy

PAGE = Path(__file__).parents[1] / "docs/scale.md"


def test_the_tables_of_the_page_are_those_that_the_script_prints() -> None:
    page = PAGE.read_text(encoding="utf-8")
    in_page = re.findall(r"^\|.*\|$(?:\n^\|.*\|$)*", page, re.MULTILINE)
    assert in_page == list(scale.tables().values()), "python -m bench.scale prints them"


def test_the_figures_in_the_text_are_those_of_the_tables() -> None:
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    for sentence in (
        f"reads at most {scale.READS_OF_QUESTION} documents ({scale.READS_AT_A_TIME} if it names",
        f"embeds {scale.QUESTION_TOKENS} tokens; the model reads about {scale.PROMPT_TOKENS:,} tokens",
        f"writes {scale.ANSWER_TOKENS}. An answer takes {scale.SECONDS_OF_CHAT:.0f} s",
        f"The note has {scale.CHUNKS_OF_NOTE} chunks",
        f"A chunk adds about {scale.WORDS_OF_CHUNK} words",
        f"its deadline of {scale.READ_SECONDS:.0f} s",
        f"has {scale.TENANT_CHUNKS:,} chunks, {scale.QUESTIONS_A_DAY} questions and {scale.NOTES_A_DAY} saved notes",
        f"The busiest second has {scale.PEAK} times the average",
        f"in the {scale.WARM_MINUTES} minutes before",
        f"{scale.HOT_WRITES} writes a second",
    ):
        assert sentence in page, sentence


def test_the_reads_of_a_question_are_those_that_its_test_allows() -> None:
    assert scale.READS_OF_QUESTION == test_firestore_bill.READS
    assert scale.READS_AT_A_TIME == test_firestore_bill.READS_AT_A_TIME


def test_reads_and_writes_of_a_saved_note_are_those_that_firestore_gets(
    emulator: Emulator, firestore_project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[int] = []
    with FirestoreProxy(emulator.host, lambda call: _count(call, writes)) as proxy:
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", proxy.host)
        store = patient_store(firestore_project)
        text = "\n\n".join(
            f"# Part {number}\n\n{'Eight words are a sentence of no weight. ' * 24}"
            for number in range(5)
        )
        _save(store, "n0", text)  # the first note of a folder costs a little more
        reads_before = store.reads
        sent = sum(writes)
        assert _save(store, "n1", text) == scale.CHUNKS_OF_NOTE
        assert (store.reads - reads_before).total == scale.READS_OF_NOTE
        assert sum(writes) - sent == scale.writes_of_note()
        reads_before = store.reads
        sent = sum(writes)
        new_indexer = Indexer(
            store=store,
            embedder=HashingEmbedder(16),
            clock=lambda: DAY,
            second_version="c1:hashing:64",
        )
        assert new_indexer.index(NoteKey(TENANT, "n1")).embedded == scale.CHUNKS_OF_NOTE
        assert (store.reads - reads_before).total == scale.READS_OF_CHANGE
        assert sum(writes) - sent == scale.writes_of_note() - 1


def test_a_sweep_of_everything_reads_so_much_of_each_note(firestore_project: str) -> None:
    store = patient_store(firestore_project)
    notes = 20
    for number in range(notes):
        _save(store, f"n{number}", "Eight words are a sentence of no weight.")
    indexer = Indexer(
        store=store,
        embedder=HashingEmbedder(),
        clock=lambda: DAY,
    )
    reads_before = store.reads
    assert reconcile(indexer, budget=1000, full=True).complete
    assert (
        store.reads - reads_before
    ).total // notes == scale.READS_OF_SWEEP  # and a few for all together


def _save(store: FirestoreStore, note_id: str, text: str) -> int:
    """The note and its index; how many chunks it has."""
    store.put_note(TENANT, note(note_id, text=text))
    key = NoteKey(TENANT, note_id)
    return Indexer(store=store, embedder=HashingEmbedder(), clock=lambda: DAY).index(key).chunks


def _count(call: Call, writes: list[int]) -> None:
    if call.method in ("Commit", "BatchWrite"):
        written = [write for write in call.request.writes if write.update.name or write.delete]
        writes.append(len(written))  # the others verify


def test_documents_are_a_small_part_of_a_question_and_the_search_grows_to_be_most_of_it() -> None:
    small = scale.question(1_000)
    large = scale.question(1_000_000)
    assert small.documents < 0.1 * small.total
    assert large.search > 0.5 * large.total
    assert large.total - small.total == pytest.approx(large.search - small.search)

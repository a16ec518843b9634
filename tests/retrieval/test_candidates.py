"""The three legs: side by side, within their budgets, and never waiting for each other in the executor."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event

import pytest

from shared.model.index import ChunkPut, IndexChange, Vector
from shared.model.questions import Filters
from shared.model.retrieval import RefusalReason
from tests.contracts.samples import TENANT
from tests.fakes import HashingEmbedder
from tests.retrieval.library import Counted, Library, notes
from tests.retrieval.samples import days_ago

WORDS = (
    "alpha",
    "bravo",
    "copper",
    "delta",
    "ember",
    "falcon",
    "garnet",
    "harbor",
    "indigo",
    "jasper",
)


def _furnish(library: Library, count: int = 200) -> None:
    """Note n holds word w when n is divisible by w's place: the first stands in all, the last is the rarest."""
    for number in range(count):
        words_held = [word for place, word in enumerate(WORDS, start=1) if number % place == 0]
        library.add(
            f"n{number:03d}", f"{' '.join(words_held)} number{number}", created_at=days_ago(number)
        )


@pytest.mark.parametrize("embedded", [True, False])
def test_a_note_that_is_left_out_takes_no_place_of_another(
    library: Library, *, embedded: bool
) -> None:
    first = library.add("big", "the zebra budget")
    vector = library.writer.embed_documents([first.text])[0]
    sections = (
        replace(first, chunk_id=f"big_{number:03d}", position=number) for number in range(1, 120)
    )
    record = library.store.read_record(TENANT, "big")
    assert record.record is not None
    puts = tuple(ChunkPut(section, vector) for section in sections)
    library.store.apply(TENANT, IndexChange("big", record.token, record.record, put=puts))
    library.add("small", "the zebra budget is 400 euros", created_at=days_ago(3))
    _furnish(library, 40)
    library.embedder = library.writer if embedded else None
    store = Counted(library.store)
    library.asked = store.as_store()
    retrieved = library.ask("What is the zebra budget?", filters=Filters(without_notes=("big",)))
    assert retrieved.refusal is None
    assert "big" not in notes(retrieved)
    assert "small" in notes(retrieved)
    assert retrieved.candidate_count <= 3 * library.options.leg_size
    assert store.reads["nearest"] <= 9 * library.options.leg_size


def test_one_thread_serves_many_questions_at_once(library: Library) -> None:
    _furnish(library, 20)
    with ThreadPoolExecutor(1) as legs, ThreadPoolExecutor(16) as callers:
        library.executor = legs
        futures = [callers.submit(library.ask, "Where is jasper and harbor?") for _ in range(32)]
        answers = {tuple(notes(future.result(timeout=60))) for future in futures}
    assert len(answers) == 1


class _LateEmbedder(HashingEmbedder):
    """Embeds the question only when the keyword leg has searched."""

    def __init__(self) -> None:
        super().__init__()
        self.keywords_searched = Event()

    def embed_query(self, text: str) -> Vector:
        assert self.keywords_searched.wait(timeout=30), "the keyword leg waits for the embedding"
        return super().embed_query(text)


def test_the_keyword_leg_does_not_wait_for_the_embedding(library: Library) -> None:
    _furnish(library, 20)
    late = _LateEmbedder()
    library.embedder = late
    store = Counted(library.store, after={"postings": late.keywords_searched.set})
    library.asked = store.as_store()
    assert library.ask("Where is jasper?").selected[0].scores.vector > 0


@pytest.mark.parametrize("asked", ["What about", "What about last month"])
@pytest.mark.parametrize(
    "filters",
    [
        Filters(),
        Filters(vaults=("default",), window_days=120),
    ],
)
def test_a_question_costs_at_most_150_reads(library: Library, asked: str, filters: Filters) -> None:
    _furnish(library)
    store = Counted(library.store)
    library.asked = store.as_store()
    retrieved = library.ask(f"{asked} {', '.join(WORDS)}?", filters=filters)
    assert len(retrieved.selected) == 8
    assert store.reads["nearest"] <= library.options.leg_size
    assert retrieved.candidate_count <= 90
    assert store.reads["postings"] <= library.options.posting_budget
    assert store.reads.total() <= 150, store.reads


def test_the_newest_are_few_where_another_leg_brings_some(library: Library) -> None:
    _furnish(library, 80)
    store = Counted(library.store)
    library.asked = store.as_store()
    assert library.ask("Where is jasper?").candidate_count > library.options.newest
    assert store.reads["recent"] == library.options.newest


def test_the_newest_are_a_whole_leg_where_no_other_brings_any(library: Library) -> None:
    _furnish(library, 80)
    library.embedder = None
    retrieved = library.ask("zinc", top_k=12)
    assert retrieved.candidate_count == library.options.leg_size
    assert notes(retrieved) == [f"n{number:03d}" for number in range(12)]


def test_postings_of_the_rarest_stems_come_first(library: Library) -> None:
    _furnish(library)
    library.add("hit", "zinc", created_at=days_ago(1000))
    library.embedder = None
    assert notes(library.ask("alpha bravo zinc"))[0] == "hit"


def test_a_restricted_search_spends_what_its_rarest_stems_leave(library: Library) -> None:
    _furnish(library)
    library.add("hit", "copper kettle", vault="home", created_at=days_ago(500))
    library.embedder = None
    retrieved = library.ask("jasper indigo harbor garnet copper", filters=Filters(vaults=("home",)))
    assert notes(retrieved) == ["hit"]


def test_a_stem_in_more_chunks_than_the_budget_brings_the_newest(library: Library) -> None:
    _furnish(library, 60)
    library.embedder = None
    library.options = replace(library.options, posting_budget_alone=5, window_days=1)
    assert set(notes(library.ask("alpha"))) == {"n000", "n001", "n002", "n003", "n004"}


def test_a_question_of_stop_words_is_answered_by_its_vector(library: Library) -> None:
    _furnish(library, 20)
    retrieved = library.ask("What was it about?")
    assert retrieved.analysis.stems == ()
    assert retrieved.candidate_count == 20


def test_vectors_of_another_model_are_not_compared(library: Library) -> None:
    _furnish(library, 20)
    library.options = replace(library.options, index_version="md1:other:64")
    retrieved = library.ask("Where is jasper?")
    assert {passage.scores.vector for passage in retrieved.selected} == {0.0}
    assert retrieved.selected[0].scores.keyword == 1.0


def test_the_first_searches_of_a_new_tenant_may_come_together(library: Library) -> None:
    for number in range(30):
        assert (
            library.ask("Where is jasper?", tenant_id=f"new-{number}").refusal
            is RefusalReason.NO_NOTES
        )

"""Why a note is found or not, on a real store; every figure is the search's own."""

from __future__ import annotations

from typing import Any

import pytest

from shared.errors import InvalidArgument
from shared.model.index import ChunkPut, IndexChange, IndexRecord, IndexStatus
from shared.model.notes import Note
from shared.model.questions import Filters, Question, Strategy
from shared.retrieval.explanation import Absence, Explanation, NoteReport, explain
from shared.retrieval.scores import LEXICAL
from tests.contracts.samples import TENANT
from tests.retrieval.library import VERSION, Library
from tests.retrieval.samples import NOW, days_ago

ASKED = "Where does the API run?"


def _explain(library: Library, *note_ids: str, text: str = ASKED, **question: Any) -> Explanation:  # noqa: ANN401
    return explain(
        Question(TENANT, text, NOW, **question), note_ids, library.retriever(), library.options
    )


def _one(library: Library, note_id: str, **question: Any) -> NoteReport:  # noqa: ANN401 - Question's fields
    (report,) = _explain(library, note_id, **question).notes
    return report


def _furnish(library: Library) -> None:
    library.add(
        "api", "We decided to run the API on Cloud Run", created_at=days_ago(5), path="work/api.md"
    )
    library.add(
        "db", "The database of the API is Firestore", created_at=days_ago(40), path="work/db.md"
    )
    library.add(
        "garden", "Tomatoes need water every evening", created_at=days_ago(200), vault="home"
    )


def _crowd(library: Library, count: int) -> None:
    for number in range(count):
        library.add(
            f"n{number:02d}", f"The API does run in region {number}", created_at=days_ago(1)
        )


@pytest.mark.parametrize("strategy", list(Strategy))
def test_the_figures_are_those_of_the_search(library: Library, strategy: Strategy) -> None:
    _furnish(library)
    retrieved = library.ask(ASKED, strategy=strategy)
    explained = _explain(library, strategy=strategy)
    assert [note.note_id for note in explained.notes] == [
        passage.chunk.note_id for passage in retrieved.selected
    ]
    for place, (note, passage) in enumerate(
        zip(explained.notes, retrieved.selected, strict=True), start=1
    ):
        (report,) = note.passages
        assert report.scored == passage
        assert report.place == place
        assert report.absence is None
        assert sum(report.shares) == pytest.approx(passage.score)


def test_the_figures_are_those_of_a_search_by_letters(library: Library) -> None:
    library.add("loan", "Der Leihcomputer wird an der Theke ausgegeben")
    library.add("food", "Am Abend kochen wir für die ganze Gruppe")
    library.writer.languages = frozenset({"en"})
    question = "Wo gibt es die Computer?"
    (report,) = _explain(library, "loan", text=question).notes[0].passages
    assert report.scored == library.ask(question).selected[0]


def test_each_leg_tells_rank_part_and_what_it_adds(library: Library) -> None:
    _furnish(library)
    (report,) = _one(library, "api").passages
    assert report.candidate.vector_rank == 2
    assert report.candidate.keyword_rank == 1
    assert report.candidate.recent_rank == 1
    assert report.shares == pytest.approx(
        (
            0.6 * report.scored.scores.vector,
            0.25 * report.scored.scores.keyword,
            0.15 * report.scored.scores.recency,
        )
    )
    assert report.bm25 > 0
    assert report.candidate.cosine is not None
    assert report.scored.scores.vector == pytest.approx(
        report.candidate.cosine + LEXICAL * (1 - report.candidate.cosine)
    )


def test_a_note_in_another_vault_is_not_in_the_filters_and_still_has_its_scores(
    library: Library,
) -> None:
    _furnish(library)
    report = _one(library, "api", filters=Filters(vaults=("home",)))
    assert report.absence is Absence.NOT_IN_FILTERS
    (passage,) = report.passages
    assert not passage.was_candidate
    assert passage.scored.scores.vector > 0
    assert passage.scored.score == pytest.approx(sum(passage.shares))


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("Where did we run the API in March 2026?", Filters()),
        (ASKED, Filters(created_before=days_ago(100))),
    ],
)
def test_a_note_of_another_time_is_out_of_range(
    library: Library, text: str, filters: Filters
) -> None:
    _furnish(library)
    library.add("march", "The API ran in a cellar", created_at=days_ago(250))
    assert _one(library, "api", text=text, filters=filters).absence is Absence.OUT_OF_TIME_RANGE


def test_a_note_that_is_not_similar_enough_is_below_the_threshold(library: Library) -> None:
    _furnish(library)
    report = _one(library, "db", threshold=0.99)
    assert report.absence is Absence.BELOW_THRESHOLD
    assert report.passages[0].place is None
    assert report.passages[0].was_candidate


def test_a_repetition_names_what_it_was_merged_into(library: Library) -> None:
    text = "We decided to run the API on Cloud Run because it scales to zero"
    library.add("a", text)
    library.add("copy", text)
    report = _one(library, "copy")
    assert report.absence == Absence.MERGED
    assert report.passages[0].repeats == "a_000"


def test_a_note_that_ranks_behind_the_result_is_beyond_k(library: Library) -> None:
    _furnish(library)
    report = _one(library, "db", top_k=1)
    assert report.absence == Absence.BEYOND_K
    assert report.passages[0].place == 2


def test_a_note_that_no_leg_brought_is_no_candidate_and_has_later_ranks(
    library: Library,
) -> None:
    _crowd(library, 40)
    library.add("far", "Tomatoes need water every evening", created_at=days_ago(30))
    report = _one(library, "far")
    assert report.absence is Absence.NOT_A_CANDIDATE
    (passage,) = report.passages
    assert passage.candidate.vector_rank == 41
    assert passage.candidate.keyword_rank is None
    assert passage.candidate.recent_rank == 41
    assert passage.candidate.cosine is not None


def test_notes_that_the_search_left_out_never_change_its_scores(library: Library) -> None:
    _crowd(library, 40)
    selected_before = library.ask(ASKED).selected
    library.add("far", "Tomatoes", created_at=days_ago(30))
    explained = _explain(library, "far", selected_before[0].chunk.note_id)
    assert explained.notes[1].passages[0].scored.scores == explained.retrieved.selected[0].scores


def test_a_candidate_without_any_relation_is_unrelated(library: Library) -> None:
    _furnish(library)
    library.add("wordless", "Zinc", embedded=False)
    report = _one(library, "wordless")
    assert report.absence == Absence.UNRELATED
    assert report.passages[0].scored.score == 0


def test_a_note_that_the_index_has_not_reached_is_not_indexed(library: Library) -> None:
    _furnish(library)
    library.store.put_note(TENANT, Note("new", "", "The API runs", NOW, NOW))
    assert _one(library, "new") == NoteReport("new", Absence.NOT_INDEXED, ())


def test_a_note_that_could_not_be_indexed_is_not_indexed(library: Library) -> None:
    library.store.put_note(TENANT, Note("bad", "", "The API runs", NOW, NOW))
    record = IndexRecord("r1", IndexStatus.FAILED, 0, VERSION, NOW, error="broken")
    library.store.apply(TENANT, IndexChange("bad", None, record))
    assert _one(library, "bad").absence is Absence.NOT_INDEXED


def test_a_half_written_revision_is_pending(library: Library) -> None:
    chunk = library.add("n", "The API runs on Heroku", revision="r1")
    library.put(ChunkPut(chunk, None), "r2")
    assert _one(library, "n") == NoteReport("n", Absence.INDEX_PENDING, ())


def test_a_note_whose_vector_is_still_to_come_is_pending_unless_its_words_are_found(
    library: Library,
) -> None:
    _crowd(library, 40)
    library.add("late", "Zinc for the gutter", created_at=days_ago(30), embedded=False)
    token = library.store.read_record(TENANT, "late").token
    pending = IndexRecord("r1", IndexStatus.PENDING, 1, VERSION, NOW)
    library.store.apply(TENANT, IndexChange("late", token, pending))
    assert _one(library, "late").absence is Absence.INDEX_PENDING
    assert _one(library, "late", text="What is zinc for?").absence is None


def test_without_an_embedder_keywords_are_explained(library: Library) -> None:
    _furnish(library)
    library.embedder = None
    (report,) = _one(library, "db").passages
    assert report.absence is None
    assert report.candidate.cosine is None
    assert report.candidate.vector_rank is None
    assert report.bm25 > 0


def test_a_tenant_without_notes_explains_nothing(library: Library) -> None:
    assert _explain(library).notes == ()


def test_no_more_chunks_are_read_than_an_explanation_may_cost(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.retrieval.explanation.MAX_CHUNKS", 2)
    _crowd(library, 4)
    selected_ids = [passage.chunk.note_id for passage in library.ask(ASKED).selected]
    assert [note.note_id for note in _explain(library).notes] == selected_ids[:2]
    assert len(_explain(library, *selected_ids[2:4]).notes) == 2
    with pytest.raises(
        InvalidArgument, match="noteIds: expected notes of at most 2 passages together"
    ):
        _explain(library, *selected_ids[:3])

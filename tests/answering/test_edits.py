"""Answers whose notes read differently by now, or are gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from shared.answering.citing.edits import as_notes_are
from shared.answering.pipeline import answer_events, last
from shared.answering.quoting import Quoter
from shared.errors import StoreUnavailable
from shared.model.answers import Answer, AnswerKind
from shared.model.retrieval import RefusalReason
from tests.answering.samples import passage, question, retrieved
from tests.fakes import ScriptedWriter


@pytest.fixture
def answered() -> Answer:
    """Cites two notes at revision r1, one of them twice."""
    first, second = passage("We chose Firestore."), passage("We chose Cloud Run.")
    second = replace(second, chunk=replace(second.chunk, note_id="other"))
    writer = ScriptedWriter("We chose Firestore [N1]. We chose Cloud Run [N2].")
    return last(answer_events(question(), retrieved(first, second), writer=writer, quoter=Quoter()))


def test_only_what_was_edited_is_stale(answered: Answer) -> None:
    asked: list[str] = []

    def revisions_of(note_ids: Sequence[str]) -> Mapping[str, str]:
        asked.extend(note_ids)
        return {note_id: "r2" if note_id == "other" else "r1" for note_id in note_ids}

    marked = as_notes_are(answered, revisions_of)
    assert {each.passage.chunk.note_id: each.stale for each in marked.citations} == {asked[0]: False, "other": True}
    assert len(asked) == 2


def test_an_answer_without_citations_reads_nothing(answered: Answer) -> None:
    bare = replace(answered, citations=())
    assert as_notes_are(bare, lambda note_ids: pytest.fail(str(note_ids))) == bare


def test_a_store_that_is_away_does_not_cost_the_answer(answered: Answer) -> None:
    def away(note_ids: Sequence[str]) -> Mapping[str, str]:
        raise StoreUnavailable(str(note_ids))

    assert as_notes_are(answered, away) == answered


def test_what_cites_a_deleted_note_goes_and_the_rest_is_counted_anew(answered: Answer) -> None:
    first = answered.citations[0].passage.chunk.note_id
    left = as_notes_are(answered, lambda note_ids: {each: "" if each == first else "r1" for each in note_ids})
    assert left.text == "We chose Cloud Run [N1]."
    assert [(each.label, each.passage.chunk.note_id, each.stale) for each in left.citations] == [("N1", "other", False)]


def test_an_answer_from_deleted_notes_alone_is_a_refusal(answered: Answer) -> None:
    left = as_notes_are(answered, lambda note_ids: dict.fromkeys(note_ids, ""))
    assert (left.refusal, left.citations) == (RefusalReason.NO_CANDIDATES, ())
    assert left.kind is AnswerKind.WRITTEN
    assert "Firestore" not in left.text

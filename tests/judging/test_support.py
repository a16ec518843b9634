from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.judging.support import UNKNOWN, OfflineJudge
from shared.model.answers import Statement, SupportState, Verdict
from tests.answering.samples import passage

MEETING = passage(
    "We use **Cloud Run** for the API. Jonas measured cold starts of 400 ms.\n\nFirestore stays our database; nobody "
    "wants to run PostgreSQL at night. Costs rise from 4 to 9 euros on 3 May.",
    title="API meeting",
    note_id="meeting",
)
GARDEN = passage(
    "The beds are made of larch. They cost 184 euros.", note_id="garden", title="Raised beds"
)
SUPPE = passage(
    "Die Linsen nicht einweichen, nur waschen und mit Brühe 35 Minuten köcheln lassen.",
    note_id="suppe",
)


def judged(text: str, *passages: object) -> Verdict:
    chunks = tuple(passage.chunk for passage in (passages or (MEETING,)))  # type: ignore[attr-defined]  # Scored
    (verdict,) = OfflineJudge().judge([Statement(text, chunks)]).verdicts
    return verdict


@pytest.mark.parametrize(
    "text",
    [
        "You decided on Cloud Run.",
        "The API runs on Cloud Run.",
        "Cold starts of 400 ms were measured by Jonas.",
        "Nobody wants PostgreSQL.",
        "Costs rise to 9 euros on May 3.",
        "The API meeting chose Firestore as database.",
        "Yes.",
    ],
)
def test_a_statement_of_the_passage_is_supported(text: str) -> None:
    assert judged(text).support.state is SupportState.SUPPORTED


@pytest.mark.parametrize(
    "text",
    [
        "Jonas measured cold starts of 500 ms.",
        "Costs rise to 9 euros on 4 May.",
        "Costs rise to 9 euros on 3 May 2031.",
        "The API does not use Cloud Run.",
        "The database is not Firestore.",
        "ERR_CONN_42 stopped the API on Cloud Run.",
        "The weather was fine.",
    ],
)
def test_a_statement_that_the_passage_lacks_or_contradicts_is_not_supported(text: str) -> None:
    assert judged(text).support.state is not SupportState.SUPPORTED


def test_another_name_sinks_it() -> None:
    text = "The cold starts that Maria measured took 400 ms."
    assert judged(text).support.score < judged(text.replace("Maria", "Jonas")).support.score / 2


def test_the_span_is_the_sentence_that_carries_it() -> None:
    (span,) = judged("The measured cold starts took 400 ms.").spans
    assert MEETING.chunk.text[slice(*span)] == "Jonas measured cold starts of 400 ms."


def test_the_first_of_equally_good_sentences_carries_the_statement() -> None:
    twice = passage("Alpha one. Alpha two.")
    assert judged("Alpha.", twice).spans == ((0, 10),)


def test_the_span_is_the_whole_passage_if_nothing_is_shared() -> None:
    verdict = judged("Völlig anders.", passage("Alpha beta. Gamma.", start=7))
    assert verdict.spans == ((0, 18),)
    assert verdict.support.score == 0.0


def test_passages_back_together_what_none_backs_alone() -> None:
    text = "The API runs on Cloud Run and the beds of larch cost 184 euros."
    together = judged(text, MEETING, GARDEN)
    assert together.support.state is SupportState.SUPPORTED
    assert (
        max(judged(text, MEETING).support.score, judged(text, GARDEN).support.score)
        < together.support.score
    )
    assert len(together.spans) == 2


def test_another_language_is_judged_by_names_and_numbers() -> None:
    assert (
        judged("Die API läuft auf Cloud Run und die Datenbank heißt Firestore.").support.score
        > UNKNOWN
    )
    assert judged("Die API läuft auf Azure und die Datenbank heißt Redis.").support.score < UNKNOWN
    assert judged("Das ist nicht sehr einfach und auch nicht schön.").support.score == UNKNOWN


def test_german_is_read_as_german() -> None:
    assert (
        judged("Die Linsen werden mit Brühe 35 Minuten köcheln.", SUPPE).support.state
        is SupportState.SUPPORTED
    )
    assert (
        judged("Die Linsen mit Brühe 45 Minuten köcheln.", SUPPE).support.state
        is SupportState.UNSUPPORTED
    )


def test_what_says_nothing_contradicts_nothing() -> None:
    assert judged("It is.").support.score == 1.0


@given(st.text(max_size=150), st.text(max_size=150))
def test_any_statement_gets_a_score_and_a_place_inside_the_passage(text: str, note: str) -> None:
    verdict = judged(text, passage(note))
    assert 0.0 <= verdict.support.score <= 1.0
    assert all(0 <= start <= end <= len(note) for start, end in verdict.spans)


@given(
    st.lists(
        st.sampled_from(["You use Cloud Run.", "It costs 5 euros.", "Firestore, not Redis."]),
        max_size=5,
    )
)
def test_judged_together_or_apart_the_verdicts_are_the_same(texts: list[str]) -> None:
    statements = [Statement(text, (MEETING.chunk, GARDEN.chunk)) for text in texts]
    assert OfflineJudge().judge(statements).verdicts == tuple(
        judged(text, MEETING, GARDEN) for text in texts
    )

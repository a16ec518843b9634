"""An answer as it comes about: whole checked pieces, of which nothing is taken back but all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.answering.extractive import ExtractiveWriter
from shared.answering.pipeline import Writers, answer_events
from shared.answering.refusals import NO_MODEL
from shared.errors import AuroraError, ModelRefused, ModelUnavailable
from shared.model.answers import (
    Answer,
    AnswerEvent,
    CheckedPiece,
    Delta,
    Retracted,
    RetractReason,
    Searched,
    SupportState,
    Usage,
)
from shared.model.questions import Question
from shared.model.retrieval import Retrieved
from tests.answering.samples import events_by, passage, question, retrieved
from tests.fakes import ScriptedWriter

FIRESTORE = passage("We chose Firestore as the database. It scales.", note_id="a")
CLOUD_RUN = passage("The API runs on Cloud Run.", note_id="b", start=40)
FOUND = retrieved(FIRESTORE, CLOUD_RUN)
QUOTED = (
    "Closest passages in your notes:\n\n"
    "> **meeting**\n>\n> We chose Firestore as the database. It scales. [N1]\n\n"
    "> **meeting**\n>\n> The API runs on Cloud Run. [N2]"
)
Parts: TypeAlias = "tuple[str | AuroraError | Delta, ...]"


def events_of(
    *parts: str | AuroraError | Delta, found: Retrieved = FOUND, asked: Question | None = None
) -> list[AnswerEvent]:
    return events_by(ScriptedWriter(parts), found, asked)


def shown(events: list[AnswerEvent]) -> str:
    """Put together the text that a reader sees at the end; checks that each source comes before its first marker, and once."""
    text = ""
    cited = set[str]()
    for event in events:
        if isinstance(event, CheckedPiece):
            text += event.text
            assert cited.isdisjoint(source.label for source in event.cited)
            cited |= {source.label for source in event.cited}
            assert set(re.findall(r"\[(N\d+)\]", text)) <= cited
        elif isinstance(event, Retracted):
            text = ""
            cited = set()
    return text


def final(events: list[AnswerEvent]) -> Answer:
    assert isinstance(events[-1], Answer)
    return events[-1]


def retractions(events: list[AnswerEvent]) -> list[RetractReason]:
    return [event.reason for event in events if isinstance(event, Retracted)]


def test_a_piece_comes_whole_with_the_sources_it_cites_first_and_its_claim_judged() -> None:
    events = events_of(
        "The API ", "runs on Cloud Run [N", "2]. The database", " is Firestore [N1]", ". Yes [N2]."
    )
    first, second, third = (event for event in events if isinstance(event, CheckedPiece))
    assert events == [Searched(FOUND), first, second, third, final(events)]
    assert [piece.text for piece in (first, second, third)] == [
        "The API runs on Cloud Run [N1].",
        " The database is Firestore [N2].",
        " Yes [N1].",
    ]
    assert [[source.passage for source in piece.cited] for piece in (first, second, third)] == [
        [CLOUD_RUN],
        [FIRESTORE],
        [],
    ]
    assert first.cited[0].support
    assert first.cited[0].support.state is SupportState.SUPPORTED
    assert final(events).claims == (first.claim, second.claim, third.claim)
    assert shown(events) == final(events).text


def test_a_piece_is_shown_while_the_model_still_writes() -> None:
    def deltas() -> Iterator[str]:
        yield "It is Firestore [N1]. "
        yield "It scales, as the note says, and costs little for a long, long while. "
        assert labels_seen == ["It is Firestore [N1]."]
        yield "It scales."

    labels_seen = list[str]()
    writer = ScriptedWriter("")
    writer.stream = lambda _: (Delta(text) for text in deltas())  # type: ignore[method-assign,assignment]
    for event in answer_events(
        question(), FOUND, Writers(writer=writer, extractive=ExtractiveWriter())
    ):
        if isinstance(event, CheckedPiece):
            labels_seen.append(event.text)
    assert len(labels_seen) == 3


_CITING = [
    "Firestore [N1].",
    "[N2]",
    "[N9]",
    "[N",
    "1]",
    "Cloud Run [N2, N9].",
    "\n\nSources:\n[N1] A\n",
]
_WRITTEN = [*_CITING, " and ", ", ", "(", ")", " ", "x", "😀", "`", "\x00", "\n"]
_ADMISSION = "I don't have enough information in your notes to answer this question."
ASKED = (
    question(),
    replace(question(), include_citations=False),
    replace(question(), use_notes=False),
)
DRAFTS = st.lists(st.sampled_from([*_WRITTEN, _ADMISSION]), max_size=12)


@given(
    DRAFTS, st.sampled_from(ASKED), st.sampled_from(["ends", "dies", "limit"]), st.integers(1, 7)
)
@settings(max_examples=400)
def test_any_draft_is_shown_as_the_answer_or_gives_way_to_fixed_words(
    parts: list[str], asked: Question, ending: str, size: int
) -> None:
    endings: dict[str, Parts] = {
        "ends": (),
        "dies": (ModelUnavailable("away"),),
        "limit": (Delta("", truncated=True),),
    }
    draft = "".join(parts)
    events = events_of(draft, *endings[ending], asked=asked)
    answer = final(events)
    assert shown(events) == answer.text or answer.refusal or answer.text == NO_MODEL
    assert len(retractions(events)) <= 1
    labels = [citation.label for citation in answer.citations]
    assert labels == [f"N{number}" for number in range(1, len(labels) + 1)]
    if not answer.refusal:
        assert list(dict.fromkeys(re.findall(r"\[(N\d+)\]", answer.text))) == labels
    later_events = events_of(
        *(draft[start : start + size] for start in range(0, len(draft), size)),
        *endings[ending],
        asked=asked,
    )
    assert [event for event in later_events if not isinstance(event, Answer)] == events[:-1]
    assert replace(final(later_events), timings_ms={}) == replace(answer, timings_ms={})


@pytest.mark.parametrize(
    "problem",
    [
        ModelUnavailable("away"),
        ModelRefused("blocked"),
    ],
)
def test_checked_pieces_stay_when_the_model_dies_on_the_way(problem: AuroraError) -> None:
    events = events_of(
        "It is Firestore [N1]. It was", Delta(" Redis [N2] and", Usage(100, 7)), problem
    )
    assert retractions(events) == []
    assert shown(events) == "It is Firestore [N1]. …"
    assert final(events).model == "scripted"
    assert final(events).usage == Usage(100, 7)
    assert final(events).refusal is None


def test_nothing_stays_when_the_model_dies_before_a_checked_piece() -> None:
    events = events_of("Here it is. " + "It was Redis. " * 8, ModelUnavailable("away"))
    assert retractions(events) == [RetractReason.WRITER_FAILED]
    assert shown(events) == final(events).text == QUOTED


def test_changes_at_the_end_of_a_draft_were_never_shown() -> None:
    listed = "\n\nSources:\n- [N1] Databases\n- [N2] API"
    events = events_of("It is Firestore [N9], ", "[N1] chosen.", *[listed] * 40)
    assert retractions(events) == []
    assert shown(events) == "It is Firestore [N1] chosen."
    assert [citation.label for citation in final(events).citations] == ["N1"]


def test_plain_chat_streams_without_a_search() -> None:
    events = events_of("Paris", " [N1].", asked=replace(question(), use_notes=False))
    assert events == [CheckedPiece("Paris."), final(events)]


def test_leaving_ends_the_model_call() -> None:
    writer = ScriptedWriter(("It is Firestore [N1]. ", "It scales. " * 9, " More."))
    events = answer_events(question(), FOUND, Writers(writer=writer, extractive=ExtractiveWriter()))
    next(event for event in events if isinstance(event, CheckedPiece))
    events.close()
    assert writer.hung_up == 1

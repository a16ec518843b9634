"""An answer as it comes about: what is shown at the end is the answer, whatever the writer does on the way."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from typing import TypeAlias

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shared.answering.drafts import LONGEST_DRAFT
from shared.answering.pipeline import answer_events, last
from shared.answering.quoting import Quoter
from shared.errors import AuroraError, ModelRefused, ModelUnavailable
from shared.model.answers import Answer, AnswerEvent, Cited, Piece, Retracted, RetractReason, Searched, Token, Usage
from shared.model.questions import Question
from shared.model.retrieval import RefusalReason, Retrieved
from tests.answering.samples import LAST_WEEK, passage, question, retrieved
from tests.fakes import ScriptedWriter

FIRESTORE = passage("We chose Firestore as the database. It scales.", note_id="a")
CLOUD_RUN = passage("The API runs on Cloud Run.", note_id="b", start=40)
FOUND = retrieved(FIRESTORE, CLOUD_RUN)
QUOTED = (
    "Closest passages in your notes:\n\n> We chose Firestore as the database. It scales. [N1]\n\n"
    "> The API runs on Cloud Run. [N2]"
)
Parts: TypeAlias = "tuple[str | AuroraError | Piece, ...]"


def events_of(
    *parts: str | AuroraError | Piece, found: Retrieved | None = FOUND, asked: Question | None = None
) -> list[AnswerEvent]:
    writer = ScriptedWriter(parts)
    return list(answer_events(asked or question(), found, writer=writer, quoter=Quoter()))


def shown(events: list[AnswerEvent]) -> str:
    """What a reader sees at the end; checks that no citation comes but right after its first marker."""
    text, cited = "", set[str]()
    for event in events:
        match event:
            case Token(more):
                text += more
            case Retracted(start):
                text = text[:start]
                cited = {label for label in cited if f"[{label}]" in text}
            case Cited(citation):
                assert text.endswith(f"[{citation.label}]")
                assert citation.label not in cited
                cited.add(citation.label)
            case _:
                pass
    return text


def final(events: list[AnswerEvent]) -> Answer:
    assert isinstance(events[-1], Answer)
    return events[-1]


def retractions(events: list[AnswerEvent]) -> list[Retracted]:
    return [event for event in events if isinstance(event, Retracted)]


def test_text_comes_as_it_is_written_and_a_citation_right_after_its_first_marker() -> None:
    events = events_of("The API ", "runs on Cloud Run [N", "2]. The database", " is Firestore [N1]", ". Yes [N2].")
    labels = {citation.label: replace(citation, support=None) for citation in final(events).citations}
    assert events == [
        Searched(FOUND),
        Token("The API"),
        Token(" runs on Cloud Run"),
        Token(" [N1]"),
        Cited(labels["N1"]),
        Token(". The database"),
        Token(" is Firestore [N2]"),
        Cited(labels["N2"]),
        Token(". Yes [N1]."),
        final(events),
    ]
    assert shown(events) == final(events).text


_CITING = ["Firestore [N1].", "[N2]", "[N9]", "[N", "1]", "Cloud Run [N2, N9].", "\n\nSources:\n[N1] A\n"]
_WRITTEN = [*_CITING, " and ", ", ", "(", ")", " ", "x", "😀", "`", "\x00", "\n"]
_ADMISSION = "I don't have enough information in your notes to answer this question."
ASKED = (question(), replace(question(), include_citations=False), replace(question(), use_notes=False))
DRAFTS = st.lists(st.sampled_from([*_WRITTEN, _ADMISSION]), max_size=12)


@given(DRAFTS, st.sampled_from(ASKED), st.sampled_from(["ends", "dies", "limit"]))
@settings(max_examples=400)
def test_whatever_is_written_what_is_shown_at_the_end_is_the_answer(
    parts: list[str], asked: Question, ending: str
) -> None:
    endings: dict[str, Parts] = {"ends": (), "dies": (ModelUnavailable("away"),), "limit": (Piece("", truncated=True),)}
    script: Parts = (*parts, *endings[ending])
    events = events_of(*script, asked=asked)
    assert shown(events) == final(events).text
    writer, quoter = ScriptedWriter(script), Quoter()
    whole = last(answer_events(asked, FOUND, writer=writer, quoter=quoter))
    assert replace(whole, timings_ms={}) == replace(final(events), timings_ms={})


@given(DRAFTS, st.integers(1, 7))
@settings(max_examples=300)
def test_tokens_end_in_no_marker_and_show_none_that_was_not_offered(parts: list[str], size: int) -> None:
    draft = "".join(parts)
    events = events_of(*(draft[at : at + size] for at in range(0, len(draft), size)))
    assume(final(events).model == "scripted" and final(events).refusal is None)
    ends, text = list[int](), ""
    for event in events:
        if isinstance(event, Retracted):
            break
        text += event.text if isinstance(event, Token) else ""
        ends.append(len(text))
    markers = list(re.finditer(r"\[N(\d+)\]", text))
    assert not any(marker.start() < end < marker.end() for marker in markers for end in ends)
    assert {int(marker[1]) for marker in markers} <= set(range(1, len(FOUND.selected) + 1))


def test_a_model_that_dies_before_any_text_is_replaced_without_a_word() -> None:
    events = events_of(Piece(""), ModelUnavailable("away"))
    assert (retractions(events), final(events).model) == ([], "extractive")
    assert shown(events) == QUOTED


@pytest.mark.parametrize("problem", [ModelUnavailable("away"), ModelRefused("blocked")])
def test_a_model_that_dies_on_the_way_is_withdrawn_and_replaced(
    problem: AuroraError, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        events = events_of("It was Redis", Piece(" [N2] and", Usage(100, 7)), problem)
    assert retractions(events) == [Retracted(0, 0, RetractReason.WRITER_FAILED)]
    assert shown(events) == final(events).text == QUOTED
    assert (final(events).model, final(events).usage) == ("extractive", Usage(100, 7))
    (line,) = [record.getMessage() for record in caplog.records]
    assert line == f"scripted broke off ({type(problem).__name__}); the notes are quoted instead"


@pytest.mark.parametrize("nothing", [("",), (" ", "\n"), ("\x00",)])
def test_an_empty_reply_is_replaced(nothing: tuple[str, ...]) -> None:
    events = events_of(*nothing)
    assert (retractions(events), final(events).model) == ([], "extractive")


def test_a_draft_that_cites_nothing_is_withdrawn_for_the_refusal() -> None:
    events = events_of("You chose ", "Redis", " [N9].")
    assert retractions(events) == [Retracted(0, 0, RetractReason.REFUSED)]
    assert shown(events) == final(events).text
    assert final(events).refusal is RefusalReason.UNSUPPORTED_CLAIMS
    assert not any("N9" in event.text for event in events if isinstance(event, Token))


def test_an_admission_keeps_what_the_fixed_refusal_shares_with_it() -> None:
    events = events_of("I don't have enough information in your notes", " to answer this question.")
    (withdrawn,) = retractions(events)
    assert shown(events)[: withdrawn.start] == "I don't have enough information in your notes to answer this question"
    assert final(events).refusal is RefusalReason.BELOW_THRESHOLD


def test_an_unfinished_last_sentence_is_withdrawn() -> None:
    events = events_of("It is Firestore [N1]. It also sca", Piece("", Usage(1, 2), truncated=True))
    assert retractions(events) == [Retracted(22, 22, RetractReason.REVISED)]
    assert shown(events) == "It is Firestore [N1]. …"


def test_what_a_later_label_changes_is_set_right_while_the_answer_goes_on() -> None:
    events = events_of("The database", " is Firestore [N9], ", "[N1] chosen", ".")
    assert retractions(events) == [Retracted(25, 25, RetractReason.REVISED)]
    assert shown(events) == final(events).text == "The database is Firestore [N1] chosen."


def test_a_list_of_sources_at_the_end_is_withdrawn_however_often_it_comes() -> None:
    listed = "\n\nSources:\n- [N1] Databases\n- [N2] API"
    events = events_of("It is Firestore [N1].", *[listed] * 40)
    assert shown(events) == final(events).text == "It is Firestore [N1]."
    assert [citation.label for citation in final(events).citations] == ["N1"]


def test_a_hundred_thousand_characters_are_the_limit_and_the_model_is_stopped() -> None:
    writer = ScriptedWriter(tuple("It is Firestore [N1]. " * 50 for _ in range(200)))
    events = list(answer_events(question(), FOUND, writer=writer, quoter=Quoter()))
    assert writer.hung_up == 1
    assert LONGEST_DRAFT - 100 < len(final(events).text) <= LONGEST_DRAFT
    assert final(events).text.endswith("[N1]. …")
    assert shown(events) == final(events).text


def test_without_citations_no_marker_is_ever_shown() -> None:
    asked = replace(question(), include_citations=False)
    events = events_of("It is Firestore [N", "1], it scales [N2] well.", asked=asked)
    assert shown(events) == "It is Firestore, it scales well."
    assert not any(isinstance(event, Cited | Retracted) for event in events)


def test_a_wider_search_is_told_before_the_first_word() -> None:
    events = events_of("Fire", "store [N1].", found=retrieved(FIRESTORE, time=LAST_WEEK, widened="7 days around"))
    tokens = [event.text for event in events if isinstance(event, Token)]
    assert tokens[0] == 'I found no notes for "last week", so I looked further (7 days around). Fire'
    assert retractions(events) == []


def test_what_retrieval_refuses_is_told_without_a_model() -> None:
    found = retrieved(FIRESTORE, refusal=RefusalReason.NO_CANDIDATES)
    events = events_of(found=found)
    assert events == [Searched(found), Token(final(events).text), final(events)]


def test_plain_chat_streams_without_a_search() -> None:
    events = events_of("Paris", " [N1].", asked=replace(question(), use_notes=False))
    assert (events[0], shown(events)) == (Token("Paris"), "Paris.")


def test_the_callers_last_word_is_what_is_shown() -> None:
    writer = ScriptedWriter(("It is Firestore", " [N1]."))
    amended = list(
        answer_events(
            question(),
            FOUND,
            writer=writer,
            quoter=Quoter(),
            amend=lambda answer: replace(answer, text="Later.", citations=(), refusal=RefusalReason.INDEX_PENDING),
        )
    )
    assert retractions(amended) == [Retracted(0, 0, RetractReason.REFUSED)]
    assert shown(amended) == "Later."


def test_a_label_that_comes_to_mean_another_source_is_withdrawn_with_its_text() -> None:
    def swap(answer: Answer) -> Answer:
        first, second = answer.citations
        swapped = (replace(first, passage=second.passage), replace(second, passage=first.passage))
        return replace(answer, citations=swapped)

    writer = ScriptedWriter(("Firestore [N1]. Cloud Run [N2].",))
    events = list(answer_events(question(), FOUND, writer=writer, quoter=Quoter(), amend=swap))
    assert retractions(events) == [Retracted(10, 10, RetractReason.REVISED)]
    assert [event.citation for event in events if isinstance(event, Cited)][2:] == list(final(events).citations)


def test_leaving_ends_the_model_call() -> None:
    writer = ScriptedWriter(("It is ", "Firestore [N1].", " More."))
    events = answer_events(question(), FOUND, writer=writer, quoter=Quoter())
    next(event for event in events if isinstance(event, Token))
    events.close()
    assert writer.hung_up == 1

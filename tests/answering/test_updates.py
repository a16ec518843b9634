"""A later note that probably states anew what the note quoted first says."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from shared.answering.asked_statement import AskedStatement
from shared.answering.extractive import ExtractiveWriter
from shared.answering.named_notes import NamedNotes, notes_with_all_names
from shared.answering.updates import find_update
from shared.model.answers import Quote
from shared.model.retrieval import Retrieved, Scored
from tests.answering.samples import LAST_WEEK, NOW, passage, question, retrieved

ASKED = "What does the flat in Orchard Street cost me?"
SIGNED = "Flat in Orchard Street: signed the lease with Mr Hale. Rent is due on the first, the deposit is back at the end."
RAISED = "Mr Hale about the flat in Orchard Street: new lease, rent and deposit go up, due on the first as before."
OTHERS = (
    "Dentist on the ring road, bring the insurance card and the old pictures.",
    "The orchard has scab again; prune in winter and burn what was cut.",
    "Bread: five hundred grams of flour, salt, a night in the cold.",
    "Ideas for the talk: begin with the map, end with the question about tides.",
)


def written(text: str, year: int, *, score: float = 0.8, title: str = "") -> Scored:
    """A passage of a note of its own that was written in that year."""
    plain = passage(text, note_id=f"{year}-{text[:6]}", path="", title=title)
    day = datetime(year, 2, 10, tzinfo=UTC)
    return replace(plain, chunk=replace(plain.chunk, created_at=day), score=score)


def searched(*passages: Scored, text: str = ASKED) -> Retrieved:
    result = retrieved(*passages, text=text)
    return replace(result, weights=dict.fromkeys(result.analysis.stems, 1.0))


def found(first: Scored, *others: Scored, text: str = ASKED) -> Scored | None:
    result = searched(first, *others, text=text)
    named = notes_with_all_names(text, result)
    statement = AskedStatement.of(question(text), result, named)
    update = find_update(first, result.selected, question(text), result, statement)
    if update is None or not update.is_probable:
        return None
    return update.passage


def unrelated(year: int) -> list[Scored]:
    return [written(text, year, score=0.4) for text in OTHERS]


def quoted(*passages: Scored) -> tuple[Quote, ...]:
    return ExtractiveWriter().quotes(question(ASKED), searched(*passages))


def test_a_later_note_about_the_same_things_is_quoted_first_and_both_are_dated() -> None:
    signed = written(SIGNED, 2024, score=0.9)
    raised = written(RAISED, 2025, score=0.7)
    first, second, *others = quoted(signed, raised, *unrelated(2025))
    assert [first.passage, second.passage] == [raised, signed]
    assert [quote.dated for quote in (first, second, *others)] == [
        True,
        True,
        *[False] * len(others),
    ]


def test_where_there_is_less_evidence_the_order_stays_and_both_are_dated() -> None:
    signed = written(SIGNED, 2024, score=0.9)
    raised = written(RAISED, 2025, score=0.5)
    others = unrelated(2025)
    assert found(signed, raised, *others) is None
    quotes = quoted(signed, raised, *others)
    assert quotes[0].passage == signed
    dated_passages = [quote.passage for quote in quotes if quote.dated]
    assert dated_passages == [signed, raised]


@pytest.mark.parametrize("year", [2023, 2024])
def test_what_was_written_before_or_at_once_updates_nothing(year: int) -> None:
    assert found(written(SIGNED, 2024), written(RAISED, year), *unrelated(2025)) is None


def test_a_later_note_about_something_else_updates_nothing() -> None:
    assert found(written(SIGNED, 2024), *unrelated(2025)) is None


def test_a_later_note_that_hardly_answers_updates_nothing() -> None:
    raised = written(RAISED, 2025, score=0.1)
    assert found(written(SIGNED, 2024, score=0.9), raised, *unrelated(2025)) is None


def test_where_all_notes_are_alike_likeness_tells_nothing() -> None:
    """Chats of the same people, minutes by one template."""
    alike = [written(f"{RAISED} Number {number}.", 2025) for number in range(4)]
    assert found(written(SIGNED, 2024), *alike) is None


@pytest.mark.parametrize(
    "text",
    [
        "What did the flat in Orchard Street cost me?",
        "Was the rent of the flat in Orchard Street due on the first?",
    ],
)
def test_a_question_in_the_past_asks_for_what_was(text: str) -> None:
    others = (written(RAISED, 2025), *unrelated(2025))
    assert found(written(SIGNED, 2024), *others, text=text) is None


@pytest.mark.parametrize(
    "text",
    [
        "What was the old rent of the flat in Orchard Street?",
        "What did the flat in Orchard Street cost me before?",
    ],
)
def test_for_what_no_longer_holds_an_earlier_note_stands_before_the_first_one(text: str) -> None:
    signed = written(SIGNED, 2024, score=0.7)
    raised = written(RAISED, 2025, score=0.9)
    others = unrelated(2025)
    assert found(raised, signed, *others, text=text) == signed
    assert found(signed, raised, *others, text=text) is None
    result = searched(raised, signed, *others, text=text)
    first, second, *_ = ExtractiveWriter().quotes(question(text), result)
    assert [first.passage, second.passage] == [signed, raised]
    assert first.dated
    assert second.dated


@pytest.mark.parametrize(
    "text",
    [
        "What was the old rent of the flat in Orchard Street?",
        "What did the flat in Orchard Street cost before the new lease?",
    ],
)
def test_what_a_later_note_states_anew_is_what_was_whatever_was_before(text: str) -> None:
    signed = written(SIGNED, 2024, score=0.9)
    raised = written(RAISED, 2026, score=0.85)
    viewed = written("Flat in Orchard Street: viewed it with Mr Hale, rent not said.", 2022)
    others = unrelated(2020)
    assert found(signed, viewed, *others, text=text) == viewed
    assert found(signed, raised, viewed, *others, text=text) is None
    first, *_ = ExtractiveWriter().quotes(
        question(text), searched(signed, raised, viewed, *others, text=text)
    )
    assert first.passage == signed
    assert first.dated


def test_an_earlier_note_that_hardly_answers_stays_below_the_first_one() -> None:
    text = "What was the old rent of the flat in Orchard Street?"
    signed = written(SIGNED, 2024, score=0.4)
    raised = written(RAISED, 2025, score=0.9)
    assert found(raised, signed, *unrelated(2025), text=text) is None


def test_a_question_about_a_time_asks_for_what_was_then() -> None:
    signed = written(SIGNED, 2024)
    result = retrieved(signed, written(RAISED, 2025), *unrelated(2025), text=ASKED, time=LAST_WEEK)
    statement = AskedStatement.of(question(ASKED), result, NamedNotes())
    assert find_update(signed, result.selected, question(ASKED), result, statement) is None


def test_a_note_without_the_name_that_is_asked_for_updates_nothing() -> None:
    asked = "What shoe size is Archie?"
    sizes = written(
        "Sizes of the children for Christmas: Archie has shoes 1, Poppy shoes 10, tops by age.",
        2024,
    )
    of_poppy = written(
        "Sizes of the children, new: Poppy has shoes 11 and tops for age seven by Christmas.", 2025
    )
    of_both = written(
        "Sizes of the children, new: Archie and Poppy have shoes 2 and 11 by Christmas.", 2025
    )
    assert found(sizes, of_poppy, *unrelated(2025), text=asked) is None
    assert found(sizes, of_both, *unrelated(2025), text=asked) == of_both


def in_section(passage: Scored, day: str) -> Scored:
    return replace(passage, chunk=replace(passage.chunk, heading_path=f"## {day}"))


def with_properties(passage: Scored, *properties: str) -> Scored:
    return replace(passage, chunk=replace(passage.chunk, properties=properties))


def test_a_note_that_is_still_to_come_updates_nothing() -> None:
    assert found(written(SIGNED, 2024), written(RAISED, 2030), *unrelated(2025)) is None


@pytest.mark.parametrize(("hours", "counts"), [(0, True), (6, True), (24, False)])
def test_a_note_of_today_updates_even_if_its_hour_is_still_to_come(
    hours: int, *, counts: bool
) -> None:
    signed = written(SIGNED, 2024)
    raised = written(RAISED, 2025)
    day = NOW + timedelta(hours=hours)
    raised = replace(raised, chunk=replace(raised.chunk, created_at=day))
    assert (found(signed, raised, *unrelated(2025)) == raised) is counts


def test_a_section_counts_as_written_on_the_day_of_its_heading() -> None:
    signed = written(SIGNED, 2024)
    raised = written(RAISED, 2025)
    assert found(in_section(signed, "2025-06-01"), raised, *unrelated(2025)) is None
    assert found(signed, in_section(raised, "2023-06-01"), *unrelated(2025)) is None


def test_a_note_that_another_one_replaces_updates_nothing() -> None:
    signed = with_properties(written(SIGNED, 2024, title="Signed"), "supersedes: Raised")
    raised = written(RAISED, 2025, title="Raised")
    assert found(signed, raised, *unrelated(2025)) is None


def test_a_note_without_the_property_that_is_asked_for_is_not_quoted() -> None:
    asked = "What is due for the flat with status open?"
    still_open = with_properties(written(SIGNED, 2024, score=0.9), "status: open")
    closed = with_properties(written(RAISED, 2025), "status: closed")
    result = searched(still_open, closed, *unrelated(2025), text=asked)
    (only,) = ExtractiveWriter().quotes(question(asked), result)
    assert only.passage == still_open


def test_the_section_that_updates_is_quoted_and_its_heading_is_its_date() -> None:
    signed = written(SIGNED, 2024, score=0.9)
    raised = in_section(written(RAISED, 2025), "2025-06-01")
    other_chunk = replace(raised.chunk, chunk_id="older", heading_path="## 2025-02-01", position=1)
    older = replace(raised, chunk=replace(other_chunk, text="Orchard Street: flat, lease, cost?"))
    first, second, *_ = quoted(signed, raised, older, *unrelated(2025))
    assert [first.passage, second.passage] == [raised, signed]
    assert [first.dated, second.dated] == [False, True]


def test_a_later_note_may_lack_a_word_of_the_question() -> None:
    text = "What does the flat cost with the deposit in Orchard Street?"
    signed = written(SIGNED, 2024, score=0.9)
    lacking = written(RAISED.replace("deposit", "fee"), 2025, score=0.7)
    assert found(signed, lacking, *unrelated(2025), text=text) == lacking


@pytest.mark.parametrize(
    ("text", "first", "later"),
    [
        ("What does the cellar flat cost me?", "cellar flat", "attic flat"),
        ("attic flat rent", "attic flat", "cellar flat"),
    ],
)
def test_a_later_note_about_another_thing_of_its_kind_is_no_update(
    text: str, first: str, later: str
) -> None:
    signed = written(SIGNED.replace("Flat", first), 2024, score=0.9)
    same = written(RAISED.replace("flat", first), 2025)
    other = written(RAISED.replace("flat", later), 2025)
    assert found(signed, same, *unrelated(2025), text=text) == same
    assert found(signed, other, *unrelated(2025), text=text) is None

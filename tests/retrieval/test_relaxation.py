"""When a time that the question names is left: only where nothing inside speaks of the question and something outside
clearly does."""

from __future__ import annotations

from datetime import timedelta

import pytest

from shared.model.questions import Filters
from tests.retrieval.library import Library, notes
from tests.retrieval.samples import days_ago

ASKED = "Which paint did Melanie choose for the sunrise last week?"


def _furnish(library: Library) -> None:
    library.add("sunrise", "Melanie chose orange paint for the sunrise", created_at=days_ago(60))
    library.add("garden", "Tomatoes need water", created_at=days_ago(9))
    for number in range(12):
        library.add(f"other{number}", f"Nothing of all that, number {number}", created_at=days_ago(100 + number))


def test_what_only_another_time_speaks_of_is_found_and_the_answer_says_so(library: Library) -> None:
    _furnish(library)
    found = library.ask(ASKED)
    assert (notes(found)[0], found.widened, found.range_used) == ("sunrise", "any time", None)
    assert (found.refusal, found.silent_then) == (None, True)


def test_a_time_of_no_notes_is_left_further_where_only_another_time_speaks_of_the_question(library: Library) -> None:
    library.add("sunrise", "Melanie chose orange paint for the sunrise", created_at=days_ago(60))
    library.add("garden", "Tomatoes need water", created_at=days_ago(20))
    for number in range(12):
        library.add(f"other{number}", f"Nothing of all that, number {number}", created_at=days_ago(100 + number))
    found = library.ask(ASKED)
    assert (notes(found)[0], found.widened, found.range_used) == ("sunrise", "any time", None)
    assert (found.refusal, found.silent_then) == (None, False)


def test_a_time_of_no_notes_is_widened_no_further_where_what_lies_around_speaks_of_it(library: Library) -> None:
    _furnish(library)
    library.add("again", "Melanie took other paint for her second sunrise", created_at=days_ago(20))
    found = library.ask("Which paint did Melanie choose for the sunrise two weeks ago?")
    assert (found.widened, notes(found)) == ("7 days around", ["again", "garden"])


def test_a_passage_inside_that_covers_the_question_keeps_it_to_the_time(library: Library) -> None:
    _furnish(library)
    library.add("again", "Melanie took other paint for her second sunrise", created_at=days_ago(8))
    found = library.ask(ASKED)
    assert (found.widened, set(notes(found))) == (None, {"again", "garden"})


def test_a_passage_inside_that_covers_as_much_as_those_outside_keeps_it_too(library: Library) -> None:
    _furnish(library)
    library.add("half", "Melanie ran out of paint", created_at=days_ago(8))
    library.add("same", "Melanie bought paint", created_at=days_ago(60))
    found = library.ask("Which paint did Melanie use on the ceiling last week?")
    assert (found.widened, set(notes(found))) == (None, {"half", "garden"})


@pytest.mark.parametrize(
    "text", ["What happened last week?", "What did I decide last week?", "Anything about the sunrise last week?"]
)
def test_a_question_of_fewer_than_two_telling_words_is_held_to_the_time(library: Library, text: str) -> None:
    _furnish(library)
    library.add("decided", "What happened: we decided to paint the sunrise", created_at=days_ago(60))
    found = library.ask(text)
    assert (found.widened, notes(found)) == (None, ["garden"])


def test_words_that_nobody_wrote_widen_nothing(library: Library) -> None:
    _furnish(library)
    found = library.ask("Which quokka did Ferdinand photograph last week?")
    assert (found.widened, notes(found)) == (None, ["garden"])


def test_the_callers_dates_are_kept_to_however_much_lies_outside(library: Library) -> None:
    _furnish(library)
    library.add("inside", "Nothing of it", created_at=days_ago(9) + timedelta(hours=1))
    found = library.ask(ASKED, filters=Filters(window_days=30))
    assert (found.widened, set(notes(found))) == (None, {"garden", "inside"})


def test_among_what_is_found_then_the_nearer_to_the_time_comes_first(library: Library) -> None:
    _furnish(library)
    library.add("nearer", "Melanie chose orange paint for the sunrise at 7", created_at=days_ago(14))
    assert notes(library.ask(ASKED))[:2] == ["nearer", "sunrise"]

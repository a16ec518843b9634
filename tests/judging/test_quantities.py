from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.judging.quantities import Quantity, quantities
from shared.times.dates import Day


def number(text: str, lang: str = "en") -> Quantity:
    (only_quantity,), _ = quantities(text, lang)
    return only_quantity


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,840 people", "1840 people"),
        ("1.840 Gäste", "1840 Gäste"),
        ("4 million", "4,000,000"),
        ("$65k", "65,000 dollars"),
        ("€40", "40 euros"),
        ("8,5 %", "8.5 percent"),
        ("three plans", "3 plans"),
        ("twenty-one notes", "21 notes"),
        ("2 pm", "14:00"),
        ("400ms", "400 ms"),
    ],
)
def test_the_same_amount_is_equal_however_it_is_written(one: str, other: str) -> None:
    assert number(one).equals(number(other))
    assert number(other).equals(number(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("35 minutes", "36 minutes"),
        ("7:41", "8:41"),
        ("8.5%", "85%"),
        ("two", "three"),
    ],
)
def test_another_amount_is_not(one: str, other: str) -> None:
    assert not number(one).equals(number(other))


@pytest.mark.parametrize("text", ["v1.4.2", "ERR_CONN_42", "x3", "10.0.0.1", "nothing"])
def test_digits_of_names_and_versions_are_no_numbers(text: str) -> None:
    assert quantities(text, "en") == ((), ())


def test_one_may_be_no_number() -> None:
    assert not number("one of them").counts
    assert number("two of them").counts


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("on 3 May 2026", (2026, 5, 3)),
        ("on May 3, 2026", (2026, 5, 3)),
        ("2026-05-03", (2026, 5, 3)),
        ("am 3. Mai 2026", (2026, 5, 3)),
        ("am 03.05.2026", (2026, 5, 3)),
        ("el 3 de mayo de 2026", (2026, 5, 3)),
        ("le 3 juin", (None, 6, 3)),
        ("le 3 juillet", (None, 7, 3)),
        ("March 2026", (2026, 3, None)),
        ("23rd of March", (None, 3, 23)),
    ],
)
def test_dates_are_read_in_four_languages(
    text: str, date: tuple[int | None, int, int | None]
) -> None:
    numbers, (day,) = quantities(text, "en")
    assert (day.year, day.month, day.day) == date
    assert numbers == ()
    assert text[day.start : day.end].strip() in text


def test_a_date_is_within_one_that_says_as_much() -> None:
    day = Day(2026, 5, 3, 0, 0)
    assert Day(None, 5, 3, 9, 9).within(day)
    assert Day(2026, 5, None, 9, 9).within(day)
    assert not Day(2026, 5, 4, 9, 9).within(day)
    assert not Day(2025, 5, 3, 9, 9).within(day)
    assert not day.within(Day(2026, 5, None, 9, 9))


@given(st.text(max_size=200))
def test_any_text_can_be_read_and_places_lie_inside_it(text: str) -> None:
    numbers, days = quantities(text, "en")
    for start, end in [(number.start, number.end) for number in numbers] + [
        (day.start, day.end) for day in days
    ]:
        assert 0 <= start < end <= len(text)

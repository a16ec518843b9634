"""Whether a text names a time in a range."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from shared.model.questions import TimeRange
from shared.times.references import refers_to

OCTOBER = TimeRange(datetime(2026, 10, 1, tzinfo=UTC), datetime(2026, 11, 1, tzinfo=UTC))
WRITTEN = datetime(2026, 11, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2026-10-17: planted garlic.",
        "Planted garlic on 17 October.",
        "Garden, October 2026",
        "Harz, Oktober 2026",
        "Am 17.10.2026 gepflanzt.",
        "Low in March 2026, better in October.",
        "# Leave 2026\n\n| Milo | 17 October |",
        "Rome, 2026 : en mars les murs, en octobre le toit.",
        "Depuis le début de 2026 ; pluie d'octobre.",
        "Obra de 2026: en mayo el suelo, en octubre las ventanas.",
        "Lavori del 2026: a maggio il tetto, a ottobre le finestre.",
    ],
)
def test_a_day_or_month_of_the_range_is_found(text: str) -> None:
    assert refers_to(text, OCTOBER, WRITTEN)


@pytest.mark.parametrize(
    "text",
    [
        "Planted garlic.",
        "2025-10-17: planted garlic.",
        "Planted on 17 September.",
        "Harz, Oktober 2025",
        "We hire a designer in October.",  # it may be one to come
        "Low in October 2025, better in November.",
        "On 31 November 2026",
        "# Leave 2025\n\n| Milo | 17 October |",
        "En octobre, les murs.",  # of no year
        "Rome, 2025 : en octobre les murs.",
        "2026: el Octubre Rojo",
        "2026: octubre",
    ],
)
def test_another_time_is_not(text: str) -> None:
    assert not refers_to(text, OCTOBER, WRITTEN)


def test_a_month_that_the_range_holds_in_part_is_not_found() -> None:
    week = TimeRange(datetime(2026, 10, 5, tzinfo=UTC), datetime(2026, 10, 12, tzinfo=UTC))
    assert not refers_to("Garden, October 2026", week, WRITTEN)
    assert refers_to("Garden, 6 October 2026", week, WRITTEN)


@pytest.mark.parametrize(
    "text",
    [
        "Trip 9-14 October: train at 9.",
        "Trip 9 – 14 October 2026",
        "9th to 14th October",
        "October 9-14: train at 9.",
        "Vom 9. bis zum 14. Oktober im Harz.",
        "9.-14.10.2026",
        "Del 9 al 14 de octubre.",
        "Du 9 au 14 octobre.",
        "Dal 9 al 14 ottobre.",
    ],
)
def test_both_days_of_a_range_are_named(text: str) -> None:
    first_week = TimeRange(datetime(2026, 10, 5, tzinfo=UTC), datetime(2026, 10, 12, tzinfo=UTC))
    second_week = TimeRange(datetime(2026, 10, 12, tzinfo=UTC), datetime(2026, 10, 19, tzinfo=UTC))
    assert refers_to(text, first_week, WRITTEN)
    assert refers_to(text, second_week, WRITTEN)


@pytest.mark.parametrize(
    "text",
    [
        "Room 9, 14 October",
        "At 7:09 - 14 October",
        "Page 29 - 14 October",
        "October 14 - 9 guests",
        "October 3 and 9 guests",
        "Bread 9 euro, October 14 at noon",
    ],
)
def test_a_number_beside_a_day_is_no_other_end(text: str) -> None:
    first_week = TimeRange(datetime(2026, 10, 5, tzinfo=UTC), datetime(2026, 10, 12, tzinfo=UTC))
    assert not refers_to(text, first_week, WRITTEN)


def test_a_range_may_be_open() -> None:
    since = TimeRange(datetime(2026, 10, 1, tzinfo=UTC), None)
    before = TimeRange(None, datetime(2026, 10, 1, tzinfo=UTC))
    assert refers_to("17 October 2026", since, WRITTEN)
    assert not refers_to("17 October 2026", before, WRITTEN)


@pytest.mark.parametrize(
    "text",
    [
        "In 2026 we may plant garlic.",
        "Plans of 2026. May I ask for garlic?",
        "Plans of 2026\n\nMarch on Rome",
        "2026: March on Rome",
        "In 2026 the Mars rover landed.",
        "In 2026 Jan planted garlic.",
        "In 2026 we had chips with mayo, and mars bars.",
    ],
)
def test_a_verb_a_planet_and_a_given_name_are_no_months(text: str) -> None:
    since_january = TimeRange(
        datetime(2026, 1, 1, tzinfo=UTC),
        datetime(2026, 6, 1, tzinfo=UTC),
    )
    assert not refers_to(text, since_january, WRITTEN)
    assert refers_to(f"{text} And in 2026, May was dry.", since_january, WRITTEN)


@pytest.mark.parametrize(
    "text",
    [
        "Plant garlic; the licence is valid until 9999-12-31.",
        "Valid until December 9999",
        "Gültig bis 31.12.9999",
        "Since 0001-01-01",
    ],
)
def test_a_day_behind_which_the_calendar_ends_is_no_failure(text: str) -> None:
    since = TimeRange(datetime(2026, 10, 1, tzinfo=UTC), None)
    assert not refers_to(text, OCTOBER, WRITTEN)
    assert not refers_to(text, since, WRITTEN)
    assert refers_to(f"{text} and 17 October 2026", OCTOBER, WRITTEN)

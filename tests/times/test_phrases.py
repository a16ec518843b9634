"""What the grammar of times finds, and what it leaves alone."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.times.phrases import find_time
from tests.times.phrases import PHRASES, TODAY
from tests.times.traps import NOT_A_TIME, SPOKEN_OF

NOW = datetime(2026, 3, 18, 14, 0, tzinfo=UTC)
ZONE = "Europe/Berlin"


def midnight(day: str) -> datetime | None:
    return datetime.combine(date.fromisoformat(day), time(), ZoneInfo(ZONE)) if day else None


@pytest.mark.parametrize(("lang", "text", "start", "end", "phrase"), PHRASES)
def test_a_phrase_is_the_days_it_names(lang: str, text: str, start: str, end: str, phrase: str) -> None:
    found = find_time(text, now=NOW, zone=ZONE, lang=lang)
    assert found is not None
    assert (found.hint.range.start, found.hint.range.end) == (midnight(start), midnight(end))
    assert found.hint.phrase == phrase
    assert " ".join(text[found.start : found.end].split()) == phrase


def test_what_is_for_a_day_is_not_from_that_day() -> None:
    assert find_time("deberes para el martes", now=NOW, zone=ZONE, lang="es") is None


@pytest.mark.parametrize("text", NOT_A_TIME)
def test_a_sentence_without_a_time_has_none(text: str) -> None:
    assert find_time(text, now=NOW, zone=ZONE) is None


@pytest.mark.parametrize(("lang", "text"), SPOKEN_OF)
def test_words_of_time_that_are_spoken_of_name_no_time(lang: str, text: str) -> None:
    assert find_time(text, now=NOW, zone=ZONE, lang=lang) is None


@pytest.mark.parametrize(("lang", "text"), TODAY)
def test_hours_and_minutes_ago_are_the_day_in_which_they_lie(lang: str, text: str) -> None:
    found = find_time(text, now=NOW, zone=ZONE, lang=lang)
    assert found is not None
    assert (found.hint.range.start, found.hint.range.end) == (midnight("2026-03-18"), midnight("2026-03-19"))


def test_hours_ago_after_midnight_are_yesterday() -> None:
    found = find_time("what did I note 5 hours ago", now=datetime(2026, 3, 18, 1, tzinfo=UTC), zone=ZONE)
    assert found is not None
    assert found.hint.range.start == midnight("2026-03-17")


def test_a_number_with_dots_is_a_day_only_behind_a_preposition() -> None:
    assert find_time("Was ist neu in Version 1.2. und warum?", now=NOW, zone=ZONE, lang="de") is None


@pytest.mark.parametrize("text", ["the fifth Monday of February", "in calendar week 60", "in the week after today"])
def test_a_day_or_week_that_there_is_not_is_no_time(text: str) -> None:
    assert find_time(text, now=NOW, zone=ZONE) is None


def test_the_tables_are_as_long_as_promised() -> None:
    assert len(PHRASES) > 300
    assert len(NOT_A_TIME) >= 70


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("last week", 14),
        ("yesterday", 2),
        ("recently", 14),
        ("the other day", 7),
        ("the last 30 days", 30),
        ("before May", None),
    ],
)
def test_the_hint_says_how_far_back_it_may_reach(text: str, days: int | None) -> None:
    found = find_time(text, now=NOW, zone=ZONE)
    assert found is not None
    assert found.hint.days == days


def test_a_day_is_the_callers_day() -> None:
    late = datetime(2026, 3, 18, 23, 30, tzinfo=UTC)
    berlin, utc = (find_time("today", now=late, zone=zone) for zone in ("Europe/Berlin", "UTC"))
    assert berlin is not None
    assert utc is not None
    assert berlin.hint.range.start == datetime(2026, 3, 19, tzinfo=ZoneInfo("Europe/Berlin"))
    assert utc.hint.range.start == datetime(2026, 3, 18, tzinfo=ZoneInfo("UTC"))


def test_the_last_days_are_counted_in_hours_across_a_change_of_clocks() -> None:
    """23:30 in summer time, 7 x 24 h after 22:30 in winter time: still the day a week before."""
    found = find_time("last 7 days", now=datetime(2026, 4, 1, 21, 30, tzinfo=UTC), zone=ZONE)
    assert found is not None
    assert found.hint.range.start == datetime(2026, 3, 25, tzinfo=ZoneInfo(ZONE))


def test_the_29th_of_february_is_that_of_the_last_leap_year() -> None:
    found = find_time("on 29 February", now=NOW, zone=ZONE)
    assert found is not None
    assert found.hint.range.start == midnight("2024-02-29")


@pytest.mark.parametrize("text", ["on 31 February 2025", "on the 45th", "in 2030", "since 2031", "on 30 February"])
def test_a_day_that_does_not_exist_or_lies_ahead_is_no_time(text: str) -> None:
    assert find_time(text, now=NOW, zone=ZONE) is None


moments = st.datetimes(
    min_value=datetime(1990, 1, 1, tzinfo=UTC).replace(tzinfo=None),
    max_value=datetime(2090, 1, 1, tzinfo=UTC).replace(tzinfo=None),
    timezones=st.just(UTC),
)


@given(
    now=moments,
    zone=st.sampled_from(["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati"]),
    row=st.sampled_from(PHRASES),
)
def test_ranges_are_never_empty_and_end_with_todays_day(
    now: datetime, zone: str, row: tuple[str, str, str, str, str]
) -> None:
    found = find_time(row[1], now=now, zone=zone, lang=row[0])
    if found is None:
        return
    start, end = found.hint.range.start, found.hint.range.end
    assert end is not None
    today = now.astimezone(ZoneInfo(zone)).date()
    assert end <= datetime.combine(today + timedelta(days=1), time(), ZoneInfo(zone))
    if start is not None:
        assert start < end
        assert found.hint.days is not None
        assert found.hint.days >= 1


@given(text=st.text(max_size=300))
def test_no_text_breaks_the_grammar(text: str) -> None:
    for lang in ("en", "de", "es", "fr", "xx"):
        found = find_time(text, now=NOW, zone=ZONE, lang=lang)
        assert found is None or 0 <= found.start < found.end <= len(text)

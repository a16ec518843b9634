"""Dates in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from markdown_it import MarkdownIt

from shared.language.vocabulary import languages
from shared.times.dates import date_in_words


def test_a_date_is_written_as_people_write_it_by_the_day_of_its_zone() -> None:
    assert date_in_words(datetime(2026, 12, 31, tzinfo=UTC)) == "31 December 2026"
    late = datetime(2023, 5, 8, 23, 30, tzinfo=UTC)
    assert date_in_words(late) == "8 May 2023"
    assert date_in_words(late.astimezone(timezone(timedelta(hours=2)))) == "9 May 2023"


@pytest.mark.parametrize(
    ("lang", "written"),
    [
        ("de", "8.\u00a0Mai 2023"),
        ("es", "8 de mayo de 2023"),
        ("fr", "8 mai 2023"),
        ("it", "8 maggio 2023"),
        ("ja", "8 May 2023"),
    ],
)
def test_a_date_is_written_in_a_language_that_has_words_for_it(lang: str, written: str) -> None:
    assert date_in_words(datetime(2023, 5, 8, tzinfo=UTC), lang) == written


def test_a_date_at_the_beginning_of_a_line_begins_no_list() -> None:
    for lang in languages():
        written = date_in_words(datetime(2023, 5, 8, tzinfo=UTC), lang)
        tokens = MarkdownIt("commonmark").parse(f"{written}: rain")
        assert [token.type for token in tokens if token.type.endswith("list_open")] == []

"""Tags in a note's text and the day it names, as people write them."""

from __future__ import annotations

import pytest

from shared.markdown.file import fields_of


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("See [above](#why-so) (#hull).", ("hull",)),
        ("Hull done. #boats/repair #2024-plan", ("boats/repair", "2024-plan")),
        ("#todo at the start (#later)", ("todo", "later")),
        ("---\ntags: [boats]\n---\n#boats and #hull", ("boats", "hull")),
        ("---\ntags: true\n---\n", ("true",)),
        ("---\ntags: 2024\n---\n", ("2024",)),
        (
            "---\ntags: [yes, 007, 1.0, 2024-05-08, ~, '#x']\n---\n",
            ("yes", "007", "1.0", "2024-05-08", "x"),
        ),
        ("---\ntags: [['n'], [[m, 1]], {a: b}, o]\n---\n", ("n", "m", "1", "o")),
        ("---\ntags: {a: b}\n---\n", ()),
        ("---\ntags:\n---\n", ()),
        ("# Heading\n\nissue #12, C#, a#b, https://x.example/#part, &#39;", ()),
        ("`#code` and\n```\n#fenced\n```\n", ()),
        ("#größe, #日記.", ("größe", "日記")),
    ],
)
def test_tags_in_the_text_are_the_notes(text: str, tags: tuple[str, ...]) -> None:
    assert fields_of(text, "a.md").tags == tags


@pytest.mark.parametrize(
    ("text", "name", "day"),
    [
        ("# Router\n\nReleased on 2020/12/29", "a.md", None),
        ("Released on 2020/12/29\n\nMore.", "a.md", "2020-12-29"),
        ("The passport expires on 2029-08-11 and the number is in the safe.", "a.md", None),
        ("# Standup, 3 November 2025\n\nOn 2020-01-01 it began.", "a.md", "2025-11-03"),
        ("---\ntitle: Protokoll vom 3. November 2025\n---\nText", "a.md", "2025-11-03"),
        ("# From 2 May 2025 to 3 May 2025", "a.md", None),
        ("# 30 February 2025", "a.md", None),
        ("# 2 May 2025", "2025_11_03.md", "2025-11-03"),
        ("Text", "20251103 walk.md", "2025-11-03"),
        ("Text", "3 novembre 2025.md", "2025-11-03"),
        ("Text", "November 3rd, 2025.md", "2025-11-03"),
        ("Text", "version 2025.1.md", None),
        ("---\ndate: 2024-01-02\n---\n# 3 November 2025", "2025-05-05.md", "2024-01-02"),
    ],
)
def test_the_day_that_a_name_a_title_or_a_first_line_says_is_the_notes_where_no_field_does(
    text: str, name: str, day: str | None
) -> None:
    created = fields_of(text, name).created_at
    assert (created and created.date().isoformat()) == day


@pytest.mark.parametrize("value", ["some day in spring", "'2024-13-45'", "[2024]", "0001-01-01"])
def test_a_date_of_the_frontmatter_that_cannot_be_read_is_named(value: str) -> None:
    fields = fields_of(f"---\ntitle: Boat\ndate: {value}\n---\nBlue.\n", "boat.md")
    assert fields.title == "Boat"
    assert fields.created_at is None
    assert fields.problem is not None
    assert "`date`" in fields.problem


@pytest.mark.parametrize("value", ["", "2024-03-05", "2024-03-05T08:15:00Z", "''"])
def test_a_date_that_is_read_or_empty_is_no_problem(value: str) -> None:
    fields = fields_of(f"---\ndate: {value}\n---\nBlue.\n", "boat.md")
    assert fields.problem is None


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Piano\n=====\n\n# Tuning\n", "Piano"),
        ("\nIt is in tune.\n\n  *Piano* of Ana \n=\n", "*Piano* of Ana"),
        ("# Tuning\n\nPiano\n=====\n", "Tuning"),
        ("Piano\n-----\n", "a"),
        ("one\ntwo\n===\n", "a"),
        ("\n===\n\n- Piano\n===\n\n> Piano\n===\n\n    Piano\n===\n\n```\nPiano\n===\n```\n", "a"),
        ("Piano\n=== so\n", "a"),
    ],
)
def test_a_heading_with_a_line_below_it_is_the_title_too(text: str, title: str) -> None:
    assert fields_of(text, "a.md").title == title

"""Tags in a note's text, as people write them."""

from __future__ import annotations

import pytest

from shared.markdown.file import fields_of


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("Hull done. #boats/repair #2024-plan", ("boats/repair", "2024-plan")),
        ("#todo at the start (#later)", ("todo", "later")),
        ("---\ntags: [boats]\n---\n#boats and #hull", ("boats", "hull")),
        ("# Heading\n\nissue #12, C#, a#b, https://x.example/#part, &#39;", ()),
        ("`#code` and\n```\n#fenced\n```\n", ()),
        ("#größe, #日記.", ("größe", "日記")),
    ],
)
def test_tags_in_the_text_are_the_notes(text: str, tags: tuple[str, ...]) -> None:
    assert fields_of(text, "a.md").tags == tags

"""Spans of citations, counted as clients count: UTF-16 units of the note's text, whatever stands before them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functions.world import World

FACT = "We decided to use Cloud Run for the API"
BEFORE = {
    "nothing": "",
    "an emoji": "😀 ",
    "a family joined by zero-width joiners": "👨\u200d👩\u200d👧\u200d👦 at home. ",
    "a flag made of tags": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f was raised. ",
    "combining marks": "Za\u0308hlwerk e\u0301te\u0301 Z\u0351\u036b\u0343. ",
    "text from right to left": "שלום עולם. مرحبا. ",
    "Windows line ends": "One.\r\nTwo 😀.\r\n\r\n",
    "frontmatter": "---\ntitle: 😀\ntags: [a]\n---\n\n",
    "headings of astral letters": "# 𝐀𝐏𝐈 😀\n\n## 𝕯ecisions\n\n",
    "many passages": "".join(
        f"## Part {part} 😀\n\n{'Lorem 😀 ipsum dolor sit amet. ' * 40}\n\n" for part in range(6)
    ),
    "invisible characters": "a\u200bb\u2060c\ufeff. ",
    "line separators": "one\u2028two\u2029three\x85. ",
}


@pytest.mark.parametrize("before", BEFORE)
def test_a_quote_stands_where_its_span_says(world: World, before: str) -> None:
    text = f"{BEFORE[before]}{FACT} 😀e\u0301. It scales 👍."
    world.save("api", title="API", text=text)
    body = world.call(
        "chat", "POST", "/chat", {"message": "What did we decide to use for the API?"}
    ).get_json()
    results = world.call(
        "api", "POST", "/search", {"query": "decide Cloud Run API", "k": 20}
    ).get_json()["results"]
    assert FACT in body["answer"]
    for citation in body["citations"]:
        assert slice_of(text, citation["span"]) == citation["quote"]
    for row in results:
        assert " ".join(slice_of(text, row["span"]).split()).startswith(row["snippet"].rstrip("…"))


def slice_of(text: str, span: dict[str, Any]) -> str:
    return text.encode("utf-16-le")[2 * span["start"] : 2 * span["end"]].decode("utf-16-le")

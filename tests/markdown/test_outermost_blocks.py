"""Blocks are made while the parser's tokens come, and are those that the whole list of tokens tells of."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from shared.markdown.blocks import sections

LINES = st.lists(
    st.sampled_from(
        ["# A", "## B ##", "Title\n===", "- item", "  - nested", "1. one", "> quote", "> - in a quote", "```", "word",
         "| a | b |\n|---|---|\n| 1 | 2 |", "    code", "---", "<div>", "- [ ] task\n\n  more", "\0", "", "\x0c"]
    ),
    max_size=25,
)  # fmt: skip


def _expected(text: str) -> Iterator[tuple[int, int, list[int] | None]]:
    """Yields first line, line after the last, and first lines of items, of each outermost block but rules and blanks.

    A heading has None for its items.
    """
    lines = text.split("\n")
    tokens = MarkdownIt("commonmark").enable("table").disable("reference").parse(text)
    for place, token in enumerate(tokens):
        if token.level or token.nesting < 0 or token.map is None or token.type == "hr":
            continue
        first, after = token.map
        if not "\n".join(lines[first:after]).strip():
            continue
        if token.type == "heading_open":
            yield first, after, None
            continue
        items = []
        for inner in tokens[place + 1 :]:
            if inner.level == 0:
                break
            if inner.level == 1 and inner.type == "list_item_open" and inner.map:
                items.append(inner.map[0])
        yield first, after, items


@settings(max_examples=150)
@given(LINES)
def test_blocks_are_those_of_the_whole_list_of_tokens(lines: list[str]) -> None:
    text = "\n".join(lines)
    blocks = [block for section in sections(text, 0) for block in section.blocks]
    starts = {block.start: block for block in blocks}
    bounds = [0]
    for line in text.split("\n"):
        bounds.append(bounds[-1] + len(line) + 1)
    bounds[-1] = len(text)
    for first, after, items in _expected(text):
        if items is None:  # a heading with something under it is no block
            starts.pop(bounds[first], None)
            continue
        block = starts.pop(bounds[first])
        assert block.end == bounds[after]
        assert list(block.items) == [bounds[item] for item in items]
    assert not starts


@pytest.mark.parametrize("piece", ["- a\n", "| a |\n| - |\n" + "| a |\n" * 100, "> a\n"])
def test_no_token_of_a_long_note_is_held(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    list(sections("- a\n", 0))
    tracemalloc.start()
    try:
        list(sections(text, 0))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100 * len(text)

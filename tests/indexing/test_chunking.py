"""A note's text and its chunks."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evaluation.corpus import CHUNKERS
from shared.indexing.chunking import MAX_SECTIONS, TARGET, Chunker, chunk
from shared.language.lengths import tokens
from shared.markdown import frontmatter
from shared.model.index import Chunk
from tests.indexing.prose import drawn, paragraph, words

pytestmark = pytest.mark.slow

MARKDOWN = st.lists(
    st.sampled_from(
        ["# A", "## B ##", "#", "Title\n===", "- item", "  - nested", "1. one", "> quote", "> # in a quote", "```",
         "~~~",
         "| a | b |\n|---|---|\n| 1 | 2 |", "    code", "---", "<div>", "[x]: http://y", "Some words. And more! 😀",
         "e\u0301 combining", "\0", "\t", "", "漢字。かな", "word " * 400, "x" * 3000]
    )
    | st.text(max_size=40),
    max_size=25,
)  # fmt: skip


def pairs(chunks: tuple[Chunk, ...]) -> list[tuple[str, str]]:
    return [(piece.heading_path, piece.text) for piece in chunks]


@settings(max_examples=150)
@given(
    MARKDOWN,
    st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
    st.sampled_from(list(CHUNKERS.values())),
)
def test_a_chunk_is_exactly_its_slice_and_the_chunks_are_in_order(
    lines: list[str], newline: str, chunker: Chunker
) -> None:
    text = newline.join(lines)
    pieces = chunk(text, chunker=chunker)
    assert [piece.position for piece in pieces] == list(range(len(pieces)))
    for piece in pieces:
        assert piece.text == text[piece.start : piece.end] == piece.text.strip()
    for previous, following in pairwise(pieces):
        assert previous.start < following.start
        assert previous.end < following.end


@settings(max_examples=150)
@example(["---", "# A", "---"], "\n")  # a comment of its frontmatter, which is no text
@given(MARKDOWN, st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_every_word_is_in_a_chunk_or_in_its_heading_path(lines: list[str], newline: str) -> None:
    text = newline.join(lines)
    pieces = chunk(text)
    covered = [False] * len(text)
    for piece in pieces:
        covered[piece.start : piece.end] = [True] * (piece.end - piece.start)
    uncovered = "".join(" " if is_in else sign for is_in, sign in zip(covered, text, strict=True))
    paths = " ".join(piece.heading_path for piece in pieces)
    of_text = uncovered[frontmatter.split(text).body_start :]
    for word in of_text.replace("\0", "\ufffd").split():
        assert word in paths or not any(map(str.isalnum, word)), word


@settings(max_examples=60)
@given(MARKDOWN, st.sampled_from(["markdown", "sentence", "fixed"]))
def test_no_chunk_is_longer_than_twice_the_target(lines: list[str], name: str) -> None:
    pieces = chunk("\n".join(lines * 3), chunker=CHUNKERS[name])
    assert all(tokens(piece.text) <= 2 * TARGET for piece in pieces)


def test_headings_give_the_path_and_are_not_in_the_text() -> None:
    text = "Intro.\n\n# Meetings\n\nText.\n\n## Standup\n\nWe met.\n\nOther\n-----\nMore.\n\n# Notes #\nLast.\n"
    assert pairs(chunk(text)) == [
        ("", "Intro."),
        ("# Meetings", "Text."),
        ("# Meetings > ## Standup", "We met."),
        ("# Meetings > ## Other", "More."),
        ("# Notes", "Last."),
    ]


def test_headings_in_code_and_quotations_are_text() -> None:
    text = "# Real\n\n```\n# not one\n```\n\n> ## nor this\n"
    assert pairs(chunk(text)) == [("# Real", text[text.index("```") :].rstrip())]


def test_an_outline_is_text_of_the_heading_above_it() -> None:
    assert pairs(chunk("# Plan\n## One\n## Two\n## Three\nDone.\n## Four")) == [
        ("# Plan", "## One\n## Two"),
        ("# Plan > ## Three", "Done."),
        ("# Plan", "## Four"),
    ]


@pytest.mark.parametrize(
    ("sections", "has_headings"),
    [
        (MAX_SECTIONS, True),
        (MAX_SECTIONS + 1, False),
    ],
)
def test_a_note_of_countless_sections_is_cut_without_its_headings(
    sections: int, *, has_headings: bool
) -> None:
    chunks = chunk("".join(f"# h{number}\n\nw{number}\n\n" for number in range(sections)))
    assert (len(chunks) >= sections) == has_headings
    assert any(piece.heading_path for piece in chunks) == has_headings
    assert f"w{sections - 1}" in chunks[-1].text


@pytest.mark.parametrize("blank", ["\x0c", "\u2003", "\xa0\n\x0b"])
def test_a_heading_above_nothing_but_odd_blanks_is_found(blank: str) -> None:
    assert pairs(chunk(f"# A\n{blank}")) == [("", "# A")]
    assert pairs(chunk(f"# A\n\n{blank}\n\nText")) == [("# A", "Text")]


def test_a_heading_too_long_to_repeat_is_text() -> None:
    heading = "# " + "very " * 60 + "long"
    assert pairs(chunk(f"{heading}\n\nBody.")) == [("", f"{heading}\n\nBody.")]


def test_frontmatter_is_not_text_but_sentences_between_two_rules_are() -> None:
    good, bad, not_frontmatter = (
        f"---\n{front}\n---\nBody."
        for front in ("title: Secret", "title: [Secret", "A Secret [told")
    )
    for chunker in CHUNKERS.values():
        assert [piece.text for piece in chunk(good, chunker=chunker)] == ["Body."]
        assert [piece.text for piece in chunk(bad, chunker=chunker)] == ["Body."]
        assert any(
            "Secret" in piece.heading_path + piece.text
            for piece in chunk(not_frontmatter, chunker=chunker)
        )


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\r\n", "---\na: 1\n---\n", "---\na: 1\n---\n\n \n", "***"]
)
def test_a_note_without_text_has_one_empty_chunk_so_that_its_title_is_found(text: str) -> None:
    (only,) = chunk(text)
    assert only == Chunk(0, "", "", only.start, only.start)
    assert only.start <= len(text)


@pytest.mark.parametrize(
    "block",
    [
        "```python\n" + "value = compute(1, 2)  # a line of code\n" * 25 + "```",
        "| name | value |\n|------|-------|\n" + "| some name | some value |\n" * 40,
        "- an item of the list\n" * 45,
        "    indented = code\n" * 45,
    ],
)
@pytest.mark.parametrize("seed", range(6))
def test_a_block_that_fits_is_not_cut(block: str, seed: int) -> None:
    draw = drawn(seed)
    text_before, after = (" ".join(paragraph(draw) for _ in range(8)) for _ in range(2))
    text = f"{text_before}\n\n{block}\n\n{after}\n"
    assert 200 < tokens(block) < 1.5 * TARGET
    assert any(block.strip() in piece.text for piece in chunk(text))


def test_a_block_too_long_is_cut_between_lines_or_items() -> None:
    for line in ("| name of a thing | its value |", "- an item of the list"):
        text = f"{line}\n" * 200
        for piece in chunk(text):
            assert set(piece.text.split("\n")) == {line}


def test_prose_is_cut_at_sentences_and_chunks_repeat_a_little_of_each_other() -> None:
    draw = drawn(4)
    text = " ".join(paragraph(draw) for _ in range(120))
    pieces = chunk(text)
    assert len(pieces) > 20
    assert all(piece.text[0].isupper() and piece.text.endswith(".") for piece in pieces)
    repeated = [piece.end - next_piece.start for piece, next_piece in pairwise(pieces)]
    assert all(0 < length <= 4 * 48 for length in repeated)
    assert 0.08 < sum(repeated) / len(text) < 0.2


def test_sizes_are_near_the_target() -> None:
    draw = drawn(5)
    text = "\n\n".join(paragraph(draw) for _ in range(600))
    sizes = sorted(tokens(piece.text) for piece in chunk(text))
    assert 0.8 * TARGET < sum(sizes) / len(sizes) < 1.2 * TARGET
    assert sizes[0] > 0.4 * TARGET
    assert sizes[-1] <= 2 * TARGET


def test_a_short_note_is_one_chunk() -> None:
    text = " ".join(paragraph(drawn(6)) for _ in range(2))
    assert [piece.text for piece in chunk(text)] == [text]


def test_the_other_strategies_do_what_they_say() -> None:
    text = "# Heading\n\n" + "\n\n".join(paragraph(drawn(seed)) for seed in range(40))
    (only_piece,) = chunk(text, chunker=CHUNKERS["whole"])
    assert only_piece.text == text.strip()
    assert all(
        piece.heading_path == ""
        for name in ("sentence", "fixed")
        for piece in chunk(text, chunker=CHUNKERS[name])
    )
    assert chunk(text, chunker=CHUNKERS["sentence"])[0].text.startswith("# Heading")
    fixed = [tokens(piece.text) for piece in chunk(text, chunker=CHUNKERS["fixed"])]
    assert all(0.9 * TARGET < size < 1.1 * TARGET for size in fixed[:-1])


def test_the_language_tells_where_sentences_end() -> None:
    draw = drawn(7)
    sentence = " ".join(words(draw, 12)).capitalize() + " im 19. Jahrhundert."
    assert all(
        "19. Jahrhundert" in piece.text[-30:] for piece in chunk(f"{sentence} " * 100, lang="de")
    )


@pytest.mark.timeout(40)  # what takes a second takes no minute
@pytest.mark.parametrize(
    "piece",
    ["[", "[\n", ">", "> ", ">\n", "`", "```\n", "- ", "-\n", "* a\n", "#", "# a\n", "|", "|a|b|\n|-|-|\n", "<a\n",
     "<!--\n", "a\n=", "a\n\n", "1. ", "> - ", "[a]: b\n", "\0", "\t", "\n", "\r", "a", "a ", "😀", "a\u0301",
     "> a\nb\n",
     "- a\n\n  - b\n\n"],
)  # fmt: skip
def test_no_repeated_markup_takes_more_than_seconds_or_gives_long_chunks(piece: str) -> None:
    pieces = chunk(piece * (30_000 // len(piece)))
    assert all(tokens(piece.text) <= 2 * TARGET for piece in pieces)


def test_a_gap_of_blanks_is_in_no_chunk() -> None:
    for text in (
        "a" + " " * 50_000 + "b",
        "a\n\n" + " " * 50_000 + "\n\nb",
        "# A\n\na\n" + "\n" * 50_000 + "b",
    ):
        assert [piece.text for piece in chunk(text)] == ["a", "b"]


def test_lists_and_quotations_nested_beyond_every_limit_keep_their_words() -> None:
    deep = (
        "".join("  " * depth + f"- item{depth}\n" for depth in range(150)) + "> " * 200 + "quoted"
    )
    words_in_pieces = {word for piece in chunk(deep) for word in piece.text.split()}
    assert {f"item{depth}" for depth in range(150)} <= words_in_pieces
    assert "quoted" in words_in_pieces


OTHER_SHORT_WORDS = ("ab c ", "12 b 3 ", "A. ", "a\n\n", "- a\n", "| a |\n")


@pytest.mark.parametrize(
    "piece",
    ["a ", *(pytest.param(piece, marks=pytest.mark.nightly) for piece in OTHER_SHORT_WORDS)],
)
def test_a_note_of_short_words_takes_little_memory(piece: str) -> None:
    chunk("The parser is loaded by now.")
    text = piece * (100_000 // len(piece))
    tracemalloc.start()
    try:
        chunk(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 160 * len(text)

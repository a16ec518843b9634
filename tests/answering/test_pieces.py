"""A draft falls into whole pieces, however it arrives."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.answering.pieces import ELLIPSIS, LOOKAHEAD, MAX_PIECE, DraftPiece, Splitter, split


def parts(draft: str) -> list[str]:
    return [piece.whole for piece in split(draft)]


@pytest.mark.parametrize(
    "pieces",
    [
        ["We chose Firestore [N1].", " It scales [N2]."],
        ["We chose Firestore. [N1]", " It scales. [N2] [N3]", "\nBoth hold."],
        ["We chose Firestore [N1].", " [N2] It scales."],
        ["Dr. Lee met us at 3.15 p.m. with v1.2.", " Then he left"],
        ["- one item [N1]", "\n- another. [N2]", " It goes on.", "\n  1. within", "\n- [ ] to do"],
        ["A lead-in:", "\n\n| 1. a | b [N1] |", "\n| c | d |", "\n\nAfter it."],
        ["| Name | Size |\n|:--|---|\n| a | 1 [N1] |", "\n| b | 2 |"],
        ["```sql\nSELECT 1. Then\n\n-- x\n```\n[N1]", "\nSo it is."],
        ["~~~\nno end. Of it"],
        ["> quoted one. And\n> two [N1]", "\n> three", "\n\nSaid."],
        ["## Steps\n\n### First\n\n1. Do it [N1].", "\n\n## Next [N2]", "\nMore."],
        ["Use `a. B` and [a page. Here](https://known.example/x. y) now.", " Yes"],
        ["Two lines with [N1,\nN2] as one.", " Then"],
        ["我们选择了 Firestore【N4】。", "它可以扩展[N1]。"],
        ["Wait... what?", " Nothing!", " Right."],
    ],
)
def test_every_piece_is_whole_and_all_of_them_are_the_draft(pieces: list[str]) -> None:
    assert parts("".join(pieces)) == pieces


def test_a_piece_knows_what_opens_it() -> None:
    assert split("# Title\n\n- [x] Done [N1].")[0] == DraftPiece(
        "# Title", "\n\n- [x] ", "Done [N1]."
    )


def test_a_piece_is_given_out_as_soon_as_enough_of_the_next_is_there() -> None:
    splitter = Splitter()
    assert list(splitter.feed("It is so. " + "X" * (LOOKAHEAD - 2))) == []
    assert [piece.whole for piece in splitter.feed("yyyyy")] == ["It is so."]


_WRITTEN = [
    " [N1]",
    "[N2]",
    ". ",
    "! ",
    "\n",
    "- x",
    "数据库。",
    "`",
    "```",
    "> ",
    "|",
    "---",
    "## ",
    "1. ",
    "[x",
    "](http://a)",
]
_DRAFTS = st.lists(
    st.sampled_from([*_WRITTEN, "We chose it", " and [N1, ", "\n\n", " ", "lower" * 15]),
    max_size=50,
)


@given(_DRAFTS.map("".join), st.integers(1, 9))
@settings(max_examples=300)
def test_however_it_arrives_the_pieces_are_the_same(draft: str, size: int) -> None:
    splitter = Splitter()
    pieces = [
        piece
        for start in range(0, len(draft), size)
        for piece in splitter.feed(draft[start : start + size])
    ]
    assert (*pieces, *splitter.finish(truncated=False)) == split(draft)
    assert draft.startswith("".join(parts(draft)))


@pytest.mark.parametrize(
    ("draft", "kept"),
    [
        ("We chose it [N1]. It also sca", ["We chose it [N1].", " …"]),
        ("We chose it [N1]. It scales [N", ["We chose it [N1].", " …"]),
        ("We chose it [N1]. It scales [N2].", ["We chose it [N1].", " It scales [N2].", " …"]),
        ("We chose it. [N1]", ["We chose it. [N1]", " …"]),
        ("We chose it [N1], which sca", ["We chose it [N1], which sca", " …"]),
        ("We chose it [see", ["We chose it", " …"]),
        ("", []),
    ],
)
def test_a_draft_cut_at_the_limit_loses_its_unfinished_sentence_and_shows_it(
    draft: str, kept: list[str]
) -> None:
    splitter = Splitter()
    pieces = [*splitter.feed(draft), *splitter.finish(truncated=True)]
    assert [piece.whole for piece in pieces] == kept
    assert not kept or pieces[-1] == ELLIPSIS


@pytest.mark.parametrize(
    ("draft", "kept"),
    [
        ("Cloud Run. [N", "Cloud Run."),
        ("Cloud Run [N1] [N12", "Cloud Run [N1]"),
        ("Cloud Run [N1, N", "Cloud Run"),
        ("Cloud Run [N1;&#91;N9", "Cloud Run"),
        ("Cloud Run [^N2", "Cloud Run"),
        ("Cloud Run [**N1-N", "Cloud Run"),
        ("Cloud Run \\[N2", "Cloud Run"),
        ("And then", "And then"),
    ],
)
def test_a_marker_that_breaks_off_at_the_end_is_no_text(draft: str, kept: str) -> None:
    assert "".join(parts(draft)) == kept


@pytest.mark.parametrize(
    "draft",
    [
        "We chose it [N1]. ",
        "x",
        "[N1 ",
        "`a. ",
        "> q\n",
        "|--",
        "a. ",
        "! ",
        "[N1]\n",
        "```\nx\n",
        "word ",
        "[N1 and ",
    ],
)
def test_long_drafts_are_read_in_linear_time(draft: str) -> None:
    text = draft * (100_000 // len(draft))
    started = time.thread_time()
    splitter = Splitter()
    pieces = [
        piece
        for start in range(0, len(text), 20)
        for piece in splitter.feed(text[start : start + 20])
    ]
    pieces += splitter.finish(truncated=False)
    assert time.thread_time() - started < 3
    assert all(len(piece.text) < 2 * MAX_PIECE for piece in pieces) or " " not in draft[:-1]

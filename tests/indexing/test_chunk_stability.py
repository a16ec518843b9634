"""One edited word changes one or two chunks, wherever it stands in however long a note."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import cycle, pairwise

import pytest

from shared.indexing.chunking import chunk
from tests.indexing.prose import drawn, paragraph, sentence

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

EDITS = ("novel", "novel {}", "")  # replaced, inserted, deleted


def with_headings() -> str:
    draw = drawn(1)
    return "\n\n".join(
        f"## Topic {number}\n\n" + "\n\n".join(paragraph(draw) for _ in range(6))
        for number in range(22)
    )


def without_headings() -> str:
    draw = drawn(2)
    return "\n\n".join(paragraph(draw) for _ in range(132))


def one_paragraph() -> str:
    draw = drawn(3)
    return " ".join(sentence(draw) for _ in range(500))


def one_list() -> str:
    draw = drawn(4)
    return "\n".join(f"- {sentence(draw)}" for _ in range(500))


def from_a_pattern() -> str:
    return "\n\n".join(
        f"Sentence {number} of part {number // 5} is about topic {number % 7}."
        for number in range(880)
    )


def edited(text: str, *, step: int) -> Iterator[str]:
    """The text with one word changed: every `step`th word, in each of three ways in turn. Words of headings are left
    out: those are part of all chunks below.
    """
    body = re.compile(r"^(?!#).*$", re.MULTILINE)
    places = [
        word
        for line in body.finditer(text)
        for word in re.compile(r"\S+").finditer(text, *line.span())
    ]
    for edited_word, edit in zip(places[::step], cycle(EDITS), strict=False):
        yield text[: edited_word.start()] + edit.format(edited_word[0]) + text[edited_word.end() :]


def changed(text: str, variants: Iterator[str]) -> Counter[int]:
    """Count the variants by how many of their chunks had to be embedded anew."""
    pieces_before = Counter((piece.heading_path, piece.text) for piece in chunk(text))
    assert pieces_before.total() >= 30
    counts: Counter[int] = Counter()
    for variant in variants:
        after = Counter((piece.heading_path, piece.text) for piece in chunk(variant))
        counts[(after - pieces_before).total()] += 1
    return counts


@pytest.mark.parametrize("note", [with_headings, without_headings, one_paragraph])
def test_an_edited_word_changes_at_most_two_chunks_of_a_long_note(note: Callable[[], str]) -> None:
    text = note()
    counts = changed(text, edited(text, step=53))
    assert counts.total() > 80
    assert max(counts) == 2, counts
    assert counts[1] > counts[2], "most edits touch no overlap and no cut"


@pytest.mark.parametrize("note", [one_list, from_a_pattern])
def test_an_edited_word_hardly_ever_changes_three_chunks_of_a_list_or_of_text_made_to_a_pattern(
    note: Callable[[], str],
) -> None:
    text = note()
    counts = changed(text, edited(text, step=83))
    assert counts.total() > 80
    assert max(counts) <= 3, counts
    assert counts[3] <= 0.02 * counts.total(), counts


def test_a_lost_cut_changes_three_chunks_at_most_and_seldom_that() -> None:
    """Every cut in turn loses its first three words, by which it was chosen: the one kind of edit that can do it."""
    text = one_paragraph()
    pieces_before = chunk(text)
    cuts = [
        next_piece.start + text[next_piece.start : piece.end].rfind(". ") + 2
        for piece, next_piece in pairwise(pieces_before)
    ]
    counts = changed(
        text, (text[:place] + "Novel " + text[place:].split(" ", 3)[3] for place in cuts)
    )
    assert counts.total() > 45
    assert max(counts) <= 3, counts
    assert counts[3] < 0.3 * counts.total(), counts


def test_a_new_paragraph_changes_its_neighbourhood_only() -> None:
    text = without_headings()
    for place in [gap.end() for gap in re.finditer(r"\n\n", text)][::12]:
        (news,) = changed(
            text, iter([text[:place] + paragraph(drawn(place)) + "\n\n" + text[place:]])
        )
        assert news <= 4


def test_two_edits_far_apart_change_no_more_than_the_two_alone() -> None:
    text = without_headings()
    middle = text.index(" ", len(text) // 2)
    (news,) = changed(
        text, iter([text[:20] + " novel" + text[20:middle] + " novel" + text[middle:]])
    )
    assert news <= 4

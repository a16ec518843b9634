from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.markdown.quotable import Kind, pieces, quotation


def shown(text: str) -> list[str]:
    return [piece.shown for piece in pieces(text)]


@pytest.mark.parametrize(
    ("markdown", "read"),
    [
        ("We chose *Firestore*. It scales.", ["We chose Firestore.", "It scales."]),
        ("# Decision\n\nWe chose it.", ["We chose it."]),
        ("> [!NOTE] Careful\n> It is **hot**.", ["It is hot."]),
        (":::tip\nIt is hot.\n:::", ["It is hot."]),
        (
            "| Leave | Days |\n|---|---|\n| Sick | 10 |\n| **Annual** | 20 |",
            ["Leave: Sick; Days: 10", "Leave: Annual; Days: 20"],
        ),
        ("| Sick | 10 |", ["Sick; 10"]),
        ("- [x] first\n  goes on\n- second", ["first goes on", "second"]),
        ("```sh\nmake run\n\n  make test\n```", ["make run", "make test"]),
        ("<!-- not\nthis -->\nThis.", ["This."]),
        ("{% comment %}\nnot this\n{% endcomment %}\nThis.", ["This."]),
        ('Ask in {% channel "travel" %}, or [here]({% page "a b" %}).', ["Ask in travel, or here."]),
        ("See [the *page*][ref] and [^1].", ["See the page and ."]),
        ("It is **three. Four** of it.", ["It is three.", "Four of it."]),
        ("---\n***\n| |\n", []),
    ],
)
def test_a_passage_is_read_as_what_can_be_quoted(markdown: str, read: list[str]) -> None:
    assert shown(markdown) == read


def test_a_break_for_the_width_alone_ends_no_sentence_and_one_in_a_chat_does() -> None:
    wrapped = "The leave is for all who work in the office of\nWashington and need time for\nthemselves."
    assert shown(wrapped) == ["The leave is for all who work in the office of Washington and need time for themselves."]
    assert shown("Ann: Hello, how have you been all these days?\nBob: Fine\nAnn: Good") == [
        "Ann: Hello, how have you been all these days?",
        "Bob: Fine",
        "Ann: Good",
    ]


def test_a_note_that_looks_like_a_citation_is_quoted_without_it() -> None:
    assert shown("The database is Oracle [N2].") == ["The database is Oracle (N2)."]


def test_pieces_below_different_headings_are_told_apart() -> None:
    first, second = pieces("One.\n\n## Next\n\nTwo.")
    assert first.section != second.section


def test_neighbours_are_shown_as_running_text_as_a_list_and_as_code() -> None:
    assert quotation(pieces("We chose it. It scales.")) == ["We chose it. It scales."]
    assert quotation(pieces("Do this:\n\n- one\n- two")) == ["Do this:", "- one", "- two"]
    assert quotation(pieces("```\nmake *run*\n```")) == ["`make *run*`"]
    assert quotation(pieces("- one")) == ["one"]
    assert quotation(pieces("- one\n- two\n\nWe did. It was.")) == ["- one", "- two", "- We did. It was."]


_LINES = ["# H", "Text. More", "- item", "| a | b |", "|---|---|", "```", "> q", "", "<!--", "-->", "  deep", "😀 x."]


@given(st.lists(st.sampled_from(_LINES), max_size=15))
def test_pieces_are_slices_in_order_apart_from_each_other(lines: list[str]) -> None:
    text = "\n".join(lines)
    end = 0
    for piece in pieces(text):
        assert end <= piece.start < piece.end <= len(text)
        assert text[piece.start : piece.end] == text[piece.start : piece.end].strip()
        assert piece.kind in Kind
        end = piece.end


@pytest.mark.parametrize("part", ["| ", "<!--", "{% comment", "- ", "> ", "`", "a\n", "[x](", "{{", "**"])
def test_odd_text_takes_no_time(part: str) -> None:
    started = time.thread_time()
    pieces(part * (12_000 // len(part)))
    assert time.thread_time() - started < 2.0

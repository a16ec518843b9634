from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.answering.drafts import VerdictReader


def read(text: str, size: int = 1) -> tuple[bool | None, str]:
    reader = VerdictReader()
    visible = (
        "".join(reader.feed(text[start : start + size]) for start in range(0, len(text), size))
        + reader.finish()
    )
    return reader.answers, visible


def said(text: str) -> tuple[bool | None, str]:
    reader = VerdictReader()
    visible = reader.feed(text) + reader.finish()
    return reader.answers, visible


@pytest.mark.parametrize(
    ("draft", "answers", "text"),
    [
        ("ANSWER: yes\nWe chose Firestore [N1].", True, "We chose Firestore [N1]."),
        ("ANSWER: partly\n\nWe chose it.", True, "\nWe chose it."),
        ("ANSWER: no", False, ""),
        ("ANSWER: no.\n", False, ""),
        ("\n**ANSWER: yes**\nWe chose it.", True, "\nWe chose it."),
        ("> `Answer : Partially.`\r\nWe chose it.", True, "We chose it."),
        ("## ANSWER：yes\nWe chose it.", True, "We chose it."),
        ("ANSWER: yes. We chose it.", True, " We chose it."),
        ("ANSWER: yes — we chose it.", True, " we chose it."),
        ("ANSWER: yes We chose it.", True, " We chose it."),
        ("**ANSWER:** partly we chose it.", True, " we chose it."),
        ("Let me see.\nANSWER: no\nNothing.", False, "Let me see.\nNothing."),
        ("ANSWER: yes\nIt is so.\nANSWER: no", True, "It is so.\n"),
    ],
)
def test_the_line_that_says_whether_the_sources_answer_is_read_and_not_shown(
    draft: str, *, answers: bool, text: str
) -> None:
    assert said(draft) == (answers, text)


@pytest.mark.parametrize(
    "draft",
    [
        "We chose Firestore [N1].",
        "Answers vary.",
        "Answer: No database was chosen.",
        "A",
        "answer",
        "An answer: yes",
    ],
)
def test_text_that_says_nothing_of_it_stays(draft: str) -> None:
    assert said(draft) == (None, draft)


@pytest.mark.parametrize(
    "draft",
    ["ANSWER:", "ANSWER: y", "**ANSWER: ye", "answer: n", "ANSWER: part", "ANSWER: partiall"],
)
def test_a_verdict_that_breaks_off_at_the_end_is_neither_text_nor_said(draft: str) -> None:
    assert read(f"Fine.\n{draft}") == (None, "Fine.\n")


@pytest.mark.parametrize(
    "draft", ["ANSWER: We chose it.", "ANSWER: nothing was chosen.", "**ANSWER:** no, we chose it."]
)
def test_a_label_without_a_verdict_goes_and_decides_nothing(draft: str) -> None:
    answers, text = said(draft)
    assert answers is None
    assert "ANSWER" not in text
    assert text


_PARTS = [
    "ANSWER",
    "Answer",
    ":",
    " ",
    "yes",
    "no",
    "partly",
    "\n",
    "**",
    ".",
    "We chose it",
    "x" * 90,
    "\r\n",
    ">",
]


@given(st.lists(st.sampled_from(_PARTS), max_size=12), st.integers(1, 9))
def test_however_it_is_cut_the_same_is_read(parts: list[str], size: int) -> None:
    draft = "".join(parts)
    assert read(draft, size) == said(draft)


def test_text_that_cannot_become_a_verdict_is_shown_at_once() -> None:
    reader = VerdictReader()
    assert reader.feed("The A") == "The A"
    assert reader.feed("PI runs") == "PI runs"
    assert reader.feed("\nANSW") == "\n"
    assert reader.feed("ered.") == "ANSWered."


def test_after_the_verdict_the_first_word_is_not_held_back() -> None:
    reader = VerdictReader()
    assert [reader.feed(piece) for piece in ("ANSWER", ": ", "yes", "\n", "The", " API")] == [
        "",
        "",
        "",
        "",
        "The",
        " API",
    ]


def test_a_line_is_held_back_no_longer_than_a_verdict_may_be() -> None:
    reader = VerdictReader()
    long_opening = "ANSWER: perhaps it was so or so, who could tell after all the years that have gone by since"
    assert reader.feed(long_opening[:40]) == ""
    assert reader.feed(long_opening[40:]).endswith("gone by since")

"""What is shown of an answer while it is being written, letter by letter."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from shared.answering.citing.citations import check_citations
from shared.answering.live import LiveText
from shared.markdown.sanitize import sanitize
from tests.active import active
from tests.answering.samples import sources
from tests.markdown.samples import KNOWN, MARKDOWN, TEXTS

OFFERED = sources(*(f"Passage {number}." for number in range(1, 6)))


def stages(draft: str, *, size: int = 1) -> list[str]:
    """What is shown after each piece."""
    live = LiveText(OFFERED, TEXTS)
    return [live.feed(draft[at : at + size]) for at in range(0, len(draft), size)]


def whole(draft: str) -> str:
    return sanitize(check_citations(draft, OFFERED).text.strip(), TEXTS)


@pytest.mark.parametrize(
    "draft",
    [
        "We chose Firestore [N3], because it scales [N1, N3]. Version 0.98 is out; e.g. café.",
        "Nobody offered this [N9]. Nor that [N9], (N1) and x[i] & y < 3 at 100%.",
        f"See [the page]({KNOWN}) or {KNOWN} or [another one](https://evil.example/?q=1), ![a plan](http://e.example).",
        "## Steps\n\n- `a <b> c` and ``x ` y`` [N2]\n- **bold [N1]**\n\n```html\n<b>one. two</b>\n```\n<i>three</i>.",
        "我们选择了 Firestore【N4】。它可以扩展[N1]。",
        "R&D &#91;N2&#93; agreed &lbrack;N9&rbrack;. So \\[N1\\] too.",
    ],
)
def test_what_was_shown_stays(draft: str) -> None:
    assert all(whole(draft).startswith(shown) for shown in stages(draft))
    assert len(stages(f"{draft}\n")[-1]) == len(whole(draft))


def test_a_word_is_shown_as_soon_as_it_comes() -> None:
    assert stages("It is Firestore [N2]. Yes", size=3) == [
        "It",
        "It is",
        "It is Fir",
        "It is Firest",
        "It is Firestore",
        "It is Firestore",
        "It is Firestore [N1].",
        "It is Firestore [N1]. Ye",
        "It is Firestore [N1]. Yes",
    ]


def test_a_bracket_that_nobody_closes_holds_nothing_back_for_long() -> None:
    assert stages("It [is " + "a long story " * 30)[-1].endswith("a long story")


@given(MARKDOWN)
@settings(max_examples=200)
def test_nothing_active_is_shown_on_the_way_and_no_part_of_a_marker(draft: str) -> None:
    for shown in dict.fromkeys(stages(draft)):
        assert active(shown, (KNOWN,)) == []
        assert not re.search(r"\[N\d*\Z", shown)


def test_without_citations_no_marker_is_shown() -> None:
    live = LiveText(OFFERED, (), opening="Notice. ", with_citations=False)
    assert [live.feed(char) for char in "It is [N1] so [N9]. "][-1] == "Notice. It is so."

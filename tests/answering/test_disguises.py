"""Markers that only look like markers: nobody offered them, and nobody may read one in an answer."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shared.answering.checking import Checker, SupportPolicy
from shared.answering.pieces import DraftPiece, Splitter
from shared.markdown.neutralize import neutralize
from shared.markdown.sanitize import sanitize
from tests.active import active
from tests.answering.samples import check_citations, sources
from tests.markdown.samples import KNOWN, MARKDOWN, TEXTS

OFFERED = sources("one", "two")

OPENING = [
    "[",
    "\\[",
    "〚",
    "【",
    "⟦",
    "❲",
    "⌈",
    "⁅",
    "「",
    "﹝",
    "&#91;",
    "&#x5B;",
    "&#91",
    "&lbrack;",
    "&lsqb;",
    "%5B",
]
OPENING += ["&#12304;", "%E3%80%90", "&amp;#91;", "&amp;lbrack;"]
CLOSING = [
    "]",
    "\\]",
    "〛",
    "】",
    "⟧",
    "❳",
    "⌉",
    "⁆",
    "」",
    "﹞",
    "&#93;",
    "&#x5d;",
    "&rbrack;",
    "&rsqb;",
    "%5D",
]
CLOSING += ["&#12305;", "%e3%80%91", "&amp;#93;"]
LETTERS = [
    "N",
    "n",
    "Ｎ",
    "Ν",
    "𝐍",
    "ℕ",
    "Ⓝ",
    "🅝",
    "🇳",
    "ɴ",
    "ꓠ",
    "&#78;",
    "&#x6e;",
    "%4E",
    "&#65326;",
]
NINES = ["9", "９", "٩", "९", "❾", "⑨", "𝟗", "⁹", "&#57;", "&#x39;", "%39"]
UNSEEN = [
    "",
    "",
    "",
    " ",
    "\u200d",
    "\u200b",
    "\xad",
    "\u202e",
    "\u2060",
    "\u0308",
    "\u034f",
    "\u3164",
    "\xa0",
    "&zwj;",
]
UNSEEN += ["&shy;", "&#8203;", "&nbsp;", "\ufe0f", "\U000e0020"]

unseen = st.sampled_from(UNSEEN)
DISGUISED = st.builds(
    lambda *parts: "".join(parts),
    st.sampled_from(OPENING), unseen, st.sampled_from(LETTERS), unseen, st.sampled_from(NINES), unseen,
    st.sampled_from(["", *NINES]), unseen, st.sampled_from(CLOSING),
)  # fmt: skip
TEXT = [
    "We ",
    "chose it",
    ".",
    ", ",
    " and ",
    "(",
    ")",
    "\n- ",
    "[N1]",
    "[N9]",
    "&",
    "&#9",
    "&lb",
    "#",
    "1;",
    ";",
    "%",
    "%5",
]
TEXT += ["[N", "N9]", "]", "**", "`", "naïve", "数据库", "R&D ", "100% ", "é"]
DRAFTS = st.lists(st.one_of(DISGUISED, st.sampled_from(TEXT)), max_size=12).map("".join)


def any_of(parts: Sequence[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, sorted(set(parts), key=len, reverse=True)))})"


NOISE = f"{any_of([part for part in UNSEEN if part])}*"
READ = re.compile(
    NOISE.join(
        (any_of(OPENING), any_of(LETTERS), any_of(NINES), f"{any_of(NINES)}?", any_of(CLOSING))
    )
)
"""Every disguise that can be drawn, told by what it is made of."""


@pytest.mark.parametrize(
    "marker",
    [
        "[N9\u200d8]",
        "[N9\xad8]",
        "[\u202eN98]",
        "[N\u03089]",
        "〚N97〛",
        "「N97」",
        "⌈N97⌋",
        "[🅽❾]",
        "[N⑪]",
        "&#91;N98&#93;",
        "&#091;N98&#0093;",
        "&#x5b;&#78;&#x39;&#93",
        "&lbrack;N97&rbrack;",
        "&amp;lsqb;N97&amp;rsqb;",
        "%5BN97%5d",
        "%E3%80%90N97%E3%80%91",
        "\\[N9\\]",
        "\\\\[N9\\\\]",
        "[N9, 8]",
        "[**N9**]",
        "[`N9`]",
        "[N_9_]",
        "&#91;\\N9&#93;",
    ],
)
def test_a_disguise_goes_like_the_label_it_shows(marker: str) -> None:
    draft = f"We chose it {marker}. R&D [N1] agreed at 100% {marker}"
    assert check_citations(draft, OFFERED).text == "We chose it. R&D [N1] agreed at 100%"


def test_a_disguise_of_an_offered_label_is_written_plainly() -> None:
    cited = check_citations("Yes &lbrack;N2&rbrack;, and 〚Ｎ１〛 [N1, 2] [N\u200d2].", OFFERED)
    assert cited.text == "Yes [N1], and [N2] [N2][N1] [N1]."


@pytest.mark.parametrize(
    "text",
    [
        "a[n*2]",
        "a[N*2]",
        "x[i]",
        "「数据库」",
        "&lt;b&gt; &amp; &#233;",
        "100%25 %5Bx%5D",
        "⌈x⌉",
        "R&D; AT&T.",
        "[NO]",
    ],
)
def test_text_that_no_reader_takes_for_a_marker_stays(text: str) -> None:
    assert check_citations(text, OFFERED).text == text
    assert neutralize(text) == text


def test_a_pointer_in_code_is_no_marker() -> None:
    assert check_citations("a[*n1]", OFFERED).text == "a[*n1]"


@pytest.mark.slow
@given(DRAFTS)
@settings(max_examples=1000)
def test_no_answer_holds_a_disguise(draft: str) -> None:
    cited = check_citations(draft, OFFERED)
    assert not READ.search(cited.text)
    assert not READ.search(sanitize(cited.text))
    assert check_citations(cited.text, cited.used).text == cited.text


def pieces_of(draft: str, size: int = 1, texts: Sequence[str] = ()) -> Iterator[str]:
    """Split a draft that arrives in parts of this size, as readers see it."""
    splitter = Splitter()
    checker = Checker(OFFERED, texts, policy=SupportPolicy())

    def written() -> Iterator[DraftPiece]:
        for start in range(0, len(draft), size):
            yield from splitter.feed(draft[start : start + size])
        yield from splitter.finish(truncated=False)

    return (piece.text for piece in checker.check(written()))


@pytest.mark.slow
@given(DRAFTS)
@example("[N9][N[N\n- ")
@settings(max_examples=500)
def test_no_stream_shows_one_on_the_way(draft: str) -> None:
    visible = ""
    for piece in pieces_of(draft):
        visible += piece
        assert not READ.search(visible)
        assert not re.search(r"\[N?\d*\Z", visible)


@given(MARKDOWN, st.integers(1, 50))
@settings(max_examples=500)
def test_nothing_active_is_shown_on_the_way(draft: str, size: int) -> None:
    visible = ""
    for piece in pieces_of(draft, size, TEXTS):
        visible += piece
        assert active(visible, (KNOWN,)) == []


@pytest.mark.slow
@given(DRAFTS)
@settings(max_examples=500)
def test_a_note_holds_no_marker_as_the_writer_reads_it(text: str) -> None:
    neutral = neutralize(text)
    assert not READ.search(neutral)
    assert check_citations(neutral, OFFERED).removed == ()
    assert neutralize(neutral) == neutral


@pytest.mark.parametrize(
    "piece",
    [
        "&#91;N",
        "&lbrack;",
        "&",
        "&amp;",
        "%5B",
        "%E3%80",
        "〚N9",
        "[N\u200d",
        "\\",
        "&#91;N9&#93; ",
        "[**N9",
        "[N9, 8",
        "é",
    ],
)
def test_a_draft_of_a_hundred_thousand_characters_takes_no_time(piece: str) -> None:
    draft = piece * (100_000 // len(piece)) + "]" * 1000
    started = time.thread_time()
    check_citations(draft, OFFERED)
    assert sum(map(len, pieces_of(draft, 200))) <= len(draft)
    assert time.thread_time() - started < 4.0

from __future__ import annotations

import itertools
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.answering.citing.citation_stream import CitationStream
from shared.answering.citing.citations import check_citations
from tests.answering.samples import sources

OFFERED = sources(*(f"Passage {number}." for number in range(1, 6)))

_MARKERS = [
    "[N1]",
    "[N2]",
    "[N9]",
    "[N1, N3]",
    "[N9; N8]",
    "[N1-N4]",
    "[n3]",
    "【N4】",
    "\\[N1\\]",
    "[^N2]",
    "〔N7〕",
    "[Ν9]",
    "[N\u200d9]",
]
_BROKEN = [
    "[N",
    "N1]",
    "[",
    "]",
    "[1, 2",
    "〔",
    "⟦N",
    "\u200d",
    "[and",
    "(",
    ")",
    "`",
    "\\",
    "（",
    "）",
    "-",
    "–",
    "and",
]
_TEXT = ["word", "a", "n", "y", "1", "9", ".", "!", "*", "**", "_", "~", "。", "数", "é", "😀", "- ", "# "]
_BLANKS = [" and ", ", ", "; ", " ", "  ", "\t", "\n", "\n\n"]
_FRAGMENTS = st.sampled_from([*_MARKERS, *_BROKEN, *_TEXT, *_BLANKS])
TEXTS = st.lists(_FRAGMENTS, max_size=25).map("".join) | st.text(alphabet="[]N19 n,()`\\and.\nx*", max_size=40)


def streamed(pieces: list[str], offered: tuple[object, ...] = OFFERED) -> tuple[str, CitationStream]:
    stream = CitationStream(offered)  # type: ignore[arg-type]
    return "".join([*map(stream.feed, pieces), stream.finish()]), stream


def split(text: str, places: list[int]) -> list[str]:
    bounds = sorted({0, len(text), *(place % (len(text) + 1) for place in places)})
    return [text[start:end] for start, end in itertools.pairwise(bounds)]


@given(TEXTS, st.lists(st.integers(0, 200), max_size=12))
@settings(max_examples=1500, deadline=None)
def test_any_pieces_give_what_the_whole_text_gives(text: str, places: list[int]) -> None:
    got, stream = streamed(split(text, places))
    whole = check_citations(text, OFFERED)
    assert (got, stream.used) == (whole.text, whole.used)


@given(TEXTS)
@settings(max_examples=1500, deadline=None)
def test_single_characters_give_what_the_whole_text_gives(text: str) -> None:
    assert streamed(list(text))[0] == check_citations(text, OFFERED).text


@given(TEXTS, st.integers(1, 5))
@settings(max_examples=800, deadline=None)
def test_no_piece_ends_inside_a_marker_and_none_shows_one_that_was_not_offered(text: str, size: int) -> None:
    whole = check_citations(text, OFFERED).text
    inside = {place for found in re.finditer(r"\[N\d+\]", whole) for place in range(found.start() + 1, found.end())}
    stream = CitationStream(OFFERED)
    shown = ""
    for start in range(0, len(text), size):
        shown += stream.feed(text[start : start + size])
        assert whole.startswith(shown)
        assert len(shown) not in inside

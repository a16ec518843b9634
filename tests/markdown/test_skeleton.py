from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.markdown.skeleton import NOTHING, PAD, UNFINISHED, skeleton


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("[N1]", "[N1]"),
        ("〚Ｎ❾〛", "[N9]"),
        ("&#91;N", f"{PAD * 4}[N"),
        ("&amp;rsqb;", f"{PAD * 9}]"),
        ("%5b %E3%80%91", f"{PAD * 2}[ {PAD * 8}]"),
        ("a\u200db\u0301", f"a{NOTHING}b{NOTHING}"),
        ("–\xa0，", "- ,"),
        ("naïve 数据库 ≥ &eacute; %zz", "naïve 数据库 ≥ &eacute; %zz"),
    ],
)
def test_a_text_as_it_looks(text: str, looks: str) -> None:
    assert skeleton(text) == looks


def test_whatever_unicode_holds_for_a_form_of_a_bracket_a_digit_or_n_looks_like_it() -> None:
    wrong = []
    for code in range(sys.maxunicode + 1):
        plain = unicodedata.normalize("NFKC", chr(code))
        wanted = "N" if plain in ("N", "n") and code > 127 else plain
        if len(plain) == 1 and plain in "[]Nn0123456789" and skeleton(chr(code)) not in (wanted, plain):
            wrong.append(hex(code))
    assert wrong == []


@given(st.text())
def test_it_is_as_long_as_the_text(text: str) -> None:
    assert len(skeleton(text)) == len(text)


@given(st.text(alphabet="&#;x%amplbrck0123459BEeCc8A [", max_size=30), st.integers(0, 30))
def test_what_is_not_unfinished_stays_as_it_is_read(text: str, place: int) -> None:
    first = text[:place]
    if found := UNFINISHED.search(first):
        first = first[: found.start()]
    assert skeleton(text).startswith(skeleton(first))

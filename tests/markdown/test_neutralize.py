from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.markdown.neutralize import NOTHING, PAD, UNFINISHED, neutralize, skeleton
from tests.answering.samples import check_citations, sources


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("see [N1]", "see (N1)"),
        ("see [n1, N2]", "see (n1, N2)"),
        ("see 【N1】 and ［Ｎ２］ and 〔N3〕", "see (N1) and (Ｎ２) and (N3)"),
        ("see [ N 1 ]", "see ( N 1 )"),
        ("see [^N1] and \\[N2\\]", "see (^N1) and \\(N2\\)"),
        ("unclosed [N1", "unclosed (N1"),
        (
            "Greek [Ν1], full width and a joiner [Ｎ\u200d７]",
            "Greek (Ν1), full width and a joiner (Ｎ\u200d７)",
        ),
        ("hidden [N\u200b1], [\u202eN2]", "hidden (N1), (N2)"),
        ("[[N1]]", "[(N1)]"),
        (
            "unclosed before one in entities [N1;&#91;N9]",
            "unclosed before one in entities (N1;(N9)",
        ),
    ],
)
def test_text_that_looks_like_a_citation_is_rewritten_visibly(text: str, made: str) -> None:
    assert neutralize(text) == made


@pytest.mark.parametrize(
    "text",
    ["[link](https://example.org)", "x[1]", "[ ] task", "[Nina]", "a\tb\nc", "naïve 数据库 🙂"],
)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert neutralize(text) == text


def test_words_and_emoji_that_need_joiners_keep_them() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    heart = "\u2764\ufe0f"
    persian = "می\u200cخواهم"
    assert neutralize(f"{family} {heart} {persian}") == f"{family} {heart} {persian}"


def test_joiners_hidden_in_latin_words_go() -> None:
    assert neutralize("ig\u200dnore\u200c a\ufe0f") == "ignore a"


def test_every_kind_of_line_break_becomes_a_newline() -> None:
    assert neutralize("a\r\nb\rc\u2028d\u2029e\x0bf\x0cg\x85h") == "a\nb\nc\nd\ne\nf\ng\nh"


@given(st.text())
def test_nothing_invisible_is_left(text: str) -> None:
    visible_formats = "\u200c\u200d\ufe0f\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
    invisible = {char for char in neutralize(text) if char not in visible_formats + "\t\n"}
    assert not {
        char for char in invisible if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")
    }
    assert not re.search(
        "[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]",
        "".join(invisible),
    )


@given(
    st.text(alphabet="[]【】［］〔〕⟦⟧()NnΝＮ1٣９７ ,;-^\\.\n\u200b\u200d\u202e\ufeff", max_size=80)
)
def test_no_citation_can_be_parsed_out_of_the_result(text: str) -> None:
    neutral = neutralize(text)
    checked = check_citations(neutral, sources("offered"))
    assert checked.text == neutral
    assert checked.used == ()
    assert checked.removed == ()


@given(st.text())
def test_neutralized_twice_is_neutralized_once(text: str) -> None:
    assert neutralize(neutralize(text)) == neutralize(text)


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
        expected_letter = "N" if plain in ("N", "n") and code > 127 else plain
        if (
            len(plain) == 1
            and plain in "[]Nn0123456789"
            and skeleton(chr(code)) not in (expected_letter, plain)
        ):
            wrong.append(hex(code))
    assert wrong == []


@given(st.text())
def test_the_skeleton_is_as_long_as_the_text(text: str) -> None:
    assert len(skeleton(text)) == len(text)


@given(st.text(alphabet="&#;x%amplbrck0123459BEeCc8A [", max_size=30), st.integers(0, 30))
def test_finished_text_stays_as_it_is_read(text: str, place: int) -> None:
    first = text[:place]
    if match := UNFINISHED.search(first):
        first = first[: match.start()]
    assert skeleton(text).startswith(skeleton(first))

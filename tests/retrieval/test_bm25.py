"""BM25 against figures worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import pytest

from shared.language.forms import COUSIN, own_forms
from shared.model.retrieval import CorpusStats
from shared.retrieval.bm25 import TAG, bm25
from tests.contracts.samples import chunk

STATS = CorpusStats(chunk_count=10, average_length=4.0, revision="1")
score = partial(bm25, k1=1.2, b=0.75)


def test_one_stem_once_in_a_chunk_of_average_length_scores_its_idf() -> None:
    sample = chunk("a", terms={"api": 1, "rest": 3})
    assert list(score([sample], {"api": 2}, STATS)) == pytest.approx([math.log(1 + 8.5 / 2.5)])


def test_length_and_repeats_enter_by_b_and_k1() -> None:
    sample = chunk("a", terms={"api": 3, "rest": 5})
    saturation = 1.2 * (0.25 + 0.75 * 8 / 4)
    expected = math.log(1 + 8.5 / 2.5) * 3 * 2.2 / (3 + saturation)
    assert list(score([sample], {"api": 2}, STATS)) == pytest.approx([expected])


def test_a_rare_stem_counts_more_than_a_common_one() -> None:
    rare, common = score(
        [chunk("a", terms={"zinc": 1}), chunk("b", terms={"day": 1})], {"zinc": 1, "day": 9}, STATS
    )
    assert rare > common > 0


def test_a_verb_of_a_plurals_stem_counts_less() -> None:
    noun, cousin = (
        replace(chunk(name, terms={"book": 1}), text=text)
        for name, text in (("a", "A book."), ("b", "Booked."))
    )
    forms = own_forms("books", "en")
    as_own, as_cousin = score([noun, cousin], {"book": 2}, STATS, forms=forms)
    assert as_cousin == pytest.approx(COUSIN * as_own)
    assert len(set(score([noun, cousin], {"book": 2}, STATS))) == 1


def test_a_word_that_stands_in_a_notes_tags_alone_counts_less() -> None:
    in_text, tagged, both = (
        replace(chunk(name, terms={"stori": 1}), text=text, tags=tags)
        for name, text, tags in (
            ("a", "Two stories.", ()),
            ("b", "A tale.", ("stories",)),
            ("c", "Two stories.", ("stories",)),
        )
    )
    as_said, as_tagged, as_both = score([in_text, tagged, both], {"stori": 2}, STATS)
    assert as_tagged == pytest.approx(TAG * as_said)
    assert as_both == as_said


@pytest.mark.parametrize(
    ("stem", "tag", "text", "share"),
    [
        ("ai", "ai", "A plan to aim at.", TAG),
        ("work", "work", "My words.", TAG),
        ("red", "red", "I read it.", TAG),
        ("kestrel", "ProjectA/kestrel", "A tale.", TAG),
        ("ai", "ai", "No AI.", 1.0),
        ("work", "work", "It worked.", 1.0),
        ("stori", "stories", "A story.", 1.0),
        ("project-x", "project-x", "On Project-X.", 1.0),
        ("旅行", "旅行", "東京旅行", 1.0),
    ],
)
def test_letters_inside_other_words_do_not_say_what_a_tag_says(
    stem: str,
    tag: str,
    text: str,
    share: float,
) -> None:
    tagged = replace(
        chunk("a", terms={stem: 1}),
        title="",
        text=text,
        tags=(tag,),
    )
    (of_tag,) = score([tagged], {stem: 2}, STATS)
    (as_said,) = score([replace(tagged, tags=())], {stem: 2}, STATS)
    assert of_tag == pytest.approx(share * as_said)


def test_a_stem_that_no_chunk_is_known_to_contain_scores_nothing() -> None:
    assert score([chunk("a", terms={"new": 1})], {"new": 0}, STATS) == (0.0,)


def test_frequencies_newer_than_the_chunk_count_do_not_break_the_logarithm() -> None:
    assert score([chunk("a", terms={"api": 1})], {"api": 30}, STATS)[0] > 0


def test_an_empty_index_scores_zero_without_dividing_by_its_length() -> None:
    assert score([chunk("a", terms={})], {"api": 1}, CorpusStats(0, 0.0, "0")) == (0.0,)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.judging.facts import IDENTIFIER_WEIGHT, NAME_WEIGHT, facts_of


@pytest.mark.parametrize(
    ("text", "lang", "negated"),
    [
        ("We did not choose Redis.", "en", {"choos", "redi"}),
        ("We chose Redis, not Kafka.", "en", {"kafka"}),
        ("Jonas doesn't like it; Mara does.", "en", {"like"}),
        ("Not only Redis, also Kafka.", "en", set()),
        ("Wir nehmen Redis nicht.", "de", {"nehm", "redis"}),
        ("No usamos Redis.", "es", {"usam", "redis"}),
        ("Nous n'utilisons pas Redis.", "fr", {"utilison", "red"}),
    ],
)
def test_a_negation_reaches_the_words_of_its_clause(
    text: str, lang: str, negated: set[str]
) -> None:
    assert set().union(*(sentence.negated for sentence in facts_of(text, lang))) == negated


def test_names_and_identifiers_weigh_more_but_a_first_capital_says_nothing() -> None:
    (sentence,) = facts_of("Yesterday Jonas saw ERR_CONN_42 again.", "en")
    weights = {word.raw: (word.weight, word.is_name, word.opens) for word in sentence.words}
    assert weights == {
        "Yesterday": (1.0, False, True),
        "Jonas": (NAME_WEIGHT, True, False),
        "saw": (1.0, False, False),
        "ERR_CONN_42": (IDENTIFIER_WEIGHT, True, False),
        "again": (1.0, False, False),
    }


def test_german_nouns_are_no_names() -> None:
    (sentence,) = facts_of("Wir kochen Suppe mit Linsen.", "de")
    assert not any(word.is_name for word in sentence.words)


def test_each_sentence_has_its_own_words_numbers_and_place() -> None:
    text = "Alpha costs 4 euros. Beta starts on 3 May."
    first, second = facts_of(text, "en")
    assert text[first.start : first.end] == "Alpha costs 4 euros."
    assert [word.raw for word in first.words] == ["Alpha", "costs", "euros"]
    assert [len(first.numbers), len(first.days)] == [1, 0]
    assert [
        len(second.numbers),
        len(second.days),
    ] == [0, 1]


@given(st.text(max_size=200), st.sampled_from(["en", "de", "fr", "ja", "xx"]))
def test_any_text_in_any_language_can_be_read(text: str, lang: str) -> None:
    for sentence in facts_of(text, lang):
        assert 0 <= sentence.start < sentence.end <= len(text)
        assert sentence.negated <= sentence.stems

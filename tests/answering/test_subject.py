from __future__ import annotations

from dataclasses import replace

from shared.answering.subject import is_on_topic
from shared.model.questions import TimeHint, TimeRange
from shared.model.retrieval import Retrieved, Scored
from tests.answering.samples import LAST_WEEK, WRITTEN, passage, retrieved

WEIGHTS = {"database": 3.0, "chose": 1.0}


def holding(*stems: str, similarity: float) -> Scored:
    scored = passage("Text.", similarity=similarity)
    return replace(scored, chunk=replace(scored.chunk, terms=dict.fromkeys(stems, 1)))


def found(*passages: Scored, time: TimeHint | None = None) -> Retrieved:
    return replace(retrieved(*passages, time=time), weights=WEIGHTS)


def test_a_likeness_well_above_chance_speaks_of_it_without_a_common_word() -> None:
    assert is_on_topic(found(holding(similarity=0.7)))
    assert not is_on_topic(found(holding(similarity=0.6)))


def test_telling_words_make_up_for_likeness() -> None:
    assert is_on_topic(found(holding("database", similarity=0.55)))
    assert not is_on_topic(found(holding("chose", similarity=0.55)))


def test_likeness_and_words_of_different_passages_do_not_add_up() -> None:
    assert not is_on_topic(found(holding(similarity=0.6), holding("chose", similarity=0.5)))


def test_a_single_near_sentence_speaks_of_it_in_a_passage_of_several_subjects() -> None:
    mixed = found(holding(similarity=0.55))
    assert is_on_topic(mixed, 0.5)
    assert not is_on_topic(mixed, 0.4)
    assert not is_on_topic(replace(mixed, lexical_only=True), 0.9)


def test_without_vectors_words_alone_decide() -> None:
    assert is_on_topic(found(holding("chose", similarity=0.0)))
    assert not is_on_topic(found(holding(similarity=0.0)))


def test_in_a_language_that_the_embedder_does_not_speak_words_alone_decide() -> None:
    """All texts in such a language look alike to the embedder."""
    assert is_on_topic(replace(found(holding("chose", similarity=0.5)), lexical_only=True))
    assert not is_on_topic(replace(found(holding(similarity=0.9)), lexical_only=True))


def test_where_only_a_time_is_asked_for_what_is_of_then_speaks_of_it() -> None:
    hint = TimeHint(TimeRange(WRITTEN, None), phrase="since May", days=10)
    nothing_else = replace(found(holding(similarity=0.5), time=hint), weights={})
    assert is_on_topic(nothing_else)
    assert not is_on_topic(replace(found(holding(similarity=0.5), time=LAST_WEEK), weights={}))


def test_notes_of_the_requested_time_are_never_refused() -> None:
    hint = TimeHint(TimeRange(WRITTEN, None), phrase="since May", days=10)
    assert is_on_topic(found(holding(similarity=0.5), time=hint))
    assert not is_on_topic(found(holding(similarity=0.5), time=replace(hint, restricts=False)))


def test_nothing_found_speaks_of_nothing() -> None:
    assert not is_on_topic(found())

"""Question and quoted passages -> the words of the question that none of the passages holds.

Whether a passage answers cannot be told without a model, but what it never says can: "Can I bring my dog to the office?"
is not answered by passages about the office without a dog. A question that is told in other words than the notes has many
such words, and then they tell nothing.

                                     of questions that the notes answer    of those that they do not answer
    handbook, three languages        0.39                                  0.77
    pages of strangers               0.32                                  0.82
    sample notes                     0.57                                  0.67
"""

from __future__ import annotations

from collections.abc import Sequence

from shared.answering.asked import AskedWord, asked_words, without_amounts
from shared.language.terms import MAX_TERM
from shared.language.words import fold, folded_words
from shared.model.index import IndexedChunk
from shared.model.retrieval import Analysis

MAX_WORDS = 3
"""Most missing words that are told."""
MIN_PART = 4
"""Letters from which a word or its stem is found inside another word: `nuts` in `hazelnuts`."""


def missing_words(
    question: str, analysis: Analysis, quoted: Sequence[IndexedChunk]
) -> tuple[str, ...]:
    """Returns the words that no quoted chunk holds, as the question writes them, in its order.

    Words that only ask for a number (`how many`) are left out. Empty if more than MAX_WORDS are missing.
    """
    readable_texts = [_readable_text(chunk) for chunk in quoted]
    missing: dict[str, str] = {}
    for word in asked_words(without_amounts(question, analysis.lang), analysis):
        is_held = any(
            _holds(chunk, text, word) for chunk, text in zip(quoted, readable_texts, strict=True)
        )
        is_readable = len(word.text) <= MAX_TERM
        if is_readable and not is_held:
            missing.setdefault(fold(word.text), word.text)
    if len(missing) > MAX_WORDS:
        return ()
    return tuple(missing.values())


def _readable_text(chunk: IndexedChunk) -> str:
    """Returns a chunk's text and all names and properties of its note, its words folded."""
    texts = (
        chunk.title,
        chunk.heading_path,
        chunk.path,
        chunk.text,
        *chunk.properties,
        *chunk.tags,
    )
    return folded_words(" ".join(texts))


def _holds(chunk: IndexedChunk, readable_text: str, word: AskedWord) -> bool:
    """Reports whether a chunk holds a word in any form, alone or as a part of another word.

    Of a compound token (`err_conn_42`) it holds all parts, joined or not.
    """
    if len(word.text) >= MIN_PART and fold(word.text) in readable_text:
        return True
    parts = word.stems[1:] or word.stems
    for stem in parts:
        is_inside = len(stem) >= MIN_PART and stem in readable_text
        if not is_inside and not chunk.terms.get(stem):
            return False
    return True

"""Decides by likeness and the question's words, without a model, whether anything that was found is on topic.

Whether it answers cannot be told this way: questions that the notes almost answer score higher than those asked in
other words. Measured with all-MiniLM-L6-v2, each collection's own questions and the English ones of a handbook that is
not about it:

                                     own refused    the handbook's refused
    handbook, 95 questions           0.01           0.03 of 35 that it almost answers
    pages of strangers, 29           0.03
    sample notes, 50                 0.04           0.79
    chats, 240                       0.00           0.72

With a bound of 0.27 the own refused are 0.01, 0.10, 0.10 and 0.00, the handbook's 0.89 and 0.83: quotes that do not fit
are less of a loss than answers that are not shown.
"""

from __future__ import annotations

from shared.answering.asked import AskedProperties
from shared.answering.cognates import Cognates
from shared.model.retrieval import Retrieved, Scored

COVERED = 0.4
"""Most that the question's words add to a passage's likeness, which is at most 1."""
MIN_NEAR = 0.22
"""Least nearness of the best passage for it to be on topic."""
MIN_BY_WORDS = 0.15
"""Least nearness, by words, of a passage without a vector for it to be on topic."""
MIN_UNSPOKEN = 0.1
"""Least nearness, by words alone, in a language that the embedder does not speak: to its vectors all such texts are
alike. Measured on 26 questions to German and Spanish handbooks and on 400 of XQuAD in these languages. No question with
an answer is refused; with 0.15 and 0.2, of the German handbook's questions 15% and 23% are, and with the values for
English 62%. Of the questions about another subject only 1% to 23% are refused: quotes that do not fit are less of a
loss than answers that are not shown.
"""
MIN_SENTENCE = 0.45
"""Least nearness of a single sentence for its passage to be on topic. A passage about several subjects may, as a whole,
be near to none of them. Measured on a handbook, strangers' pages, sample notes and a person's short notes: of 169
questions with an answer 3 are refused instead of 5, of 471 questions to the other collections 299 instead of 301.
"""


def is_on_topic(retrieved: Retrieved, best_sentence: float = 0.0) -> bool:
    """Reports whether the best passage is near enough. Passages from a time that was asked for always are, and so are
    those of notes with a property whose value the question names: the books by an author.

    best_sentence: nearness of the nearest single sentence, in [0, 1].
    """
    if best_sentence >= MIN_SENTENCE and not retrieved.lexical_only:
        return True
    time = retrieved.analysis.time
    properties = AskedProperties(retrieved)
    cognates = None
    if retrieved.lexical_only:
        cognates = Cognates(retrieved.analysis)
    for passage in retrieved.selected:
        chunk = passage.chunk
        is_of_time = False
        if time is not None and time.restricts:
            is_of_time = time.range.contains(chunk.created_at)
        if is_of_time or properties.has_value(chunk):
            return True
        if _is_near(passage, retrieved, cognates):
            return True
    return False


def is_unknown(retrieved: Retrieved) -> bool:
    """Reports whether no passage holds a word of the question, in any spelling, or is similar to it: its subject is not in
    the notes.
    """
    cognates = Cognates(retrieved.analysis)
    for passage in retrieved.selected:
        if _coverage(passage, retrieved, cognates) > 0 or _is_near(passage, retrieved, cognates):
            return False
    return True


def _is_near(passage: Scored, retrieved: Retrieved, cognates: Cognates | None) -> bool:
    """Reports whether a passage is near enough by its likeness and the question's words that it holds.

    cognates: finds words of another language, too; None to count those alone that the search finds.
    """
    coverage = _coverage(passage, retrieved, cognates)
    if retrieved.lexical_only:
        return coverage >= MIN_UNSPOKEN
    has_no_vector = passage.scores.similarity == 0  # it waits for one, or nothing has any
    if has_no_vector:
        return coverage >= MIN_BY_WORDS
    # 0 for unrelated texts, 1 for equal ones.
    likeness = max(0.0, 2.0 * passage.scores.similarity - 1.0)
    return likeness + COVERED * coverage >= MIN_NEAR


def _coverage(passage: Scored, retrieved: Retrieved, cognates: Cognates | None) -> float:
    """Returns the share of the question's words that a passage holds, weighted by their rarity, in [0, 1].

    The time that the question names counts as one more word of average weight. Passages written at that time hold it.
    """
    chunk = passage.chunk
    weights = retrieved.weights
    held_stems = chunk.stems_among(weights)
    if cognates is not None:
        held_stems |= cognates.stems_in(chunk)
    covered = sum([weight for stem, weight in weights.items() if stem in held_stems])
    total = sum(weights.values())
    time = retrieved.analysis.time
    if time is not None and time.range.contains(chunk.created_at):
        time_weight = 1.0
        if weights:
            time_weight = total / len(weights)
        covered += time_weight
        total += time_weight
    if total == 0:
        return 0.0
    return covered / total

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

from shared.model.retrieval import Retrieved, Scored

COVERED = 0.4
"""Weight of all of the question's words, beside a likeness of 1."""
MIN_NEAR = 0.22
"""Nearness of the best passage from which on it is on topic."""
MIN_BY_WORDS = 0.15
"""Nearness from which on a passage without a vector is on topic."""
MIN_UNSPOKEN = 0.1
"""Nearness by words alone, in a language that the embedder does not speak, where all texts are alike. Questions to
German and Spanish handbooks (26) and half of XQuAD in these languages (400), own ones refused: 0.00; with 0.15 and 0.2
German ones to the handbook 0.15 and 0.23, by what serves English 0.62. Another subject's are refused 0.01 to 0.23:
quotes that do not fit are less of a loss than answers that are not shown.
"""
MIN_SENTENCE = 0.45
"""Nearness of a single sentence from which on its passage is on topic, which as a whole may be like none of the several
subjects that it has. Own questions refused of the handbook, strangers' pages, sample notes and a person's short notes
(169): 3 in place of 5; of the other ones' questions (471): 299 in place of 301.
"""


def is_on_topic(retrieved: Retrieved, best_sentence: float = 0.0) -> bool:
    """Reports whether the best passage is near enough; so is whatever is of a time that was asked for.

    best_sentence: nearness of the nearest single sentence, in [0, 1].
    """
    if best_sentence >= MIN_SENTENCE and not retrieved.lexical_only:
        return True
    time = retrieved.analysis.time
    for passage in retrieved.selected:
        is_of_time = (
            time is not None and time.restricts and time.range.contains(passage.chunk.created_at)
        )
        if is_of_time or _is_near(passage, retrieved):
            return True
    return False


def is_unknown(retrieved: Retrieved) -> bool:
    """Reports whether nothing holds a word of the question or is alike: a subject that the notes do not know."""
    for passage in retrieved.selected:
        if _coverage(passage, retrieved) > 0 or _is_near(passage, retrieved):
            return False
    return True


def _is_near(passage: Scored, retrieved: Retrieved) -> bool:
    coverage = _coverage(passage, retrieved)
    if retrieved.lexical_only:
        return coverage >= MIN_UNSPOKEN
    has_no_vector = passage.scores.similarity == 0  # it waits for one, or nothing has any
    if has_no_vector:
        return coverage >= MIN_BY_WORDS
    # 0 for unrelated texts, 1 for equal ones.
    likeness = max(0.0, 2.0 * passage.scores.similarity - 1.0)
    return likeness + COVERED * coverage >= MIN_NEAR


def _coverage(passage: Scored, retrieved: Retrieved) -> float:
    """Returns the share of the question's words that a passage holds, weighted by what they tell, in [0, 1].

    The time that the question names counts as one more word of average weight, which what was written then holds.
    """
    chunk = passage.chunk
    weights = retrieved.weights
    covered_weights = [weight for stem, weight in weights.items() if chunk.terms.get(stem)]
    covered = sum(covered_weights)
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

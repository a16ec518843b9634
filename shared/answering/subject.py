"""Whether anything that was found speaks of what is asked: by likeness and the question's words, without a model.

Not whether it answers, which this cannot tell: questions that the notes almost answer score higher than those asked in
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
"""What all of the question's words count, beside a likeness of 1."""
MIN_NEAR, MIN_BY_WORDS = 0.22, 0.15
"""Nearness of the best passage from which on it speaks of the subject; the latter where it has no vector."""
MIN_UNSPOKEN = 0.1
"""Nearness by words alone, in a language that the embedder does not speak, where all texts are alike. Questions to
German and Spanish handbooks (26) and half of XQuAD in these languages (400), own ones refused: 0.00; with 0.15 and 0.2
German ones to the handbook 0.15 and 0.23, by what serves English 0.62. Another subject's are refused 0.01 to 0.23:
quotes that do not fit are less of a loss than answers that are not shown.
"""
MIN_SENTENCE = 0.45
"""Nearness of a single sentence from which on its passage speaks of the subject, which as a whole may be like none of
the several that it has. Own questions refused of the handbook, strangers' pages, sample notes and a person's short
notes (169): 3 in place of 5; of the other ones' questions (471): 299 in place of 301.
"""


def speaks_of_subject(retrieved: Retrieved, sentence: float = 0.0) -> bool:
    """Whether the best passage is near enough; whatever is of a time that was asked for is. `sentence`: the nearness
    of the nearest single one.
    """
    if sentence >= MIN_SENTENCE and not retrieved.by_words:
        return True
    time = retrieved.analysis.time
    asked = time.range if time and time.restricts else None
    return any(
        (asked and asked.contains(passage.chunk.created_at)) or _is_near(passage, retrieved)
        for passage in retrieved.selected
    )


def is_unknown(retrieved: Retrieved) -> bool:
    """Whether nothing holds a word of the question or is alike: a greeting, or a subject that the notes do not know."""
    return not any(_coverage(passage, retrieved) or _is_near(passage, retrieved) for passage in retrieved.selected)


def _is_near(passage: Scored, retrieved: Retrieved) -> bool:
    coverage = _coverage(passage, retrieved)
    if retrieved.by_words:
        return coverage >= MIN_UNSPOKEN
    if passage.scores.similarity == 0:  # it still waits for its vector, or nothing has any
        return coverage >= MIN_BY_WORDS
    likeness = max(0.0, 2.0 * passage.scores.similarity - 1.0)  # 0 for unrelated texts, 1 for equal ones
    return likeness + COVERED * coverage >= MIN_NEAR


def _coverage(passage: Scored, retrieved: Retrieved) -> float:
    """The share of the question's words that a passage holds, by what they tell, in [0, 1]. The time that the question
    names is one more, of average weight, which what was written then holds.
    """
    weights, time = retrieved.weights, retrieved.analysis.time
    held = sum(weight for stem, weight in weights.items() if passage.chunk.terms.get(stem))
    total = sum(weights.values())
    if time is not None and time.range.contains(passage.chunk.created_at):
        one = total / len(weights) if weights else 1.0
        return (held + one) / (total + one)
    return held / total if total else 0.0

"""What an answer has to hold, and which notes hold it: texts are compared in lower case, white space as one space."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Parts = tuple[frozenset[str], ...]
"""What a question needs, each part from any note of its set."""


def share_held(text: str, facts: Iterable[str]) -> float | None:
    """Share of the facts that stand in the text; None: there are none."""
    held = [_normal(fact) in _normal(text) for fact in facts]
    return sum(held) / len(held) if held else None


def parts_needed(facts: Iterable[str], grades: Mapping[str, int], texts: Mapping[str, str]) -> Parts:
    """Note id -> grade, and the notes' texts -> what has to be found: one of the best graded notes, or, where no note
    holds all facts, one note for each of them.
    """
    holding = [frozenset(note for note in grades if share_held(texts[note], [fact])) for fact in facts]
    if all(holding) and not frozenset(grades).intersection(*holding):
        return tuple(holding)
    best = max(grades.values())
    return (frozenset(note for note, grade in grades.items() if grade == best),)


def _normal(text: str) -> str:
    return " ".join(text.lower().split())

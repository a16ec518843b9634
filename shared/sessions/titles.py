"""What a session is called while nobody has named it, and whether a title holds what is searched for."""

from __future__ import annotations

from shared.language.folding import folded_words
from shared.markdown.neutralize import neutralize_line

LENGTH = 80


def title_of(question: str) -> str:
    """The question on one line, at most 80 characters, cut between words and ended by an ellipsis."""
    line = neutralize_line(question)
    if len(line) <= LENGTH:
        return line
    cut = line[: LENGTH - 1]
    return f"{(cut.rpartition(' ')[0] or cut).rstrip(',;:.- ')}…"


def holds(title: str, wanted: str) -> bool:
    """Whether every word of `wanted` stands somewhere in the title, whatever its case, width and accents."""
    read = folded_words(title)
    return all(word in read for word in folded_words(wanted).split())

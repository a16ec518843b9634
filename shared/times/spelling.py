"""Corrects one wrong letter in names of months and weekdays."""

from __future__ import annotations

import re
from dataclasses import dataclass

from shared.language.words import is_one_edit
from shared.times.lexicon import TimeWords

MAX_CORRECTIONS = 20
"""Words of a text that are corrected."""
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"(?<![\w'’-])[^\W\d_]{5,12}(?![\w-])")


@dataclass(frozen=True, slots=True)
class CorrectedText:
    """A text with its misspelled names corrected."""

    text: str
    gains: tuple[tuple[int, int], ...]
    """Each correction: where the corrected name ends in `text`, and how many letters it gained (or lost, negative)."""

    def original_position(self, position: int) -> int:
        """Maps a position in `text` to the text before the correction."""
        gained_before = 0
        for end, gained in self.gains:
            if end <= position:
                gained_before += gained
        return position - gained_before


def correct_names(text: str, words: TimeWords) -> CorrectedText:
    """Corrects one wrong letter in the names of months and weekdays, in at most MAX_CORRECTIONS words.

    Where these names are written in lower case, a capital inside the text makes another name of it: `Javier`.
    """
    first_letter = _LETTER.search(text)
    opening = first_letter.start() if first_letter is not None else 0
    parts: list[str] = []
    gains: list[tuple[int, int]] = []
    copied_to = 0
    total_gain = 0
    for match in _WORD.finditer(text):
        if len(gains) == MAX_CORRECTIONS:
            break
        word = match[0]
        is_capitalised = word[0].isupper()
        if is_capitalised and words.names_are_lower_case and match.start() > opening:
            continue
        name = _intended_name(word.lower(), words)
        if name is None:
            continue
        if is_capitalised:
            name = name.capitalize()

        unchanged_text = text[copied_to : match.start()]
        parts += (unchanged_text, name)
        copied_to = match.end()

        gained = len(name) - len(word)
        total_gain += gained
        end_of_name = copied_to + total_gain
        gains.append((end_of_name, gained))

    parts.append(text[copied_to:])
    return CorrectedText("".join(parts), tuple(gains))


def _intended_name(word: str, words: TimeWords) -> str | None:
    """Returns the name that a misspelled word means; None if it is a word of its own or not similar to any name."""
    if word in words.months or word in words.weekdays or word in words.stop_words:
        return None
    for name in words.long_names:
        if _is_misspelled(word, name):
            return name
    return None


def _is_misspelled(word: str, name: str) -> bool:
    """Reports whether one letter of the name is missing, added, replaced or swapped with the next.

    The first and the last letter must be right. The last may be missing or swapped, and in a long name be another
    consonant. So `Domenico`, `Mondays` and `Freitas` are no misspelled names.
    """
    starts_alike = word[0] == name[0]
    difference = len(word) - len(name)
    if not starts_alike:
        return False
    if abs(difference) > 1:
        return False

    ends_alike = word[-1] == name[-1]
    lacks_last_letter = name.startswith(word)
    if ends_alike or lacks_last_letter:
        return is_one_edit(word, name)

    if difference != 0:
        return False
    is_other_consonant = len(name) > 7 and word[-1] not in "aeiou"
    is_swapped_end = word[-2] == name[-1]
    if is_other_consonant or is_swapped_end:
        return is_one_edit(word, name)
    return False

"""Turns the patterns of a vocabulary into regular expressions.

In a vocabulary, a name in braces (`{month}`) stands for the alternatives of a group of words, and a blank for any white
space. A word of four or more letters also matches without its accents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

from shared.language.words import fold

NEVER = "(?!)"
"""A pattern that matches nothing, where a language has no words of a kind."""
MIN_UNACCENTED_LETTERS = 4
"""Letters from which a word is recognised without its accents; shorter ones would be other words."""
_OPTIONAL = re.compile(r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\?")
"""A group that may be missing, with at most two groups inside each other in it."""
_LAST_OPTIONAL = re.compile(r"([^\W\d_]+)([^\W\d_])\?")
"""A word whose last letter may be missing: `hours?`."""
_LAST_OF_SOME = re.compile(r"([^\W\d_]+)\[([^\W\d_]+)\](\??)")
"""A word that ends in one of some letters: `or[ae]`."""
_SYNTAX = re.compile(r"\\.|\(\?(?:P<\w+>|[-i]+:|[:!=]|<[=!])|\[[^\]]*\]\??|\{[^}]*\}")
"""Everything of a pattern but letters that stand for themselves: escapes, openings of groups, classes, names."""
_LETTERS = re.compile(r"[^\W\d_]+")
_LONG_WORD = re.compile(rf"[^\W\d_]{{{MIN_UNACCENTED_LETTERS},}}")
Meaning = TypeVar("Meaning")


def forms_of(word: str) -> list[str]:
    """Splits a word of a vocabulary into its forms, which stand between `|`."""
    return [form for form in word.split("|") if form]


def meanings(words: Iterable[tuple[Meaning, str]]) -> dict[str, Meaning]:
    """Maps every form of a word to its meaning, longer forms also without their accents.

    `words` holds each meaning with its forms, separated by `|`.
    """
    by_form: dict[str, Meaning] = {}
    unaccented: dict[str, Meaning] = {}
    for meaning, word in words:
        for form in forms_of(word):
            by_form[form] = meaning
            if len(form) >= MIN_UNACCENTED_LETTERS:
                unaccented[fold(form)] = meaning

    # A word that is written without accents keeps its own meaning.
    return unaccented | by_form


def alternatives(words: Iterable[str]) -> str:
    """Joins words to a pattern that prefers the longest of them; NEVER if there are none."""
    escaped = [re.escape(word) for word in words]
    if not escaped:
        return NEVER
    escaped.sort(key=len, reverse=True)
    pattern = "|".join(escaped)
    pattern = pattern.replace(r"\ ", r"\s+")
    return pattern.replace("'", "['’]")


def named_group(name: str, pattern: str) -> str:
    """Makes a named group of a pattern."""
    return rf"(?P<{name}>{pattern})"


def named_words(name: str, words: Iterable[str]) -> str:
    """Makes a named group of words."""
    pattern = alternatives(words)
    return named_group(name, pattern)


def optional(pattern: str, *, before: str = "", behind: str = "") -> str:
    """Makes a pattern optional, together with what stands `before` and `behind` it; an empty pattern stays empty."""
    if not pattern:
        return ""
    return rf"(?:{before}(?:{pattern}){behind})?"


def accept_unaccented(pattern: str) -> str:
    """Makes the longer words of a pattern match without their accents too."""

    def with_bare_letters(word: re.Match[str]) -> str:
        letters = []
        for letter in word[0]:
            if letter.isascii():
                letters.append(letter)
            else:
                bare_letter = fold(letter)
                letters.append(f"[{letter}{bare_letter}]")
        return "".join(letters)

    return _LONG_WORD.sub(with_bare_letters, pattern)


def required_words(pattern: str) -> set[str]:
    """Returns the runs of letters in a pattern of a vocabulary, except those in optional groups.

    Any text that the pattern matches holds one of them, a digit, or a word that a name in braces stands for.
    """
    spelled_out = _OPTIONAL.sub("|", pattern)
    spelled_out = _LAST_OPTIONAL.sub(r"\1|\1\2", spelled_out)
    spelled_out = _LAST_OF_SOME.sub(_with_each_ending, spelled_out)
    literal_text = _SYNTAX.sub("|", spelled_out)
    words = _LETTERS.findall(literal_text)
    return set(words)


def _with_each_ending(word: re.Match[str]) -> str:
    """Returns the forms of a word that ends in one of some letters, as alternatives."""
    stem = word[1]
    may_end_here = word[3] != ""
    forms = [stem + letter for letter in word[2]]
    if may_end_here:
        forms.append(stem)
    return "|".join(forms)


def fill(pattern: str, words: Mapping[str, str]) -> str:
    """Replaces the names in braces by `words`, and blanks by any white space."""
    filled = accept_unaccented(pattern)
    for name, replacement in words.items():
        placeholder = f"{{{name}}}"
        filled = filled.replace(placeholder, replacement)
    any_white_space = r"\s+"
    return filled.replace(" ", any_white_space)


def ignore_case(pattern: str) -> re.Pattern[str]:
    """Compiles a pattern that does not tell capitals from small letters."""
    return re.compile(pattern, re.IGNORECASE)


def whole_words(pattern: str) -> re.Pattern[str]:
    """Compiles a pattern that matches whole words only; an empty one matches nothing."""
    return ignore_case(rf"(?<!\w)(?:{pattern or NEVER})(?!\w)")

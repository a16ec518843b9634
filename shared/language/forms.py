"""Plurals of a question -> their own forms, which say more than verbs of the same stem.

`books` in a question finds `book`; `booked` has the same stem but counts less. A word of the question that is not a
plural may be a verb itself: then all forms of its stem count alike.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from shared.language.terms import content_words, stems
from shared.language.vocabulary import vocabulary
from shared.language.words import fold

COUSIN = 0.6
"""Share of a plural's weight that a verb of its stem counts. Measured on questions to a handbook, strangers' pages
and chats: see evaluation/experiments.md.
"""
MIN_SINGULAR = 3
"""Fewest letters of a word without its ending."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class OwnForms:
    """Forms of the plurals of a question."""

    forms: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Stem -> folded forms of the plural that has it; a stem without any counts as it is."""

    verbs: tuple[str, ...] = ()
    """Endings of verbs in the question's language."""

    def shares(self, text: str, found_stems: Collection[str]) -> Mapping[str, float]:
        """Returns what each of the stems in a text counts: 1, or COUSIN if it stands in verbs alone there."""
        shares = dict.fromkeys(found_stems, 1.0)
        if self.forms.keys().isdisjoint(found_stems):
            return shares

        words = set(_folded_words(text))
        for stem in found_stems:
            if self._is_verb_alone(stem, words):
                shares[stem] = COUSIN
        return shares

    def _is_verb_alone(self, stem: str, words: Collection[str]) -> bool:
        """Reports whether a plural's stem stands in none of its own forms and in no other word than verbs."""
        forms = self.forms.get(stem)
        if forms is None or not forms.isdisjoint(words):
            return False

        # The last letter of a stem may be made up: `stori` of `stories`.
        sure_letters = stem[:-1]
        relatives = [word for word in words if word.startswith(sure_letters)]
        if not relatives:
            return False
        return all(word.endswith(self.verbs) for word in relatives)


NO_FORMS = OwnForms()
"""Every word of a stem counts alike."""


@lru_cache(maxsize=1000)
def own_forms(question: str, lang: str) -> OwnForms:
    """Returns the forms of a question's plurals; none in a language whose plurals look like its verbs."""
    language = vocabulary(lang)
    if not language.plurals:
        return NO_FORMS

    forms: dict[str, frozenset[str]] = {}
    for content_word, _, _ in content_words(question, lang):
        word = fold(content_word)
        singulars = _singulars(word, lang)
        word_stems = stems(word, lang)
        is_one_word = word.isalpha() and len(word_stems) == 1
        if not is_one_word or not singulars:
            continue

        (stem,) = word_stems
        earlier_forms = forms.get(stem, frozenset([word]))
        forms[stem] = earlier_forms.union(singulars)

    verbs = tuple(language.verb_endings.split())
    return OwnForms(forms, verbs)


def _singulars(word: str, lang: str) -> list[str]:
    """Returns the words of which a word may be the plural."""
    singulars = []
    for singular_ending, plural_ending in _endings(lang):
        if not word.endswith(plural_ending):
            continue
        beginning = word.removesuffix(plural_ending)
        if len(beginning) >= MIN_SINGULAR:
            singulars.append(beginning + singular_ending)
    return singulars


@cache
def _endings(lang: str) -> tuple[tuple[str, str], ...]:
    """Returns pairs of an ending of the singular and of the plural."""
    pairs = []
    endings = vocabulary(lang).plurals.split()
    for ending in endings:
        singular, _, plural = ending.rpartition("/")
        pairs.append((singular, plural))
    return tuple(pairs)


def _folded_words(text: str) -> list[str]:
    """Returns the words of a text, folded."""
    if text.isascii():
        return _WORD.findall(text.lower())
    return [fold(word) for word in _WORD.findall(text)]

"""Text -> language, by script and by the share of each language's most common words. No model, no
dependency.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

from shared.language.vocabulary import languages, vocabulary
from shared.language.words import fold, stop_words

_SAMPLE = 8000
"""Characters read: the beginning of a longer text. More would not change the answer, only the time.
"""

_SCRIPTS = {
    "ja": "[\u3041-\u30ff]",
    "ko": "[\uac00-\ud7af\u1100-\u11ff]",
    "zh": "[\u3400-\u9fff\U00020000-\U0003ffff]",
    "uk": "[іїєґІЇЄҐ]",
    "ru": "[\u0400-\u04ff]",
    "el": "[\u0370-\u03ff\u1f00-\u1fff]",
    "fa": "[پچژگک\u06cc]",
    "ar": "[\u0600-\u06ff]",
    "he": "[\u0590-\u05ff]",
    "hi": "[\u0900-\u097f]",
    "ta": "[\u0b80-\u0bff]",
    "th": "[\u0e00-\u0e7f]",
    "hy": "[\u0530-\u058f]",
}
"""Language -> the letters of its script, as in a regular expression."""


@dataclass(frozen=True, slots=True)
class _SharedScript:
    """A language that shares its script with another one, and the letters that only it has."""

    lang: str
    host: str
    """Language whose script it shares."""
    least_share: float
    """Share of its own letters among those of both from which a text is in it."""
    counts_twice: bool
    """True if the host's letters in `_SCRIPTS` include its own."""


_SHARED_SCRIPTS = (
    _SharedScript("ja", host="zh", least_share=0.1, counts_twice=False),
    _SharedScript("uk", host="ru", least_share=0.02, counts_twice=True),
    _SharedScript("fa", host="ar", least_share=0.05, counts_twice=True),
)

_LATIN = re.compile("[a-zA-Z\u00c0-\u024f]")
_WORD = re.compile(r"[^\W\d_]+")


def detect(text: str) -> str:
    """Returns the ISO 639-1 code of the language that most of the first 8,000 characters are in.

    English when unsure: for a text too short to tell, and for languages in Latin letters that have
    no stop words here. Another language in Latin letters needs two hits, and more than English has.
    One of them must be more than a plain letter, which may be a name: `Schedule A (u)`.
    """
    sample = text[:_SAMPLE]
    is_ascii = sample.isascii()
    if not is_ascii and _any_script().search(sample):
        lang = _by_script(sample)
        if lang is not None:
            return lang

    sample = f" {sample.lower()}"  # some spellings begin with a blank
    written_counts = Counter(_WORD.findall(sample))
    counts = written_counts
    if not is_ascii:
        counts = _folded(counts)  # in ASCII, small letters are all there is to fold

    hits: Counter[str] = Counter()
    hits_of_letters: Counter[str] = Counter()
    languages_of = _languages_by_stop_word()
    for word in counts.keys() & languages_of.keys():
        for lang in languages_of[word]:
            hits[lang] += counts[word]
            if len(word) == 1:
                hits_of_letters[lang] += written_counts[word]
    for lang in languages():
        for spelling in vocabulary(lang).spellings:
            hits[lang] += sample.count(spelling)

    best = max(languages(), key=hits.__getitem__)
    if hits[best] < 2 or hits[best] <= hits["en"] or hits[best] == hits_of_letters[best]:
        return "en"
    return best


def _folded(counts: Counter[str]) -> Counter[str]:
    """Adds up the counts of words that are folded alike."""
    folded: Counter[str] = Counter()
    for word, count in counts.items():
        folded[fold(word)] += count
    return folded


@cache
def _any_script() -> re.Pattern[str]:
    """Returns the pattern of a letter of any script in `_SCRIPTS`.

    It takes 4 ms to compile, which a question in plain ASCII does without.
    """
    return re.compile("|".join(_SCRIPTS.values()))


def _by_script(sample: str) -> str | None:
    """Returns the language of the commonest script; None for Latin letters."""
    counts: dict[str, int] = {}
    for lang, letters in _SCRIPTS.items():
        counts[lang] = len(re.findall(letters, sample))

    for shared in _SHARED_SCRIPTS:
        own_letters = counts[shared.lang]
        letters_of_both = counts[shared.host]
        if not shared.counts_twice:
            letters_of_both += own_letters

        is_in_shared = own_letters > shared.least_share * letters_of_both
        if is_in_shared:
            counts[shared.lang] = max(letters_of_both, own_letters)
            counts[shared.host] = 0
        elif shared.counts_twice:
            counts[shared.lang] = 0

    best = max(counts, key=counts.__getitem__)
    if not counts[best]:
        return None

    # An ideograph says as much as two or three letters.
    weight = 2.5 if best in ("ja", "zh") else 1
    latin_letters = len(_LATIN.findall(sample))
    if counts[best] * weight < latin_letters:
        return None
    return best


@cache
def _languages_by_stop_word() -> dict[str, list[str]]:
    """Returns the languages of each stop word."""
    languages_of: dict[str, list[str]] = {}
    for lang in languages():
        for word in stop_words(lang):
            languages_of.setdefault(word, []).append(lang)
    return languages_of

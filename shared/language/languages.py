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
    no stop words here. Of several that are as likely it is the first by their codes.
    """
    return likely_languages(text)[0]


def likely_languages(text: str) -> tuple[str, ...]:
    """Returns the languages that the first 8,000 characters are in as likely, sorted; most texts have one.

    `le code de la porte` has as many common words of Spanish as of French. Another language than English in Latin letters
    needs two hits, and more than English has. One of them must be more than a plain letter, which may be a name:
    `Schedule A (u)`.
    """
    sample = text[:_SAMPLE]
    if not sample.isascii() and _any_script().search(sample):
        lang = _by_script(sample)
        if lang is not None:
            return (lang,)

    hits, hits_of_letters = _hits(sample)
    most = max(hits.values(), default=0)
    if most < 2 or most == hits["en"]:
        return ("en",)
    likely = []
    for lang in languages():
        has_most = hits[lang] == most
        has_other_evidence = hits_of_letters[lang] < most
        if has_most and has_other_evidence:
            likely.append(lang)
    return tuple(likely) or ("en",)


def _hits(sample: str) -> tuple[Counter[str], Counter[str]]:
    """Counts the evidence for each language in a text, and how much of it are plain letters."""
    is_ascii = sample.isascii()
    sample = f" {sample.lower()}"  # some spellings begin with a blank
    written_counts = Counter(_WORD.findall(sample))
    counts = written_counts
    if not is_ascii:
        counts = _folded(counts)  # in ASCII, small letters are all there is to fold

    hits: Counter[str] = Counter()
    hits_of_letters: Counter[str] = Counter()
    languages_of = _languages_by_word()
    for word in counts.keys() & languages_of.keys():
        count = counts[word]
        is_letter = len(word) == 1
        for lang in languages_of[word]:
            hits[lang] += count
            if is_letter:
                hits_of_letters[lang] += written_counts[word]
    for lang in languages():
        for spelling in telling_letters(lang):
            hits[lang] += sample.count(spelling)
    return hits, hits_of_letters


@cache
def telling_words(lang: str) -> frozenset[str]:
    """Returns the folded stop words that tell a language; elided ones do so with their apostrophe alone, as `all'`."""
    elided = vocabulary(lang).elided.split()
    return stop_words(lang).difference(elided)


@cache
def telling_letters(lang: str) -> tuple[str, ...]:
    """Returns the letters that tell a language, those of elided words with the blank and the apostrophe around them."""
    language = vocabulary(lang)
    letters = list(language.spellings)
    for word in language.elided.split():
        letters += [f" {word}'", f" {word}’"]
    return tuple(letters)


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
def _languages_by_word() -> dict[str, list[str]]:
    """Returns the languages of each word that tells some."""
    languages_of: dict[str, list[str]] = {}
    for lang in languages():
        for word in telling_words(lang):
            languages_of.setdefault(word, []).append(lang)
    return languages_of

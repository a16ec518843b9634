"""Text -> its language, by script and by the share of each language's most common words. No model, no dependency."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from shared.language.vocabulary import languages, vocabulary
from shared.language.words import fold, stop_words

_SAMPLE = 8000
"""Characters looked at: the beginning of a longer text. More would not change the answer, only the time."""

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

_TELLTALE = {"ja": ("zh", 0.1), "uk": ("ru", 0.02), "fa": ("ar", 0.05)}
# Language -> the one whose script it shares, and the least share of its own letters among both that decides for it.

_LATIN = re.compile("[a-zA-Z\u00c0-\u024f]")
_WORD = re.compile(r"[^\W\d_]+")


def detect(text: str) -> str:
    """ISO 639-1. English when unsure: for a text too short to tell, and for languages in Latin letters that have no
    stop words here; another language in Latin letters needs two hits, and more than English has. A mixed text is of the
    language that most of its first 8,000 characters are in.
    """
    sample = text[:_SAMPLE]
    if not sample.isascii():
        script = _script(sample)
        if script:
            return script
    sample = f" {sample.lower()}"  # some spellings begin with a blank
    hits: Counter[str] = Counter()
    by_word = _by_word()
    for word, times in Counter(_WORD.findall(sample)).items():
        for lang in by_word.get(fold(word), ()):
            hits[lang] += times
    for lang in languages():
        hits[lang] += sum(map(sample.count, vocabulary(lang).spellings))
    best = max(languages(), key=hits.__getitem__)
    return best if hits[best] >= 2 and hits[best] > hits["en"] else "en"


def _script(sample: str) -> str | None:
    """The language of the commonest script; None for Latin letters. Ideographs say as much as two or three letters."""
    counts = {lang: len(re.findall(letters, sample)) for lang, letters in _SCRIPTS.items()}
    for lang, (host, share) in _TELLTALE.items():
        both = counts[lang] + counts[host] if lang == "ja" else counts[host]
        if counts[lang] > share * both:
            counts[lang], counts[host] = max(both, counts[lang]), 0
        elif lang != "ja":
            counts[lang] = 0
    best = max(counts, key=counts.__getitem__)
    weight = 2.5 if best in ("ja", "zh") else 1
    return best if counts[best] and counts[best] * weight >= len(_LATIN.findall(sample)) else None


@cache
def _by_word() -> dict[str, tuple[str, ...]]:
    """Stop word -> the languages it is one of."""
    found: dict[str, tuple[str, ...]] = {}
    for lang in languages():
        for word in stop_words(lang):
            found[word] = (*found.get(word, ()), lang)
    return found

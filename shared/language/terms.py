"""Text -> the stems that keyword search counts, and the content words that people are shown.

Everything is folded alike on both sides of a search: width and case (NFKC, casefold), then accents, then the
language's Snowball stem. Compound tokens give themselves whole and in parts, so `Project-X`, `err_conn_42`,
`camelCase` and addresses are found by either. Chinese, Japanese and Korean give pairs of characters. A Cyrillic word
in a text of another script is stemmed as Russian, a Latin one in a Russian text as English: so a question that names
one finds the notes in that language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from threading import Lock

from shared.language.vocabulary import languages, vocabulary
from shared.language.words import (
    camel_parts,
    fold,
    is_compound,
    is_hiragana,
    is_unspaced,
    pieces,
    script_runs,
    stop_words,
    token_pattern,
    word_parts,
)

MAX_TERM = 64
"""Characters of the longest stem. A longer word counts by its beginning, a longer compound by its parts."""

_CACHED_TOKENS = 20_000  # a language's words in use; about 4 MB
_SNOWBALL = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "ne": "nepali", "nb": "norwegian", "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
    # Latin words among Chinese, Japanese and Korean ones are mostly English.
    "ja": "english", "ko": "english", "zh": "english",
}  # fmt: skip
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_DECIMAL = re.compile(r"\d+\.\d+")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_SCHEME = re.compile(r"(?:https?|ftp)://(?:www\.)?", re.IGNORECASE)


def stems(text: str, lang: str) -> list[str]:
    """All content stems in the order of the text, with repeats. `lang`: ISO 639-1, a region after it is ignored.

    Stop words are gone; each stem has 1 to 64 characters and no whitespace. About 0.2 s a megabyte of prose.
    """
    lexicon = _lexicon(_base(lang))
    return list(chain.from_iterable(map(lexicon.__getitem__, token_pattern(text).findall(text))))


def stem_of(word: str, lang: str) -> str:
    """One word, stop word or not, as `stems` would give it: `Colleagues` -> `colleagu`."""
    return _lexicon(_home(word, _base(lang))).stem(fold(word))


def content_words(text: str, lang: str) -> list[tuple[str, int, int]]:
    """(word in lower case, start, end) of every word but stop words, in order; `text[start:end]` is the word as
    written. Compounds stay whole (`project-x`); a possessive or an elided article is no part of its word.
    """
    base = _base(lang)
    found = []
    for token in token_pattern(text).finditer(text):
        for start, end in _shown(token[0]):
            word = token[0][start:end]
            if fold(word) not in _lexicon(_home(word, base)).stops:
                found.append((word.lower(), token.start() + start, token.start() + end))
    return found


def _shown(token: str) -> list[tuple[int, int]]:
    """Offsets of the words of a token as people see them."""
    if is_unspaced(token):
        return [(start, end) for start, end in script_runs(token) if end - start > 2 or not is_hiragana(token[start:])]
    if "'" in token or "’" in token:
        return word_parts(token)
    return [(0, len(token))]


class _Lexicon(dict[str, tuple[str, ...]]):
    """Token as written -> its stems, in one language; computed on first sight, forgotten when there are too many."""

    def __init__(self, lang: str) -> None:
        super().__init__()
        self._lang = lang
        self.stops = stop_words("en" if lang in ("ja", "ko", "zh") else lang)
        self._snowball: Callable[[str], str] | None = None
        if lang in _SNOWBALL:
            from Stemmer import Stemmer  # noqa: PLC0415 - 3 ms that only a question or a note needs

            self._snowball = Stemmer(_SNOWBALL[lang], 0).stemWord  # 0: the lexicon caches already
        self._lock = Lock()  # a Snowball stemmer serves one thread at a time

    def __missing__(self, token: str) -> tuple[str, ...]:
        if is_unspaced(token):
            terms = _pairs(fold(token))
        elif token.isalpha() or _INITIALS.fullmatch(token):
            terms = self._word(token.replace(".", ""))
        elif token[0].isdigit() and ("," in token or _DECIMAL.fullmatch(token)):
            terms = iter((token.replace(",", ""),))
        else:
            terms = self._compound(token)
        found = tuple(filter(None, terms))
        if len(token) <= MAX_TERM:
            if len(self) >= _CACHED_TOKENS:
                self.clear()
            self[token] = found
        return found

    def stem(self, folded: str) -> str:
        """A folded word -> its stem. What holds digits is a name or a number and stays as it is."""
        short = folded[:MAX_TERM]
        if short.isalpha() and self._snowball is not None:
            with self._lock:
                return self._snowball(short)
        return short

    def _word(self, word: str) -> Iterator[str]:
        folded, lexicon = fold(word), _lexicon(_home(word, self._lang))
        if folded not in lexicon.stops:
            yield lexicon.stem(folded)
            for part in map(fold, camel_parts(word)):
                if part not in self.stops:
                    yield self.stem(part)

    def _compound(self, token: str) -> Iterator[str]:
        bare = _SCHEME.sub("", token)
        outer = pieces(bare)
        for whole in (bare.rstrip("/"), *(outer if len(outer) > 1 else ())):
            yield from (term for term in _whole(whole) if term not in self.stops)
        for start, end in word_parts(bare):
            yield from self._word(bare[start:end])


def _whole(token: str) -> Iterator[str]:
    """A compound as one term; none where only apostrophes join it or it is too long to be typed."""
    if len(token) <= MAX_TERM and is_compound(token):
        folded = fold(token)
        if len(folded) <= MAX_TERM:
            yield folded


def _pairs(token: str) -> Iterator[str]:
    """Overlapping pairs of each run of one script; a run of one character alone, unless it is a particle."""
    for start, end in script_runs(token):
        run = token[start:end]
        kana = is_hiragana(run)
        if len(run) == 1 and not kana:
            yield run
        for pair in map(str.__add__, run, run[1:]):
            if not (kana and pair in _stop_pairs()):
                yield pair


@cache
def _stop_pairs() -> frozenset[str]:
    return frozenset(vocabulary("ja").stop_pairs.split())


@cache
def _lexicon(lang: str) -> _Lexicon:
    return _Lexicon(lang)


def _base(lang: str) -> str:
    """`pt-BR` -> `pt`; empty for a language of which nothing is known here: notes name theirs freely."""
    base = lang.replace("_", "-").partition("-")[0].lower()
    return base if base in _SNOWBALL or base in languages() else ""


def _home(word: str, lang: str) -> str:
    """The language by whose rules a word in a text of `lang` is stemmed."""
    if _CYRILLIC.match(word):
        return lang if lang in ("ru", "sr") else "ru"
    return "en" if lang == "ru" else lang

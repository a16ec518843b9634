"""Text -> stems, which keyword search counts, and content words, which people are shown.

Everything is folded alike on both sides of a search: width and case (NFKC, casefold), then accents,
then the language's Snowball stem. Compound tokens give themselves whole and in parts, so
`Project-X`, `err_conn_42`, `camelCase` and addresses are found by either. Chinese, Japanese and
Korean give pairs of characters. A Cyrillic word in a text of another script is stemmed as Russian,
a Latin one in a Russian text as English: so a question that names one finds the notes in that
language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, pairwise
from threading import Lock

from shared.language.vocabulary import languages, vocabulary
from shared.language.words import (
    camel_parts,
    fold,
    is_compound,
    is_hiragana,
    is_unspaced,
    outer_parts,
    script_runs,
    stop_words,
    token_pattern,
    word_parts,
)
from shared.model.retrieval import Analysis

MAX_TERM = 64
"""Characters of the longest stem. A longer word counts by its beginning, a longer compound by its
parts.
"""

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
    """Returns all content stems in the order of the text, with repeats, without stop words.

    Each stem has 1 to 64 characters and no whitespace. About 0.2 s a megabyte of prose.

    lang: ISO 639-1, a region after it is ignored.
    """
    lang = _supported(lang)
    lexicon = _lexicon(lang)
    # A long note has many tokens: they are looked up without a step of Python for each.
    tokens = token_pattern(text).findall(text)
    stems_of_tokens = map(lexicon.__getitem__, tokens)
    return list(chain.from_iterable(stems_of_tokens))


def stems_as(text: str, analysis: Analysis) -> set[str]:
    """Returns the different stems of a text, read in a question's language, those in its `renamed` under their other names."""
    renamed = analysis.renamed
    names = set()
    for stem in stems(text, analysis.lang):
        names.add(renamed.get(stem, stem))
    return names


def stem_of(word: str, lang: str) -> str:
    """Returns the stem of one word, stop word or not, as `stems` would give it: `Colleagues` ->
    `colleagu`.
    """
    lang_of_word = _language_of(word, _supported(lang))
    lexicon = _lexicon(lang_of_word)
    return lexicon.stem(fold(word))


def content_words(text: str, lang: str) -> list[tuple[str, int, int]]:
    """Returns (word in lower case, start, end) of every word but stop words, in order.

    `text[start:end]` is the word as written. Compounds stay whole (`project-x`); a possessive or an
    elided article is no part of its word.
    """
    lang = _supported(lang)
    words = []
    for match in token_pattern(text).finditer(text):
        token = match[0]
        offset = match.start()
        for start, end in _words_in(token):
            word = token[start:end]
            lang_of_word = _language_of(word, lang)
            stops = _lexicon(lang_of_word).stops
            if fold(word) in stops:
                continue
            words.append((word.lower(), offset + start, offset + end))

    return words


def _words_in(token: str) -> list[tuple[int, int]]:
    """Returns the offsets of the words of a token as people see them."""
    if is_unspaced(token):
        words = []
        for start, end in script_runs(token):
            is_short = end - start <= 2
            is_particle = is_short and is_hiragana(token[start:])
            if not is_particle:
                words.append((start, end))
        return words

    if "'" in token or "’" in token:
        return word_parts(token)
    return [(0, len(token))]


class _Lexicon(dict[str, tuple[str, ...]]):
    """Token as written -> stems, in one language; computed when first needed, forgotten when there are too many."""

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
        terms = tuple(filter(None, self._terms(token)))
        if len(token) <= MAX_TERM:
            if len(self) >= _CACHED_TOKENS:
                self.clear()
            self[token] = terms
        return terms

    def stem(self, folded: str) -> str:
        """Returns the stem of a folded word. A word with digits is a name or a number and stays as
        it is.
        """
        short = folded[:MAX_TERM]
        if short.isalpha() and self._snowball is not None:
            with self._lock:
                return self._snowball(short)
        return short

    def _terms(self, token: str) -> Iterator[str]:
        """Returns the terms of a token that is not cached."""
        if is_unspaced(token):
            return _pairs(fold(token))

        is_word = token.isalpha() or _INITIALS.fullmatch(token) is not None
        if is_word:
            without_dots = token.replace(".", "")
            return self._word(without_dots)

        has_thousands_or_decimals = "," in token or _DECIMAL.fullmatch(token) is not None
        if token[0].isdigit() and has_thousands_or_decimals:
            without_thousands = token.replace(",", "")
            return iter([without_thousands])

        return self._compound(token)

    def _word(self, word: str) -> Iterator[str]:
        """Yields the stems of a word and of its parts in camel case."""
        folded = fold(word)
        lexicon = _lexicon(_language_of(word, self._lang))
        if folded in lexicon.stops:
            return
        yield lexicon.stem(folded)

        for part in camel_parts(word):
            folded_part = fold(part)
            if folded_part not in self.stops:
                yield self.stem(folded_part)

    def _compound(self, token: str) -> Iterator[str]:
        """Yields a compound as a term, its outer parts if it has several, and the stems of its
        words.
        """
        address = _SCHEME.sub("", token)
        compounds = [address.rstrip("/")]
        parts = outer_parts(address)
        if len(parts) > 1:
            compounds.extend(parts)

        for compound in compounds:
            term = _compound_term(compound)
            if term is not None and term not in self.stops:
                yield term

        for start, end in word_parts(address):
            yield from self._word(address[start:end])


def _compound_term(token: str) -> str | None:
    """Returns a compound as one term; None where only apostrophes join it or it is too long to be
    typed.
    """
    if len(token) > MAX_TERM or not is_compound(token):
        return None
    folded = fold(token)
    if len(folded) > MAX_TERM:  # folding may lengthen it
        return None
    return folded


def _pairs(token: str) -> Iterator[str]:
    """Yields overlapping pairs of each run of one script; a run of one character alone, unless it
    is a particle.
    """
    for start, end in script_runs(token):
        run = token[start:end]
        in_hiragana = is_hiragana(run)
        if len(run) == 1 and not in_hiragana:
            yield run
        for character, following in pairwise(run):
            pair = character + following
            is_ending = in_hiragana and pair in _stop_pairs()
            if not is_ending:
                yield pair


@cache
def _stop_pairs() -> frozenset[str]:
    pairs = vocabulary("ja").stop_pairs.split()
    return frozenset(pairs)


@cache
def _lexicon(lang: str) -> _Lexicon:
    return _Lexicon(lang)


def _supported(lang: str) -> str:
    """Returns the code without a region, `pt-BR` -> `pt`; empty for an unknown language: notes name
    theirs freely.
    """
    code, _, _ = lang.replace("_", "-").partition("-")
    code = code.lower()
    if code in _SNOWBALL or code in languages():
        return code
    return ""


def _language_of(word: str, lang: str) -> str:
    """Returns the language by whose rules a word in a text of `lang` is stemmed."""
    is_cyrillic = _CYRILLIC.match(word) is not None
    if is_cyrillic and lang not in ("ru", "sr"):
        return "ru"
    if not is_cyrillic and lang == "ru":
        return "en"
    return lang

"""Text -> tokens in any script; the parts of compound tokens; words folded and compared."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from shared.language.vocabulary import vocabulary

_MARKS = (
    "\xad\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0711\u0730-\u074a"
    "\u0900-\u0963\u0966-\u0dff\u1dc0-\u1dff\u200c\u200d"
)
"""Characters that belong to a word though they are no letters: combining marks, soft hyphens,
joiners.
"""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u309d-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Scripts read by pairs: Chinese, Japanese, Korean; Thai, Lao, Burmese and Khmer, which write no
spaces either.
"""

_URL = r"(?:[hH][tT][tT][pP][sS]?|[fF][tT][pP])://[^\s<>\"'`(){}\[\]|]+(?<![.,;:!?*_])"
_THOUSANDS = r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?(?!\w|,[0-9])"
_JOINER = r"(?:::|__|[-_./:@+#'’&])"
_ASCII_WORD = "[A-Za-z0-9]+"
_ANY_WORD = rf"[^\W_{_UNSPACED}]+(?:[{_MARKS}]+[^\W_{_UNSPACED}]*)*+"


def _token(word: str) -> str:
    """Returns the pattern of a URL, a number with thousands, or words with everything joined to
    them.
    """
    return rf"{_URL}|{_THOUSANDS}|{word}(?:{_JOINER}{word})*+(?:\+\+|#(?!\w))?"


_ASCII_TOKEN = _token(_ASCII_WORD)
_ANY_TOKEN = f"{_token(_ANY_WORD)}|[{_UNSPACED}]+"
_HIRAGANA = "\u3041-\u3096\u309d-\u309f"
_KATAKANA = "\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_RUN = f"[{_HIRAGANA}]+|[{_KATAKANA}]+|[^{_HIRAGANA}{_KATAKANA}]+"
"""Pattern of a run of one script among those that write no spaces."""
_APOSTROPHES = ("'", "’")
_APOSTROPHE = re.compile("['’]")
_OUTER_PART = re.compile(r"[^/@:#&+'’]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^A-Za-z0-9]+")
_HAS_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_ASCII_PART = re.compile(_ASCII_WORD)


def token_pattern(text: str) -> re.Pattern[str]:
    """Returns a pattern that finds the tokens of `text` in one pass, linear in it.

    Tokens are URLs; numbers with thousands; words with everything joined to them
    (`anna.smith@example.com`, `snake_case`, `C++`); runs of a script read by pairs.
    """
    # Large character classes take 10 ms to compile: a question in plain ASCII does without them.
    pattern = _ASCII_TOKEN if text.isascii() else _ANY_TOKEN
    return _compiled(pattern)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _part(token: str) -> re.Pattern[str]:
    """Returns the pattern of the words of a token."""
    return _ASCII_PART if token.isascii() else _compiled(_ANY_WORD)


def is_unspaced(token: str) -> bool:
    """Reports whether a token is in a script that writes no spaces."""
    if token.isascii():
        return False
    unspaced_letter = _compiled(f"[{_UNSPACED}]")
    return unspaced_letter.match(token) is not None


def is_hiragana(run: str) -> bool:
    """Reports whether a run of one script begins with hiragana."""
    if not run:
        return False
    is_letter = "\u3041" <= run[0] <= "\u3096"
    is_mark = "\u309d" <= run[0] <= "\u309f"
    return is_letter or is_mark


def word_parts(token: str) -> list[tuple[int, int]]:
    """Returns the offsets, within a spaced token, of its words: `Anna's Project-X` gives no blanks,
    `O'Brien` two.

    Text that an apostrophe cuts off, on either side, is left out where it has at most two letters:
    `'s`, `'ll`, `l'`, `d'`, `O'`; so is the negated verb of `isn't`, which no search could want.
    """
    word = _part(token)
    spans = [match.span() for match in word.finditer(token)]
    has_apostrophe = _APOSTROPHE.search(token) is not None
    if not has_apostrophe:
        return spans

    words = []
    for start, end in spans:
        if not _is_clitic(token, start, end):
            words.append((start, end))
    return words


def _is_clitic(token: str, start: int, end: int) -> bool:
    """Reports whether a part is a short one beside an apostrophe, or the verb of `isn't`."""
    sign_before = token[start - 1 : start]
    sign_behind = token[end : end + 1]
    follows_apostrophe = sign_before in _APOSTROPHES
    precedes_apostrophe = sign_behind in _APOSTROPHES

    if precedes_apostrophe:
        last_letter = token[end - 1]
        letters_behind = token[end + 1 : end + 3]
        is_negated_verb = f"{last_letter}{letters_behind}".lower() == "nt"
        if is_negated_verb:
            return True

    is_short = end - start <= 2
    return is_short and (follows_apostrophe or precedes_apostrophe)


def is_compound(token: str) -> bool:
    """Reports whether anything but apostrophes joins the words of a spaced token."""
    word = _part(token)
    parts = _APOSTROPHE.split(token)
    return not all(word.fullmatch(part) for part in parts)


def outer_parts(token: str) -> list[str]:
    """Returns the parts of a compound token that are compounds or words themselves: `a.b@c.org` ->
    `a.b`, `c.org`.
    """
    return _OUTER_PART.findall(token)


def camel_parts(word: str) -> list[str]:
    """Splits camel case: `parseJSONFile` -> `parse`, `JSON`, `File`; empty for a word that is one
    part.
    """
    if not _HAS_CAMEL.search(word):
        return []
    return _CAMEL.findall(word)


def script_runs(token: str) -> list[tuple[int, int]]:
    """Returns the offsets of the runs of one script in an unspaced token.

    Kana stand apart from ideographs, and hiragana from katakana.
    """
    run = _compiled(_RUN)
    return [match.span() for match in run.finditer(token)]


_ACCENTS = re.compile("(?<=[a-zα-ω])[\u0300-\u036f]+")
_INVISIBLE = re.compile("[\xad\u200c\u200d\ufe00-\ufe0f]")
"""Soft hyphen, joiners, variation selectors."""
_UNDECOMPOSED = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "ı": "i",
        "ŋ": "n",
        "’": "'",
    },
)
"""Letters that Unicode does not decompose into a letter and a mark."""


def fold(word: str) -> str:
    """Returns a word in NFKC, case folded, without invisible characters and blanks: `Ｐｒｏｊｅｃｔ` ->
    `project`.

    Latin and Greek letters lose their accents: `résumé` -> `resume`, `łódź` -> `lodz`. In other
    scripts marks tell letters apart (`й`, `が`, Hindi vowels) and stay.
    """
    if word.isascii():
        return word.lower()

    visible = _INVISIBLE.sub("", word)
    normal = unicodedata.normalize("NFKC", visible)
    case_folded = unicodedata.normalize("NFKC", normal.casefold())  # folding may undo the form
    without_blanks = "".join(case_folded.split())

    decomposed = unicodedata.normalize("NFD", without_blanks)
    without_accents = _ACCENTS.sub("", decomposed)
    composed = unicodedata.normalize("NFC", without_accents)
    return composed.translate(_UNDECOMPOSED)


def folded_words(text: str) -> str:
    """Returns the words of a text folded, with single blanks: equal for texts that read alike."""
    words = map(fold, text.split())
    return " ".join(words)


@cache
def stop_words(lang: str) -> frozenset[str]:
    """Returns the folded stop words of an ISO 639-1 code; empty for a language without a list."""
    language = vocabulary(lang)
    words = f"{language.stop_words} {language.elided}".split()
    return frozenset(map(fold, words))


@cache
def common_words(lang: str) -> frozenset[str]:
    """Returns the folded words that say nothing about what is asked: stop words, and words that form questions."""
    asking = vocabulary(lang).asking
    if asking is None:
        return stop_words(lang)
    words_for_everything = asking.everything.split()
    return stop_words(lang).union(map(fold, words_for_everything))


def is_one_edit(word: str, other: str) -> bool:
    """Reports whether one of Damerau's four mistakes makes one word of the other.

    One letter is left out, added or replaced, or two neighbours are swapped. The lengths differ by
    at most one.
    """
    common = 0
    for letter, other_letter in zip(word, other, strict=False):
        if letter != other_letter:
            break
        common += 1

    # What follows the first difference, with and without a letter, or two, of each side.
    rest = word[common:]
    other_rest = other[common:]
    behind = rest[1:]
    other_behind = other_rest[1:]
    is_added = behind == other_rest
    is_left_out = other_behind == rest
    is_replaced = behind == other_behind
    if is_added or is_left_out or is_replaced:
        return True

    first_two_swapped = rest[1::-1] == other_rest[:2]
    return first_two_swapped and behind[1:] == other_behind[1:]

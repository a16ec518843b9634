"""Where words begin and end, in any script; and the parts of compound ones."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from shared.language.vocabulary import vocabulary

_MARKS = (
    "\xad\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0711\u0730-\u074a"
    "\u0900-\u0963\u0966-\u0dff\u1dc0-\u1dff\u200c\u200d"
)
# What belongs to a word though it is no letter: combining marks, soft hyphens, joiners.

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u309d-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
# Scripts read by pairs: Chinese, Japanese, Korean; Thai, Lao, Burmese and Khmer, which write no spaces either.

_URL = r"(?:[hH][tT][tT][pP][sS]?|[fF][tT][pP])://[^\s<>\"'`(){}\[\]|]+(?<![.,;:!?*_])"
_THOUSANDS = r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?(?!\w|,[0-9])"
_JOINER = r"(?:::|__|[-_./:@+#'’&])"
_ASCII_WORD = "[A-Za-z0-9]+"
_ANY_WORD = rf"[^\W_{_UNSPACED}]+(?:[{_MARKS}]+[^\W_{_UNSPACED}]*)*+"

_ASCII_TOKEN, _ANY_TOKEN = (
    rf"{_URL}|{_THOUSANDS}|{word}(?:{_JOINER}{word})*+(?:\+\+|#(?!\w))?{unspaced}"
    for word, unspaced in ((_ASCII_WORD, ""), (_ANY_WORD, f"|[{_UNSPACED}]+"))
)
_HIRAGANA, _KATAKANA = "\u3041-\u3096\u309d-\u309f", "\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_APOSTROPHE = re.compile("['’]")
_PIECE = re.compile(r"[^/@:#&+'’]+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^A-Za-z0-9]+")
_HAS_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_ASCII_PART = re.compile(_ASCII_WORD)


def token_pattern(text: str) -> re.Pattern[str]:
    """What finds the tokens of `text`, in one pass, linear in it: URLs; numbers with thousands; words with everything
    joined to them (`anna.smith@example.com`, `snake_case`, `C++`); runs of a script read by pairs.
    """
    # Large character classes take 10 ms to compile: a question in plain ASCII does not wait for them.
    return _compiled(_ASCII_TOKEN if text.isascii() else _ANY_TOKEN)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _part(token: str) -> re.Pattern[str]:
    return _ASCII_PART if token.isascii() else _compiled(_ANY_WORD)


def is_unspaced(token: str) -> bool:
    return not token.isascii() and _compiled(f"[{_UNSPACED}]").match(token) is not None


def is_hiragana(run: str) -> bool:
    return "\u3041" <= run[:1] <= "\u3096" or "\u309d" <= run[:1] <= "\u309f"


def word_parts(token: str) -> list[tuple[int, int]]:
    """Offsets, within a spaced token, of the words it is made of: `Anna's Project-X` gives no blanks, `O'Brien` two.

    What an apostrophe cuts off, on either side, is left out where it has at most two letters: `'s`, `'ll`, `l'`, `d'`,
    `O'`; so is the negated verb of `isn't`, which no search could want.
    """
    spans = [found.span() for found in _part(token).finditer(token)]
    if "'" not in token and "’" not in token:
        return spans
    return [span for span in spans if not _is_clitic(token, *span)]


def _is_clitic(token: str, start: int, end: int) -> bool:
    before, after = token[start - 1 : start], token[end : end + 1]
    if after in ("'", "’") and token[end + 1 : end + 3].lower() == "t" and token[end - 1].lower() == "n":
        return True
    return end - start <= 2 and (before in ("'", "’") or after in ("'", "’")) and before + after != ""


def is_compound(token: str) -> bool:
    """Whether anything but apostrophes joins the words of a spaced token."""
    return not all(map(_part(token).fullmatch, _APOSTROPHE.split(token)))


def pieces(token: str) -> list[str]:
    """The outer parts of a compound token that are compounds or words themselves: `a.b@c.org` -> `a.b`, `c.org`."""
    return _PIECE.findall(token)


def camel_parts(word: str) -> list[str]:
    """`parseJSONFile` -> `parse`, `JSON`, `File`; empty for a word that is one part."""
    return _CAMEL.findall(word) if _HAS_CAMEL.search(word) else []


def script_runs(token: str) -> list[tuple[int, int]]:
    """Offsets of the runs of one script in an unspaced token: kana apart from ideographs, hiragana from katakana."""
    runs = _compiled(f"[{_HIRAGANA}]+|[{_KATAKANA}]+|[^{_HIRAGANA}{_KATAKANA}]+")
    return [found.span() for found in runs.finditer(token)]


_ACCENTS = re.compile("(?<=[a-zα-ω])[\u0300-\u036f]+")
_INVISIBLE = re.compile("[\xad\u200c\u200d\ufe00-\ufe0f]")  # soft hyphen, joiners, variation selectors
_UNDECOMPOSED = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ŋ": "n", "’": "'"}
)


def fold(word: str) -> str:
    """One word -> NFKC, case folded, without invisible characters and blanks: `Ｐｒｏｊｅｃｔ` -> `project`.

    Latin and Greek letters lose their accents: `résumé` -> `resume`, `łódź` -> `lodz`. In other scripts marks tell
    letters apart (`й`, `が`, Hindi vowels) and stay.
    """
    if word.isascii():
        return word.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", _INVISIBLE.sub("", word)).casefold())
    decomposed = unicodedata.normalize("NFD", "".join(folded.split()))
    return unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed)).translate(_UNDECOMPOSED)


def folded_words(text: str) -> str:
    """A text -> its words folded, with single blanks: equal for texts that read alike."""
    return " ".join(fold(word) for word in text.split())


@cache
def stop_words(lang: str) -> frozenset[str]:
    """Folded; empty for a language without a list. `lang`: ISO 639-1."""
    return frozenset(fold(word) for word in vocabulary(lang).stop_words.split())

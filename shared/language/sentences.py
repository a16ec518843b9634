"""Text -> the offsets of its sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from shared.language.vocabulary import vocabularies, words_of_all

_CLOSERS = "\"'”’»)\\]}*_`"
_LINE_BREAKS = "\n\r\v\f\x85\u2028\u2029"
_SIGNS = ".!?…"
_WIDE_SIGNS = "。！？｡"
# All that may come first stands in one class, which is found several times as fast as one of three branches.
_BOUND = re.compile(
    rf"[{_LINE_BREAKS}{_SIGNS}{_WIDE_SIGNS}]"
    rf"(?:(?<=\r)\n"
    rf"|(?<=[{_SIGNS}])[{_SIGNS}]*+[{_CLOSERS}]*+"
    rf"|(?<=[{_WIDE_SIGNS}])[{_WIDE_SIGNS}]*+[{_CLOSERS}」』）】〉》]*+)?",
)
_MARKER = re.compile(
    r"[ \t]*+(?:(?:[-*+•‣◦–]|\d{1,9}[.)]|#{1,6}|>)[ \t]++)*+(?:\[[ xX]\][ \t]++)?+",
)
_SOFT_WRAP_FROM = 60
"""A line of at least this many characters counts as wrapped, and not as an item of a list, if the next line begins in
lower case.
"""

_REFERENCE = re.compile(r"\[[A-Za-z]?\d+\]\Z")
"""`[N2]`, `[7]`: it follows a whole statement, however the next one begins."""
_WORD_BEFORE = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]+\Z|\d+\Z")

_ORDINAL_DOTS = frozenset(
    (
        "cs",
        "da",
        "de",
        "et",
        "fi",
        "hr",
        "hu",
        "lv",
        "nb",
        "nn",
        "no",
        "pl",
        "sk",
        "sl",
        "sr",
        "tr",
    ),
)
"""Languages that write `19.` for `19th`."""


def sentences(text: str, *, lang: str | None = None) -> list[tuple[int, int]]:
    """Returns (start, end) of each sentence, in order, in code points. Linear in the text.

    Line breaks end a sentence, but for a long line that goes on in lower case. Blanks around a
    sentence and the marks of a list item, a heading or a quotation before it are left out; lines of
    signs alone are no sentences. Dots of abbreviations, initials, decimals, addresses and dates
    (`3. Mai`) end nothing; nor, where `lang` writes ordinals with a dot, do those after short
    numbers.

    lang: ISO 639-1; None if unknown.
    """
    spans = iterate_sentences(text, lang=lang)
    return list(spans)


def iterate_sentences(text: str, *, lang: str | None) -> Iterator[tuple[int, int]]:
    """Yields the offsets that `sentences` returns: a long note of short sentences has 300,000."""
    ordinals = lang in _ORDINAL_DOTS
    start = 0
    opens_line = True
    for end, ends_line in sentence_ends(text, ordinals=ordinals):
        # Blanks around the sentence, and the marks of a list or a heading before it, are no part of it.
        content = text[start:end].strip()
        content_start = text.index(content, start)
        content_end = content_start + len(content)
        if opens_line:
            marker = _MARKER.match(text, content_start, content_end)
            if marker is not None:
                content_start = marker.end()

        has_word = any(map(str.isalnum, text[content_start:content_end]))
        if has_word:
            yield content_start, content_end

        start = end
        opens_line = ends_line


def sentence_ends(text: str, *, ordinals: bool = False) -> Iterator[tuple[int, bool]]:
    """Yields the end of each sentence and whether it ends a line; the text's end comes last.

    ordinals: whether short numbers with a dot are ordinals.
    """
    line_start = 0
    for bound in _BOUND.finditer(text):
        start = bound.start()
        end = bound.end()
        if text[start] in _LINE_BREAKS:
            is_long = start - line_start >= _SOFT_WRAP_FROM
            goes_on = text[end : end + 1].islower()
            is_soft_wrap = is_long and goes_on
            if not is_soft_wrap:
                yield end, True
            line_start = end
        elif _ends_sentence(text, start, end, ordinals=ordinals):
            yield end, False

    yield len(text), True


def _ends_sentence(text: str, sign: int, end: int, *, ordinals: bool) -> bool:
    """Reports whether the sign at an offset ends its sentence.

    end: offset behind the sign with its closing quotes and brackets.
    """
    signs = text[sign:end]
    if signs[0] in "。！？｡":
        return True
    has_blank_behind = text[end : end + 1].isspace()
    if not has_blank_behind:
        return False

    following = text[end : end + 24].lstrip()
    goes_on_in_lower_case = following[:1].islower()
    if signs[0] in "!?":
        # “Really?” she asked.
        is_quoted = signs[-1] in "\"'”’»"
        return not (is_quoted and goes_on_in_lower_case)

    nearby = max(0, sign - 24)
    if _REFERENCE.search(text, nearby, sign):
        return True
    if goes_on_in_lower_case:
        return False
    if signs.startswith(("…", "..")):
        return True

    match = _WORD_BEFORE.search(text, nearby, sign)
    if match is None:
        return True
    word = match[0]
    if not word[0].isdigit():
        return not _abbreviates(word, following)
    if len(word) > 2:
        return True

    # A dot behind a short number may make it an ordinal, the number of an item or a day: `3. Mai`.
    is_ordinal = ordinals or _opens_line(text, match.start())
    is_day = _month_pattern().match(following) is not None
    return not (is_ordinal or is_day)


def _opens_line(text: str, offset: int) -> bool:
    """Reports whether only blanks and list marks stand before an offset on its line, so that a
    number there counts.
    """
    nearby_start = max(0, offset - 8)
    nearby = text[nearby_start:offset]
    _, _, line = nearby.rpartition("\n")
    return not line.strip(" \t>-*+")


@cache
def _month_pattern() -> re.Pattern[str]:
    """Returns the pattern of a month's name in any language."""
    names: set[str] = set()
    for language in vocabularies():
        times = language.times
        if times is None:
            continue
        for forms in (*times.months, *times.short_months):
            names.update(forms.split("|"))

    any_name = "|".join(sorted(names))
    return re.compile(rf"(?:{any_name})(?!\w)", re.IGNORECASE)


def _abbreviates(word: str, following: str) -> bool:
    """Reports whether the dot behind a word belongs to it as to an abbreviation or an initial, and
    ends no sentence.
    """
    next_letter = following[:1]
    if len(word) == 1:
        # An initial: `J. Smith`.
        is_letter_word = word in words_of_all("letter_words")
        return word.isupper() and not is_letter_word and next_letter.isupper()

    lowered = word.lower().replace(".", "")
    if "." in word:
        # Several initials: `U.S.`, `e.g.`.
        if next_letter.isdigit():
            return True
        may_close = lowered in words_of_all("closing_initials")
        return len(lowered) <= 3 and not may_close

    if lowered in words_of_all("closing_abbreviations"):
        is_title = lowered in words_of_all("titles") and word[0].isupper()
        return is_title or next_letter.isdigit()

    return lowered in words_of_all("abbreviations")

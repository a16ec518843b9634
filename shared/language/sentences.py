"""Where sentences begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from shared.language.vocabulary import vocabularies

_CLOSERS = "\"'”’»)\\]}*_`"
_BOUND = re.compile(
    rf"(?P<line>\r\n?|[\n\v\f\x85\u2028\u2029])|[.!?…]++[{_CLOSERS}]*+|[。！？｡]++[{_CLOSERS}」』）】〉》]*+"
)
_MARKER = re.compile(r"[ \t]*+(?:(?:[-*+•‣◦–]|\d{1,9}[.)]|#{1,6}|>)[ \t]++)*+(?:\[[ xX]\][ \t]++)?+")
_SOFT_WRAP_FROM = 60
"""Characters from which a line that goes on in lower case on the next one was wrapped, and is no item of a list."""

_REFERENCE = re.compile(r"\[[A-Za-z]?\d+\]\Z")
"""`[N2]`, `[7]`: it follows a whole statement, however the next one begins."""
_WORD_BEFORE = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]+\Z|\d+\Z")

_ORDINAL_DOTS = frozenset(
    ("cs", "da", "de", "et", "fi", "hr", "hu", "lv", "nb", "nn", "no", "pl", "sk", "sl", "sr", "tr")
)
"""Languages that write `19.` for `19th`."""


@cache
def _listed(name: str) -> frozenset[str]:
    """Words of one kind before a dot that ends no sentence, in any language: texts quote each other's."""
    return frozenset(word for each in vocabularies() for word in getattr(each, name).split())


@cache
def _month() -> re.Pattern[str]:
    """What follows a day's number, in any language."""
    times = [each.times for each in vocabularies() if each.times]
    months = {form for each in times for month in (*each.months, *each.short_months) for form in month.split("|")}
    return re.compile(rf"(?:{'|'.join(sorted(months))})(?!\w)", re.IGNORECASE)


def sentences(text: str, *, lang: str | None = None) -> list[tuple[int, int]]:
    """(start, end) of each sentence, in order, in code points.

    Line breaks end a sentence, but for a long line that goes on in lower case. Without blanks around it and without
    the marks of a list item, a heading or a quotation before it; lines of signs alone are none. Dots of abbreviations,
    initials, decimals, addresses and dates (`3. Mai`) end nothing; nor, where `lang` (ISO 639-1, None: unknown) writes
    ordinals with a dot, do those after short numbers. Linear in the text.
    """
    ordinals = lang in _ORDINAL_DOTS
    found = []
    start = 0
    opens_line = True
    for end, is_line in sentence_ends(text, ordinals=ordinals):
        content = text[start:end].strip()
        first = text.index(content, start)
        after = first + len(content)
        marker = _MARKER.match(text, first, after) if opens_line else None
        first = marker.end() if marker else first
        if any(map(str.isalnum, text[first:after])):
            found.append((first, after))
        start, opens_line = end, is_line
    return found


def sentence_ends(text: str, *, ordinals: bool = False) -> Iterator[tuple[int, bool]]:
    """Each end of a sentence with whether it ends a line; the text's end last."""
    line_start = 0
    for found in _BOUND.finditer(text):
        if found["line"]:
            wraps = found.start() - line_start >= _SOFT_WRAP_FROM and text[found.end() : found.end() + 1].islower()
            line_start = found.end()
            if not wraps:
                yield found.end(), True
        elif _ends(text, found.start(), found.end(), ordinals=ordinals):
            yield found.end(), False
    yield len(text), True


def _ends(text: str, dot: int, after: int, *, ordinals: bool) -> bool:
    """Whether the sign at `dot`, read with closing quotes and brackets up to `after`, ends its sentence."""
    if text[dot] in "。！？｡":
        return True
    following = text[after : after + 24].lstrip()
    if text[dot] in "!?" or not text[after : after + 1].isspace():
        is_quoted = text[after - 1] in "\"'”’»" and following[:1].islower()  # “Really?” she asked.
        return text[after : after + 1].isspace() and not is_quoted
    if _REFERENCE.search(text, max(0, dot - 24), dot):
        return True
    if text[dot] == "…" or text[dot : dot + 2] == ".." or following[:1].islower():
        return not following[:1].islower()
    before = _WORD_BEFORE.search(text, max(0, dot - 24), dot)
    if before is not None and before[0].isdigit():
        opens_line = not text[max(0, before.start() - 8) : before.start()].rpartition("\n")[2].strip(" \t>-*+")
        counts = ordinals or opens_line or _month().match(following) is not None
        return len(before[0]) > 2 or not counts
    return before is None or not _abbreviates(before[0], following)


def _abbreviates(word: str, following: str) -> bool:
    lowered = word.lower().replace(".", "")
    if len(word) == 1:
        return word.isupper() and word not in _listed("letter_words") and following[:1].isupper()
    if "." in word:
        return (len(lowered) <= 3 and lowered not in _listed("closing_initials")) or following[:1].isdigit()
    if lowered in _listed("closing_abbreviations"):
        return following[:1].isdigit() or (lowered in _listed("titles") and word[0].isupper())
    return lowered in _listed("abbreviations")

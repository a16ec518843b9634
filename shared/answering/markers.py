r"""The grammar of citation markers, and the rule by which one goes.

What counts as a marker: `[N1]`, `[n1]`, `[N1, N2]`, `[N1; N2]`, `[N1 and N2]`, `[N1-N3]` (every offered label
from N1 to N3), `[^N1]`, `\[N1\]`, with blanks inside, in square, full-width, lenticular or tortoise-shell brackets,
with digits of any script. Markers count inside code and links too: clients look for `[N1]` without parsing
Markdown, and note text that looks like a marker was rewritten before the writer saw it (`shared.text.inert`).

Every marker is written back as `[N1]`, several as `[N1][N2]`, a label once a bracket.

The spacing rule is the only change to other text. Markers side by side, also with a comma or "and" between
them, form a run; one that goes from a run takes the separator before it along (the first one that after it).
A run that goes whole takes the blanks before it (after it, at the start of a line; both, before punctuation or a
line's end) and brackets, code and emphasis that held nothing else; two words that only it parted get a blank. An
opening bracket that a gap could complete to a new marker (`[N[N9]1]`) becomes round.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

_OPEN = r"[\[［【〔〖〘⟦]"
_CLOSE = r"[\]］】〕〗〙⟧]"
_BLANK = "[\\s\u200c\u200d\ufe0f]"
"""Joiners count as blanks: nobody sees them."""
_LETTER = "[NnＮｎΝ]"
_ITEM = rf"{_LETTER}{_BLANK}*+\d++(?:{_BLANK}*+[-–—‑]{_BLANK}*+{_LETTER}?{_BLANK}*+\d++)?+"
_BETWEEN = rf"(?:{_BLANK}|[,;&/、，；])++(?:(?:and|und|et|y)\s++)?+"
_MARKER = rf"\\?{_OPEN}{_BLANK}*+\^?{_BLANK}*+{_ITEM}(?:{_BETWEEN}{_ITEM})*+(?:{_BLANK}|[,;])*+\\?{_CLOSE}"
_SEPARATOR = r"(?:[ \t]*+[,;][ \t]*+(?:and[ \t]++)?|[ \t]++(?:(?:and|und|et|y)[ \t]++)?)?+"

MARKER = re.compile(_MARKER)
RUN = re.compile(rf"{_MARKER}(?:{_SEPARATOR}{_MARKER})*")
PART = re.compile(rf"(?P<separator>{_SEPARATOR})(?P<marker>{_MARKER})")
_NUMBERS = re.compile(rf"(\d++)(?:{_BLANK}*+[-–—‑]{_BLANK}*+{_LETTER}?{_BLANK}*+(\d++))?+")
_INSIDE = "[\\s\u200c\u200d\ufe0f^\\\\NnＮｎΝ\\d,;&/、，；\\-–—‑adeutny]"
"""What a marker is made of between its brackets, and a little more."""
_UNFINISHED = re.compile(rf"{_OPEN}{_INSIDE}*\Z")
_UNFINISHED_REST = re.compile(rf"{_INSIDE}*+")
_CONTINUES = re.compile(rf"[ \t]*+[,;]?[ \t]*+(?:and|an|a|und|un|u|et|e|y)?+[ \t]*+\\?(?:{_OPEN}{_INSIDE}*+)?+\Z")
_OPENERS = "([（`*_~ \t"
_AFTER_A_GAP = re.compile(r"[ \t)\]）`*_~]*+\Z")
_BLANKS = frozenset(" \t")
_PAIRS = {"(": ")", "[": "]", "（": "）", "`": "`", "*": "*", "_": "_", "~": "~"}
_OPENS = re.compile(r"(?:\A|[\s(（])[`*_~]+\Z")
"""Signs that open and close alike stand here where they open."""
_BEFORE_PUNCTUATION = re.compile(r"[ \t]*(?=[*_~`]*(?:[.,;:!?…)\]}。，、；：！？）】］\r\n]|\Z)|[*_~`]+[ \t])")


def numbers_in(marker: str, offered: Collection[int]) -> Iterator[int]:
    """Every number that a marker (or a run of them) names; of a range its ends and what was offered between."""
    for found in _NUMBERS.finditer(marker):
        first, last = _number(found[1]), _number(found[2] or found[1])
        yield first
        yield from (number for number in offered if first < number < last)
        if last != first:
            yield last


def _number(digits: str) -> int:
    return int(digits[:9])  # nine digits tell any offered number from an invented one, and int() stays cheap


def relabelled(run: str, renumbered: Mapping[int, int]) -> str:
    """A run with the labels in `renumbered` alone; empty: it goes whole."""
    kept = ""
    for part in PART.finditer(run):
        labels = labels_of(part["marker"], renumbered)
        if labels:
            kept += (part["separator"] if kept else "") + labels
    return kept


def labels_of(marker: str, renumbered: Mapping[int, int]) -> str:
    """`[N3, N9]` -> `[N1]`, where 3 has become 1 and there is no 9."""
    numbers = dict.fromkeys(numbers_in(marker, renumbered))
    return "".join(f"[N{renumbered[number]}]" for number in numbers if number in renumbered)


def close_gap(before: str, text: str, end: int, *, ahead: str, at_start: bool) -> tuple[str, int]:
    """What stands before a run that goes, and where the text goes on after it: by the spacing rule.

    `before` reaches back to the run before this one, `ahead` is the last character in front of it.
    """
    before, end = _drop_empty_brackets(before, text, end)
    bare = before.rstrip(" \t")
    if bare.endswith("\n") or (at_start and not bare):
        end = _blanks_end(text, end)
    elif found := _BEFORE_PUNCTUATION.match(text, end):
        before, end = bare, found.end()
    elif text[end] in " \t":
        before = bare
    elif _glues(before[-1:] or ahead, text[end]):
        before += " "
    opened = _UNFINISHED.search(before)
    return (f"{before[: opened.start()]}({before[opened.start() + 1 :]}" if opened else before), end


def _glues(left: str, right: str) -> bool:
    """Whether two characters side by side would make one word of two; Chinese and Japanese write no blanks."""
    return left.isalnum() and right.isalnum() and min(left, right) < "\u2e80"


def _drop_empty_brackets(before: str, text: str, end: int) -> tuple[str, int]:
    while (inner := before.rstrip(" \t")) and (close := _PAIRS.get(inner[-1])):
        after = _blanks_end(text, end)
        if text[after : after + 1] != close:
            break
        if close in "*_~" and (after > end or inner != before):
            break
        if close in "`*_~" and not _OPENS.search(inner):
            break
        before, end = inner[:-1], after + 1
    return before, end


def _blanks_end(text: str, start: int) -> int:
    while text[start : start + 1] in _BLANKS:
        start += 1
    return start


# -- what is still open while a text is being written


def decided_length(text: str) -> int:
    """How much of a text without markers no later text can change: what follows may open a marker, or be changed
    by the gap of one that goes.
    """
    end = _before_unfinished(text, len(text))
    end -= text[end - 1 : end] == "\\"
    return _before_unfinished(text, len(text[:end].rstrip(_OPENERS)))


def _before_unfinished(text: str, end: int) -> int:
    """Where the bracket stands that `text[:end]` leaves open and a marker could close; else `end`."""
    opened = max(text.rfind(bracket, 0, end) for bracket in "[［【〔〖〘⟦")
    rest = _UNFINISHED_REST.match(text, opened + 1, end)
    return opened if opened >= 0 and rest and rest.end() == end else end


def may_continue(text: str) -> bool:
    """Whether a run could go on with this text, once there is more of it."""
    return _CONTINUES.match(text) is not None


def gap_is_open(text: str) -> bool:
    """Whether how a gap before this text closes depends on what follows it."""
    return _AFTER_A_GAP.match(text) is not None

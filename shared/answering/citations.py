r"""A draft's citation markers -> markers that hold: only offered labels, numbered by first use.

What counts as a marker: `[N1]`, `[n1]`, `[N1, N2]`, `[N1; N2]`, `[N1 and N2]`, `[N1-N3]` (every offered label
from N1 to N3), `[^N1]`, `\[N1\]`, with blanks inside, in square, full-width or lenticular brackets, with
digits of any script. Markers count inside code and links too: clients look for `[N1]` without parsing
Markdown, and note text that looks like a marker was rewritten before the writer saw it (`shared.text.inert`).

Every marker is written back as `[N1]`, several as `[N1][N2]`, a label once a bracket.

The spacing rule is the only change to other text. Markers side by side, also with a comma or "and" between
them, form a run; one that goes from a run takes the separator before it along (the first one that after it).
A run that goes whole takes the blanks before it (after it, at the start of a line; both, before punctuation or a
line's end) and brackets that held nothing else; two words that only it parted get a blank. An opening bracket
that a gap could complete to a new marker (`[N[N9]1]`) becomes round.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from shared.domain import Source

_OPEN = r"[\[［【]"
_CLOSE = r"[\]］】]"
_ITEM = r"[NnＮｎ]\s*+\d++(?:\s*+[-–—‑]\s*+[NnＮｎ]?\s*+\d++)?+"
_BETWEEN = r"[\s,;&/、，；]++(?:(?:and|und|et|y)\s++)?+"
_MARKER = rf"\\?{_OPEN}\s*+\^?{_ITEM}(?:{_BETWEEN}{_ITEM})*+[\s,;]*+\\?{_CLOSE}"
_SEPARATOR = r"(?:[ \t]*+[,;][ \t]*+(?:and[ \t]++)?|[ \t]++(?:(?:and|und|et|y)[ \t]++)?)?+"

_RUN = re.compile(rf"{_MARKER}(?:{_SEPARATOR}{_MARKER})*")
_PART = re.compile(rf"(?P<separator>{_SEPARATOR})(?P<marker>{_MARKER})")
_NUMBERS = re.compile(r"(\d++)(?:\s*+[-–—‑]\s*+[NnＮｎ]?\s*+(\d++))?+")
_UNFINISHED = re.compile(rf"{_OPEN}[\s^\\NnＮｎ\d,;&/、，；\-–—‑adeutny]*\Z")
_BLANKS = frozenset(" \t")
_PAIRS = {"(": ")", "[": "]", "（": "）", "`": "`"}
_BEFORE_PUNCTUATION = re.compile(r"[ \t]*(?=[*_~`]*(?:[.,;:!?…)\]}。，、；：！？）】］\r\n]|\Z)|[*_~`]+[ \t])")


@dataclass(frozen=True, slots=True)
class Cited:
    """A text whose every marker points at one of `used`."""

    text: str
    used: tuple[Source, ...]
    """By first use, labelled `N1`, `N2`, … as in the text."""
    removed: tuple[str, ...]
    """Labels that were not offered, each once, in order, normalised (`[n07]` -> `N7`)."""


def check_citations(text: str, offered: Sequence[Source]) -> Cited:
    """Draft -> the text with only offered labels, renumbered by first use. Checked again, it stays as it is."""
    sources = {int(source.label[1:]): source for source in offered}
    named = dict.fromkeys(number for run in _RUN.finditer(text) for number in _numbers(run[0], sources))
    used = [number for number in named if number in sources]
    renumbered = {number: position for position, number in enumerate(used, start=1)}
    return Cited(
        _rewrite(text, renumbered),
        tuple(Source(f"N{renumbered[number]}", sources[number].passage) for number in used),
        tuple(f"N{number}" for number in named if number not in sources),
    )


def _numbers(marker: str, offered: Collection[int]) -> Iterator[int]:
    """Every number that a marker (or a run of them) names; of a range its ends and what was offered between."""
    for found in _NUMBERS.finditer(marker):
        first, last = _number(found[1]), _number(found[2] or found[1])
        yield first
        yield from (number for number in offered if first < number < last)
        if last != first:
            yield last


def _number(digits: str) -> int:
    return int(digits[:9])  # nine digits tell any offered number from an invented one, and int() stays cheap


def _rewrite(text: str, renumbered: Mapping[int, int]) -> str:
    pieces: list[str] = []
    end = 0
    for run in _RUN.finditer(text):
        pieces.append(text[end : run.start()])
        end = run.end()
        markers = _rewrite_run(run[0], renumbered)
        if markers:
            pieces.append(markers)
        else:
            pieces[-1], end = _close_gap(pieces[-1], text, end, at_start=len(pieces) == 1)
    return "".join([*pieces, text[end:]])


def _rewrite_run(run: str, renumbered: Mapping[int, int]) -> str:
    kept = ""
    for part in _PART.finditer(run):
        numbers = dict.fromkeys(_numbers(part["marker"], renumbered))
        labels = "".join(f"[N{renumbered[number]}]" for number in numbers if number in renumbered)
        if labels:
            kept += (part["separator"] if kept else "") + labels
    return kept


def _close_gap(before: str, text: str, end: int, *, at_start: bool) -> tuple[str, int]:
    """What stands before a run that goes, and where the text goes on after it: by the spacing rule."""
    before, end = _drop_empty_brackets(before, text, end)
    bare = before.rstrip(" \t")
    if bare.endswith("\n") or (at_start and not bare):
        end = _blanks_end(text, end)
    elif found := _BEFORE_PUNCTUATION.match(text, end):
        before, end = bare, found.end()
    elif text[end] in " \t":
        before = bare
    elif _glues(before[-1:], text[end]):
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
        before, end = inner[:-1], after + 1
    return before, end


def _blanks_end(text: str, start: int) -> int:
    while text[start : start + 1] in _BLANKS:
        start += 1
    return start

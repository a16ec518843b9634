"""An answer without some of its sentences: punctuation, lists and headings stay right."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_GAP = "\x00"
"""Stands where a sentence stood; no draft holds a control character."""
_GAPS = re.compile(rf"{_GAP}(?:[ \t]*{_GAP})*")
_ITEM = re.compile(r"(?P<indent>[ \t>]*)(?P<mark>[-*+•]|(?P<number>\d{1,9})(?P<dot>[.)]))[ \t]+(?P<text>.*)", re.DOTALL)
_HEADING = re.compile(r"[ \t>]*(?P<level>#{1,6})[ \t]")
_MARKERS_ONLY = re.compile(r"(?:\[N\d+\]|[\s*_`>.,;:!?()-])*")


def without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """`spans`: sentences, in order, apart from each other. Lines and headings that hold nothing any more go with them;
    numbered items below one that went count on from where they were.
    """
    pieces, end = [], 0
    for start, stop in spans:
        pieces += [text[end:start], _GAP]
        end = stop
    lines = "".join([*pieces, text[end:]]).split("\n")
    kept = [line for line in map(_closed, _renumbered(lines)) if line is not None]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(_without_bare_headings(kept))).strip()


def _closed(line: str) -> str | None:
    """A line without its gaps; None: nothing else stood in it."""
    if _GAP not in line:
        return line
    left = _GAPS.sub(_GAP, line)
    item = _ITEM.fullmatch(left)
    if _MARKERS_ONLY.fullmatch((item["text"] if item else left).replace(_GAP, "")):
        return None
    opening = re.match(rf"([ \t>]*(?:(?:[-*+•]|\d{{1,9}}[.)])[ \t]+)?){_GAP}[ \t]*", left)
    if opening:
        left = opening[1] + left[opening.end() :]
    return re.sub(rf"[ \t]*{_GAP}", "", left).rstrip()


def _renumbered(lines: Sequence[str]) -> list[str]:
    """Numbered items count on over those that go."""
    following: dict[str, int] = {}
    shown = []
    for line in lines:
        item = _ITEM.fullmatch(line)
        if item and item["number"]:
            number = following.setdefault(item["indent"], int(item["number"]))
            goes = _GAP in line and _closed(line) is None
            following[item["indent"]] = number + (0 if goes else 1)
            shown.append(f"{item['indent']}{number}{item['dot']}{line[item.end('mark') :]}")
            continue
        if line.strip() and not line.startswith((" ", "\t")):
            following.clear()
        shown.append(line)
    return shown


def _without_bare_headings(lines: Sequence[str]) -> list[str]:
    """From the end: a heading goes when nothing but headings of its own level or above, or the end, follows."""
    kept: list[str] = []
    next_level: int | None = 0
    for line in reversed(lines):
        heading = _HEADING.match(line)
        if heading:
            level = len(heading["level"])
            if next_level is not None and level >= next_level:
                continue
            next_level = level
        elif line.strip():
            next_level = None
        kept.append(line)
    return kept[::-1]

"""Windows -> the windows of one table or list joined to one, though they lie in several passages.

1. Windows of one table or list, all of its passages, are a group.
2. Those that match are quoted as one, as many as fit: the best first, or the first ones if all are asked for.
3. Those that match less are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from shared.answering.items import MATCHES, is_surpassed
from shared.answering.likeness import TIME
from shared.answering.parts import WHOLE
from shared.answering.windows import Window
from shared.markdown.quotable import PieceKind

JOINED = 1400
"""Most characters of the rows or items of one table or list that are added to a quote from other passages."""


def joined(ranked: Sequence[Window], beside: frozenset[str] = frozenset()) -> list[Window]:
    """Joins the windows of one table or list that hold the most of the question's words, and leaves out its others.

    beside: ids of chunks that the search did not find; what they hold is quoted only with a table or list of others.
    """
    groups = _by_table_or_list(ranked)
    joined_windows: list[Window] = []
    left_out: list[Window] = []
    """Windows that are quoted as part of others, or that others surpass."""
    for window in ranked:
        group = _group_of(window, groups)
        was_found = any(other.chunk.chunk_id not in beside for other in group or [window])
        if not was_found or window in left_out:
            continue
        if not group or window is not group[0]:
            joined_windows.append(window)
            continue

        # The best of them has the place of the best of all.
        matching = _matching(group)
        quoted = _that_fit(matching)
        joined_windows.append(replace(_as_one(quoted), score=window.score))
        for other in group:
            is_row = other.pieces[-1].kind is PieceKind.ROW
            is_quoted = other in quoted or other.asks_for_list
            if is_row or is_quoted or other not in matching:
                left_out.append(other)
    return joined_windows


def _by_table_or_list(ranked: Iterable[Window]) -> list[list[Window]]:
    """Groups windows by their table or list, best first.

    Left out are those that hold no word of the question, unless the list or table is asked for.
    """
    groups: list[list[Window]] = []
    for window in ranked:
        matches = window.coverage > 0 or window.asks_for_list
        if window.table_or_list is None or not matches:
            continue
        for group in groups:
            if any(window.is_of_same_block(other) for other in group):
                group.append(window)
                break
        else:
            groups.append([window])
    return groups


def _group_of(window: Window, groups: Iterable[list[Window]]) -> list[Window]:
    """Returns the group of a window; empty if it is in none."""
    for group in groups:
        if window in group:
            return group
    return []


def _matching(ranked: Sequence[Window]) -> list[Window]:
    """Returns those windows of one table or list of which no other holds all words and more, best first.

    All of them in their order if the table or list is asked for.
    """
    if all(window.asks_for_list for window in ranked):
        return sorted(ranked, key=lambda window: window.span)
    most = max(window.coverage for window in ranked)
    near = [window for window in ranked if window.coverage >= MATCHES * most]
    near = [window for window in near if TIME in window.asked_stems] or near
    stem_sets = {window.asked_stems for window in near}
    return [window for window in near if not is_surpassed(window.asked_stems, stem_sets)]


def _that_fit(matching: Sequence[Window]) -> list[Window]:
    """Returns the first of some windows, and as many others as fit with it in one quote. No two show the same text."""
    first, *others = matching
    room = JOINED
    if first.asks_for_list:
        room = WHOLE - first.length
    quoted = [first]
    for window in others:
        repeats_one = any(_repeats(window, other) for other in quoted)
        if window.length <= room and not repeats_one:
            quoted.append(window)
            room -= window.length
    return quoted


def _repeats(window: Window, other: Window) -> bool:
    """Reports whether both show the same texts, or parts of one passage that overlap."""
    if window.chunk.chunk_id == other.chunk.chunk_id:
        return window.repeats(other)
    return window.shows_texts_of(other)


def _as_one(quoted: Sequence[Window]) -> Window:
    """Returns the first of some windows, with the others as `further`.

    A passage of a longer list repeats the last items of the one before it, which are shown once.
    """
    best = quoted[0]
    shown: list[Window] = []
    for window in sorted(quoted, key=lambda window: window.span):
        part: Window | None = window
        if shown:
            part = window.behind(shown[-1])
        if part is not None:
            shown.append(part)
        if window is quoted[0]:
            # The one before it stands for a window that shows nothing else.
            best = shown[-1]
    further = tuple([part for part in shown if part is not best])
    return replace(best, further=further)

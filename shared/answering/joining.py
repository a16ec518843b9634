"""Windows -> the windows of one table or list joined to one, though they lie in several passages."""

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
        is_found = any(other.chunk.chunk_id not in beside for other in group or [window])
        if not is_found or window in left_out:
            continue
        if not group or window is not group[0]:
            joined_windows.append(window)
            continue

        # The best of those that match, or the first if all are asked for, stands for those that are quoted with it, at the
        # place of the best of all.
        matching = _matching(group)
        room = JOINED
        if all(other.asks_for_all for other in group):
            matching.sort(key=lambda other: other.span)
            room = max(0, WHOLE - matching[0].length)
        best, *weaker = matching
        further = _further(best, weaker, room)
        shown = tuple([shown for _, shown in further])
        joined_windows.append(replace(best, score=window.score, further=shown))
        quoted = [best, *[whole for whole, _ in further]]
        for other in group:
            is_row = other.pieces[-1].kind is PieceKind.ROW
            is_surpassed_one = other not in matching
            if is_row or is_surpassed_one or other in quoted or other.asks_for_all:
                left_out.append(other)
    return joined_windows


def _by_table_or_list(ranked: Iterable[Window]) -> list[list[Window]]:
    """Groups windows by their table or list, best first.

    Left out are those that hold no word of the question, unless the list or table is asked for as a whole.
    """
    groups: list[list[Window]] = []
    for window in ranked:
        matches = window.coverage > 0 or window.asks_for_all
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
    """Returns those windows of one table or list of which no other holds all words and more."""
    most = max(window.coverage for window in ranked)
    near = [window for window in ranked if window.coverage >= MATCHES * most]
    near = [window for window in near if TIME in window.asked_stems] or near
    stem_sets = {window.asked_stems for window in near}
    return [window for window in near if not is_surpassed(window.asked_stems, stem_sets)]


def _further(
    best: Window,
    weaker: Sequence[Window],
    room: int,
) -> list[tuple[Window, Window]]:
    """Returns the windows of the best one's table or list that are quoted with it, as many as fit, and what of each."""
    further: list[tuple[Window, Window]] = []
    quoted = [best]
    for window in weaker:
        shown = _without_repeated(window, best)
        if shown is None:
            continue
        repeats_one = any(map(shown.repeats, quoted))
        if shown.length <= room and not repeats_one:
            further.append((window, shown))
            quoted.append(shown)
            room -= shown.length
    return further


def _without_repeated(window: Window, best: Window) -> Window | None:
    """Returns a window without what its passage repeats of the passage before it, if the best window quotes that."""
    is_behind = window.chunk.position == best.chunk.position + 1
    start, end = window.span
    _, end_of_best = best.span
    if is_behind and start < end_of_best < end:
        return window.behind(best)
    return window

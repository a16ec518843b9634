"""Windows -> the windows of one table or list joined to one, though they lie in several passages.

1. Windows of one table or list, all of its passages, are a group.
2. Those that match are quoted as one, as many as fit: the best first, or the first ones if all are asked for.
3. Those that match less are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import attrgetter

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
    joined_windows = []
    left_out: list[Window] = []
    """Windows that are quoted as part of others, or that others surpass."""
    for window in ranked:
        group = _group_of(window, groups)
        if window in left_out or not _was_found(group or [window], beside):
            continue
        is_best_of_group = bool(group) and window is group[0]
        if not is_best_of_group:
            joined_windows.append(window)
            continue

        # The best of them has the place of the best of all.
        matching = _matching(group)
        quoted = _that_fit(matching)
        one_window = _as_one(quoted)
        joined_windows.append(replace(one_window, score=window.score))
        for other in group:
            stands_alone = _is_quoted_alone(other, matching, quoted)
            if not stands_alone:
                left_out.append(other)
    return joined_windows


def _was_found(group: Iterable[Window], beside: frozenset[str]) -> bool:
    """Reports whether the search found one of the passages of some windows."""
    for window in group:
        if window.chunk.chunk_id not in beside:
            return True
    return False


def _is_quoted_alone(
    window: Window,
    matching: Sequence[Window],
    quoted: Sequence[Window],
) -> bool:
    """Reports whether a window of a group is quoted by itself: a matching item that did not fit into the group's quote.

    Rows, and items of a list that is asked for, are quoted together or not at all.
    """
    if window in quoted or window not in matching:
        return False
    is_row = window.pieces[-1].kind is PieceKind.ROW
    return not is_row and not window.asks_for_list


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
            if any(map(window.is_of_same_block, group)):
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
        return sorted(ranked, key=attrgetter("span"))

    # 1. Those that hold nearly as much of the question as the best one; of these the ones of the time that is asked for.
    most = max(window.coverage for window in ranked)
    min_coverage = MATCHES * most
    near = [window for window in ranked if window.coverage >= min_coverage]
    of_time = [window for window in near if TIME in window.asked_stems]
    if of_time:
        near = of_time

    # 2. Without those of whose words another one has all and more.
    stem_sets = {window.asked_stems for window in near}
    matching = []
    for window in near:
        if not is_surpassed(window.asked_stems, stem_sets):
            matching.append(window)
    return matching


def _that_fit(matching: Sequence[Window]) -> list[Window]:
    """Returns the first of some windows, and as many others as fit with it in one quote. No two show the same text."""
    first, *others = matching
    room = JOINED
    if first.asks_for_list:
        room = WHOLE - first.length
    quoted = [first]
    for window in others:
        length = window.length
        repeats_one = any(_repeats(window, other) for other in quoted)
        if length <= room and not repeats_one:
            quoted.append(window)
            room -= length
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
    first = quoted[0]
    best = first
    shown: list[Window] = []
    for window in sorted(quoted, key=attrgetter("span")):
        part: Window | None = window
        if shown:
            part = window.behind(shown[-1])
        if part is not None:
            shown.append(part)
        if window is first:
            # The one before it stands for a window that shows nothing else.
            best = shown[-1]
    further = [part for part in shown if part is not best]
    return replace(best, further=tuple(further))

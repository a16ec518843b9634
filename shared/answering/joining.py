"""Windows -> the windows of one table or list joined to one, though they lie in several passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from shared.answering.items import MATCHES, is_surpassed
from shared.answering.windows import Window
from shared.markdown.quotable import PieceKind

JOINED = 1400
"""Most characters of the rows or items of one table or list that are added to a quote from other passages."""


def joined(ranked: Iterable[Window]) -> list[Window]:
    """Joins the windows of one table or list that hold the most of the question's words.

    Other rows of that table are left out.
    """
    # 1. The windows of each table or list, best first.
    ranked = list(ranked)
    windows_by_name: dict[tuple[str, ...], list[Window]] = {}
    for window in ranked:
        name = window.table_or_list
        if name is not None and window.coverage > 0:
            same_name = windows_by_name.setdefault(name, [])
            same_name.append(window)

    # 2. The best of those that match stands for those that are quoted with it, at the place of the best of all.
    joined_windows: list[Window] = []
    quoted_with: list[Window] = []
    """Windows that are quoted as part of others."""
    for window in ranked:
        name = window.table_or_list
        if name is None or window.coverage == 0:
            joined_windows.append(window)
            continue
        same_name = windows_by_name[name]
        if window is same_name[0]:
            best, *weaker = _matching(same_name)
            further = _further(best, weaker)
            quoted_with.append(best)
            quoted_with += [whole for whole, _ in further]
            shown = tuple([shown for _, shown in further])
            joined_windows.append(replace(best, score=window.score, further=shown))
        is_item = window.pieces[-1].kind is PieceKind.ITEM
        is_of_another = not same_name[0].goes_on_with(window)
        if (is_item or is_of_another) and window not in quoted_with:
            joined_windows.append(window)
    return joined_windows


def _matching(ranked: Sequence[Window]) -> list[Window]:
    """Returns those windows of one table or list of which no other holds all words and more."""
    most = max(window.coverage for window in ranked)
    near = [window for window in ranked if window.coverage >= MATCHES * most]
    stem_sets = {window.asked_stems for window in near}
    return [window for window in near if not is_surpassed(window.asked_stems, stem_sets)]


def _further(best: Window, weaker: Sequence[Window]) -> list[tuple[Window, Window]]:
    """Returns the windows of the best one's table or list that are quoted with it, as many as fit, and what of each."""
    further: list[tuple[Window, Window]] = []
    quoted = [best]
    room = JOINED
    for window in weaker:
        shown = _without_repeated(window, best)
        if shown is None or not best.goes_on_with(window):
            continue
        length = sum(end - start for start, end in shown.parts)
        repeats_one = any(map(shown.repeats, quoted))
        if length <= room and not repeats_one:
            further.append((window, shown))
            quoted.append(shown)
            room -= length
    return further


def _without_repeated(window: Window, best: Window) -> Window | None:
    """Returns a window without what its passage repeats of the passage before it, if the best window quotes that."""
    is_behind = window.chunk.position == best.chunk.position + 1
    start, end = window.span
    _, end_of_best = best.span
    if is_behind and start < end_of_best < end:
        return window.behind(best)
    return window

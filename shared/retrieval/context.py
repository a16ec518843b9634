"""Pool and formula -> what candidates say of each other: neighbours in time of short notes, newer versions of passages.

A message or a jotted line often names its subject in the one before, so a short note is lifted towards the best short
one of the same hour. A passage that words what an older note of the same title says is lifted to that one's score, and
of equal scores the newer comes first: current beats outdated. Nothing is lowered.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from shared.model.index import IndexedChunk
from shared.model.retrieval import RetrievalMode, Scored
from shared.retrieval.candidates import Pool
from shared.retrieval.scores import Formula, Lift, best_first_key, shortness

NEIGHBOUR_LIFT = 0.5
"""Share of the way towards a better short note that a short note is lifted."""
SAME_TIME = timedelta(hours=1)
IMPORT = timedelta(days=1)
"""Time on either side in which an import of many notes may have run: hours, and not as a conversation does in bursts."""
MAX_SHARE = 1 / 3
"""Candidates of that time, at most, of all: where there are more, their times are those of an import."""
VERSION_OVERLAP = 0.3
"""Jaccard similarity of word trigrams from which two passages under one title are versions of each other. Notes of a
series ("Weekly review") share less."""
MAX_OUTDATED = 12
"""Best passages for which a newer version is looked for: no more are shown."""


def lifts(pool: Pool, formula: Formula) -> Mapping[str, Lift]:
    """Finds the candidates that others lift: chunk id -> lift.

    Depends on no vector that is read later, so that `rank` stays exact.
    """
    if formula.mode in (RetrievalMode.RRF, RetrievalMode.RECENT):
        return {}
    oldest_first = sorted(pool.candidates, key=lambda candidate: candidate.chunk.created_at)
    scored = [formula.score(candidate, candidate.cosine) for candidate in oldest_first]
    return _lifts_by_neighbours(scored) | _lifts_of_newer_versions(scored)


def _lifts_by_neighbours(oldest_first: Sequence[Scored]) -> dict[str, Lift]:
    """Lifts short notes towards the best short note of the same hour."""
    times = [passage.chunk.created_at for passage in oldest_first]
    found: dict[str, Lift] = {}
    for passage in oldest_first:
        chunk = passage.chunk
        around = _within(times, chunk.created_at, IMPORT)
        is_import = len(around) > MAX_SHARE * len(oldest_first)
        if not shortness(chunk) or is_import:
            continue
        same_time = _within(times, chunk.created_at, SAME_TIME)
        neighbours = [
            other
            for other in oldest_first[same_time.start : same_time.stop]
            if other.chunk.note_id != chunk.note_id and shortness(other.chunk)
        ]
        if neighbours:
            best = min(neighbours, key=best_first_key)
            found[chunk.chunk_id] = Lift(best.scores, NEIGHBOUR_LIFT * shortness(chunk))
    return found


def _within(times: Sequence[datetime], moment: datetime, distance: timedelta) -> range:
    """Returns the indices of the times, oldest first, that lie at most so far from a moment."""
    first = bisect_left(times, moment - distance)
    after_last = bisect_right(times, moment + distance)
    return range(first, after_last)


def _lifts_of_newer_versions(scored: Sequence[Scored]) -> dict[str, Lift]:
    """Lifts passages that word anew what an older one of the best says, to that one's parts."""
    found: dict[str, Lift] = {}
    trigrams_of: dict[str, frozenset[tuple[str, ...]]] = {}

    def cached_trigrams(chunk: IndexedChunk) -> frozenset[tuple[str, ...]]:
        if chunk.chunk_id not in trigrams_of:
            trigrams_of[chunk.chunk_id] = trigrams(chunk.text)
        return trigrams_of[chunk.chunk_id]

    for outdated in sorted(scored, key=best_first_key)[:MAX_OUTDATED]:
        old = outdated.chunk
        for passage in scored:
            new = passage.chunk
            has_same_title = old.title and new.title == old.title
            if not has_same_title or new.created_at <= old.created_at:
                continue
            if _are_versions(cached_trigrams(new), cached_trigrams(old)):
                found.setdefault(new.chunk_id, Lift(outdated.scores, 1.0))
    return found


def _are_versions(new: frozenset[tuple[str, ...]], old: frozenset[tuple[str, ...]]) -> bool:
    """Reports whether two passages share so many trigrams that one is a version of the other."""
    common = len(new & old)
    in_either = len(new) + len(old) - common
    return common > 0 and common >= VERSION_OVERLAP * in_either


def trigrams(text: str) -> frozenset[tuple[str, ...]]:
    """Returns every three words that follow each other, casefolded."""
    words = re.findall(r"\w+", text.casefold())
    return frozenset(zip(words, words[1:], words[2:], strict=False))

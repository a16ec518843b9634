"""Pool and formula -> what candidates say of each other: neighbours in time of short notes, newer versions of passages.

A message or a jotted line often names its subject in the one before, so a short note is lifted towards the best short
one of the same hour. A passage that words what an older note of the same title says is lifted to that one's score, and
of equal scores the newer comes first: current beats outdated. The last or first note of a series that is asked for is
lifted to the best of the series. Nothing is lowered.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from shared.model.index import IndexedChunk
from shared.model.retrieval import Analysis, Candidate, RetrievalMode, Scored
from shared.retrieval.candidates import Pool
from shared.retrieval.scores import Formula, Lift, best_first_key, shortness
from shared.times.series import asked_of_series

_WORD = re.compile(r"\w+")
Trigram = tuple[str, ...]
"""Three words that follow each other."""

NEIGHBOUR_LIFT = 0.5
"""Share of the way towards a better short note that a short note is lifted."""
SAME_TIME = timedelta(hours=1)
IMPORT = timedelta(days=1)
"""Time on either side in which an import of many notes may have run: hours, and not as a conversation does in bursts."""
MAX_SHARE = 1 / 3
"""Greatest share of all candidates that may be of one time. If more are, they have the time of an import."""
VERSION_OVERLAP = 0.3
"""Jaccard similarity of word trigrams from which two passages under one title are versions of each other. Notes of a
series ("Weekly review") share less."""
MAX_OUTDATED = 12
"""Best passages for which a newer version is looked for: no more are shown."""


def lifts(
    pool: Pool,
    formula: Formula,
    analysis: Analysis,
    now: datetime,
) -> Mapping[str, Lift]:
    """Finds the candidates that others lift: chunk id -> lift.

    Depends on no vector that is read later, so that `rank` stays exact.

    now: in the time zone of the person who asks.
    """
    if formula.mode in (RetrievalMode.RRF, RetrievalMode.RECENT):
        return {}

    def created_at(candidate: Candidate) -> datetime:
        return candidate.chunk.created_at

    oldest_first = sorted(pool.candidates, key=created_at)
    scored = [formula.score(candidate, candidate.cosine) for candidate in oldest_first]
    by_neighbours = _lifts_by_neighbours(scored)
    by_older_versions = _lifts_of_newer_versions(scored)
    lifts_so_far = by_neighbours | by_older_versions
    lifted = replace(formula, lifts=lifts_so_far)
    return lifts_so_far | _lift_in_series(oldest_first, lifted, analysis, now)


def _lifts_by_neighbours(oldest_first: Sequence[Scored]) -> dict[str, Lift]:
    """Lifts short notes towards the best short note of the same hour."""
    times = [passage.chunk.created_at for passage in oldest_first]
    largest_burst = MAX_SHARE * len(oldest_first)
    lifts_of_short: dict[str, Lift] = {}
    for passage in oldest_first:
        chunk = passage.chunk
        share = NEIGHBOUR_LIFT * shortness(chunk)
        if not share:
            continue
        written_around = _within(times, chunk.created_at, IMPORT)
        is_import = len(written_around) > largest_burst
        if is_import:
            continue

        neighbours = []
        for index in _within(times, chunk.created_at, SAME_TIME):
            other = oldest_first[index]
            if other.chunk.note_id != chunk.note_id and shortness(other.chunk):
                neighbours.append(other)
        if neighbours:
            best = min(neighbours, key=best_first_key)
            lifts_of_short[chunk.chunk_id] = Lift(best.scores, share)
    return lifts_of_short


def _within(times: Sequence[datetime], moment: datetime, distance: timedelta) -> range:
    """Returns the indices of the times, oldest first, that lie at most so far from a moment."""
    earliest = moment - distance
    latest = moment + distance
    first = bisect_left(times, earliest)
    after_last = bisect_right(times, latest)
    return range(first, after_last)


def _lifts_of_newer_versions(scored: Sequence[Scored]) -> dict[str, Lift]:
    """Lifts passages that reword what an older one of the best says, to that one's parts."""
    lifts_of_newer: dict[str, Lift] = {}
    trigrams_of: dict[str, frozenset[Trigram]] = {}

    def cached_trigrams(chunk: IndexedChunk) -> frozenset[Trigram]:
        if chunk.chunk_id not in trigrams_of:
            trigrams_of[chunk.chunk_id] = trigrams(chunk.text)
        return trigrams_of[chunk.chunk_id]

    best_passages = sorted(scored, key=best_first_key)[:MAX_OUTDATED]
    for outdated in best_passages:
        old = outdated.chunk
        if not old.title:
            continue
        for passage in scored:
            new = passage.chunk
            if new.title != old.title or new.created_at <= old.created_at:
                continue
            if new.chunk_id in lifts_of_newer:
                continue  # a better passage lifts it already
            if _are_versions(cached_trigrams(new), cached_trigrams(old)):
                lifts_of_newer[new.chunk_id] = Lift(outdated.scores, 1.0)
    return lifts_of_newer


def _lift_in_series(
    candidates: Sequence[Candidate],
    formula: Formula,
    analysis: Analysis,
    now: datetime,
) -> dict[str, Lift]:
    """Raises the best passage of the note of a series that is asked for to the best passage of the series.

    formula: already has the lifts of other kinds; all of them are kept.
    """
    series = asked_of_series(analysis, [candidate.chunk for candidate in candidates], now)
    if series is None:
        return {}

    asked_note, note_ids = series
    of_series: list[Scored] = []
    for candidate in candidates:
        if candidate.chunk.note_id in note_ids:
            of_series.append(formula.score(candidate, candidate.cosine))
    of_asked = [passage for passage in of_series if passage.chunk.note_id == asked_note]
    best = min(of_series, key=best_first_key)
    best_of_asked = min(of_asked, key=best_first_key)
    if best_of_asked is best:
        return {}
    # Of equal scores the newer note would come first, and the first of a series is the oldest.
    parts = replace(best.scores, recency=1.0)
    return {best_of_asked.chunk.chunk_id: Lift(parts, 1.0)}


def _are_versions(new: frozenset[Trigram], old: frozenset[Trigram]) -> bool:
    """Reports whether two passages share so many trigrams that one is a version of the other."""
    common = len(new & old)
    if common == 0:
        return False
    in_either = len(new) + len(old) - common
    return common >= VERSION_OVERLAP * in_either


def trigrams(text: str) -> frozenset[Trigram]:
    """Returns every three words that follow each other, casefolded."""
    words = _WORD.findall(text.casefold())
    second_words = words[1:]
    third_words = words[2:]
    return frozenset(zip(words, second_words, third_words, strict=False))

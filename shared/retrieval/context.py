"""Pool and formula -> what candidates say of each other: neighbours in time of short notes, newer versions of passages.

A message or a jotted line often names its subject in the one before, so a short note is lifted towards the best short
one of the same hour. A passage that words what an older note of the same title says is lifted to that one's score, and
of equal scores the newer comes first: current beats outdated. Nothing is lowered.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from datetime import timedelta

from shared.model.retrieval import RetrievalMode, Scored, Scores
from shared.retrieval.candidates import Pool
from shared.retrieval.scores import Formula, best_first_key, shortness

LIFT = 0.5
"""How far a short note is lifted towards a better one."""
SAME_TIME = timedelta(hours=1)
MAX_SHARE = 1 / 3
"""Candidates of that time, at most, of all: where there are more, the time is that of an import."""
VERSION_OVERLAP = 0.3
"""Jaccard similarity of word trigrams from which two passages under one title are versions of each other. Notes of a
series ("Weekly review") share less."""
MAX_OUTDATED = 12
"""Best passages for which a newer version is looked for: no more are shown."""


def contexts(pool: Pool, formula: Formula) -> Mapping[str, tuple[Scores, float]]:
    """`Formula.context`. Depends on no vector that is read later, so that `contenders` stays exact."""
    if formula.mode in (RetrievalMode.RRF, RetrievalMode.RECENT):
        return {}
    ordered = sorted(pool.candidates, key=lambda each: each.chunk.created_at)
    scored = [formula.score(each, each.cosine) for each in ordered]
    return _neighbours(scored) | _versions(scored)


def _neighbours(scored: Sequence[Scored]) -> dict[str, tuple[Scores, float]]:
    """Of the short notes, by time. `scored`: oldest first."""
    times, found = [each.chunk.created_at for each in scored], {}
    for own in scored:
        first = bisect_left(times, own.chunk.created_at - SAME_TIME)
        after = bisect_right(times, own.chunk.created_at + SAME_TIME)
        if not shortness(own.chunk) or after - first > MAX_SHARE * len(scored):
            continue
        others = [each for each in scored[first:after] if each.chunk.note_id != own.chunk.note_id]
        short = [each for each in others if shortness(each.chunk)]
        if short:
            best = min(short, key=best_first_key)
            found[own.chunk.chunk_id] = (best.scores, LIFT * shortness(own.chunk))
    return found


def _versions(scored: Sequence[Scored]) -> dict[str, tuple[Scores, float]]:
    """Of the passages that word anew what an older one of the best says: that one's parts."""
    found: dict[str, tuple[Scores, float]] = {}
    words: dict[str, frozenset[tuple[str, ...]]] = {}
    for outdated in sorted(scored, key=best_first_key)[:MAX_OUTDATED]:
        old = outdated.chunk
        namesakes = [each.chunk for each in scored if old.title and each.chunk.title == old.title]
        for chunk in (each for each in namesakes if old.created_at < each.created_at):
            for each in (chunk, old):
                if each.chunk_id not in words:
                    words[each.chunk_id] = trigrams(each.text)
            own, others = words[chunk.chunk_id], words[old.chunk_id]
            common = len(own & others)
            if common and common >= VERSION_OVERLAP * (len(own) + len(others) - common):
                found.setdefault(chunk.chunk_id, (outdated.scores, 1.0))
    return found


def trigrams(text: str) -> frozenset[tuple[str, ...]]:
    """Every three words that follow each other, casefolded."""
    words = re.findall(r"\w+", text.casefold())
    return frozenset(zip(words, words[1:], words[2:], strict=False))

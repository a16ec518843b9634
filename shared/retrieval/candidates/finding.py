"""The time a question names -> its candidates: from that time, from around it, or from any time."""

from __future__ import annotations

from dataclasses import dataclass

from shared.model.questions import TimeRange
from shared.model.retrieval import Analysis, Restriction
from shared.retrieval.candidates.legs import Matches, Search, match
from shared.retrieval.candidates.places import gather_from_places
from shared.retrieval.candidates.pool import Pool
from shared.retrieval.candidates.vector_leg import Embed
from shared.retrieval.candidates.widening import widen
from shared.retrieval.restriction import within


@dataclass(frozen=True, slots=True)
class Found:
    """The pool and the restriction it obeys. `widened` as in `Retrieved`."""

    pool: Pool
    restriction: Restriction
    widened: str | None = None


def find(search: Search, allowed: Restriction, analysis: Analysis, embed: Embed) -> Found:
    """What lies in the time the question asks about; what lies around it if nothing does. Filters are never widened."""
    hint = analysis.time
    if hint is None or not hint.restricts:
        return Found(gather_from_places(search, allowed, embed), allowed)
    restriction = within(allowed, hint.range)
    matches = match(search, restriction)
    if matches.stats.chunk_count and not matches.chunks and not _holds(search, restriction):
        return _around(search, allowed, hint.range, matches, embed)
    return Found(gather_from_places(search, restriction, embed, matches), restriction)


def _holds(search: Search, restriction: Restriction) -> bool:
    return bool(search.newest(restriction, 1))


def _around(search: Search, allowed: Restriction, named: TimeRange, known: Matches, embed: Embed) -> Found:
    wider = widen(named, lambda around: _holds(search, within(allowed, around)))
    if wider is None:
        return Found(gather_from_places(search, within(allowed, named), embed), allowed)
    restriction = within(allowed, wider.range)
    matches = match(search, restriction, known)
    return Found(gather_from_places(search, restriction, embed, matches), restriction, wider.step)

"""A restriction as filters of vector searches, which take equality alone.

Each field that is filtered by costs every chunk a copy of its vector in one more index, and an array one for each of
its values. So the folders that a restriction allows are named one by one (`place in`), where a token for each folder
above a chunk would be four copies more; and of more folders than a filter holds several searches share the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from shared.adapters.firestore.documents import day, month, place_key
from shared.adapters.firestore.requests.queries import Is, Where
from shared.adapters.firestore.searching.restriction import MAX_VALUES, any_of
from shared.model.notes import Folder
from shared.model.questions import TimeRange
from shared.model.retrieval import Restriction
from shared.model.scopes import scopes_of, tags_of

MOST_SEARCHES = 8
"""For one restriction. What they cannot say is checked on what comes back."""


@dataclass(frozen=True, slots=True)
class VectorFilters:
    """Of searches that look in different chunks each and together in all that the restriction allows."""

    searches: tuple[tuple[Where, ...], ...]
    """None: there is nothing to find."""
    exact: bool
    """They allow nothing else."""


def for_vectors(restriction: Restriction, places: Sequence[Folder]) -> VectorFilters:
    """`places`: the folders that the tenant's notes lie in, if the restriction names any vault or folder."""
    created = restriction.created
    tag_groups = [tags for group in restriction.scopes if (tags := tags_of(group))]
    place_groups = [group for group in restriction.scopes if not tags_of(group)]
    allowed = [place for place in places if all(group.intersection(_scopes(place)) for group in place_groups)]
    if place_groups and not allowed:
        return VectorFilters((), exact=True)
    fitting = [tags for tags in tag_groups if len(tags) <= MAX_VALUES]
    narrow = min(fitting, key=lambda tags: (len(tags), tags), default=[])
    everywhere = not place_groups or len(allowed) == len(places)
    if narrow and (everywhere or len(narrow) <= len(allowed)):
        exact = everywhere and len(tag_groups) == 1 and created is None
        return VectorFilters(((any_of("tags", narrow),),), exact)
    searches = () if everywhere else _by_place(allowed, _months(created))
    if searches:
        return VectorFilters(searches, exact=not tag_groups and created is None)
    return VectorFilters((_by_time(created),), exact=everywhere and not tag_groups and created is None)


def _by_place(allowed: Sequence[Folder], months: Sequence[str]) -> tuple[tuple[Where, ...], ...]:
    """By place and month as far as MOST_SEARCHES can say it, else by place; none if they cannot say that either."""
    keys = sorted(map(place_key, allowed))
    for within in dict.fromkeys((tuple(months), ())):
        step = MAX_VALUES // max(1, len(within))
        if len(keys) <= MOST_SEARCHES * step:
            time = [Where("month", Is.IN, list(within))] if within else []
            parts = (keys[start : start + step] for start in range(0, len(keys), step))
            return tuple((Where("place", Is.IN, part), *time) for part in parts)
    return ()


def _by_time(created: TimeRange | None) -> tuple[Where, ...]:
    """The days of a short range, or the months of a longer one, as far as a filter can hold them."""
    for field, values in (("day", _days(created)), ("month", _months(created))):
        if values:
            return (Where(field, Is.IN, values),)
    return ()


def _scopes(place: Folder) -> tuple[str, ...]:
    """The tokens of a note without tags that lies there."""
    return scopes_of(place.vault, f"{place.folder}/" if place.folder else "", ())


def _days(created: TimeRange | None) -> list[str]:
    """Every day the range touches; none for an open range, or one of more days than a filter can hold."""
    if created is None or created.start is None or created.end is None:
        return []
    first, last = (when.astimezone(UTC) for when in (created.start, created.end - timedelta(microseconds=1)))
    days = (last.date() - first.date()).days + 1
    return [day(first + timedelta(days=number)) for number in range(days)] if days <= MAX_VALUES else []


def _months(created: TimeRange | None) -> list[str]:
    """Every month the range touches; none for an open range, or one that touches more than a filter can hold."""
    if created is None or created.start is None or created.end is None:
        return []
    months: list[str] = []
    when = created.start.astimezone(UTC)
    while when < created.end and len(months) <= MAX_VALUES:
        months.append(month(when))
        when = _next_month(when)
    return months if len(months) <= MAX_VALUES else []


def _next_month(when: datetime) -> datetime:
    first = when.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (first + timedelta(days=32)).replace(day=1)

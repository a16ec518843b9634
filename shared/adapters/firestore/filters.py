"""A restriction as Firestore's filters, as far as they can hold it; the rest is checked on what comes back.

A disjunction may have 30 values (`in` times `array_contains_any`), and only one array filter goes with it. Vector
searches take equality alone, and each field that they are filtered by costs every chunk a copy of its vector in one
more index, an array one for each of its values. So the folders that a restriction allows are named one by one (`place
in`), where a token for each folder above a chunk would be four copies more; and of more folders than a filter holds
several searches share the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, timedelta

from shared.adapters.firestore.documents import MAX_MOMENT, day, folder_key, posting, posting_path
from shared.adapters.firestore.protocol import Where, microseconds
from shared.model.index import scopes_of, tags_of
from shared.model.notes import Folder
from shared.model.questions import TimeRange
from shared.model.retrieval import Restriction

MAX_VALUES = 30
MAX_SEARCHES = 8
"""Searches for one restriction. What they cannot say is checked on what comes back."""
_EVER = TimeRange(None, None)


@dataclass(frozen=True, slots=True)
class VectorFilters:
    """Filters of searches: each looks in other chunks, together they look in all that the restriction allows."""

    searches: tuple[tuple[Where, ...], ...]
    """None: there is nothing to find."""
    exact: bool
    """They allow nothing else."""


def for_vectors(restriction: Restriction, places: Sequence[Folder]) -> VectorFilters:
    """`places`: the folders that the tenant's notes lie in, if the restriction names any vault or folder."""
    created = restriction.created
    tag_groups = [tags for group in restriction.scopes if (tags := tags_of(group))]
    place_groups = [group for group in restriction.scopes if not tags_of(group)]
    scopes = {
        place: scopes_of(place.vault, f"{place.folder}/" if place.folder else "", ())
        for place in places
    }
    allowed = [
        place
        for place in places
        if all(group.intersection(scopes[place]) for group in place_groups)
    ]
    if place_groups and not allowed:
        return VectorFilters((), exact=True)
    fitting = [tags for tags in tag_groups if len(tags) <= MAX_VALUES]
    narrow = min(fitting, key=lambda tags: (len(tags), tags), default=[])
    everywhere = not place_groups or len(allowed) == len(places)
    if narrow and (everywhere or len(narrow) <= len(allowed)):
        exact = everywhere and len(tag_groups) == 1 and created is None
        return VectorFilters(((any_of("tags", narrow),),), exact)
    days, months = _days_and_months(created)
    searches = () if everywhere else _by_place(allowed, months)
    if searches:
        return VectorFilters(searches, exact=not tag_groups and created is None)
    times = [
        Where(field, "in", values) for field, values in (("day", days), ("month", months)) if values
    ]
    return VectorFilters(
        (tuple(times[:1]),), exact=everywhere and not tag_groups and created is None
    )


def _by_place(allowed: Sequence[Folder], months: Sequence[str]) -> tuple[tuple[Where, ...], ...]:
    """By place and month as far as MAX_SEARCHES can say it, else by place; none if they cannot say that either."""
    keys = sorted(map(folder_key, allowed))
    for within in dict.fromkeys((tuple(months), ())):
        step = MAX_VALUES // max(1, len(within))
        if len(keys) <= MAX_SEARCHES * step:
            time = [Where("month", "in", list(within))] if within else []
            parts = (keys[start : start + step] for start in range(0, len(keys), step))
            return tuple((Where("place", "in", part), *time) for part in parts)
    return ()


def _days_and_months(created: TimeRange | None) -> tuple[list[str], list[str]]:
    """Every day and every month the range touches; none for an open range, or where a filter cannot hold so many."""
    if created is None or created.start is None or created.end is None:
        return [], []
    first, last = (
        when.astimezone(UTC) for when in (created.start, created.end - timedelta(microseconds=1))
    )
    count = (last.date() - first.date()).days + 1
    if count > 31 * MAX_VALUES:
        return [], []
    days = [day(first + timedelta(days=number)) for number in range(count)]
    months = list(dict.fromkeys(each[:7] for each in days))
    return days if count <= MAX_VALUES else [], months if len(months) <= MAX_VALUES else []


def impossible(restriction: Restriction) -> bool:
    """Nothing can satisfy it: an empty group of scopes, or a range that ends where it starts."""
    created = restriction.created or _EVER
    backwards = (
        created.start is not None and created.end is not None and created.start >= created.end
    )
    return backwards or not all(restriction.scopes)


def by_time_and_scope(restriction: Restriction) -> tuple[tuple[Where, ...], bool]:
    """For queries ordered by `createdAt`; and whether they allow nothing else."""
    created = restriction.created or _EVER
    groups = [sorted(group) for group in restriction.scopes if len(group) <= MAX_VALUES]
    # The smallest is most likely the most selective one.
    smallest = sorted(groups, key=lambda group: (len(group), group))[:1]
    where = (
        *_between("createdAt", created.start, created.end),
        *(any_of("scopes", group) for group in smallest),
    )
    return where, len(restriction.scopes) == len(smallest)


def by_posting(restriction: Restriction, stem: str) -> tuple[Where, ...]:
    """For queries ordered by the stem's postings, which no other filter can go with."""
    start, end = (restriction.created or _EVER).start, (restriction.created or _EVER).end
    # An open end finds what lies beyond the last moment that postings can tell; it is checked on what comes back.
    ends = end is not None and microseconds(end) < MAX_MOMENT
    return _between(
        posting_path(stem),
        None if start is None else posting(start, 0),
        posting(end, 0) if end is not None and ends else None,
    )


def _between(field: str, start: object, end: object) -> tuple[Where, ...]:
    """Not less than `start`, less than `end`; None: open."""
    limits = ((">=", start), ("<", end))
    return tuple(
        Where(field, comparison, value) for comparison, value in limits if value is not None
    )


def any_of(field: str, values: list[str]) -> Where:
    """The filter of an array field that holds one of the values."""
    if len(values) == 1:
        return Where(field, "array_contains", values[0])
    return Where(field, "array_contains_any", values)

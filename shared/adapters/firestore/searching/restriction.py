"""A restriction as far as Firestore's filters can hold it; the rest is checked on what comes back.

A disjunction may have 30 values (`in` times `array_contains_any`), and only one array filter goes with it.
"""

from __future__ import annotations

from shared.adapters.firestore.documents import LAST_MOMENT, posting, posting_path
from shared.adapters.firestore.requests.protocol import microseconds
from shared.adapters.firestore.requests.queries import Is, Where
from shared.model.questions import TimeRange
from shared.model.retrieval import Restriction

MAX_VALUES = 30


def impossible(restriction: Restriction) -> bool:
    """Nothing can satisfy it: an empty group of scopes, or a range that ends where it starts."""
    created = restriction.created or TimeRange(None, None)
    backwards = created.start is not None and created.end is not None and created.start >= created.end
    return backwards or not all(restriction.scopes)


def by_time_and_scope(restriction: Restriction) -> tuple[Where, ...]:
    """For queries ordered by `createdAt`."""
    created = restriction.created or TimeRange(None, None)
    scope = _scope(restriction)
    return (
        *([] if created.start is None else [Where("createdAt", Is.AT_LEAST, created.start)]),
        *([] if created.end is None else [Where("createdAt", Is.LESS, created.end)]),
        *([] if scope is None else [scope]),
    )


def by_posting(restriction: Restriction, stem: str) -> tuple[Where, ...]:
    """For queries ordered by the stem's postings, which no other filter can go with."""
    created = restriction.created or TimeRange(None, None)
    field = posting_path(stem)
    # An open end finds what lies beyond the last moment that postings can tell; it is checked on what comes back.
    ends = created.end is not None and microseconds(created.end) < LAST_MOMENT
    return (
        *([] if created.start is None else [Where(field, Is.AT_LEAST, posting(created.start, 0))]),
        *([Where(field, Is.LESS, posting(created.end, 0))] if created.end is not None and ends else []),
    )


def is_one_scope(restriction: Restriction) -> bool:
    """Whether a filter can hold all of its scopes."""
    return not restriction.scopes or (len(restriction.scopes) == 1 and len(restriction.scopes[0]) <= MAX_VALUES)


def _scope(restriction: Restriction) -> Where | None:
    """The smallest group of scopes, most likely the most selective one, if a filter can hold it."""
    groups = [sorted(group) for group in restriction.scopes if len(group) <= MAX_VALUES]
    if not groups:
        return None
    return any_of("scopes", min(groups, key=lambda group: (len(group), group)))


def any_of(field: str, values: list[str]) -> Where:
    """Of an array field."""
    if len(values) == 1:
        return Where(field, Is.CONTAINS, values[0])
    return Where(field, Is.CONTAINS_ANY, values)

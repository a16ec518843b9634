"""A restriction as far as Firestore's filters can hold it; the rest is checked on what comes back.

A disjunction may have 30 values (`in` times `array_contains_any`), and only one array filter goes with it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from shared.adapters.firestore.documents import LAST_MOMENT, day_token, month, posting, posting_path
from shared.adapters.firestore.protocol import microseconds
from shared.adapters.firestore.queries import Is, Where
from shared.domain import Restriction, TimeRange

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


def for_vectors(restriction: Restriction) -> tuple[Where, ...]:
    """For vector searches, which take equality filters only: the days of a short range, or the months it touches and
    a scope, as far as a filter can hold them.
    """
    scope = _scope(restriction)
    if scope is None and (days := _days(restriction.created)):
        return (_any_of(days),)
    values = 1 if scope is None or scope.comparison is Is.CONTAINS else len(scope.value)  # type: ignore[arg-type]
    where = [] if scope is None else [scope]
    months = [] if restriction.created is None else _months(restriction.created)
    if 0 < len(months) * values <= MAX_VALUES:
        where.append(Where("month", Is.IN, months))
    return tuple(where)


def is_one_scope(restriction: Restriction) -> bool:
    """Whether a filter can hold all of its scopes."""
    return not restriction.scopes or (len(restriction.scopes) == 1 and len(restriction.scopes[0]) <= MAX_VALUES)


def _scope(restriction: Restriction) -> Where | None:
    """The smallest group of scopes, most likely the most selective one, if a filter can hold it."""
    groups = [sorted(group) for group in restriction.scopes if len(group) <= MAX_VALUES]
    if not groups:
        return None
    return _any_of(min(groups, key=lambda group: (len(group), group)))


def _any_of(tokens: list[str]) -> Where:
    if len(tokens) == 1:
        return Where("scopes", Is.CONTAINS, tokens[0])
    return Where("scopes", Is.CONTAINS_ANY, tokens)


def _days(created: TimeRange | None) -> list[str]:
    """The tokens of every day the range touches; none for an open range, or one of more days than a filter can hold."""
    if created is None or created.start is None or created.end is None:
        return []
    first, last = (when.astimezone(UTC) for when in (created.start, created.end - timedelta(microseconds=1)))
    days = (last.date() - first.date()).days + 1
    return [day_token(first + timedelta(days=number)) for number in range(days)] if days <= MAX_VALUES else []


def _months(created: TimeRange) -> list[str]:
    """Every month the range touches; none for an open range, or one that touches more than a filter can hold."""
    if created.start is None or created.end is None:
        return []
    months: list[str] = []
    when = created.start.astimezone(UTC)
    while when < created.end and len(months) <= MAX_VALUES:
        months.append(month(when))
        when = _next_month(when)
    return months


def _next_month(when: datetime) -> datetime:
    first = when.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (first + timedelta(days=32)).replace(day=1)

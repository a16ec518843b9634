"""Times and zones as callers write them -> values. Every front door reads them by the same rules."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

FIRST_YEAR = 1900
LAST_YEAR = 2199
"""Far enough for any note, and no arithmetic on it leaves the calendar."""

INSTANT = "an RFC 3339 time with its offset, like 2026-11-21T10:30:00Z, from 1900 to 2199"
DAY_OR_INSTANT = "a date like 2026-11-21, or an RFC 3339 time like 2026-11-21T10:30:00Z, from 1900 to 2199"
ZONE = "an IANA time zone, like Europe/Berlin"

_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_OF_THIS_MACHINE = re.compile(r"localtime|posixrules|(?:posix|right)/.*")
"""Files beside the database's own zones."""
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}", re.ASCII)


def parse_instant(text: str) -> datetime:
    """RFC 3339 -> an aware datetime. Raises ValueError saying what was expected."""
    when = _parsed(text) if _INSTANT.fullmatch(text) else None
    if when is None or not is_within_years(when):
        raise ValueError(INSTANT)
    return when


def parse_day_or_instant(text: str, zone: str) -> datetime:
    """The same, or a bare date: the start of that day in `zone`, a valid IANA name."""
    if not _DAY.fullmatch(text):
        try:
            return parse_instant(text)
        except ValueError:
            raise ValueError(DAY_OR_INSTANT) from None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise ValueError(DAY_OR_INSTANT) from None
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise ValueError(DAY_OR_INSTANT)
    return datetime.combine(day, time(), tzinfo=ZoneInfo(zone))


def parse_zone(text: str) -> str:
    """The name itself. Raises ValueError for one that is not in the time zone database."""
    if not _ZONE.fullmatch(text) or _OF_THIS_MACHINE.fullmatch(text):
        raise ValueError(ZONE)
    try:
        return ZoneInfo(text).key
    except (KeyError, ValueError, OSError):  # unknown; not a zone file; a folder of the database
        raise ValueError(ZONE) from None


def is_within_years(when: datetime) -> bool:
    """Whether it lies between the first and the last year, also in UTC: so it is stored and told to clients."""
    return FIRST_YEAR <= when.year <= LAST_YEAR and FIRST_YEAR <= when.astimezone(UTC).year <= LAST_YEAR


def _parsed(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError:
        return None

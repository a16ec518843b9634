"""What all questions have in common: filters, time zone, now, strategy -> a Question."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from functions.http.bodies import Body, DayOrInstant, Folders, Instant, Names, TenantId, Zone, checked
from functions.http.calls import Call
from shared.errors import InvalidArgument
from shared.model.limits import LONGEST_FOLDER, LONGEST_NAME
from shared.model.questions import Filters, Question, Strategy
from shared.times.instants import DAY_OR_INSTANT, INSTANT, ZONE, parse_day_or_instant, parse_instant, parse_zone

MOST_NAMES = 30
"""Names in one filter: what one Firestore query takes."""

NAMES = f"a list of at most {MOST_NAMES} names, each 1-{LONGEST_NAME} characters without control characters"
FOLDERS = f"a list of at most {MOST_NAMES} folders, each 1-{LONGEST_FOLDER} characters without control characters"


class FiltersBody(Body):
    """`filters`: what the search is restricted to."""

    vaults: Annotated[Names, Field(max_length=MOST_NAMES)] = Field(default=(), description=NAMES)
    folders: Annotated[Folders, Field(max_length=MOST_NAMES)] = Field(default=(), description=FOLDERS)
    tags: Annotated[Names, Field(max_length=MOST_NAMES)] = Field(default=(), description=NAMES)
    created_after: DayOrInstant | None = Field(default=None, description=DAY_OR_INSTANT)
    created_before: DayOrInstant | None = Field(default=None, description=DAY_OR_INSTANT)
    window_days: int | None = Field(default=None, ge=1, le=36_500, description="a whole number of days from 1 to 36500")


class AskingBody(Body):
    """The fields that every question may have."""

    tenant_id: TenantId | None = Field(default=None, description="a tenant this caller may use")
    time_zone: Zone = Field(default="UTC", description=ZONE)
    now: Instant | None = Field(default=None, description=INSTANT)
    filters: FiltersBody = Field(default=FiltersBody(), description="an object of filters")
    strategy: Literal["weighted", "rrf"] = Field(default="weighted", description="weighted or rrf")


def question_of(call: Call, text: str, field: str, body: AskingBody) -> Question:
    """The question in `field`, asked by the caller. Raises InvalidArgument, PermissionDenied."""
    call.check_tenant(body.tenant_id)
    longest = call.app.settings.chat_max_query_length
    if not text.strip() or len(text) > longest:
        raise InvalidArgument(field, f"text of at most {longest} characters, not blank")
    zone = checked("timeZone", parse_zone, body.time_zone)
    return Question(
        call.tenant_id,
        text.strip(),
        call.app.clock() if body.now is None else checked("now", parse_instant, body.now),
        zone=zone,
        filters=_filters(body.filters, zone),
        strategy=Strategy(body.strategy),
    )


def _filters(body: FiltersBody, zone: str) -> Filters:
    return Filters(
        vaults=body.vaults,
        folders=body.folders,
        tags=body.tags,
        created_after=_bound("filters.createdAfter", body.created_after, zone),
        created_before=_bound("filters.createdBefore", body.created_before, zone),
        window_days=body.window_days,
    )


def _bound(field: str, text: str | None, zone: str) -> datetime | None:
    return None if text is None else checked(field, parse_day_or_instant, text, zone)

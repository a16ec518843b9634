"""Fields of bodies that ask: the places and times of a question, and the Question they make."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from pydantic.alias_generators import to_camel

from functions.http.bodies import (
    Body,
    DayOrInstant,
    Folders,
    Instant,
    Names,
    TenantBody,
    Zone,
    checked,
)
from functions.http.calls import Call
from shared.errors import InvalidArgument
from shared.model.limits import MAX_DAYS, MAX_FOLDER, MAX_NAME
from shared.model.questions import Filters, Question, Strategy
from shared.times.dates import (
    DAY_OR_INSTANT,
    INSTANT,
    ZONE,
    parse_day_or_instant,
    parse_instant,
    parse_zone,
)

MAX_NAMES = 30
"""Names in one filter: what one Firestore query takes."""

NAMES = (
    f"a list of at most {MAX_NAMES} names, each 1-{MAX_NAME} characters without control characters"
)
WINDOW = f"a whole number of days from 1 to {MAX_DAYS}"
FOLDERS = f"a list of at most {MAX_NAMES} folders, each 1-{MAX_FOLDER} characters without control characters"


class FiltersBody(Body):
    """`filters`: what the search is restricted to."""

    vaults: Annotated[Names, Field(max_length=MAX_NAMES)] = Field(default=(), description=NAMES)
    folders: Annotated[Folders, Field(max_length=MAX_NAMES)] = Field(
        default=(),
        description=FOLDERS,
    )
    tags: Annotated[Names, Field(max_length=MAX_NAMES)] = Field(default=(), description=NAMES)
    created_after: DayOrInstant | None = Field(default=None, description=DAY_OR_INSTANT)
    created_before: DayOrInstant | None = Field(default=None, description=DAY_OR_INSTANT)
    window_days: int | None = Field(default=None, ge=1, le=MAX_DAYS, description=WINDOW)
    without_notes: Annotated[Names, Field(max_length=MAX_NAMES)] = Field(
        default=(),
        description=NAMES,
    )


class AskingBody(TenantBody):
    """The fields that every question may have."""

    time_zone: Zone = Field(default="UTC", description=ZONE)
    now: Instant | None = Field(default=None, description=INSTANT)
    filters: FiltersBody = Field(default=FiltersBody(), description="an object of filters")
    strategy: Literal["weighted", "rrf"] = Field(default="weighted", description="weighted or rrf")


def question_of(call: Call, text: str, field: str, body: AskingBody) -> Question:
    """Returns the caller's question, whose text is in `field`. Raises InvalidArgument."""
    longest = call.app.settings.chat_max_query_length
    stripped = text.strip()
    if not stripped or len(text) > longest:
        raise InvalidArgument(field, f"text of at most {longest} characters, not blank")

    zone = checked("timeZone", parse_zone, body.time_zone)
    filters = dict(body.filters)
    for name in ("created_after", "created_before"):
        bound = filters[name]
        if bound is not None:
            filter_field = f"filters.{to_camel(name)}"
            filters[name] = checked(filter_field, parse_day_or_instant, bound, zone)

    if body.now is None:
        now = call.app.clock()
    else:
        now = checked("now", parse_instant, body.now)

    return Question(
        call.tenant_id,
        stripped,
        now,
        zone=zone,
        filters=Filters(**filters),
        strategy=Strategy(body.strategy),
    )

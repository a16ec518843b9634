"""Types of the account: person, feedback, usage, answered requests, receipts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Person:
    """A person in a tenant. Sessions, messages, feedback and kept answers are theirs, notes and index the tenant's."""

    tenant_id: str
    uid: str

    @property
    def is_tenant(self) -> bool:
        """Reports whether the tenant is this person's alone: it is named after the uid."""
        return self.uid == self.tenant_id

    @property
    def space(self) -> str:
        """Returns the path between `tenants/` and the person's collections. Ids hold no slash, so spaces never collide."""
        if self.is_tenant:
            return self.tenant_id
        return f"{self.tenant_id}/people/{self.uid}"


class Rating(StrEnum):
    """A reader's rating of an answer."""

    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Feedback:
    """A rating, a remark or a click on a citation. Ids and the caller's own words: nothing of a note."""

    feedback_id: str
    """Made of request, message and citation, so that a second rating of the same thing replaces the first."""
    request_id: str
    created_at: datetime
    message_id: str | None = None
    """Id of a session's message; None if the rated answer belongs to a single question."""
    rating: Rating | None = None
    """The rating; None if none was given, or it was withdrawn."""
    comment: str = ""
    citation: str | None = None
    """Label of the citation (`N1`) that was clicked or rated; None for the whole answer."""


class Spending(StrEnum):
    """Kinds of spending that a day's budget counts."""

    ANSWERS = "answers"
    SEARCHES = "searches"
    EMBEDDED_TOKENS = "embeddedTokens"
    INDEX_WRITES = "indexWrites"
    MICRO_USD = "microUsd"
    """Millionths of a USD; counted for PROJECT alone."""


PROJECT = "/"
"""Stands in place of a tenant's id for what all tenants together have spent; no tenant's id holds a slash."""


@dataclass(frozen=True, slots=True)
class DayUsage:
    """A tenant's spending on one UTC day; kinds without a limit are not counted."""

    day: date
    answers: int = 0
    searches: int = 0
    embedded_tokens: int = 0
    """Estimated, see `shared.language.lengths`."""
    index_writes: int = 0
    """Documents that the index of the notes has written."""


@dataclass(frozen=True, slots=True)
class AnsweredRequest:
    """A stored request, so that a repeat gets the same answer."""

    request_id: str
    """Id that the caller gave the request."""
    fingerprint: str
    """Digest of the request's body: a repeated id with another body is a conflict."""
    expires_at: datetime
    lease_until: datetime | None
    """Time until which one worker may be answering it; None once `answer` is there."""
    answer: str | None = None
    """The reply as JSON."""
    notes: Mapping[str, str] = field(default_factory=dict, metadata={"stored_as": "note_ids"})
    """Note id -> revision that was read, of the notes whose text the answer may contain. If one of them is deleted, so
    is the answer; if one has another revision now, its citations are stale. The revision is empty if it was read before
    revisions were kept.
    """


@dataclass(frozen=True, slots=True)
class Receipt:
    """Result of an erasure: kind (`notes`, `chunks`, …) -> number removed. Kinds with nothing to remove are absent."""

    erased: Mapping[str, int]
    usage_kept_until: datetime | None = None
    """Time until which today's usage is kept, as numbers, so that the limits hold for a person who comes back. None if
    nothing is kept.
    """

"""Who asks, and what else belongs to a person or a tenant: feedback, usage, answered requests, receipts."""

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
        """Whether the tenant is this person's alone: it is named after the uid."""
        return self.uid == self.tenant_id

    @property
    def space(self) -> str:
        """What lies between `tenants/` and the person's collections. Ids hold no slash, so no two spaces are equal."""
        return self.tenant_id if self.is_tenant else f"{self.tenant_id}/people/{self.uid}"


class Rating(StrEnum):
    """What somebody thought of an answer."""

    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Feedback:
    """A rating, a remark or a click on a citation. Ids and the caller's own words: nothing of a note."""

    feedback_id: str
    """Made of request, message and citation: the same thing rated again replaces what was said first."""
    request_id: str
    created_at: datetime
    message_id: str | None = None
    """Id of a session's message; None: the answer to a single question."""
    rating: Rating | None = None
    """None: none given, or taken back."""
    comment: str = ""
    citation: str | None = None
    """Label of the citation (`N1`) that was clicked or is meant; None: the whole answer."""


class Spending(StrEnum):
    """What a day's budget counts."""

    ANSWERS = "answers"
    SEARCHES = "searches"
    EMBEDDED_TOKENS = "embeddedTokens"
    MICRO_USD = "microUsd"
    """Millionths of a USD; counted for PROJECT alone."""


PROJECT = "/"
"""In place of a tenant's id, none of which holds a slash: what all tenants together have spent."""


@dataclass(frozen=True, slots=True)
class DayUsage:
    """What a tenant has spent on one UTC day; only what has a limit is counted."""

    day: date
    answers: int = 0
    searches: int = 0
    embedded_tokens: int = 0
    """Estimated, see `shared.language.lengths`."""


@dataclass(frozen=True, slots=True)
class AnsweredRequest:
    """What is kept of a request by its `requestId`, so that a repeat gets the same answer."""

    fingerprint: str
    """Digest of the request's body: a repeated id with another body is a conflict."""
    expires_at: datetime
    lease_until: datetime | None
    """Until when one worker may be answering it; None: `answer` is there."""
    answer: str | None = None
    """The reply as JSON."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Id -> revision that was read, of the notes whose text may stand in the answer: when one of them is gone, so is
    the answer; one of another revision makes its citations stale. "": read before revisions were kept.
    """


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """A request's record and the store's opaque token of it, for compare-and-set. `record` None: there is none."""

    record: AnsweredRequest | None
    token: str | None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an erasure removed: kind (`notes`, `chunks`, …) -> how many. Kinds of which there was nothing are absent."""

    erased: Mapping[str, int]
    usage_kept_until: datetime | None = None
    """Until when today's usage is kept, as numbers: its limits hold for who comes back. None: nothing is kept."""

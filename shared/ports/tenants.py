"""What else is kept for a tenant or a person, and that it can all go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Protocol

from shared.model.account import AnsweredRequest, DayUsage, Feedback, Person, Spending, StoredRequest
from shared.model.index import Vector
from shared.model.sessions import Message, Session, SettingsPatch, Spot
from shared.model.templates import StoredTemplate
from shared.ports.pages import Page

MAX_TEMPLATES = 500
"""A tenant's templates are read together: what lies beyond, by id, is not looked at."""


class TemplateStore(Protocol):
    """A tenant's reasoning templates. They are few, so they are read all at once and compared by the caller."""

    def templates(self, tenant_id: str) -> tuple[StoredTemplate, ...]:
        """By template id, at most MAX_TEMPLATES."""

    def get_template(self, tenant_id: str, template_id: str) -> StoredTemplate | None:
        """As it is now, None if it does not exist. Raises InvalidArgument naming a field that an app wrote badly."""

    def put_templates(self, tenant_id: str, templates: Sequence[StoredTemplate]) -> None:
        """Create or replace each whole, its vector included."""

    def put_template_vector(self, tenant_id: str, template_id: str, vector: Vector, vector_key: str) -> bool:
        """Replace these two alone; False, and nothing is written, if there is no such template."""

    def delete_template(self, tenant_id: str, template_id: str) -> bool:
        """Whether there was one to delete."""


class SessionStore(Protocol):
    """A person's sessions and their messages. Ids are letters and digits. Listings go from the newest to the oldest,
    equals by descending id, and begin behind `before`.
    """

    def create_session(self, person: Person, session: Session) -> None:
        """Raises Conflict if there is one of this id."""

    def get_session(self, person: Person, session_id: str) -> Session | None: ...

    def patch_session(
        self, person: Person, session_id: str, patch: SettingsPatch, *, updated_at: datetime, title: str | None = None
    ) -> bool:
        """Change what is given and nothing else, also while another caller changes another setting.

        False, and nothing is written, if there is no such session.
        """

    def list_sessions(self, person: Person, *, limit: int, before: Spot | None = None) -> tuple[Session, ...]:
        """By `updated_at`."""

    def delete_session(self, person: Person, session_id: str) -> bool:
        """Whether there was one. It is gone at once and takes no message any more; its messages follow in bounded
        batches. What a deletion leaves that is broken off, the person's next one removes.
        """

    def add_messages(self, person: Person, session_id: str, messages: Sequence[Message], *, first: str) -> bool:
        """Adds them in one commit that counts them, moves `updated_at` to the last one's time and, if the session
        has no `first_question` yet, makes it `first`. At most 20. False, and nothing is written, if there is no such
        session.
        """

    def list_messages(
        self, person: Person, session_id: str, *, limit: int, before: Spot | None = None
    ) -> tuple[Message, ...]:
        """By `created_at`. Of a session that does not exist: none."""


class FeedbackStore(Protocol):
    """What a person thought of answers."""

    def get_feedback(self, person: Person, feedback_id: str) -> Feedback | None: ...

    def put_feedback(self, person: Person, feedback: Feedback) -> None:
        """Create, or replace what has the same id."""

    def list_feedback(self, person: Person, *, limit: int, token: str | None = None) -> Page[Feedback]:
        """By id. Raises InvalidArgument("pageToken") for a token this store did not make."""


class UsageStore(Protocol):
    """Counters of a UTC day that all instances share: a tenant's, and the project's under the id PROJECT."""

    def spend(self, tenant_id: str, day: date, kind: Spending, amount: int, *, limit: int | None = None) -> bool:
        """Add `amount` (negative: given back) to the day's count unless that would take it over `limit`.

        False: it would, and nothing is added. However many spend at once, what was granted never exceeds the limit;
        while refusals are on their way, a store may refuse one that would just have fitted.
        """

    def spent(self, tenant_id: str, day: date, kind: Spending) -> int:
        """The day's count."""

    def list_usage(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[DayUsage]:
        """By day. Raises InvalidArgument("pageToken") for a token this store did not make."""


class RequestStore(Protocol):
    """A person's answers by `requestId`. Records are not listed; a store may drop those that have expired."""

    def read_request(self, person: Person, request_id: str) -> StoredRequest:
        """As it is now, an expired one too if it is still there."""

    def write_request(
        self, person: Person, request_id: str, record: AnsweredRequest | None, *, expected: str | None, now: datetime
    ) -> str | None:
        """Write, or remove with None, if the record still is what `expected` says (None: there must be none).

        The new token, None if removed. `now`: what had expired by then may be dropped.
        Raises Conflict when the record moved, TooLarge for an answer that the store cannot hold.
        """


class ErasureStore(Protocol):
    """The end of a person's or a tenant's data."""

    def erase(self, tenant_id: str, *, keep_usage_of: date | None = None) -> Mapping[str, int]:
        """Remove everything under the tenant, whatever it is; kind -> how many, without zeros. What the tenant has used
        on the day `keep_usage_of` stays, as numbers without content, until `forget_erased`.

        Notes go first, so that an indexer at work meanwhile finds none. Killed half-way, the next call does the rest;
        again on nothing, it does nothing. Raises StoreUnavailable, having removed a part.
        """

    def forget_erased(self, before: date) -> None:
        """Remove what erasures have kept of days before that, at most a hundred tenants' a call."""

    def erase_person(self, person: Person) -> Mapping[str, int]:
        """Remove the person's sessions, messages, feedback and kept answers, as `erase` does. What is the tenant's
        stays. For a person who is not the tenant.
        """

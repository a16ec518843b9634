"""Where a tenant's data lie: one port for each who needs it, and the whole of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Generic, Literal, Protocol, TypeVar

from shared.model.account import AnsweredRequest, DayUsage, Feedback, Spending, StoredRequest
from shared.model.index import Coverage, IndexChange, IndexedChunk, IndexRecord, StoredChunk, StoredRecord, Vector
from shared.model.notes import Folder, Note, NoteKey, UnreadableNote
from shared.model.retrieval import CorpusStats, Neighbour, Restriction
from shared.model.sessions import Message, Session, SettingsPatch, Spot
from shared.model.templates import StoredTemplate

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a listing. `next_token` None: this was the last."""

    items: tuple[T, ...]
    next_token: str | None


class NoteStore(Protocol):
    """The notes themselves."""

    def get_note(self, tenant_id: str, note_id: str) -> Note | None:
        """The note as it is now, None if it does not exist. Raises NoteUnreadable for one that an app wrote badly."""
        ...

    def put_note(self, tenant_id: str, note: Note) -> None:
        """Create or replace."""
        ...

    def swap_note(self, tenant_id: str, note_id: str, *, was: Note | None, now: Note | None) -> None:
        """Put `now` in the place of `was`; None: no note. Raises Conflict, having changed nothing, if the note is not
        `was` any more, however shortly before somebody else has written it.
        """
        ...

    def delete_note(self, tenant_id: str, note_id: str) -> bool:
        """Whether there was one to delete. Its index follows by the trigger."""
        ...

    def list_notes(
        self, tenant_id: str, *, limit: int, token: str | None = None, vault: str | None = None, texts: bool = True
    ) -> Page[Note]:
        """By note id. `texts` False: each `text` is empty, and a page of long notes costs no more than one of short
        ones. Raises InvalidArgument("pageToken") for a token this store did not make.
        """
        ...

    def whole_notes(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[Note | UnreadableNote]:
        """By note id, with their texts; also what an app wrote so that nobody can read it, which `list_notes` leaves
        out. Raises InvalidArgument("pageToken") as it does.
        """
        ...

    def folders(self, tenant_id: str) -> tuple[Folder, ...]:
        """Every (vault, folder) that indexed notes use, with all ancestor folders and the vault's root, sorted."""
        ...


@dataclass(frozen=True, slots=True)
class Origin:
    """The file that a note came from."""

    folder: str
    """Path of the folder on this machine."""
    path: str
    """Of the file, below it."""
    write_back: bool | None
    """Whether the file is written when the note is saved; None: nobody was asked yet."""
    state: Literal["same", "note", "file", "both"]
    """`same`, or who has changed since: `note`, `file`, `both`."""


class NoteFiles(Protocol):
    """Files that notes came from, where the product can reach them."""

    def origin(self, tenant_id: str, note_id: str) -> Origin | None:
        """None: it came from none here."""
        ...

    def decide(self, tenant_id: str, note_id: str, *, write: bool) -> None:
        """Remember for its whole folder whether files are written when their notes are saved. Raises NotFound."""
        ...

    def follow(self, tenant_id: str, note_id: str) -> None:
        """The note was saved or deleted: its file becomes the same, where that was decided and the file has not changed
        too. What cannot be written stays as it is, and `origin` says so.
        """
        ...


class IndexStore(Protocol):
    """The index of the notes, as the indexer sees it."""

    def read_record(self, tenant_id: str, note_id: str) -> StoredRecord: ...

    def stored_chunks(self, tenant_id: str, note_id: str) -> tuple[StoredChunk, ...]:
        """Every chunk stored for the note, by position, whatever revision."""
        ...

    def read_vectors(self, tenant_id: str, chunk_ids: Sequence[str]) -> Mapping[str, Vector]:
        """Of those that exist and have one."""
        ...

    def apply(self, tenant_id: str, change: IndexChange) -> str | None:
        """The record's new token (None if removed). Raises Conflict when the record moved, having changed nothing
        that a reader who compares revisions could see.
        """
        ...

    def coverage(self, tenant_id: str) -> Coverage: ...


class SweepStore(Protocol):
    """Enumerations across all tenants, for reconcile. Cursors are opaque and stay valid while data changes."""

    def note_keys(
        self, *, limit: int, cursor: str | None = None, changed_since: datetime | None = None
    ) -> Page[NoteKey]:
        """Keys of notes; with `changed_since` only those whose `updatedAt` is not older."""
        ...

    def record_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        """Keys of index records, whether or not their note still exists."""
        ...

    def unfinished_keys(self, *, limit: int) -> tuple[NoteKey, ...]:
        """Keys of records whose status is not `indexed`: those that wait for vectors, then failed ones, each oldest
        `indexed_at` first. However many have failed for good, none that waits is left out for them.
        """
        ...

    def orphan_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        """Note ids that have chunks and no index record. Cheap when there are none."""
        ...

    def read_bookmark(self, name: str) -> str | None:
        """A small text kept between reconcile calls."""
        ...

    def write_bookmark(self, name: str, value: str | None) -> None: ...


class SearchStore(Protocol):
    """The index as retrieval sees it. `restriction` is obeyed strictly by every method that takes it; a store that
    cannot search by all of it looks at a bounded number of chunks and may bring fewer than there are.

    Returned chunks carry in `terms` only the counts of the `stems` given. Chunks of a half-written
    revision may come back: callers compare `note_revision` with `live_records`.
    """

    def nearest(
        self,
        tenant_id: str,
        vector: Vector,
        *,
        limit: int,
        stems: Sequence[str],
        restriction: Restriction,
        index_version: str,
    ) -> tuple[Neighbour, ...]:
        """The chunks of this index version with the greatest cosine, best first."""
        ...

    def postings(
        self, tenant_id: str, stem: str, *, limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        """At most `limit` chunks that contain `stem`: all if no more contain it, else the newest by `created_at`.

        A store may look for a restriction's scopes among the `limit` newest of the stem only.
        """
        ...

    def recent(
        self, tenant_id: str, *, limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        """The newest chunks by `created_at`, newest first."""
        ...

    def document_frequencies(self, tenant_id: str, stems: Sequence[str]) -> Mapping[str, int]:
        """In how many of the tenant's chunks each stem stands."""
        ...

    def stats(self, tenant_id: str) -> CorpusStats: ...

    def read_vectors(self, tenant_id: str, chunk_ids: Sequence[str]) -> Mapping[str, Vector]: ...

    def note_chunks(self, tenant_id: str, note_id: str, *, stems: Sequence[str]) -> tuple[IndexedChunk, ...]:
        """Every chunk stored for the note, by position, whatever revision."""
        ...

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:
        """Records of those notes that still exist: what is not in here must not be cited."""
        ...


MOST_TEMPLATES = 500
"""A tenant's templates are read together: what lies beyond, by id, is not looked at."""


class TemplateStore(Protocol):
    """A tenant's reasoning templates. They are few, so they are read all at once and compared by whoever asks."""

    def templates(self, tenant_id: str) -> tuple[StoredTemplate, ...]:
        """By template id, at most MOST_TEMPLATES."""
        ...

    def get_template(self, tenant_id: str, template_id: str) -> StoredTemplate | None:
        """As it is now, None if it does not exist. Raises InvalidArgument naming a field that an app wrote badly."""
        ...

    def put_templates(self, tenant_id: str, templates: Sequence[StoredTemplate]) -> None:
        """Create or replace each whole, its vector included."""
        ...

    def put_template_vector(self, tenant_id: str, template_id: str, vector: Vector, vector_key: str) -> bool:
        """Replace these two alone; False, and nothing is written, if there is no such template."""
        ...

    def delete_template(self, tenant_id: str, template_id: str) -> bool:
        """Whether there was one to delete."""
        ...

    def read_shelf(self, tenant_id: str) -> Mapping[str, str]:
        """Which files were last brought from the template folders: template id -> revision. Empty: none ever."""
        ...

    def write_shelf(self, tenant_id: str, shelf: Mapping[str, str]) -> None: ...


class SessionStore(Protocol):
    """A tenant's sessions and their messages. Ids are letters and digits. Listings go from the newest to the oldest,
    equals by descending id, and begin behind `before`.
    """

    def create_session(self, tenant_id: str, session: Session) -> None:
        """Raises Conflict if there is one of this id."""
        ...

    def get_session(self, tenant_id: str, session_id: str) -> Session | None: ...

    def patch_session(
        self, tenant_id: str, session_id: str, patch: SettingsPatch, *, updated_at: datetime, title: str | None = None
    ) -> bool:
        """Change what is given and nothing else, whoever changes another setting at the same time.

        False, and nothing is written, if there is no such session.
        """
        ...

    def list_sessions(self, tenant_id: str, *, limit: int, before: Spot | None = None) -> tuple[Session, ...]:
        """By `updated_at`."""
        ...

    def delete_session(self, tenant_id: str, session_id: str) -> bool:
        """Whether there was one. It is gone at once and takes no message any more; its messages follow in bounded
        batches. What a deletion leaves that is broken off, the tenant's next one removes.
        """
        ...

    def add_messages(self, tenant_id: str, session_id: str, messages: Sequence[Message], *, first: str) -> bool:
        """All of them in one commit that counts them, moves `updated_at` to the last one's time and, if the session
        has no `first_question` yet, makes it `first`. At most 20. False, and nothing is written, if there is no such
        session.
        """
        ...

    def list_messages(
        self, tenant_id: str, session_id: str, *, limit: int, before: Spot | None = None
    ) -> tuple[Message, ...]:
        """By `created_at`. Of a session that does not exist: none."""
        ...


class FeedbackStore(Protocol):
    """What callers thought of answers."""

    def get_feedback(self, tenant_id: str, feedback_id: str) -> Feedback | None: ...

    def put_feedback(self, tenant_id: str, feedback: Feedback) -> None:
        """Create, or replace what has the same id."""
        ...

    def list_feedback(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[Feedback]:
        """By id. Raises InvalidArgument("pageToken") for a token this store did not make."""
        ...


class UsageStore(Protocol):
    """What a tenant has spent, counted where all instances see it."""

    def spend(self, tenant_id: str, day: date, kind: Spending, amount: int, *, limit: int | None = None) -> bool:
        """Add `amount` (negative: given back) to the day's count unless that would take it over `limit`.

        False: it would, and nothing is added. However many spend at once, what was granted never exceeds the limit;
        while refusals are on their way, a store may refuse one that would just have fitted.
        """
        ...

    def list_usage(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[DayUsage]:
        """By day. Raises InvalidArgument("pageToken") for a token this store did not make."""
        ...


class RequestStore(Protocol):
    """Answers by `requestId`. Records are not listed; a store may drop those that have expired."""

    def read_request(self, tenant_id: str, request_id: str) -> StoredRequest:
        """As it is now, an expired one too if it is still there."""
        ...

    def write_request(
        self, tenant_id: str, request_id: str, record: AnsweredRequest | None, *, expected: str | None, now: datetime
    ) -> str | None:
        """Write, or remove with None, if the record still is what `expected` says (None: there must be none).

        The new token, None if removed. `now`: what had expired by then may be dropped.
        Raises Conflict when the record moved, TooLarge for an answer that the store cannot hold.
        """
        ...


class ErasureStore(Protocol):
    """The end of a tenant's data."""

    def erase(self, tenant_id: str) -> Mapping[str, int]:
        """Remove everything under the tenant, whatever it is; kind -> how many, without zeros.

        Notes go first, so that whoever indexes meanwhile finds none. Killed half-way, the next call does the rest;
        again on nothing, it does nothing. Raises StoreUnavailable, having removed a part.
        """
        ...


class Store(
    NoteStore,
    IndexStore,
    SweepStore,
    SearchStore,
    TemplateStore,
    SessionStore,
    FeedbackStore,
    UsageStore,
    RequestStore,
    ErasureStore,
    Protocol,
):
    """One backend for everything; `close` releases files and connections."""

    bills_reads: bool
    """Whether each document that is read costs money, so that fewer are read."""

    def close(self) -> None: ...

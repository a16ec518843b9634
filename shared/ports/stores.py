"""What is kept: notes, their index, templates, sessions, feedback, usage, answers; and that it can all go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Protocol

from shared.errors import NoteUnreadable
from shared.model.account import AnsweredRequest, DayUsage, Feedback, Person, Spending, StoredRequest
from shared.model.index import Coverage, IndexChange, IndexedChunk, IndexRecord, StoredChunk, StoredRecord, Vector
from shared.model.notes import Folder, ListedNote, Note, NoteKey, TrashedNote, UnreadableNote
from shared.model.retrieval import CorpusStats, Neighbour, Restriction
from shared.model.sessions import Message, Session, SettingsPatch, Spot
from shared.model.templates import StoredTemplate
from shared.ports.pages import Page

MAX_TEMPLATES = 500
"""A tenant's templates are read together: what lies beyond, by id, is not looked at."""


class NoteStore(Protocol):
    """The notes, and in the trash notes as they were before they were edited, replaced or deleted."""

    def get_note(self, tenant_id: str, note_id: str) -> Note | None:
        """The note as it is now, None if it does not exist. Raises NoteUnreadable for one that an app wrote badly."""

    def put_note(self, tenant_id: str, note: Note) -> None:
        """Create or replace."""

    def swap_note(
        self, tenant_id: str, note_id: str, *, was: Note | None, now: Note | None, trashed: TrashedNote | None = None
    ) -> None:
        """Put `now` in the place of `was`; None: no note. `trashed` goes into the trash in the same commit. Raises
        Conflict, having changed nothing, if the note is not `was` any more, however shortly before somebody else has
        written it.
        """

    def delete_note(self, tenant_id: str, note_id: str) -> bool:
        """Whether there was one to delete. Its index follows by the trigger."""

    def note_at(self, tenant_id: str, vault: str, path: str) -> str | None:
        """Id of a note at this path of the vault; None: there is none."""

    def list_notes(
        self, tenant_id: str, *, limit: int, token: str | None = None, vault: str | None = None
    ) -> Page[ListedNote]:
        """By note id, each with what has failed of it; a page of long notes costs no more than one of short ones.
        Raises InvalidArgument("pageToken") for a token this store did not make.
        """

    def whole_notes(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[Note | UnreadableNote]:
        """By note id, with their texts; also what an app wrote that cannot be read. Raises as `list_notes`."""

    def folders(self, tenant_id: str) -> tuple[Folder, ...]:
        """Every (vault, folder) that indexed notes use, with all ancestor folders and the vault's root, sorted."""

    def put_trashed(self, tenant_id: str, trashed: TrashedNote) -> None:
        """Create, or replace what has the same id."""

    def get_trashed(self, tenant_id: str, trash_id: str) -> TrashedNote | None:
        """None: there is none. An expired one may still be there."""

    def list_trashed(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[TrashedNote]:
        """By id, without texts. Raises InvalidArgument("pageToken") for a token this store did not make."""

    def delete_trashed(self, tenant_id: str, trash_id: str) -> bool:
        """Whether there was one."""

    def expire_trashed(self, now: datetime) -> None:
        """Remove what has expired by `now`, of all tenants; nothing where the database does so by itself."""


def readable_note(store: NoteStore, tenant_id: str, note_id: str) -> Note | None:
    """None also for a note that an app wrote with fields of wrong types."""
    try:
        return store.get_note(tenant_id, note_id)
    except NoteUnreadable:
        return None


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
        kept: bool = False,
    ) -> tuple[Neighbour, ...]:
        """The chunks with a vector in the space of this index version, greatest cosine first. `kept`: also those that
        keep it beside their own.
        """

    def postings(
        self, tenant_id: str, stem: str, *, limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        """At most `limit` chunks that contain `stem`: all if no more contain it, else the newest by `created_at`.

        A store may look for a restriction's scopes among the `limit` newest of the stem only.
        """

    def recent(
        self, tenant_id: str, *, limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        """The newest chunks by `created_at`, newest first."""

    def document_frequencies(self, tenant_id: str, stems: Sequence[str]) -> Mapping[str, int]:
        """Stem -> how many of the tenant's chunks contain it."""

    def stats(self, tenant_id: str) -> CorpusStats: ...

    def read_vectors(
        self, tenant_id: str, chunk_ids: Sequence[str], index_version: str | None = None
    ) -> Mapping[str, Vector]:
        """Chunk id -> vector, of the chunks that exist and have one: their own (None), or that in the vector space of
        `index_version`, their own or kept.
        """

    def note_chunks(self, tenant_id: str, note_id: str, *, stems: Sequence[str]) -> tuple[IndexedChunk, ...]:
        """Every chunk stored for the note, by position, whatever revision."""

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:
        """Records of those notes that still exist: what is not in here must not be cited."""


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


class Store(NoteStore, SearchStore, TemplateStore, UsageStore, Protocol):
    """One backend for everything; `close` releases files and connections."""

    bills_reads: bool
    """Whether each document that is read costs money, so that fewer are read."""

    def close(self) -> None: ...

    # -- the index of the notes, as the indexer sees it

    def read_record(self, tenant_id: str, note_id: str) -> StoredRecord: ...

    def stored_chunks(self, tenant_id: str, note_id: str) -> tuple[StoredChunk, ...]:
        """Every chunk stored for the note, by position, whatever revision."""

    def apply(self, tenant_id: str, change: IndexChange) -> str | None:
        """The record's new token (None if removed). Raises Conflict when it moved; revisions then show no change."""

    def coverage(self, tenant_id: str) -> Coverage:
        """Without what depends on an index version."""

    def count_outdated(self, tenant_id: str, index_version: str) -> int:
        """How many records are of another index version than this one."""

    # -- keys of all tenants, for reconcile; cursors are opaque and stay valid while data changes

    def note_keys(
        self, *, limit: int, cursor: str | None = None, changed_since: datetime | None = None
    ) -> Page[NoteKey]:
        """Keys of notes; with `changed_since` only those whose `updatedAt` is not older."""

    def record_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        """Keys of index records, whether or not their note still exists."""

    def unfinished_keys(self, *, limit: int) -> tuple[NoteKey, ...]:
        """Keys of records whose status is not `indexed`: those that wait for vectors, then failed ones, each oldest
        `indexed_at` first. However many have failed for good, none that waits is left out for them.
        """

    def orphan_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        """Note ids that have chunks and no index record. Cheap when there are none."""

    def read_bookmark(self, name: str) -> str | None:
        """A small text kept between reconcile calls."""

    def write_bookmark(self, name: str, value: str | None) -> None: ...

    # -- a person's sessions and their messages; ids are letters and digits; listings go from the newest to the oldest,
    # equals by descending id, and begin behind `before`

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

    # -- what a person thought of answers

    def get_feedback(self, person: Person, feedback_id: str) -> Feedback | None: ...

    def put_feedback(self, person: Person, feedback: Feedback) -> None:
        """Create, or replace what has the same id."""

    def list_feedback(self, person: Person, *, limit: int, token: str | None = None) -> Page[Feedback]:
        """By id. Raises InvalidArgument("pageToken") for a token this store did not make."""

    # -- a person's answers by `requestId`, which are not listed; a store may drop those that have expired

    def read_request(self, person: Person, request_id: str) -> StoredRequest:
        """As it is now, an expired one too if it is still there."""

    def write_request(
        self, person: Person, request_id: str, record: AnsweredRequest | None, *, expected: str | None, now: datetime
    ) -> str | None:
        """Write, or remove with None, if the record still is what `expected` says (None: there must be none).

        The new token, None if removed. `now`: what had expired by then may be dropped.
        Raises Conflict when the record moved, TooLarge for an answer that the store cannot hold.
        """

    # -- the end of a person's or a tenant's data

    def erase(self, tenant_id: str, *, keep_usage_of: date | None = None) -> Mapping[str, int]:
        """Remove everything under the tenant, whatever it is; kind -> how many, without zeros. What the tenant has used
        on the day `keep_usage_of` stays, as numbers without content, until `forget_erased`.

        Notes go first, so that an indexer at work meanwhile finds none. Killed half-way, the next call does the rest;
        again on nothing, it does nothing. Raises StoreUnavailable, having removed a part.
        """

    def forget_erased(self, before: date) -> None:
        """Remove what erasures have kept of days before that, at most a hundred tenants' a call."""

    def erase_person(self, person: Person) -> Mapping[str, int]:
        """Remove sessions, messages, feedback and kept answers of a person who is not the tenant, as `erase` does."""

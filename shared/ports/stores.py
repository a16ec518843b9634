"""Storage of everything that tenants and people own, and its erasure.

Sessions, messages, templates, feedback, answered requests and the trash are documents: one port, `documents`, reads and
writes them all. Three kinds of data have methods of their own, because a document port does not fit them:

- Notes and their index. A note is swapped in one commit with its entry in the trash; a change of an index is a
  compare-and-set over a record and up to a thousand chunks; and each leg of a search is another query.
- Usage. A count that many instances add to at once is spread over many documents on Firestore, so that reading it is
  an aggregation, and an addition is no replacement.
- What concerns all tenants: keys for the sweep, bookmarks, erasures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Protocol, Self

from shared.errors import NoteUnreadable
from shared.model.account import DayUsage, Person, Spending
from shared.model.index import (
    Coverage,
    IndexChange,
    IndexedChunk,
    IndexRecord,
    IndexWrites,
    StoredChunk,
    StoredRecord,
    Vector,
)
from shared.model.notes import Folder, ListedNote, Note, NoteKey, TrashedNote, UnreadableNote
from shared.model.retrieval import CorpusStats, Restriction, VectorMatches
from shared.ports.documents import DocumentStore
from shared.ports.pages import Page


class NoteStore(Protocol):
    """Notes of a tenant, and the folders that they are in."""

    def get_note(self, tenant_id: str, note_id: str) -> Note | None:
        """Returns a note as it is now; None if it does not exist.

        Raises NoteUnreadable if an app wrote it badly, or the disk has changed it.
        """

    def put_note(self, tenant_id: str, note: Note) -> None:
        """Creates or replaces a note."""

    def swap_note(
        self,
        tenant_id: str,
        note_id: str,
        *,
        was: Note | None,
        now: Note | None,
        trashed: TrashedNote | None = None,
    ) -> None:
        """Replaces the note `was` by `now`; None stands for no note.

        Raises Conflict, having changed nothing, if the stored note is not `was`, even if it was written at the same
        moment.

        trashed: entry that goes into the trash in the same commit; None for no entry.
        """

    def delete_note(self, tenant_id: str, note_id: str) -> bool:
        """Deletes a note and reports whether it existed. The trigger updates the index."""

    def note_at(self, tenant_id: str, vault: str, path: str) -> str | None:
        """Returns the id of a note at this path of the vault; None if there is no such note."""

    def list_notes(
        self,
        tenant_id: str,
        *,
        limit: int,
        token: str | None = None,
        vault: str | None = None,
    ) -> Page[ListedNote]:
        """Lists notes by id, without their texts, each with the reason why it cannot be read or indexed.

        A page of long notes costs no more than one of short notes. Raises InvalidArgument("pageToken") for a token that
        this store did not make.
        """

    def whole_notes(
        self,
        tenant_id: str,
        *,
        limit: int,
        token: str | None = None,
    ) -> Page[Note | UnreadableNote]:
        """Lists notes by id, with their texts; notes that cannot be read too. Raises like `list_notes`."""

    def folders(self, tenant_id: str) -> tuple[Folder, ...]:
        """Returns the folders of indexed notes with their ancestors and the vaults' roots, sorted."""


class ConversationStore(DocumentStore, Protocol):
    """Documents, and reads of the notes that they cite."""

    def get_note(self, tenant_id: str, note_id: str) -> Note | None:
        """Reads a note, see NoteStore."""

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:
        """Reads records of notes, see SearchStore."""


def readable_note(
    store: NoteStore | ConversationStore,
    tenant_id: str,
    note_id: str,
) -> Note | None:
    """Returns a note; None also for one that an app wrote with fields of wrong types."""
    try:
        return store.get_note(tenant_id, note_id)
    except NoteUnreadable:
        return None


class SearchStore(Protocol):
    """Chunks of notes, as retrieval reads them.

    No method returns a chunk that its `restriction` forbids. A store whose queries cannot express all of a restriction
    looks at a bounded number of chunks, and may return fewer than there are.

    Chunks hold in `terms` the counts of `stems` alone. A chunk may belong to a revision that is being written: callers
    compare its `note_revision` with `live_records`.
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
        second_vectors: bool = False,
    ) -> VectorMatches:
        """Returns the chunks with a vector in the space of this index version, greatest cosine first.

        A store whose filters say less than the restriction may bring fewer than `limit` although there are more; the
        ceiling tells.

        second_vectors: True to compare also the vectors of this version that chunks of another version hold.
        """

    def postings(
        self,
        tenant_id: str,
        stem: str,
        *,
        limit: int,
        stems: Sequence[str],
        restriction: Restriction,
    ) -> tuple[IndexedChunk, ...]:
        """Returns the chunks that contain `stem`; of more than `limit` the newest by `created_at`.

        A store may look for the scopes of a restriction among the `limit` newest chunks with the stem only.
        """

    def recent(
        self,
        tenant_id: str,
        *,
        limit: int,
        stems: Sequence[str],
        restriction: Restriction,
    ) -> tuple[IndexedChunk, ...]:
        """Returns the newest chunks by `created_at`, newest first."""

    def document_frequencies(self, tenant_id: str, stems: Sequence[str]) -> Mapping[str, int]:
        """Returns stem -> number of the tenant's chunks that contain it."""

    def stats(self, tenant_id: str) -> CorpusStats:
        """Returns the number and the average length of a tenant's chunks, and the revision of its index."""

    def read_vectors(
        self,
        tenant_id: str,
        chunk_ids: Sequence[str],
        index_version: str | None = None,
    ) -> Mapping[str, Vector]:
        """Returns chunk id -> vector of the chunks that exist and have one.

        index_version: version in whose vector space the vector is, the chunk's own or its second one; None for the
            chunk's own.
        """

    def note_chunks(
        self,
        tenant_id: str,
        note_id: str,
        *,
        stems: Sequence[str],
    ) -> tuple[IndexedChunk, ...]:
        """Returns all chunks of a note, of any revision, by position."""

    def read_chunks(
        self,
        tenant_id: str,
        chunk_ids: Sequence[str],
        *,
        stems: Sequence[str],
    ) -> tuple[IndexedChunk, ...]:
        """Returns those of some chunks that exist, of any revision, in no particular order."""

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:
        """Returns the records of those notes that exist; a note without a record here must not be cited."""


class UsageStore(Protocol):
    """Counts of a UTC day that all instances share: those of tenants, and the project's under the id PROJECT."""

    def spend(
        self,
        tenant_id: str,
        day: date,
        kind: Spending,
        amount: int,
        *,
        limit: int | None = None,
    ) -> bool:
        """Adds an amount to the day's count; returns False, having added nothing, if that would exceed `limit`.

        However many callers spend at once, what they are granted together never exceeds the limit. While a refused
        amount is being taken back, a store may refuse another one that would fit.

        amount: negative to give back.
        """

    def spent(self, tenant_id: str, day: date, kind: Spending) -> int:
        """Returns the day's count."""

    def list_usage(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[DayUsage]:
        """Lists usage by day. Raises InvalidArgument("pageToken") for a token that this store did not make."""


class IndexStore(Protocol):
    """The index of notes, as the indexer reads and writes it."""

    def read_record(self, tenant_id: str, note_id: str) -> StoredRecord:
        """Returns the index record of a note and its token for compare-and-set."""

    def stored_chunks(self, tenant_id: str, note_id: str) -> tuple[StoredChunk, ...]:
        """Returns what identifies each chunk of a note, of any revision, by position."""

    def apply(
        self,
        tenant_id: str,
        change: IndexChange,
        *,
        counted: IndexWrites | None = None,
    ) -> str | None:
        """Changes the index of a note and returns the record's new token; None if it was removed.

        Adds to `counted` every document that is written or deleted on the way, also where it then raises.
        Raises Conflict, with no visible change, if the record has another token than the change expects, or if the
        change needs its note and that does not exist.
        """

    def coverage(self, tenant_id: str) -> Coverage:
        """Counts notes by the state of their index, without the figures that depend on an index version."""

    def latest_notes(self, tenant_id: str, *, limit: int) -> tuple[Note, ...]:
        """Returns readable notes that may have changed since they were indexed, the last changed first."""

    def count_outdated(self, tenant_id: str, index_version: str) -> int:
        """Returns the number of records with another index version."""


class SweepStore(Protocol):
    """Keys of notes of all tenants, and the sweep's own state. Cursors are opaque and stay valid while data changes."""

    def note_keys(
        self,
        *,
        limit: int,
        cursor: str | None = None,
        changed_since: datetime | None = None,
    ) -> Page[NoteKey]:
        """Lists keys of notes; with `changed_since` only of notes whose `updatedAt` is not older."""

    def record_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        """Lists keys of index records, also of notes that do not exist any more."""

    def due_keys(self, now: datetime, *, limit: int) -> tuple[NoteKey, ...]:
        """Returns keys of records that are due: first those that wait for vectors, then failed ones, each by `due_at`.

        Failed records never displace waiting ones. Records that are due later cost nothing. Unfinished records of a
        release that wrote no `due_at` come last, whether they are due or not, until they are written again.
        """

    def orphan_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        """Lists keys of notes that have chunks but no index record. Cheap if there are none."""

    def mark_damaged(self) -> None:
        """Marks the notes of chunks and vectors that the disk has damaged or lost, so that a sweep that begins now makes
        them anew. Does nothing where the database sees to that itself.
        """

    def read_bookmark(self, name: str) -> str | None:
        """Returns a short text that the last sweep wrote; None if there is none."""

    def write_bookmark(self, name: str, value: str | None) -> None:
        """Keeps a short text for the next sweep; None removes it."""

    def expire(self, now: datetime) -> None:
        """Deletes expired documents of the trash and of answered requests where the database does not do so by itself,
        and the usage of earlier days that erasures have kept, of at most a hundred tenants a call.
        """


class Store(NoteStore, SearchStore, IndexStore, SweepStore, UsageStore, DocumentStore, Protocol):
    """One backend for everything."""

    bills_reads: bool
    """True if each document that is read costs money, so that fewer are read."""

    def close(self) -> None:
        """Closes files and connections."""

    def check_owner(self) -> None:
        """Raises NotOwner if another deployment writes the index of this database. Costs a read a minute at most."""

    def last_erasure(self, tenant_id: str) -> str:
        """Returns the number of the tenant's last erasure, as text; empty if there was none. One read.

        The number outlives the data that was erased, under a name that does not tell the tenant's id.
        """

    def unless_erased(self, tenant_id: str, last_erasure: str) -> Self:
        """Returns a view of the store for work that began when `last_erasure` was the tenant's last one.

        After another erasure each write through the view raises Erased, having changed nothing. The view must not be
        closed. Raises InvalidArgument("erasure") for a text that cannot be such a number.
        """

    def erase(self, owner: str | Person, *, keep_usage_of: date | None = None) -> Mapping[str, int]:
        """Removes everything of a tenant and its people, or sessions, messages, feedback and answered requests of a
        person; returns kind -> how many the first look found, without zeros.

        1. The number of the tenant's last erasure changes: from now on work that began before saves nothing.
        2. The notes go, so that an indexer at work meanwhile finds none.
        3. All the rest goes, whatever it is.

        After a crash the next call removes the rest; a call on nothing removes nothing. Raises StoreUnavailable, having
        removed a part.

        keep_usage_of: day whose usage by the tenant stays until `expire`, as numbers without content. With None, no
        usage stays.
        """

"""What is kept: notes, the index, and all that a store is, the ports of those who need parts of it in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from shared.model.index import Coverage, IndexChange, IndexedChunk, IndexRecord, StoredChunk, StoredRecord, Vector
from shared.model.notes import Folder, ListedNote, Note, NoteKey, TrashedNote, UnreadableNote
from shared.model.retrieval import CorpusStats, Neighbour, Restriction
from shared.ports.pages import Page
from shared.ports.tenants import ErasureStore, FeedbackStore, RequestStore, SessionStore, TemplateStore, UsageStore


class NoteStore(Protocol):
    """The notes themselves."""

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
        """By note id, with their texts; also what an app wrote that cannot be read. Raises
        InvalidArgument("pageToken") as `list_notes` does.
        """

    def folders(self, tenant_id: str) -> tuple[Folder, ...]:
        """Every (vault, folder) that indexed notes use, with all ancestor folders and the vault's root, sorted."""


class TrashStore(Protocol):
    """Notes as they were before they were edited, replaced or deleted."""

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


class IndexStore(Protocol):
    """The index of the notes, as the indexer sees it."""

    def read_record(self, tenant_id: str, note_id: str) -> StoredRecord: ...

    def stored_chunks(self, tenant_id: str, note_id: str) -> tuple[StoredChunk, ...]:
        """Every chunk stored for the note, by position, whatever revision."""

    def read_vectors(self, tenant_id: str, chunk_ids: Sequence[str]) -> Mapping[str, Vector]:
        """Chunk id -> vector, of the chunks that exist and have one."""

    def apply(self, tenant_id: str, change: IndexChange) -> str | None:
        """The record's new token (None if removed). Raises Conflict when the record moved, having changed nothing
        that a reader who compares revisions could see.
        """

    def coverage(self, tenant_id: str) -> Coverage: ...


class SweepStore(Protocol):
    """Enumerations across all tenants, for reconcile. Cursors are opaque and stay valid while data changes."""

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

    def read_vectors(self, tenant_id: str, chunk_ids: Sequence[str]) -> Mapping[str, Vector]: ...

    def note_chunks(self, tenant_id: str, note_id: str, *, stems: Sequence[str]) -> tuple[IndexedChunk, ...]:
        """Every chunk stored for the note, by position, whatever revision."""

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:
        """Records of those notes that still exist: what is not in here must not be cited."""


class Store(
    NoteStore,
    TrashStore,
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

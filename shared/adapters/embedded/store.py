"""The port, method by method; each opens one transaction on one tenant's file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path

from shared.adapters.embedded import account, erasure, notes, sessions, sweep, templates
from shared.adapters.embedded.requests.files import TenantFiles
from shared.adapters.embedded.searching import search
from shared.adapters.embedded.searching.vectors import VectorSpace
from shared.adapters.embedded.writing import changes
from shared.model.account import AnsweredRequest, DayUsage, Feedback, Spending, StoredRequest
from shared.model.index import Coverage, IndexChange, IndexedChunk, IndexRecord, StoredChunk, StoredRecord, Vector
from shared.model.notes import Folder, ListedNote, Note, NoteKey, UnreadableNote
from shared.model.retrieval import CorpusStats, Neighbour, Restriction
from shared.model.sessions import Message, Session, SettingsPatch, Spot
from shared.model.templates import StoredTemplate
from shared.ports.pages import Page


class EmbeddedStore:
    """`shared.ports.stores.Store` in a folder. Safe for threads, and for several processes on the same folder.

    A write that waits for other processes longer than `patience` (seconds) raises StoreUnavailable.
    A damaged file, one of a newer version or one that is not ours raises OperatorError naming it; none is ever deleted.
    """

    bills_reads = False

    def __init__(
        self, home: Path, *, on_write: Callable[[NoteKey], None] | None = None, patience: float = 10.0
    ) -> None:
        """`on_write` is called after the commit that created, replaced or deleted a note: the local trigger."""
        self._files = TenantFiles(home / "tenants", patience=patience)
        self._bookmarks = sweep.Bookmarks(home / "bookmarks")
        self._spaces: dict[str, VectorSpace] = {}
        self._on_write = on_write

    # -- NoteStore ------------------------------------------------------------------------------

    def get_note(self, tenant_id: str, note_id: str) -> Note | None:
        with self._files.of(tenant_id).reading() as db:
            return notes.get(db, note_id)

    def put_note(self, tenant_id: str, note: Note) -> None:
        """Raises InvalidArgument naming a field with NUL characters or lone surrogates."""
        notes.check(note)
        with self._files.of(tenant_id).writing() as db:
            notes.put(db, note)
        self._written(tenant_id, note.note_id)

    def swap_note(self, tenant_id: str, note_id: str, *, was: Note | None, now: Note | None) -> None:
        """Raises Conflict, and InvalidArgument as `put_note` does."""
        if now is not None:
            notes.check(now)
        with self._files.of(tenant_id).writing() as db:
            notes.swap(db, note_id, was=was, now=now)
        self._written(tenant_id, note_id)

    def delete_note(self, tenant_id: str, note_id: str) -> bool:
        with self._files.of(tenant_id).writing() as db:
            existed = notes.delete(db, note_id)
        if existed:
            self._written(tenant_id, note_id)
        return existed

    def list_notes(
        self, tenant_id: str, *, limit: int, token: str | None = None, vault: str | None = None
    ) -> Page[ListedNote]:
        with self._files.of(tenant_id).reading() as db:
            return notes.listed(db, limit=limit, token=token, vault=vault)

    def whole_notes(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[Note | UnreadableNote]:
        """All of them can be read: nobody else writes here."""
        with self._files.of(tenant_id).reading() as db:
            page = notes.whole(db, limit=limit, token=token)
        return Page(page.items, page.next_token)

    def folders(self, tenant_id: str) -> tuple[Folder, ...]:
        with self._files.of(tenant_id).reading() as db:
            return notes.folders(db)

    def _written(self, tenant_id: str, note_id: str) -> None:
        if self._on_write is not None:
            self._on_write(NoteKey(tenant_id, note_id))

    # -- IndexStore -----------------------------------------------------------------------------

    def read_record(self, tenant_id: str, note_id: str) -> StoredRecord:
        with self._files.of(tenant_id).reading() as db:
            return changes.read_record(db, note_id)

    def stored_chunks(self, tenant_id: str, note_id: str) -> tuple[StoredChunk, ...]:
        with self._files.of(tenant_id).reading() as db:
            return changes.stored_chunks(db, note_id)

    def read_vectors(self, tenant_id: str, chunk_ids: Sequence[str]) -> Mapping[str, Vector]:
        with self._files.of(tenant_id).reading() as db:
            return changes.read_vectors(db, chunk_ids)

    def apply(self, tenant_id: str, change: IndexChange) -> str | None:
        with self._files.of(tenant_id).writing() as db:
            return changes.apply(db, change)

    def coverage(self, tenant_id: str) -> Coverage:
        with self._files.of(tenant_id).reading() as db:
            return changes.coverage(db)

    # -- SweepStore -----------------------------------------------------------------------------

    def note_keys(
        self, *, limit: int, cursor: str | None = None, changed_since: datetime | None = None
    ) -> Page[NoteKey]:
        return sweep.keys(self._files.all(), sweep.NOTES, limit=limit, cursor=cursor, since=changed_since)

    def record_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        return sweep.keys(self._files.all(), sweep.RECORDS, limit=limit, cursor=cursor)

    def unfinished_keys(self, *, limit: int) -> tuple[NoteKey, ...]:
        return sweep.unfinished(self._files.all(), limit=limit)

    def orphan_keys(self, *, limit: int, cursor: str | None = None) -> Page[NoteKey]:
        return sweep.keys(self._files.all(), sweep.ORPHANS, limit=limit, cursor=cursor)

    def read_bookmark(self, name: str) -> str | None:
        return self._bookmarks.read(name)

    def write_bookmark(self, name: str, value: str | None) -> None:
        self._bookmarks.write(name, value)

    # -- SearchStore ----------------------------------------------------------------------------

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
        """Raises OperatorError where numpy is not installed. The first call reads the tenant's vectors into memory."""
        space = self._space(tenant_id, index_version, len(vector))
        # The lock before the first read: no thread's snapshot is older than what memory has followed already.
        with space.lock, self._files.of(tenant_id).reading() as db:
            space.refresh(db, search.revision(db))
            best = search.nearest(db, space, vector, limit=limit, restriction=restriction)
            return search.neighbours(db, best, limit=limit, stems=stems)

    def _space(self, tenant_id: str, index_version: str, dimension: int) -> VectorSpace:
        """One a tenant: with another index version the old one's memory is given back."""
        space = self._spaces.get(tenant_id)
        if space is None or (space.index_version, space.dimension) != (index_version, dimension):
            space = self._spaces[tenant_id] = VectorSpace(index_version, dimension)
        return space

    def postings(
        self, tenant_id: str, stem: str, *, limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        """Newest first, equals by chunk id."""
        with self._files.of(tenant_id).reading() as db:
            return search.newest(db, stem, limit=limit, stems=stems, restriction=restriction)

    def recent(
        self, tenant_id: str, *, limit: int, stems: Sequence[str], restriction: Restriction
    ) -> tuple[IndexedChunk, ...]:
        """Newest first, equals by chunk id."""
        with self._files.of(tenant_id).reading() as db:
            return search.newest(db, None, limit=limit, stems=stems, restriction=restriction)

    def document_frequencies(self, tenant_id: str, stems: Sequence[str]) -> Mapping[str, int]:
        with self._files.of(tenant_id).reading() as db:
            return search.document_frequencies(db, stems)

    def stats(self, tenant_id: str) -> CorpusStats:
        with self._files.of(tenant_id).reading() as db:
            return search.stats(db)

    def note_chunks(self, tenant_id: str, note_id: str, *, stems: Sequence[str]) -> tuple[IndexedChunk, ...]:
        with self._files.of(tenant_id).reading() as db:
            return search.note_chunks(db, note_id, stems)

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:
        with self._files.of(tenant_id).reading() as db:
            return search.live_records(db, note_ids)

    # -- TemplateStore --------------------------------------------------------------------------

    def templates(self, tenant_id: str) -> tuple[StoredTemplate, ...]:
        with self._files.of(tenant_id).reading() as db:
            return templates.all_of(db)

    def get_template(self, tenant_id: str, template_id: str) -> StoredTemplate | None:
        with self._files.of(tenant_id).reading() as db:
            return templates.get(db, template_id)

    def put_templates(self, tenant_id: str, stored: Sequence[StoredTemplate]) -> None:
        with self._files.of(tenant_id).writing() as db:
            templates.put(db, stored)

    def put_template_vector(self, tenant_id: str, template_id: str, vector: Vector, vector_key: str) -> bool:
        with self._files.of(tenant_id).writing() as db:
            return templates.put_vector(db, template_id, vector, vector_key)

    def delete_template(self, tenant_id: str, template_id: str) -> bool:
        with self._files.of(tenant_id).writing() as db:
            return templates.delete(db, template_id)

    def read_shelf(self, tenant_id: str) -> Mapping[str, str]:
        with self._files.of(tenant_id).reading() as db:
            return templates.read_shelf(db)

    def write_shelf(self, tenant_id: str, shelf: Mapping[str, str]) -> None:
        with self._files.of(tenant_id).writing() as db:
            templates.write_shelf(db, shelf)

    # -- SessionStore ---------------------------------------------------------------------------

    def create_session(self, tenant_id: str, session: Session) -> None:
        with self._files.of(tenant_id).writing() as db:
            sessions.create(db, session)

    def get_session(self, tenant_id: str, session_id: str) -> Session | None:
        with self._files.of(tenant_id).reading() as db:
            return sessions.get(db, session_id)

    def patch_session(
        self, tenant_id: str, session_id: str, patch: SettingsPatch, *, updated_at: datetime, title: str | None = None
    ) -> bool:
        with self._files.of(tenant_id).writing() as db:
            return sessions.patch(db, session_id, patch, updated_at=updated_at, title=title)

    def list_sessions(self, tenant_id: str, *, limit: int, before: Spot | None = None) -> tuple[Session, ...]:
        with self._files.of(tenant_id).reading() as db:
            return sessions.page(db, limit=limit, before=before)

    def delete_session(self, tenant_id: str, session_id: str) -> bool:
        with self._files.of(tenant_id).writing() as db:
            return sessions.delete(db, session_id)

    def add_messages(self, tenant_id: str, session_id: str, messages: Sequence[Message], *, first: str) -> bool:
        with self._files.of(tenant_id).writing() as db:
            return sessions.add_messages(db, session_id, messages, first=first)

    def list_messages(
        self, tenant_id: str, session_id: str, *, limit: int, before: Spot | None = None
    ) -> tuple[Message, ...]:
        with self._files.of(tenant_id).reading() as db:
            return sessions.messages(db, session_id, limit=limit, before=before)

    # -- FeedbackStore, UsageStore, RequestStore --------------------------------------------------

    def get_feedback(self, tenant_id: str, feedback_id: str) -> Feedback | None:
        with self._files.of(tenant_id).reading() as db:
            return account.get_feedback(db, feedback_id)

    def put_feedback(self, tenant_id: str, feedback: Feedback) -> None:
        with self._files.of(tenant_id).writing() as db:
            account.put_feedback(db, feedback)

    def list_feedback(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[Feedback]:
        with self._files.of(tenant_id).reading() as db:
            return account.feedback_page(db, limit=limit, token=token)

    def spend(self, tenant_id: str, day: date, kind: Spending, amount: int, *, limit: int | None = None) -> bool:
        with self._files.of(tenant_id).writing() as db:
            return account.spend(db, day, kind, amount, limit=limit)

    def list_usage(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[DayUsage]:
        with self._files.of(tenant_id).reading() as db:
            return account.usage_page(db, limit=limit, token=token)

    def read_request(self, tenant_id: str, request_id: str) -> StoredRequest:
        with self._files.of(tenant_id).reading() as db:
            return account.read_request(db, request_id)

    def write_request(
        self, tenant_id: str, request_id: str, record: AnsweredRequest | None, *, expected: str | None, now: datetime
    ) -> str | None:
        with self._files.of(tenant_id).writing() as db:
            return account.write_request(db, request_id, record, expected=expected, now=now)

    # -- ErasureStore ---------------------------------------------------------------------------

    def erase(self, tenant_id: str) -> Mapping[str, int]:
        """The file itself goes too, unless another process has it open: then it stays, emptied."""
        self._spaces.pop(tenant_id, None)
        return erasure.erase(self._files.of(tenant_id))

    # -------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Closes files and gives memory back."""
        self._spaces.clear()
        self._files.close()

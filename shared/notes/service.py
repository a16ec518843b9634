"""Notes for every front door: save, read, delete and restore them.

Every version that is replaced or deleted goes into the trash for 30 days. Of a caller's edits of versions that it has
read, the first of each hour is kept, so that a program that saves every few seconds does not fill the trash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count

from shared.errors import Conflict, NoteUnreadable, NotFound
from shared.indexing.state import note_revision
from shared.markdown.file import candidate_ids
from shared.model.notes import DEFAULT_VAULT, ListedNote, Note, TrashedNote, TrashReason
from shared.ports.pages import Page
from shared.ports.stores import Store, readable_note

TRASH_KEPT = timedelta(days=30)
ATTEMPTS = 5
"""To replace a note that others are writing, by a caller who did not say which version is meant."""
SAME_FIELDS = ("title", "text", "vault", "path", "tags", "lang")
"""Fields that a note and its draft share."""
_LAST = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteDraft:
    """Fields of a note from a caller. None: unchanged, or the default for a new note."""

    title: str
    text: str
    vault: str = DEFAULT_VAULT
    path: str = ""
    tags: tuple[str, ...] = ()
    lang: str | None = None
    created_at: datetime | None = None
    modified_at: datetime | None = None
    """Modification time of the note's file: `created_at` of a new note that names none; None: now."""

    @classmethod
    def of(cls, note: Note) -> NoteDraft:
        """The draft that makes the note again."""
        return cls(created_at=note.created_at, **{name: getattr(note, name) for name in SAME_FIELDS})

    def note(self, note_id: str, *, created_at: datetime, updated_at: datetime) -> Note:
        same = {name: getattr(self, name) for name in SAME_FIELDS}
        return Note(note_id=note_id, created_at=created_at, updated_at=updated_at, **same)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """The notes of all tenants. Safe between threads."""

    store: Store
    clock: Callable[[], datetime]

    def save(
        self,
        tenant_id: str,
        note_id: str,
        draft: NoteDraft,
        *,
        replacing: str | None = None,
        reason: TrashReason = TrashReason.EDITED,
    ) -> Note:
        """Create or replace; what is replaced goes into the trash for `reason`. The same content again writes nothing
        and keeps `updatedAt`.

        `replacing`: the revision that is meant, empty for no note. Raises Conflict if the note has another by now, or
        another note of the vault has its path.
        """
        now = self.clock()
        existing = readable_note(self.store, tenant_id, note_id)  # saving an unreadable one again mends it
        created = draft.created_at or (existing.created_at if existing else draft.modified_at or now)
        note = draft.note(note_id, created_at=created, updated_at=now)
        if existing is not None and note_revision(existing) == note_revision(note):
            return existing
        if replacing is not None:
            _check_revision(existing, replacing)
        if note.path and not (existing and (existing.vault, existing.path) == (note.vault, note.path)):
            other = self.store.note_at(tenant_id, note.vault, note.path)
            if other not in (None, note_id):
                raise Conflict(f"path: note {other!r} of vault {note.vault!r} has the path {note.path!r} already")
        self._swap(tenant_id, note_id, existing, note, reason=reason, seen=replacing is not None)
        return note

    def import_id(self, tenant_id: str, vault: str, path: str) -> str:
        """Id of the note that a file at this path becomes: that of the note there, else one made of vault and path,
        unless that note has moved to another path.
        """
        there = self.store.note_at(tenant_id, vault, path)
        if there is not None:
            return there
        return next(each for each in candidate_ids(vault, path) if readable_note(self.store, tenant_id, each) is None)

    def _swap(
        self, tenant_id: str, note_id: str, was: Note | None, now: Note | None, *, reason: TrashReason, seen: bool
    ) -> None:
        """`seen`: the caller has read `was`, so that another version there is a Conflict; else it is replaced too."""
        at = self.clock() if now is None else now.updated_at
        for attempt in count(1):
            trashed = None if was is None else self._trashed(tenant_id, was, reason, at=at, seen=seen)
            try:
                self.store.swap_note(tenant_id, note_id, was=was, now=now, trashed=trashed)
            except (Conflict, NoteUnreadable):
                if seen or attempt == ATTEMPTS:
                    raise
            else:
                return
            try:
                was = self.store.get_note(tenant_id, note_id)
            except NoteUnreadable:
                if now is not None:
                    self.store.put_note(tenant_id, now)
                return

    def _trashed(
        self, tenant_id: str, was: Note, reason: TrashReason, *, at: datetime, seen: bool
    ) -> TrashedNote | None:
        """The entry; None: the version from before this hour's edits is in the trash already."""
        if seen and reason is TrashReason.EDITED:
            hour = at.replace(minute=0, second=0, microsecond=0)
            trash_id = _trash_id(hour, was.note_id)
            if self.store.get_trashed(tenant_id, trash_id) is not None:
                return None
        else:
            trash_id = _trash_id(at, was.note_id, note_revision(was))
        return TrashedNote(trash_id=trash_id, note=was, trashed_at=at, expires_at=at + TRASH_KEPT, reason=reason)

    def get(self, tenant_id: str, note_id: str) -> Note:
        """Raises NotFound, NoteUnreadable."""
        note = self.store.get_note(tenant_id, note_id)
        if note is None:
            raise NotFound(f"no note {note_id!r}")
        return note

    def page(self, tenant_id: str, *, limit: int, token: str | None, vault: str | None) -> Page[ListedNote]:
        """By id, without their texts; also those that cannot be read."""
        return self.store.list_notes(tenant_id, limit=limit, token=token, vault=vault)

    def delete(self, tenant_id: str, note_id: str, *, replacing: str | None = None) -> None:
        """Into the trash. Its index follows by the trigger; from now on it is not cited any more. Raises NotFound, and
        Conflict if `replacing` is given and not the revision it has.
        """
        try:
            note = self.get(tenant_id, note_id)
        except NoteUnreadable:
            if replacing is not None:
                raise
            self.store.delete_note(tenant_id, note_id)
            return
        if replacing is not None:
            _check_revision(note, replacing)
        self._swap(tenant_id, note_id, note, None, reason=TrashReason.DELETED, seen=replacing is not None)

    # -- the trash

    def trash(self, tenant_id: str, *, limit: int, token: str | None) -> Page[TrashedNote]:
        """The newest first, without their texts."""
        page = self.store.list_trashed(tenant_id, limit=limit, token=token)
        now = self.clock()
        return Page(tuple(each for each in page.items if now < each.expires_at), page.next_token)

    def trashed(self, tenant_id: str, trash_id: str) -> TrashedNote:
        """Raises NotFound."""
        found = self.store.get_trashed(tenant_id, trash_id)
        if found is None or found.expires_at <= self.clock():
            raise NotFound(f"the trash holds no {trash_id!r}")
        return found

    def discard(self, tenant_id: str, note_id: str, draft: NoteDraft) -> TrashedNote:
        """Keep in the trash what a file says that is about to be replaced or removed."""
        now = self.clock()
        note = draft.note(note_id, created_at=draft.created_at or draft.modified_at or now, updated_at=now)
        trashed = self._trashed(tenant_id, note, TrashReason.EDITED, at=now, seen=False)
        assert trashed is not None  # noqa: S101 - only edits that were seen are left out
        self.store.put_trashed(tenant_id, trashed)
        return trashed

    def restore(self, tenant_id: str, trash_id: str) -> Note:
        """The note as it was; its successor goes into the trash. Raises NotFound; Conflict if another has its path."""
        was = self.trashed(tenant_id, trash_id).note
        note = self.save(tenant_id, was.note_id, NoteDraft.of(was), reason=TrashReason.REPLACED)
        self.store.delete_trashed(tenant_id, trash_id)
        return note

    def purge(self, tenant_id: str, trash_id: str) -> None:
        """Remove it for good. Raises NotFound."""
        if not self.store.delete_trashed(tenant_id, trash_id):
            raise NotFound(f"the trash holds no {trash_id!r}")


def _trash_id(moment: datetime, *parts: str) -> str:
    """Ids of later moments sort before those of earlier ones."""
    left = (_LAST - moment) // timedelta(microseconds=1)
    return f"{left:018d}-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:12]}"


def _check_revision(note: Note | None, revision: str) -> None:
    """Raises Conflict if the note has another revision; empty: there must be no note."""
    if revision != ("" if note is None else note_revision(note)):
        raise Conflict("the note was changed or deleted meanwhile: read it again")

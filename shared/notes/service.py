"""Notes for every front door: save, read, delete and restore them.

Every version that is replaced or deleted goes into the trash for 30 days. Of a caller's edits of versions that it has
read, the first of each hour is kept, so that a program that saves every few seconds does not fill the trash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count

from shared.errors import Conflict, InvalidArgument, NoteUnreadable, NotFound
from shared.indexing.state import note_revision
from shared.markdown.file import candidate_ids
from shared.model.documents import TRASH
from shared.model.notes import DEFAULT_VAULT, ListedNote, Note, TrashedNote, TrashReason
from shared.ports.documents import read_page
from shared.ports.pages import Page
from shared.ports.stores import Store, readable_note

TRASH_KEPT = timedelta(days=30)
"""Time that a version stays in the trash."""
ATTEMPTS = 5
"""Attempts to replace a note that others are writing, for a caller who names no version."""
RECENT_TRASH = 50
"""Newest entries of the trash among which a note's deletion is looked for."""
SAME_DELETION = timedelta(hours=1)
"""Time within which a file that is removed goes with the note that was deleted. Later, its text has its own 30 days."""
SAME_FIELDS = ("title", "text", "vault", "path", "tags", "lang")
"""Fields that a note and its draft share."""
_LAST = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteDraft:
    """Fields of a note from a caller. None keeps a field, or sets the default for a new note."""

    title: str
    text: str
    vault: str = DEFAULT_VAULT
    path: str = ""
    tags: tuple[str, ...] = ()
    lang: str | None = None
    created_at: datetime | None = None
    modified_at: datetime | None = None
    """Modification time of the note's file, used as `created_at` of a new note that names none; None means now."""

    @classmethod
    def of(cls, note: Note) -> NoteDraft:
        """Returns the draft that makes the note again."""
        return cls(
            created_at=note.created_at,
            **{name: getattr(note, name) for name in SAME_FIELDS},
        )

    def note(self, note_id: str, *, created_at: datetime, updated_at: datetime) -> Note:
        """Returns the note that the draft becomes."""
        fields = {name: getattr(self, name) for name in SAME_FIELDS}
        return Note(
            note_id=note_id,
            created_at=created_at,
            updated_at=updated_at,
            **fields,
        )


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
        """Creates or replaces a note; a replaced version goes into the trash for `reason`.

        The same content again writes nothing and keeps `updatedAt`.

        replacing: revision that the caller last read; empty to create only, None to overwrite.

        Raises Conflict if the note has another revision by now, or another note of the vault has its path.
        """
        now = self.clock()
        # An unreadable note counts as none: saving it again repairs it.
        existing = readable_note(self.store, tenant_id, note_id)
        created_at = draft.created_at
        if existing is not None and _is_told_as(created_at, existing.created_at):
            created_at = existing.created_at
        if created_at is None:
            created_at = draft.modified_at or now
        note = draft.note(note_id, created_at=created_at, updated_at=now)
        if existing is not None and note_revision(existing) == note_revision(note):
            return existing
        if replacing is not None:
            _check_revision(existing, replacing)
        self._check_path(tenant_id, note, existing)
        self._swap(
            tenant_id,
            note_id,
            existing,
            note,
            reason=reason,
            was_read=replacing is not None,
        )
        return note

    def _check_path(self, tenant_id: str, note: Note, existing: Note | None) -> None:
        """Raises Conflict if another note of the vault has the path."""
        vault = note.vault
        path = note.path
        if not path:
            return
        stays = existing is not None and existing.vault == vault and existing.path == path
        if stays:
            return
        other_id = self.store.note_at(tenant_id, vault, path)
        if other_id is not None and other_id != note.note_id:
            raise Conflict(
                f"path: note {other_id!r} of vault {vault!r} has the path {path!r} already",
            )

    def import_id(self, tenant_id: str, vault: str, path: str) -> str:
        """Returns the id of the note that a file at this path becomes.

        The id of the note at the path, else one made of vault and path, unless that note has moved to another path.
        """
        existing_id = self.store.note_at(tenant_id, vault, path)
        if existing_id is not None:
            return existing_id
        return next(
            note_id
            for note_id in candidate_ids(vault, path)
            if readable_note(self.store, tenant_id, note_id) is None
        )

    def _swap(
        self,
        tenant_id: str,
        note_id: str,
        previous: Note | None,
        note: Note | None,
        *,
        reason: TrashReason,
        was_read: bool,
    ) -> None:
        """Replaces the previous version by the note, or deletes it if `note` is None.

        was_read: True if the caller has read the previous version: another version in its place is then a Conflict;
            otherwise it is replaced too.
        """
        if note is None:
            time = self.clock()
        else:
            time = note.updated_at
        for attempt in count(1):
            trashed = None
            if previous is not None:
                trashed = self._trashed(tenant_id, previous, reason, time=time, was_read=was_read)
            try:
                self.store.swap_note(
                    tenant_id,
                    note_id,
                    was=previous,
                    now=note,
                    trashed=trashed,
                )
            except (Conflict, NoteUnreadable):
                if was_read or attempt == ATTEMPTS:
                    raise
            else:
                return
            try:
                previous = self.store.get_note(tenant_id, note_id)
            except NoteUnreadable:
                if note is not None:
                    self.store.put_note(tenant_id, note)
                return
            if _have_same_content(previous, note):
                return  # somebody has saved the same meanwhile, and put what was there into the trash

    def _trashed(
        self,
        tenant_id: str,
        note: Note,
        reason: TrashReason,
        *,
        time: datetime,
        was_read: bool,
    ) -> TrashedNote | None:
        """Returns the entry of a version; None if the version before this hour's edits is in the trash already."""
        if was_read and reason is TrashReason.EDITED:
            hour = time.replace(minute=0, second=0, microsecond=0)
            trash_id = _trash_id(hour, note.note_id)
            if self._stored_trash(tenant_id, trash_id) is not None:
                return None
        else:
            trash_id = _trash_id(time, note.note_id, note_revision(note))
        return TrashedNote(
            trash_id=trash_id,
            note=note,
            trashed_at=time,
            expires_at=time + TRASH_KEPT,
            reason=reason,
        )

    def get(self, tenant_id: str, note_id: str) -> Note:
        """Returns a note. Raises NotFound, NoteUnreadable."""
        note = self.store.get_note(tenant_id, note_id)
        if note is None:
            raise NotFound(f"no note {note_id!r}")
        return note

    def at_path(self, tenant_id: str, vault: str, path: str) -> Note | None:
        """Returns the note at a path of a vault; None if there is none. Raises NoteUnreadable."""
        note_id = self.store.note_at(tenant_id, vault, path)
        if note_id is None:
            return None
        return self.store.get_note(tenant_id, note_id)

    def page(
        self,
        tenant_id: str,
        *,
        limit: int,
        token: str | None,
        vault: str | None,
    ) -> Page[ListedNote]:
        """Returns a page of notes by id, without their texts; unreadable ones too."""
        return self.store.list_notes(
            tenant_id,
            limit=limit,
            token=token,
            vault=vault,
        )

    def delete(self, tenant_id: str, note_id: str, *, replacing: str | None = None) -> None:
        """Moves a note into the trash. It is not cited from now on; the trigger removes it from the index.

        replacing: revision that the caller last read; None for any.

        Raises NotFound, and Conflict if the note has another revision.
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
        was_read = replacing is not None
        self._swap(tenant_id, note_id, note, None, reason=TrashReason.DELETED, was_read=was_read)

    # -- the trash

    def trash(self, tenant_id: str, *, limit: int, token: str | None) -> Page[TrashedNote]:
        """Returns a page of the trash, the newest first, without the texts."""
        page = read_page(self.store, tenant_id, TRASH, limit=limit, token=token)
        now = self.clock()
        unexpired = [trashed for trashed in page.items if now < trashed.expires_at]
        return Page(tuple(unexpired), page.next_token)

    def trashed(self, tenant_id: str, trash_id: str) -> TrashedNote:
        """Returns an entry of the trash. Raises NotFound."""
        trashed = self._stored_trash(tenant_id, trash_id)
        if trashed is None or trashed.expires_at <= self.clock():
            raise NotFound(f"the trash holds no {trash_id!r}")
        return trashed

    def _stored_trash(self, tenant_id: str, trash_id: str) -> TrashedNote | None:
        """Returns an entry of the trash, which may have expired; None also for an entry that can no longer be read."""
        try:
            return self.store.get(tenant_id, TRASH, trash_id).value
        except InvalidArgument:
            return None

    def discard(self, tenant_id: str, note_id: str, draft: NoteDraft) -> TrashedNote:
        """Puts the content of a file into the trash before it is replaced or removed, and returns the entry.

        The file of a note deleted just now that says what the note said is in the trash already, and is not stored again.
        """
        deleted = self._last_deleted(tenant_id, note_id)
        if deleted is not None and _says(draft, deleted.note):
            return deleted
        now = self.clock()
        created_at = draft.created_at or draft.modified_at or now
        note = draft.note(note_id, created_at=created_at, updated_at=now)
        trashed = self._trashed(tenant_id, note, TrashReason.EDITED, time=now, was_read=False)
        assert trashed is not None  # noqa: S101 - only edits of versions that were read are left out
        self.store.put(tenant_id, TRASH, trashed)
        return trashed

    def _last_deleted(self, tenant_id: str, note_id: str) -> TrashedNote | None:
        """Returns the entry of a note that was deleted just now; None if there is such a note, or many entries are newer."""
        if readable_note(self.store, tenant_id, note_id) is not None:
            return None
        earliest = self.clock() - SAME_DELETION
        for row in self.trash(tenant_id, limit=RECENT_TRASH, token=None).items:
            is_deletion = row.note.note_id == note_id and row.reason is TrashReason.DELETED
            if is_deletion and row.trashed_at >= earliest:
                return self._stored_trash(tenant_id, row.trash_id)
        return None

    def restore(self, tenant_id: str, trash_id: str) -> Note:
        """Restores a version and returns it; the version in its place goes into the trash.

        Raises NotFound; Conflict if another note has its path; Erased if everything was erased since the trash was
        read.
        """
        last_erasure = self.store.last_erasure(tenant_id)
        store = self.store.unless_erased(tenant_id, last_erasure)
        notes = replace(self, store=store)
        version = notes.trashed(tenant_id, trash_id).note
        note = notes.save(
            tenant_id,
            version.note_id,
            NoteDraft.of(version),
            reason=TrashReason.REPLACED,
        )
        self.store.delete(tenant_id, TRASH, trash_id)
        return note

    def purge(self, tenant_id: str, trash_id: str) -> None:
        """Removes an entry of the trash for good. Raises NotFound."""
        if not self.store.delete(tenant_id, TRASH, trash_id):
            raise NotFound(f"the trash holds no {trash_id!r}")


def _trash_id(moment: datetime, *parts: str) -> str:
    """Returns an id that sorts before all earlier ones."""
    microseconds_left = (_LAST - moment) // timedelta(microseconds=1)
    content = "\0".join(parts)
    digest = hashlib.sha256(content.encode()).hexdigest()
    return f"{microseconds_left:018d}-{digest[:12]}"


def _have_same_content(previous: Note | None, note: Note | None) -> bool:
    """Reports whether both are there, and say the same."""
    if previous is None or note is None:
        return False
    return note_revision(previous) == note_revision(note)


def _says(draft: NoteDraft, note: Note) -> bool:
    """Reports whether a file says what the note does, wherever both lie."""
    has_same_content = (
        draft.title == note.title
        and draft.text == note.text
        and draft.tags == note.tags
        and draft.lang == note.lang
    )
    return has_same_content and _is_told_as(draft.created_at, note.created_at)


def _is_told_as(draft_time: datetime | None, stored_time: datetime) -> bool:
    """Reports whether a draft leaves a note's time as it is: it has none, or the one that clients read.

    They read milliseconds; that of a file may be finer.
    """
    if draft_time is None:
        return True
    milliseconds = stored_time.microsecond // 1000
    return draft_time == stored_time.replace(microsecond=milliseconds * 1000)


def _check_revision(note: Note | None, revision: str) -> None:
    """Raises Conflict if the note has another revision; an empty one means that there must be no note."""
    current_revision = ""
    if note is not None:
        current_revision = note_revision(note)
    if revision != current_revision:
        raise Conflict("the note was changed or deleted meanwhile: read it again")

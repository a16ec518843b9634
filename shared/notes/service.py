"""What front doors ask of notes: save, read and delete them, and the files that some came from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from shared.errors import Conflict, NoteUnreadable, NotFound
from shared.indexing.revision import note_revision
from shared.model.notes import DEFAULT_VAULT, ListedNote, Note
from shared.ports.notes import NoteFiles, NoteStore, Origin
from shared.ports.pages import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteDraft:
    """What a caller says of a note. None: as it was, or the default for a new one."""

    title: str
    text: str
    vault: str = DEFAULT_VAULT
    path: str = ""
    tags: tuple[str, ...] = ()
    lang: str | None = None
    created_at: datetime | None = None
    modified_at: datetime | None = None
    """Of its file: when a new note was created if nobody says; None: now."""

    @classmethod
    def of(cls, note: Note) -> NoteDraft:
        """What would make the note again."""
        return cls(
            title=note.title,
            text=note.text,
            vault=note.vault,
            path=note.path,
            tags=note.tags,
            lang=note.lang,
            created_at=note.created_at,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """The notes of all tenants. Safe between threads."""

    store: NoteStore
    clock: Callable[[], datetime]
    files: NoteFiles | None
    """Files that notes came from; None: none that can be reached from here."""

    def save(self, tenant_id: str, note_id: str, draft: NoteDraft, *, replacing: str | None = None) -> Note:
        """Create or replace. The same content again writes nothing and keeps `updatedAt`.

        `replacing`: the revision that is meant, empty for no note. Raises Conflict if the note has another by now.
        """
        now = self.clock()
        existing = self._readable(tenant_id, note_id)
        created = draft.created_at or (existing.created_at if existing else draft.modified_at or now)
        note = Note(
            note_id=note_id,
            title=draft.title,
            text=draft.text,
            created_at=created,
            updated_at=now,
            vault=draft.vault,
            path=draft.path,
            tags=draft.tags,
            lang=draft.lang,
        )
        if existing is not None and note_revision(existing) == note_revision(note):
            return existing
        if replacing is None:
            self.store.put_note(tenant_id, note)
        else:
            _check_revision(existing, replacing)
            self.store.swap_note(tenant_id, note_id, was=existing, now=note)
        self._follow_with_file(tenant_id, note_id)
        return note

    def _follow_with_file(self, tenant_id: str, note_id: str) -> None:
        if self.files is not None:
            self.files.follow(tenant_id, note_id)

    def origin(self, tenant_id: str, note_id: str) -> Origin | None:
        """The file that a note came from; None: none that can be reached from here."""
        return None if self.files is None else self.files.origin(tenant_id, note_id)

    def write_files(self, tenant_id: str, note_id: str, *, write: bool) -> None:
        """Decide for the folder that a note came from whether saving writes its files; this note's at once.

        Raises NotFound for a note without such a file.
        """
        if self.files is None:
            raise NotFound(f"note {note_id!r} came from no folder that can be reached from here")
        self.files.decide(tenant_id, note_id, write=write)
        self.files.follow(tenant_id, note_id)

    def _readable(self, tenant_id: str, note_id: str) -> Note | None:
        """None also for a note that an app wrote with fields of wrong types: saving it again mends it."""
        try:
            return self.store.get_note(tenant_id, note_id)
        except NoteUnreadable:
            return None

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
        """Its index follows by the trigger; from now on it is not cited any more. Raises NotFound, and Conflict if
        `replacing` is given and not the revision it has.
        """
        if replacing is not None:
            note = self.get(tenant_id, note_id)
            _check_revision(note, replacing)
            self.store.swap_note(tenant_id, note_id, was=note, now=None)
        elif not self.store.delete_note(tenant_id, note_id):
            raise NotFound(f"no note {note_id!r}")
        self._follow_with_file(tenant_id, note_id)


def _check_revision(note: Note | None, revision: str) -> None:
    """Raises Conflict if the note has another; empty stands for no note."""
    if revision != ("" if note is None else note_revision(note)):
        raise Conflict("the note was changed or deleted meanwhile: read it again")

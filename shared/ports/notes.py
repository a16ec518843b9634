"""Notes as their owner wrote them, and their trash."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from shared.model.notes import Folder, ListedNote, Note, TrashedNote, UnreadableNote
from shared.ports.pages import Page


class NoteStore(Protocol):
    """The notes themselves."""

    def get_note(self, tenant_id: str, note_id: str) -> Note | None:
        """The note as it is now, None if it does not exist. Raises NoteUnreadable for one that an app wrote badly."""
        ...

    def put_note(self, tenant_id: str, note: Note) -> None:
        """Create or replace."""
        ...

    def swap_note(
        self, tenant_id: str, note_id: str, *, was: Note | None, now: Note | None, trashed: TrashedNote | None = None
    ) -> None:
        """Put `now` in the place of `was`; None: no note. `trashed` goes into the trash in the same commit. Raises
        Conflict, having changed nothing, if the note is not `was` any more, however shortly before somebody else has
        written it.
        """
        ...

    def delete_note(self, tenant_id: str, note_id: str) -> bool:
        """Whether there was one to delete. Its index follows by the trigger."""
        ...

    def note_at(self, tenant_id: str, vault: str, path: str) -> str | None:
        """Id of a note at this path of the vault; None: there is none."""
        ...

    def list_notes(
        self, tenant_id: str, *, limit: int, token: str | None = None, vault: str | None = None
    ) -> Page[ListedNote]:
        """By note id, each with what has failed of it; a page of long notes costs no more than one of short ones.
        Raises InvalidArgument("pageToken") for a token this store did not make.
        """
        ...

    def whole_notes(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[Note | UnreadableNote]:
        """By note id, with their texts; also what an app wrote so that nobody can read it. Raises
        InvalidArgument("pageToken") as `list_notes` does.
        """
        ...

    def folders(self, tenant_id: str) -> tuple[Folder, ...]:
        """Every (vault, folder) that indexed notes use, with all ancestor folders and the vault's root, sorted."""
        ...


class TrashStore(Protocol):
    """Notes as they were before they were edited, replaced or deleted."""

    def put_trashed(self, tenant_id: str, trashed: TrashedNote) -> None:
        """Create, or replace what has the same id."""
        ...

    def get_trashed(self, tenant_id: str, trash_id: str) -> TrashedNote | None:
        """None: there is none. An expired one may still be there."""
        ...

    def list_trashed(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[TrashedNote]:
        """By id, without texts. Raises InvalidArgument("pageToken") for a token this store did not make."""
        ...

    def delete_trashed(self, tenant_id: str, trash_id: str) -> bool:
        """Whether there was one."""
        ...

    def expire_trashed(self, now: datetime) -> None:
        """Remove what has expired by `now`, of all tenants; nothing where the database does so by itself."""
        ...

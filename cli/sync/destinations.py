"""Where the notes of a folder go: the store of this machine, where they are indexed at once, or a server's."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from cli.sync.folder import FileNote
from cli.sync.manifest import Manifest
from shared.api.notes import trashed_row_json
from shared.app import App
from shared.errors import ModelRefused, ModelUnreachable, NoteBusy, NotFound, Unavailable
from shared.indexing.state import note_revision
from shared.model.notes import ListedNote, Note, NoteKey
from shared.notes.service import NoteDraft
from shared.ports.pages import every
from shared.settings import Settings

FOLLOWS_WITHIN = 60.0
"""Seconds that a server's index is waited for; it follows afterwards too."""
LISTED = 500
"""Notes read at once of this machine's store."""


@dataclass(frozen=True, slots=True)
class Held:
    """A note as it is there now."""

    note: Note
    revision: str
    """What says on saving that this is the note that is meant."""


@dataclass(frozen=True, slots=True)
class Followed:
    """How far the index has followed one note."""

    changed: bool = False
    """Whether there was anything to follow."""
    embedded: int = 0
    """Texts that were embedded; a server does not say."""
    waiting: bool = False
    """Whether `follow` has something left to do."""
    pending: str | None = None
    """Why vectors are still to come."""
    failed: str | None = None
    away: bool = False
    """Whether that is so because nobody listens at the model's address: then it will be so with the next note too."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A note as it was in a list of all."""

    seen: str
    """When it was last changed."""
    vault: str
    path: str

    @classmethod
    def of(cls, note: Note | ListedNote) -> Listed:
        return cls(seen(note), note.vault, note.path)


class Destination(Protocol):
    """A place for notes. Used by several threads at once. Everything may raise RequestError and Unavailable."""

    @property
    def name(self) -> str:
        """Names store and tenant in the manifest."""
        ...

    @property
    def home(self) -> Path:
        """Folder of the manifest."""
        ...

    def listed(self) -> Mapping[str, Listed]:
        """Every note by its id, as they were a short while ago."""
        ...

    def read(self, note_id: str) -> Held | None:
        """None: there is no such note."""
        ...

    def save(self, file: FileNote, replacing: str) -> Note:
        """The note that the file becomes. Raises Conflict if it is not of the revision `replacing` (empty: there is
        none) and not what the file says either.
        """
        ...

    def index(self, note_id: str) -> Followed:
        """Begin to follow, where that does not begin by itself: from now on words find the note."""
        ...

    def follow(self, note_id: str) -> Followed:
        """The rest of what `save` has set off, or `index` has left."""
        ...

    def remove(self, note_id: str, replacing: str) -> None:
        """Into the trash. Raises Conflict if it is of another revision, NotFound."""
        ...

    def discard(self, note_id: str, draft: NoteDraft) -> None:
        """Keep in the trash what a file or a note says that is about to be replaced."""
        ...

    def replaced(self) -> Mapping[str, str]:
        """Id of each note in whose place another file was imported -> when that was, as `seen` says it."""
        ...


def attempts() -> Iterator[bool]:
    """Attempts within FOLLOWS_WITHIN, with longer and longer pauses between them; True: the last one."""
    deadline, pause = time.monotonic() + FOLLOWS_WITHIN, 0.05
    while time.monotonic() < deadline:
        yield False
        time.sleep(pause)
        pause = min(2 * pause, 1.0)
    yield True


def seen(note: Note | ListedNote) -> str:
    """When it was last changed, as `listed` says it."""
    return note.updated_at.astimezone(UTC).isoformat()


@dataclass(frozen=True, slots=True)
class LocalDestination:
    """A tenant's notes in the App of this process."""

    app: App
    tenant_id: str
    indexes: bool = True
    """False: somebody else follows every save."""

    @property
    def name(self) -> str:
        return local_name(self.app.settings, self.tenant_id)

    @property
    def home(self) -> Path:
        return self.app.settings.home

    def listed(self) -> Mapping[str, Listed]:
        notes, tenant_id = self.app.notes, self.tenant_id
        every_note = every(lambda token: notes.page(tenant_id, limit=LISTED, token=token, vault=None))
        return {note.note_id: Listed.of(note) for note in every_note}

    def read(self, note_id: str) -> Held | None:
        try:
            note = self.app.notes.get(self.tenant_id, note_id)
        except NotFound:
            return None
        return Held(note, note_revision(note))

    def save(self, file: FileNote, replacing: str) -> Note:
        return self.app.notes.save(self.tenant_id, file.note_id, file.dated_draft, replacing=replacing)

    def index(self, note_id: str) -> Followed:
        return self._followed(note_id, words_only=True)

    def follow(self, note_id: str) -> Followed:
        return self._followed(note_id, words_only=False)

    def _followed(self, note_id: str, *, words_only: bool) -> Followed:
        if not self.indexes:
            return Followed(changed=not words_only)
        try:
            for is_last in attempts():  # `aurora dev`, which follows the same notes, does its part first
                try:
                    outcome = self.app.indexer.index(NoteKey(self.tenant_id, note_id), words_only=words_only)
                    break
                except NoteBusy:
                    if is_last:
                        raise
        except Unavailable as error:
            return Followed(pending=error.message, away=isinstance(error, ModelUnreachable))
        except ModelRefused as error:
            return Followed(failed=error.message)
        if outcome.action == "failed":
            return Followed(failed=outcome.error or "refused by the model")
        return Followed(outcome.action != "unchanged", outcome.embedded, outcome.waiting)

    def remove(self, note_id: str, replacing: str) -> None:
        self.app.notes.delete(self.tenant_id, note_id, replacing=replacing)
        self.index(note_id)

    def discard(self, note_id: str, draft: NoteDraft) -> None:
        self.app.notes.discard(self.tenant_id, note_id, draft)

    def replaced(self) -> Mapping[str, str]:
        notes, tenant_id = self.app.notes, self.tenant_id
        trash = every(lambda token: notes.trash(tenant_id, limit=LISTED, token=token))
        return replaced_at(map(trashed_row_json, trash))


def local_name(settings: Settings, tenant_id: str) -> str:
    """Name of a tenant's notes on this machine, in the manifest."""
    if settings.store != "firestore":
        return f"embedded {tenant_id}"
    database = "" if settings.firestore_database == "(default)" else f"/{settings.firestore_database}"
    return f"firestore:{settings.project}{database} {tenant_id}"


def forget(settings: Settings, tenant_id: str) -> None:
    """Which folders a tenant's notes on this machine came from is not known any more."""
    Manifest.of(settings.home).forget_all(local_name(settings, tenant_id))


def replaced_at(rows: Iterable[Mapping[str, Any]]) -> Mapping[str, str]:
    """The newest come first."""
    found: dict[str, str] = {}
    for row in rows:
        if row["reason"] == "replaced":
            found.setdefault(row["noteId"], datetime.fromisoformat(row["trashedAt"]).astimezone(UTC).isoformat())
    return found

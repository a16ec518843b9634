"""Destinations for the notes of a folder: the store of this machine, which is indexed at once, or a server's."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from desktop.files.reading import FileNote
from desktop.folders.manifest import FolderSource, Manifest
from shared.api.notes import trashed_row_json
from shared.app import App
from shared.bootstrap import unless_erased
from shared.errors import (
    ModelMisconfigured,
    ModelRefused,
    ModelUnreachable,
    NoteBusy,
    NotFound,
    Unavailable,
)
from shared.indexing.state import note_revision
from shared.model.notes import ListedNote, Note, NoteKey, TrashedNote
from shared.notes.service import NoteDraft
from shared.ports.pages import Page, items_of_pages
from shared.settings import Settings

FOLLOWS_WITHIN = 60.0
"""Seconds to wait until a server has indexed a note; it goes on afterwards too."""
LISTED = 500
"""Notes read at once of this machine's store."""


@dataclass(frozen=True, slots=True)
class CurrentNote:
    """A note as its store has it now."""

    note: Note
    revision: str
    """Precondition for saving or removing this note."""


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """Progress of the index with one note."""

    changed: bool = False
    """True if there was anything to index."""
    embedded: int = 0
    """Number of texts that were embedded; a server does not say."""
    waiting: bool = False
    """True if `follow` has something left to do."""
    pending: str | None = None
    """Reason why vectors are still to come; None if they are not."""
    failed: str | None = None
    """Reason why the note cannot be indexed; None if it can."""
    model_is_away: bool = False
    """True if the model refuses everybody, or nobody listens at its address: the next note waits too."""


@dataclass(frozen=True, slots=True)
class NoteVersion:
    """A note as it was in a list of all notes."""

    updated: str
    """Time of its last change, as `updated_text` writes it."""
    vault: str
    path: str

    @classmethod
    def of(cls, note: Note | ListedNote) -> NoteVersion:
        return cls(updated_text(note), note.vault, note.path)


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

    @property
    def last_erasure(self) -> str:
        """Number of the last erasure of all notes before the work at hand; empty if there was none."""
        ...

    def for_task(self) -> Destination:
        """Returns the place for one task, like an import: saving after an erasure raises Erased."""
        ...

    def listed(self) -> Mapping[str, NoteVersion]:
        """Returns every note by its id, as they were a short while ago."""
        ...

    def read(self, note_id: str) -> CurrentNote | None:
        """Returns a note as it is now, and None if there is no such note."""
        ...

    def save(self, file: FileNote, replacing: str) -> Note:
        """Saves a file and returns the note that it becomes.

        replacing: revision that the note must have; empty if there must be no such note.

        Raises Conflict if the note has another revision and is not what the file says either.
        """
        ...

    def index(self, note_id: str) -> IndexProgress:
        """Begins to index a note, if that does not begin by itself: from then on words find it."""
        ...

    def follow(self, note_id: str) -> IndexProgress:
        """Indexes what `save` has set off, or `index` has left."""
        ...

    def remove(self, note_id: str, replacing: str) -> None:
        """Puts a note into the trash. Raises Conflict if it has another revision, NotFound."""
        ...

    def discard(self, note_id: str, draft: NoteDraft) -> None:
        """Keeps in the trash what a file or a note says that is about to be replaced."""
        ...

    def replaced(self) -> Mapping[str, str]:
        """Returns the time at which another file was imported in a note's place, by note id, as
        `updated_text` writes times.
        """
        ...


def attempts() -> Iterator[bool]:
    """Yields False for each attempt within FOLLOWS_WITHIN, pausing longer and longer between them,
    and True for the last one.
    """
    deadline = time.monotonic() + FOLLOWS_WITHIN
    pause = 0.05
    while time.monotonic() < deadline:
        yield False
        time.sleep(pause)
        pause = min(2 * pause, 1.0)

    yield True


def updated_text(note: Note | ListedNote) -> str:
    """Returns the time of a note's last change; such texts sort by time."""
    return note.updated_at.astimezone(UTC).isoformat()


@dataclass(frozen=True, slots=True)
class LocalDestination:
    """A tenant's notes in the App of this process."""

    app: App
    tenant_id: str
    indexes: bool = True
    """False if another process indexes every note that is saved."""
    began_after: str | None = None
    """`last_erasure` of the task that this is for; None outside of a task."""

    @property
    def last_erasure(self) -> str:
        if self.began_after is not None:
            return self.began_after
        return self.app.store.last_erasure(self.tenant_id)

    def for_task(self) -> LocalDestination:
        last_erasure = self.last_erasure
        app = unless_erased(self.app, self.tenant_id, last_erasure)
        return replace(self, app=app, began_after=last_erasure)

    @property
    def name(self) -> str:
        return local_name(self.app.settings, self.tenant_id)

    @property
    def home(self) -> Path:
        return self.app.settings.home

    def listed(self) -> Mapping[str, NoteVersion]:
        def page(token: str | None) -> Page[ListedNote]:
            return self.app.notes.page(
                self.tenant_id,
                limit=LISTED,
                token=token,
                vault=None,
            )

        return {note.note_id: NoteVersion.of(note) for note in items_of_pages(page)}

    def read(self, note_id: str) -> CurrentNote | None:
        try:
            note = self.app.notes.get(self.tenant_id, note_id)
        except NotFound:
            return None
        return CurrentNote(note, note_revision(note))

    def save(self, file: FileNote, replacing: str) -> Note:
        return self.app.notes.save(
            self.tenant_id,
            file.note_id,
            file.dated_draft,
            replacing=replacing,
        )

    def index(self, note_id: str) -> IndexProgress:
        return self._index(note_id, words_only=True)

    def follow(self, note_id: str) -> IndexProgress:
        return self._index(note_id, words_only=False)

    def _index(self, note_id: str, *, words_only: bool) -> IndexProgress:
        if not self.indexes:
            return IndexProgress(changed=not words_only)
        key = NoteKey(self.tenant_id, note_id)
        try:
            # The note is busy while `aurora dev`, which indexes the same notes, is at work on it.
            for is_last in attempts():
                try:
                    outcome = self.app.indexer.index(key, words_only=words_only)
                    break
                except NoteBusy:
                    if is_last:
                        raise
        except Unavailable as error:
            model_is_away = isinstance(error, (ModelUnreachable, ModelMisconfigured))
            return IndexProgress(pending=error.message, model_is_away=model_is_away)
        except ModelRefused as error:
            return IndexProgress(failed=error.message)

        if outcome.action == "failed":
            return IndexProgress(failed=outcome.error or "refused by the model")
        return IndexProgress(
            changed=outcome.action != "unchanged",
            embedded=outcome.embedded,
            waiting=outcome.waiting,
        )

    def remove(self, note_id: str, replacing: str) -> None:
        self.app.notes.delete(self.tenant_id, note_id, replacing=replacing)
        self.index(note_id)

    def discard(self, note_id: str, draft: NoteDraft) -> None:
        self.app.notes.discard(self.tenant_id, note_id, draft)

    def replaced(self) -> Mapping[str, str]:
        def page(token: str | None) -> Page[TrashedNote]:
            return self.app.notes.trash(self.tenant_id, limit=LISTED, token=token)

        return replaced_at(trashed_row_json(note) for note in items_of_pages(page))


def local_name(settings: Settings, tenant_id: str) -> str:
    """Returns the manifest's name of a tenant's notes on this machine."""
    if settings.store != "firestore":
        return f"embedded {tenant_id}"
    database = ""
    if settings.firestore_database != "(default)":
        database = f"/{settings.firestore_database}"
    return f"firestore:{settings.project}{database} {tenant_id}"


def forget(settings: Settings, tenant_id: str) -> None:
    """Forgets which folders a tenant's notes on this machine came from."""
    Manifest.of(settings.home).forget_all(local_name(settings, tenant_id))


def replaced_at(rows: Iterable[Mapping[str, Any]]) -> Mapping[str, str]:
    """Returns when each note was last replaced by another file, by note id.

    rows: the trash as the API lists it, the newest first.
    """
    times: dict[str, str] = {}
    for row in rows:
        if row["reason"] == "replaced":
            trashed_at = datetime.fromisoformat(row["trashedAt"]).astimezone(UTC)
            times.setdefault(row["noteId"], trashed_at.isoformat())

    return times


def stop_following(
    destination: Destination,
    sources: Iterable[FolderSource],
    *,
    remove_notes: bool,
) -> int:
    """Forgets folders and returns how many of their notes went into the trash.

    A folder is forgotten first: whoever follows it would take a note that is gone for a deleted
    one, and put its file into the trash too.
    """
    manifest = Manifest.of(destination.home)
    removed = 0
    for source in sources:
        note_ids = list(manifest.files(source))
        manifest.forget(source)
        if not remove_notes:
            continue
        for note_id in note_ids:
            current = destination.read(note_id)
            if current is not None:
                destination.remove(note_id, current.revision)
                removed += 1

    return removed

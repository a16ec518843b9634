"""Where the notes of a folder go: the store of this machine, where they are indexed at once, or a server's."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from cli.folder import FileNote, Skipped
from functions.inside import Door, Json
from shared.app import App, NoteDraft
from shared.domain import NoteKey
from shared.errors import ModelRefused, NotFound, RequestError, Unavailable
from shared.settings import Settings
from shared.wire import instant

FOLLOWS_WITHIN = 60.0
"""Seconds that a server's index is waited for; it follows afterwards too."""
_ENDS = frozenset({"indexed", "failed"})


@dataclass(frozen=True, slots=True)
class Taken:
    """One file after its turn: left out, or saved; and how far the index has followed."""

    file: FileNote | Skipped
    changed: bool = False
    embedded: int = 0
    """Texts that were embedded; a server does not say."""
    pending: str | None = None
    """Why vectors are still to come."""
    failed: str | None = None


class Shelf(Protocol):
    """A place for notes. Used by several threads at once."""

    @property
    def name(self) -> str:
        """Names store and tenant in the manifest."""
        ...

    @property
    def home(self) -> Path:
        """Folder of the manifest."""
        ...

    def save(self, note: FileNote) -> Taken: ...

    def follow(self, taken: Taken) -> Taken:
        """The same once the index has followed, or with what keeps it."""
        ...

    def remove(self, note_id: str) -> bool:
        """Whether there was such a note."""
        ...


@dataclass(frozen=True, slots=True)
class LocalShelf:
    """A tenant's notes in the App of this process, each indexed before `save` returns."""

    app: App
    tenant_id: str

    @property
    def name(self) -> str:
        return local_name(self.app.settings, self.tenant_id)

    @property
    def home(self) -> Path:
        return self.app.settings.home

    def save(self, note: FileNote) -> Taken:
        try:
            self.app.save_note(self.tenant_id, note.note_id, self._dated(note))
        except (RequestError, Unavailable) as error:
            return Taken(note, failed=error.message)
        try:
            outcome = self.app.index_note(NoteKey(self.tenant_id, note.note_id))
        except Unavailable as error:
            return Taken(note, pending=error.message)
        except ModelRefused as error:
            return Taken(note, failed=error.message)
        if outcome.action == "failed":
            return Taken(note, failed=outcome.error or "refused by the model")
        return Taken(note, changed=outcome.action != "unchanged", embedded=outcome.embedded)

    def follow(self, taken: Taken) -> Taken:
        return taken

    def _dated(self, note: FileNote) -> NoteDraft:
        existing = None
        if note.draft.created_at is None:
            existing = self.app.store.get_note(self.tenant_id, note.note_id)
        return dated(note, existing.created_at if existing else None)

    def remove(self, note_id: str) -> bool:
        try:
            self.app.delete_note(self.tenant_id, note_id)
        except NotFound:
            return False  # somebody else deleted it
        self.app.index_note(NoteKey(self.tenant_id, note_id))
        return True


def local_name(settings: Settings, tenant_id: str) -> str:
    """The name of a local shelf."""
    place = f"firestore:{settings.project}" if settings.store == "firestore" else "embedded"
    return f"{place} {tenant_id}"


@dataclass(frozen=True, slots=True)
class RemoteShelf:
    """The caller's notes on a server, whose index follows by itself."""

    door: Door
    server: str
    home: Path

    @property
    def name(self) -> str:
        return self.server

    def save(self, note: FileNote) -> Taken:
        try:
            existing = self._existing(note.note_id)
            created = datetime.fromisoformat(existing["createdAt"]) if existing else None
            saved = self.door.send("PUT", _address(note.note_id), _note_json(dated(note, created)))
        except (RequestError, Unavailable) as error:
            return Taken(note, failed=error.message)
        return Taken(note, changed=existing is None or existing["updatedAt"] != saved["updatedAt"])

    def follow(self, taken: Taken) -> Taken:
        if isinstance(taken.file, Skipped) or not taken.changed:
            return taken
        deadline, pause = time.monotonic() + FOLLOWS_WITHIN, 0.05
        try:
            while (state := self._state(taken.file.note_id)) not in _ENDS and time.monotonic() < deadline:
                time.sleep(pause)
                pause = min(2 * pause, 1.0)
        except (RequestError, Unavailable) as error:
            return replace(taken, pending=f"saved; {error.message}")
        if state == "failed":
            return replace(taken, failed="the server could not index it")
        return taken if state == "indexed" else replace(taken, pending="saved; the server has still to index it")

    def _state(self, note_id: str) -> str:
        """How far the index is with what the note says now."""
        status = self.door.send("GET", f"{_address(note_id)}:indexStatus")
        return str(status["status"]) if status["current"] else "missing"

    def _existing(self, note_id: str) -> Json | None:
        try:
            return self.door.send("GET", _address(note_id))
        except NotFound:
            return None

    def remove(self, note_id: str) -> bool:
        try:
            self.door.send("DELETE", _address(note_id))
        except NotFound:
            return False
        return True


def dated(note: FileNote, known: datetime | None) -> NoteDraft:
    """A file without a date of its own was created when it was first seen to be modified."""
    return replace(note.draft, created_at=note.draft.created_at or known or note.modified)


def _address(note_id: str) -> str:
    return f"/notes/{quote(note_id, safe='')}"


def _note_json(draft: NoteDraft) -> Json:
    created = None if draft.created_at is None else instant(draft.created_at)
    return {
        "title": draft.title,
        "text": draft.text,
        "vault": draft.vault,
        "path": draft.path,
        "tags": list(draft.tags),
        "lang": draft.lang,
        "createdAt": created,
    }

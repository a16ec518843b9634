"""Where the notes of a folder go: the store of this machine, where they are indexed at once, or a server's."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from cli.folder import FileNote, Skipped
from cli.manifest import Manifest
from functions.client import ApiClient, Json
from shared.app import App
from shared.domain import NoteKey
from shared.errors import ModelRefused, NotFound, RequestError, Unavailable
from shared.settings import Settings
from shared.wire import instant

FOLLOWS_WITHIN = 60.0
"""Seconds that a server's index is waited for; it follows afterwards too."""
PAGE = "200"
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


class Destination(Protocol):
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
class LocalDestination:
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
            # without a date of its own, a file was created when it was first seen to be modified
            self.app.save_note(self.tenant_id, note.note_id, replace(note.draft, modified_at=note.modified))
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

    def remove(self, note_id: str) -> bool:
        try:
            self.app.delete_note(self.tenant_id, note_id)
        except NotFound:
            return False  # somebody else deleted it
        self.app.index_note(NoteKey(self.tenant_id, note_id))
        return True


def local_name(settings: Settings, tenant_id: str) -> str:
    """Of a tenant's notes on this machine."""
    place = f"firestore:{settings.project}" if settings.store == "firestore" else "embedded"
    return f"{place} {tenant_id}"


def forget(settings: Settings, tenant_id: str) -> None:
    """Which folders a tenant's notes on this machine came from is not known any more."""
    Manifest.of(settings.home).forget(local_name(settings, tenant_id))


@dataclass(frozen=True, slots=True)
class RemoteDestination:
    """The caller's notes on a server, whose index follows by itself."""

    client: ApiClient
    server: str
    home: Path
    known: dict[str, str]
    """Note id -> when the note was last changed, as the server says."""

    @classmethod
    def at(cls, client: ApiClient, server: str, home: Path) -> RemoteDestination:
        return cls(client, server, home, {note["noteId"]: note["updatedAt"] for note in listed_notes(client)})

    @property
    def name(self) -> str:
        return self.server

    def save(self, note: FileNote) -> Taken:
        draft = note.draft
        body = {"text": draft.text, "path": draft.path, "vault": draft.vault, "modifiedAt": instant(note.modified)}
        try:
            saved = self.client.send("POST", "/notes:import", body)["note"]
        except (RequestError, Unavailable) as error:
            return Taken(note, failed=error.message)
        changed = self.known.get(note.note_id) != saved["updatedAt"]
        self.known[note.note_id] = saved["updatedAt"]
        return Taken(note, changed=changed)

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
        status = self.client.send("GET", f"{_address(note_id)}:indexStatus")
        return str(status["status"]) if status["current"] else "missing"

    def remove(self, note_id: str) -> bool:
        try:
            self.client.send("DELETE", _address(note_id))
            self.known.pop(note_id, None)
        except NotFound:
            return False
        return True


def _address(note_id: str) -> str:
    return f"/notes/{quote(note_id, safe='')}"


def listed_notes(client: ApiClient) -> Iterator[Json]:
    """Every note, without its text."""
    query = {"pageSize": PAGE}
    while True:
        page = client.send("GET", "/notes", query=query)
        yield from page["notes"]
        if page["nextPageToken"] is None:
            return
        query["pageToken"] = page["nextPageToken"]

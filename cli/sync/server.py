"""The caller's notes on a server, as a place where the notes of a folder go."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from cli.pages import address, listed_notes, pages
from cli.sync.destinations import Followed, Held, Listed, attempts, replaced_at
from cli.sync.folder import FileNote
from functions.client import ApiClient, Json
from shared.api.values import instant
from shared.errors import NotFound, RequestError, Unavailable
from shared.markdown.file import fields_of, note_id_of
from shared.model.notes import Note
from shared.notes.service import NoteDraft

LISTED_AGAIN = 600.0
"""Seconds after which a follower of a folder asks a server again for all its notes."""
_ENDS = frozenset({"indexed", "failed"})


@dataclass(slots=True)
class RemoteDestination:
    """The caller's notes on a server, whose index follows by itself."""

    client: ApiClient
    server: str
    home: Path
    _listed: dict[str, Listed] = field(default_factory=dict)
    _again: float = 0.0
    """When the notes are to be listed again, on the monotonic clock: each listing is a bill."""

    @property
    def name(self) -> str:
        return self.server

    def listed(self) -> Mapping[str, Listed]:
        if time.monotonic() >= self._again:
            self._listed = {note["noteId"]: Listed.of(_note(note)) for note in listed_notes(self.client)}
            self._again = time.monotonic() + LISTED_AGAIN
        return self._listed

    def read(self, note_id: str) -> Held | None:
        try:
            found = self.client.send("GET", address("notes", note_id))
        except NotFound:
            self._listed.pop(note_id, None)
            return None
        return Held(_note(found), found["revision"])

    def save(self, file: FileNote, replacing: str) -> Note:
        draft = file.draft
        body = {"text": draft.text, "path": draft.path, "vault": draft.vault, "modifiedAt": instant(file.modified)}
        says = fields_of(draft.text, draft.path)
        all_said = (says.title, says.tags, says.lang, says.created_at)
        if (
            note_id_of(draft.vault, draft.path) == file.note_id
            and (draft.title, draft.tags, draft.lang, draft.created_at) == all_said
        ):
            saved = self.client.send("POST", "/notes:import", {**body, "revision": replacing})["note"]
        else:  # the note was moved or changed there
            saved = self.client.send("PUT", address("notes", file.note_id), {**_body(draft), "revision": replacing})
        note = _note({**saved, "text": draft.text})
        self._listed[note.note_id] = Listed.of(note)
        return note

    def index(self, note_id: str) -> Followed:  # noqa: ARG002 - the server's index follows every save
        return Followed()

    def follow(self, note_id: str) -> Followed:
        try:
            for _ in attempts():
                status = self.client.send("GET", f"{address('notes', note_id)}:indexStatus")
                state = status["status"] if status["current"] else "missing"  # it is of what the note said before
                if state in _ENDS:
                    break
        except (RequestError, Unavailable) as error:
            return Followed(pending=f"saved; {error.message}")
        if state == "failed":
            return Followed(failed="the server could not index it")
        return Followed(changed=True, pending=None if state == "indexed" else "saved; the server has still to index it")

    def remove(self, note_id: str, replacing: str) -> None:
        self.client.send("DELETE", address("notes", note_id), query={"revision": replacing})
        self._listed.pop(note_id, None)

    def discard(self, note_id: str, draft: NoteDraft) -> None:
        self.client.send("POST", "/trash", {**_body(draft), "noteId": note_id})

    def replaced(self) -> Mapping[str, str]:
        return replaced_at(row for page in pages(self.client, "/trash") for row in page["trash"])


def _body(draft: NoteDraft) -> Json:
    return {
        "title": draft.title,
        "text": draft.text,
        "vault": draft.vault,
        "path": draft.path,
        "tags": draft.tags,
        "lang": draft.lang,
        "createdAt": None if draft.created_at is None else instant(draft.created_at),
    }


def _note(found: Json) -> Note:
    """A note as the routes give it; without a text where they list it."""
    return Note(
        note_id=found["noteId"],
        title=found["title"],
        text=found.get("text", ""),
        created_at=datetime.fromisoformat(found["createdAt"]),
        updated_at=datetime.fromisoformat(found["updatedAt"]),
        vault=found["vault"],
        path=found["path"],
        tags=tuple(found["tags"]),
        lang=found["lang"],
    )

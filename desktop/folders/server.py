"""The caller's notes on a server, as a place where the notes of a folder go."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from desktop.client.pages import address, erasure_of, named_erasure, pages
from desktop.files.reading import FileNote
from desktop.folders.destinations import (
    CurrentNote,
    IndexProgress,
    NoteVersion,
    attempts,
    replaced_at,
)
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
    _erasure: str | None = ""
    """Number of the last erasure when the notes were listed: saving after another one is refused. None if the
    server's version has no such number.
    """
    _listed: dict[str, NoteVersion] = field(default_factory=dict)
    _next_listing: float = 0.0
    """Time on the monotonic clock at which the notes are to be listed again: each listing is billed."""

    @property
    def name(self) -> str:
        return self.server

    @property
    def last_erasure(self) -> str:
        self.listed()
        return self._erasure or ""

    def for_task(self) -> RemoteDestination:
        """Returns itself: every save names the last erasure before the list of notes."""
        self.listed()
        return self

    def listed(self) -> Mapping[str, NoteVersion]:
        if time.monotonic() < self._next_listing:
            return self._listed
        erasures = []
        notes = {}
        for page in pages(self.client, "/notes"):
            erasures.append(erasure_of(page))
            for note in page["notes"]:
                notes[note["noteId"]] = NoteVersion.of(_note(note))

        self._erasure = erasures[0]
        self._listed = notes
        self._next_listing = time.monotonic() + LISTED_AGAIN
        return self._listed

    def read(self, note_id: str) -> CurrentNote | None:
        try:
            note = self.client.send("GET", address("notes", note_id))
        except NotFound:
            self._listed.pop(note_id, None)
            return None
        return CurrentNote(_note(note), note["revision"])

    def save(self, file: FileNote, replacing: str) -> Note:
        draft = file.draft
        if _is_file_as_read(file):
            body = {
                "text": draft.text,
                "path": draft.path,
                "vault": draft.vault,
                "modifiedAt": instant(file.modified),
                "revision": replacing,
                **named_erasure(self._erasure),
            }
            saved = self.client.send("POST", "/notes:import", body)["note"]
        else:  # the note was moved or changed on the server
            body = {**_body(draft), "revision": replacing, **named_erasure(self._erasure)}
            saved = self.client.send(
                "PUT",
                address("notes", file.note_id),
                body,
            )

        note = _note({**saved, "text": draft.text})
        self._listed[note.note_id] = NoteVersion.of(note)
        return note

    def index(self, note_id: str) -> IndexProgress:  # noqa: ARG002 - the server's index follows every save
        return IndexProgress()

    def follow(self, note_id: str) -> IndexProgress:
        try:
            for _ in attempts():
                reply = self.client.send("GET", f"{address('notes', note_id)}:indexStatus")
                # A status that is not current is about an earlier revision of the note.
                status = reply["status"] if reply["current"] else "missing"
                if status in _ENDS:
                    break
        except (RequestError, Unavailable) as error:
            return IndexProgress(pending=f"saved; {error.message}")

        if status == "failed":
            return IndexProgress(failed="the server could not index it")
        if status == "indexed":
            return IndexProgress(changed=True)
        return IndexProgress(changed=True, pending="saved; the server has still to index it")

    def remove(self, note_id: str, replacing: str) -> None:
        self.client.send(
            "DELETE",
            address("notes", note_id),
            query={"revision": replacing},
        )
        self._listed.pop(note_id, None)

    def discard(self, note_id: str, draft: NoteDraft) -> None:
        body = {**_body(draft), "noteId": note_id, **named_erasure(self._erasure)}
        self.client.send("POST", "/trash", body)

    def replaced(self) -> Mapping[str, str]:
        rows: list[Json] = []
        for page in pages(self.client, "/trash"):
            rows += page["trash"]
        return replaced_at(rows)


def _is_file_as_read(file: FileNote) -> bool:
    """Reports whether the note has the id and the fields that a file with this text and path gets."""
    draft = file.draft
    fields = fields_of(draft.text, draft.path)
    return (
        note_id_of(draft.vault, draft.path) == file.note_id
        and draft.title == fields.title
        and draft.tags == fields.tags
        and draft.lang == fields.lang
        and draft.created_at == fields.created_at
    )


def _body(draft: NoteDraft) -> Json:
    created_at = None if draft.created_at is None else instant(draft.created_at)
    return {
        "title": draft.title,
        "text": draft.text,
        "vault": draft.vault,
        "path": draft.path,
        "tags": draft.tags,
        "lang": draft.lang,
        "createdAt": created_at,
    }


def _note(fields: Json) -> Note:
    """Returns the note in a reply; its text is empty where the reply is a list."""
    return Note(
        note_id=fields["noteId"],
        title=fields["title"],
        text=fields.get("text", ""),
        created_at=datetime.fromisoformat(fields["createdAt"]),
        updated_at=datetime.fromisoformat(fields["updatedAt"]),
        vault=fields["vault"],
        path=fields["path"],
        tags=tuple(fields["tags"]),
        lang=fields["lang"],
    )

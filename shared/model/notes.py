"""A note as its owner wrote it, and where it lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum

from shared.errors import InvalidArgument
from shared.model.limits import UNKEEPABLE

DEFAULT_VAULT = "default"
"""Vault that everybody has, even without notes in it."""


@dataclass(frozen=True, slots=True)
class NoteKey:
    """Address of a note: its tenant and id."""

    tenant_id: str
    note_id: str


@dataclass(frozen=True, slots=True)
class Note:
    """A note as its owner wrote it. `text` is Markdown, at most 900,000 UTF-8 bytes."""

    note_id: str
    title: str
    text: str
    created_at: datetime
    updated_at: datetime
    vault: str = DEFAULT_VAULT
    path: str = ""
    """Path such as `projects/api/meeting.md`; its directory is the note's folder. Empty for the vault's root."""
    tags: tuple[str, ...] = ()
    lang: str | None = None
    """ISO 639-1 or 639-3; None if it is to be detected from the text."""


def check_texts(note: Note) -> None:
    """Raises InvalidArgument naming the field whose text no store can keep or give back over JSON."""
    texts = {
        "id": note.note_id,
        "title": note.title,
        "text": note.text,
        "vault": note.vault,
        "path": note.path,
    }
    if note.lang is not None:
        texts["lang"] = note.lang
    for position, tag in enumerate(note.tags):
        texts[f"tags[{position}]"] = tag
    for field, text in texts.items():
        if UNKEEPABLE.search(text):
            raise InvalidArgument(field, "text without NUL characters and lone surrogates")


@dataclass(frozen=True, slots=True)
class ListedNote(Note):
    """A note as lists show it, with empty text; of one that cannot be read, what can be, and defaults for the rest."""

    error: str | None = None
    """Why the note cannot be read, or why the index could not take it in; None if nothing has failed."""

    @classmethod
    def of(cls, note: Note, error: str | None = None) -> ListedNote:
        """Returns the note as lists show it."""
        values = {}
        for field in fields(Note):
            values[field.name] = getattr(note, field.name)
        values["text"] = ""
        return cls(**values, error=error)


class TrashReason(StrEnum):
    """Reason why a version went into the trash."""

    EDITED = "edited"
    """Another version that was saved under its id."""
    REPLACED = "replaced"
    """A file that was imported at its path, or an earlier version that was restored."""
    DELETED = "deleted"

    @classmethod
    def newer(cls) -> TrashReason:
        """Returns the reason that stands for one which only a newer release knows."""
        return cls.DELETED


@dataclass(frozen=True, slots=True, kw_only=True)
class TrashedNote:
    """A note as it was before it was edited, replaced or deleted."""

    trash_id: str
    """Ascending ids are the newest first."""
    note: Note
    """In lists without its text."""
    trashed_at: datetime
    expires_at: datetime
    reason: TrashReason


@dataclass(frozen=True, slots=True)
class UnreadableNote:
    """A stored document in the place of a note that cannot be read, and the reason."""

    note_id: str
    reason: str
    fields: Mapping[str, object]
    """Fields as Firestore's REST API returns them, each with its type: `{"title": {"integerValue": "7"}}`; on one machine the
    columns that can be read.
    """


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that notes use. `folder` is empty for the vault's root."""

    vault: str
    folder: str

"""A note as its owner wrote it, and where it lies."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class NoteKey:
    """Which note, in whose space."""

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
    vault: str = "default"
    path: str = ""
    """Like `projects/api/meeting.md`; the folder is its directory. Empty: the vault's root."""
    tags: tuple[str, ...] = ()
    lang: str | None = None
    """ISO 639-1, or 639-3; None: detected from the text."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that notes use. `folder` empty: the vault's root."""

    vault: str
    folder: str

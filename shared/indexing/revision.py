"""A note -> the revision of what the index takes from it."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC

from shared.markdown.file import aliases_of
from shared.model.notes import Note


def note_revision(note: Note) -> str:
    """16 hex digits that change exactly when the note's chunks could: with its title, text, vault, path, tags,
    creation time or language. `updated_at` is left out, so saving the same content again is no new revision.
    """
    created = note.created_at.astimezone(UTC).isoformat()
    content = [note.title, note.text, note.vault, note.path, note.tags, created, note.lang]
    if aliases := aliases_of(note.text):
        content.append(aliases)
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]

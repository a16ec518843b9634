"""Compares a file, its note, and both as they were last brought together: which of the two has changed?

A change on one side only is taken over by the other; a change on both sides is for a person to decide. If nothing is
known of the last time, a file and a note that differ are such a case too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import Enum

from desktop.files.conversion import converter_for
from desktop.files.reading import FileNote
from desktop.folders.manifest import NO_FILE, SyncedState
from shared.model.notes import Note
from shared.notes.service import NoteDraft


class Comparison(Enum):
    """Relation between a file and its note."""

    AGREED = "they say the same, or neither is there"
    SETTLED = "they differ, as they did before"
    FILE_CHANGED = "only the file has changed"
    NOTE_CHANGED = "only the note has changed"
    CONFLICT = "both have changed"


def compare(
    last: SyncedState | None,
    file: FileNote | None,
    note: Note | None,
    replaced: str = "",
) -> Comparison:
    """Compares a file and its note with what they were last.

    last: None if they were never brought together.
    file, note: None if there is none.
    replaced: when another file was imported in the note's place, as `SyncedState.note_updated`:
    that import is no edit of this file's note.
    """
    if agree(file, note):
        return Comparison.AGREED
    if last is None:
        return Comparison.FILE_CHANGED if note is None else Comparison.CONFLICT

    file_digest = NO_FILE if file is None else file.digest
    file_changed = file_digest != last.file_digest
    if note is None:
        note_changed = last.note_digest is not None
    else:
        # An import may have written the note and died before it could record that.
        was_imported = last.content_digest in _possible_content_digests(note)
        note_changed = note_digest(note) != last.note_digest and not was_imported

    if file_changed and note_changed:
        return Comparison.CONFLICT
    if note_changed:
        replaced_since = replaced > (last.note_updated or "")
        if file is not None and note is not None and replaced_since:
            return Comparison.CONFLICT
        return Comparison.NOTE_CHANGED

    if file is None or file_changed:
        return Comparison.FILE_CHANGED
    if note is None or last.content_digest not in _possible_content_digests(note):
        return Comparison.SETTLED
    # Nobody has changed anything, but files may be read in another way than they were.
    if last.content_digest != content_digest(file.draft):
        return Comparison.FILE_CHANGED
    return Comparison.SETTLED


def conflict_reason(path: str, file: FileNote | None, note: Note | None) -> str:
    """Says what has become of a file and its note, and what decides between them."""
    if note is not None and converter_for(path):
        # Nothing brings such a file back, or writes into it.
        if file is None:
            return "the file is gone, the note was changed elsewhere; --take file removes it"
        return "the file was changed, the note was changed elsewhere; --take file decides"

    if file is None:
        return "the file is gone, the note was changed elsewhere; --take file removes it, --take note brings the file back"
    if note is None:
        return (
            "the file was changed, the note deleted elsewhere; --take file or --take note decides"
        )

    return "changed in the file and elsewhere; --take file or --take note decides"


def agree(file: FileNote | None, note: Note | None) -> bool:
    """Reports whether the note is what the file says, or neither is there."""
    if file is None or note is None:
        return file is None and note is None
    return content_digest(file.draft) in _possible_content_digests(note)


def note_digest(note: Note) -> str:
    """Returns a digest of all that a file could say of the note, which leaves out its path."""
    return _digest(note.title, note.text, note.tags, note.lang, note.created_at)


def content_digest(draft: NoteDraft) -> str:
    """Returns a digest of what a file says."""
    return _digest(draft.title, draft.text, draft.tags, draft.lang, draft.created_at)


def _possible_content_digests(note: Note) -> tuple[str, str]:
    """Returns the digests of the files that could have said this: with the date, and without."""
    undated = _digest(note.title, note.text, note.tags, note.lang, None)
    return note_digest(note), undated


def _digest(
    title: str,
    text: str,
    tags: Sequence[str],
    lang: str | None,
    created: datetime | None,
) -> str:
    when = None
    if created is not None:
        when = created.astimezone(UTC).isoformat(timespec="milliseconds")
    content = json.dumps([title, text, list(tags), lang, when])
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:32]

"""A file, its note, and both as they were last brought together -> which of the two is news.

What has changed on one side only is taken over by the other; what has changed on both is for a person to decide. Where
it is not known what was read last, a file and a note that differ are such a case too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import Enum

from cli.converting import kind_of
from cli.sync.folder import FileNote
from cli.sync.manifest import Read
from shared.model.notes import Note
from shared.notes.service import NoteDraft


class Comparison(Enum):
    """How a file and its note stand to each other."""

    AGREED = "they say the same, or neither is there"
    SETTLED = "they differ, as they did before"
    FILE_NEWS = "only the file has changed"
    NOTE_NEWS = "only the note has changed"
    CONFLICT = "both have changed"


def compare(last: Read | None, file: FileNote | None, note: Note | None, replaced: str = "") -> Comparison:
    """None: there is no such file or note, or nothing was read before. `replaced`: when another file was imported in
    the note's place, as `Read.seen`: what that says is no edit of this file.
    """
    if agree(file, note):
        return Comparison.AGREED
    file_news = last is None or file is None or file.digest != last.file
    if last is None or note is None:
        note_news = note is not None if last is None else last.note is not None
    else:  # what an import wrote that died before it could say so is no news
        note_news = digest_of(note) != last.note and last.reading not in _readings(note)
    if file_news and note_news:
        return Comparison.CONFLICT
    if note_news:
        since = (last.seen if last else None) or ""
        return Comparison.CONFLICT if note and replaced > since else Comparison.NOTE_NEWS
    if file_news or last is None or file is None:
        return Comparison.FILE_NEWS
    # nobody has changed anything, but files may be read in another way than they were
    otherwise = note and last.reading in _readings(note) and last.reading != reading_of(file.draft)
    return Comparison.FILE_NEWS if otherwise else Comparison.SETTLED


def conflict_reason(path: str, file: FileNote | None, note: Note | None) -> str:
    """What has become of both."""
    if note is not None and kind_of(path):  # nothing brings such a file back, or writes into it
        done = ("is gone", "removes it") if file is None else ("was changed", "decides")
        return f"the file {done[0]}, the note was changed elsewhere; --take file {done[1]}"
    if file is None:
        return (
            "the file is gone, the note was changed elsewhere; --take file removes it, --take note brings the file back"
        )
    if note is None:
        return "the file was changed, the note deleted elsewhere; --take file or --take note decides"
    return "changed in the file and elsewhere; --take file or --take note decides"


def agree(file: FileNote | None, note: Note | None) -> bool:
    """Whether the note is what the file says, or neither is there."""
    if file is None or note is None:
        return file is None and note is None
    return reading_of(file.draft) in _readings(note)


def digest_of(note: Note) -> str:
    """Digest of all that a file could say of the note. Where it lies is not among it."""
    return _digest(note.title, note.text, note.tags, note.lang, note.created_at)


def reading_of(draft: NoteDraft) -> str:
    """Digest of what a file says."""
    return _digest(draft.title, draft.text, draft.tags, draft.lang, draft.created_at)


def _readings(note: Note) -> tuple[str, str]:
    """Readings of the files that could have said this: one that names the date, and one that names none."""
    return digest_of(note), _digest(note.title, note.text, note.tags, note.lang, None)


def _digest(title: str, text: str, tags: Sequence[str], lang: str | None, created: datetime | None) -> str:
    when = None if created is None else created.astimezone(UTC).isoformat(timespec="milliseconds")
    content = [title, text, list(tags), lang, when]
    return hashlib.sha256(json.dumps(content).encode("utf-8", "surrogatepass")).hexdigest()[:32]

"""A note whose file stays -> what the file is to hold, so that it says what the note does.

Of the file no more changes than the note has: the note's text takes the place of the file's; byte order mark and line
ends stay the file's own.
"""

from __future__ import annotations

from shared.markdown.file import fields_of
from shared.markdown.frontmatter import split
from shared.markdown.note_file import opened_with, wanted_fields
from shared.model.notes import Note

BOM = "\ufeff"


def content_of(raw: bytes, note: Note, path: str) -> bytes:
    """What the file at `path` holds so that it says what the note does. `raw`: what it holds now."""
    before = raw.decode("utf-8").removeprefix(BOM)
    two_signs = "\r\n" in before and "\n" not in before.replace("\r\n", "")
    if two_signs:
        before = before.replace("\r\n", "\n")
    text = note.text.replace("\r\n", "\n") if two_signs else note.text
    said, own = split(text), split(before).body_start
    if own and not said.body_start:  # who saved the text alone, or an unreadable block, did not mean to lose the file's
        text = before[:own] + text[said.shown_from :]
    says = fields_of(text, path)
    text = opened_with(text, wanted_fields(says, note, fields_of(before, path) if raw else None), says)
    return (BOM.encode() * raw.startswith(BOM.encode())) + (text.replace("\n", "\r\n") if two_signs else text).encode()


def unsaid(content: bytes, note: Note, path: str, was: bytes) -> tuple[str, ...]:
    """Names of what somebody has changed in the note and the file at `path` does not say with what `content_of` made
    of `was`: a frontmatter that cannot be read takes no fields. An empty field is not missed.
    """
    says, before = (fields_of(raw.decode("utf-8-sig"), path) for raw in (content, was))
    wanted = wanted_fields(says, note, before if was else None)
    return tuple(
        name for name, value in wanted.items() if value and (name != "tags" or set(note.tags) - set(says.tags))
    )

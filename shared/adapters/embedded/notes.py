"""`NoteStore` on one tenant's file."""

from __future__ import annotations

import re
import sqlite3

from shared.adapters.embedded import rows
from shared.errors import Conflict, InvalidArgument
from shared.model.notes import Folder, Note
from shared.model.scopes import ancestors
from shared.ports.pages import Page, make_token, read_token

_WITHOUT_TEXT = rows.NOTE_COLUMNS.removesuffix("text") + "''"
_UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")


def check(note: Note) -> None:
    """Raises InvalidArgument naming the field whose text no store can keep or give back over JSON."""
    fields = {"id": note.note_id, "title": note.title, "text": note.text, "vault": note.vault, "path": note.path}
    fields |= {f"tags[{place}]": tag for place, tag in enumerate(note.tags)}
    for name, value in fields.items():
        if _UNKEEPABLE.search(value):
            raise InvalidArgument(name, "text without NUL characters and lone surrogates")


def get(db: sqlite3.Connection, note_id: str) -> Note | None:
    row = db.execute(f"SELECT {rows.NOTE_COLUMNS} FROM notes WHERE note_id = ?", (note_id,)).fetchone()
    return None if row is None else rows.to_note(row)


def put(db: sqlite3.Connection, note: Note) -> None:
    statement = f"INSERT OR REPLACE INTO notes ({rows.NOTE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
    db.execute(statement, rows.note_row(note))


def swap(db: sqlite3.Connection, note_id: str, *, was: Note | None, now: Note | None) -> None:
    """Raises Conflict if the note is not `was`."""
    if get(db, note_id) != was:
        raise Conflict("somebody else has changed the note")
    if now is None:
        delete(db, note_id)
    else:
        put(db, now)


def delete(db: sqlite3.Connection, note_id: str) -> bool:
    return db.execute("DELETE FROM notes WHERE note_id = ?", (note_id,)).rowcount > 0


def page(db: sqlite3.Connection, *, limit: int, token: str | None, vault: str | None, texts: bool) -> Page[Note]:
    """Raises InvalidArgument("pageToken")."""
    columns = rows.NOTE_COLUMNS if texts else _WITHOUT_TEXT
    after = "" if token is None else read_token(token, "notes")[0]
    found = db.execute(
        f"SELECT {columns} FROM notes WHERE note_id > ? AND vault = coalesce(?, vault) ORDER BY note_id LIMIT ?",
        (after, vault, limit + 1),
    ).fetchall()
    items = tuple(map(rows.to_note, found[:limit]))
    return Page(items, make_token("notes", items[-1].note_id) if len(found) > limit else None)


def folders(db: sqlite3.Connection) -> tuple[Folder, ...]:
    """Read from the chunks, so a folder goes with the last chunk in it."""
    found = set()
    for vault, path in db.execute("SELECT DISTINCT vault, path FROM chunks"):
        found.add((vault, ""))
        found.update((vault, folder) for folder in ancestors(path))
    return tuple(Folder(*each) for each in sorted(found))

"""`NoteStore` on one tenant's file."""

from __future__ import annotations

import re
import sqlite3

from shared.adapters.embedded import rows
from shared.errors import Conflict, InvalidArgument
from shared.model.notes import Folder, ListedNote, Note
from shared.model.scopes import ancestors
from shared.ports.pages import Page, make_token, read_token

_LISTED_COLUMNS = (
    rows.NOTE_COLUMNS.removesuffix("text")
    + """'',
    (SELECT error FROM records WHERE records.note_id = notes.note_id AND status = 'failed')"""
)
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


def listed(db: sqlite3.Connection, *, limit: int, token: str | None, vault: str | None) -> Page[ListedNote]:
    """Raises InvalidArgument("pageToken")."""
    found, next_token = _page(db, _LISTED_COLUMNS, limit=limit, token=token, vault=vault)
    return Page(tuple(ListedNote.of(rows.to_note(row[:-1]), row[-1]) for row in found), next_token)


def whole(db: sqlite3.Connection, *, limit: int, token: str | None) -> Page[Note]:
    """Raises InvalidArgument("pageToken")."""
    found, next_token = _page(db, rows.NOTE_COLUMNS, limit=limit, token=token, vault=None)
    return Page(tuple(map(rows.to_note, found)), next_token)


def _page(
    db: sqlite3.Connection, columns: str, *, limit: int, token: str | None, vault: str | None
) -> tuple[list[rows.Row], str | None]:
    after = "" if token is None else read_token(token, "notes")[0]
    found = db.execute(
        f"SELECT {columns} FROM notes WHERE note_id > ? AND vault = coalesce(?, vault) ORDER BY note_id LIMIT ?",
        (after, vault, limit + 1),
    ).fetchall()
    return found[:limit], make_token("notes", found[limit - 1][0]) if len(found) > limit else None


def folders(db: sqlite3.Connection) -> tuple[Folder, ...]:
    """Read from the chunks, so a folder goes with the last chunk in it."""
    found = set()
    for vault, path in db.execute("SELECT DISTINCT vault, path FROM chunks"):
        found.add((vault, ""))
        found.update((vault, folder) for folder in ancestors(path))
    return tuple(Folder(*each) for each in sorted(found))

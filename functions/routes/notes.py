"""/notes and /notes/{id}: list, read, save, delete, import. The index follows every save by itself."""

from __future__ import annotations

import posixpath
import re
from typing import Annotated

from pydantic import Field

from functions._bodies import Body, Names, checked, parse
from functions._calls import Call, Reply
from shared.app import NoteDraft
from shared.errors import InvalidArgument, TooLarge
from shared.indexing.markdown_file import fields_of, note_id_of
from shared.text.instants import DAY_OR_INSTANT, INSTANT, parse_day_or_instant, parse_instant
from shared.wire import listed_note_json, note_json
from shared.wire_types import ImportedJson, NotesJson

MOST_TEXT = 900_000
"""UTF-8 bytes of a note's text; with its other fields it stays below Firestore's limit of 1 MiB a document."""
MOST_PATH = 1000
MOST_TAGS = 100
PAGE = 50
MOST_PER_PAGE = 200

VAULT = "a name of 1-200 characters, without slash or control characters"
NOTE_ID = "a note id: 1-128 characters, no slash, not `.`, `..` or `__…__`"
PATH = f"a relative path like projects/api/meeting.md, at most {MOST_PATH} characters, with no `..` in it"

_NOTE_ID = re.compile(r"(?!\.{1,2}\Z)(?!__.*__\Z)[^/\x00-\x1f\x7f]{1,128}", re.DOTALL)


class NoteBody(Body):
    """The request of PUT /notes/{id}. `noteId` and `updatedAt` are there so that what GET gave can be sent back."""

    title: str = Field(max_length=1000, description="text of at most 1000 characters")
    text: str = Field(description="the note as Markdown text")
    tenant_id: str | None = Field(default=None, description="a tenant this caller may use")
    vault: str = Field(default="default", pattern=r"^[^/\x00-\x1f\x7f]{1,200}$", description=VAULT)
    path: str = Field(default="", max_length=MOST_PATH, description=PATH)
    tags: Annotated[Names, Field(max_length=MOST_TAGS)] = Field(
        default=(), description=f"a list of at most {MOST_TAGS} names of 1-200 characters"
    )
    created_at: str | None = Field(default=None, description=DAY_OR_INSTANT)
    lang: str | None = Field(default=None, pattern=r"^[a-z]{2}$", description="two letters, ISO 639-1, like en")
    note_id: str | None = Field(default=None, description="the id that the address names")
    updated_at: str | None = Field(default=None, description="what the server said; it is not taken over")


class ImportBody(Body):
    """The request of POST /notes:import: a Markdown file as it lies in somebody's folder."""

    text: str = Field(description="the file as text")
    path: str = Field(min_length=1, max_length=MOST_PATH, description=PATH)
    vault: str = Field(default="default", pattern=r"^[^/\x00-\x1f\x7f]{1,200}$", description=VAULT)
    modified_at: str | None = Field(default=None, description=INSTANT)
    tenant_id: str | None = Field(default=None, description="a tenant this caller may use")


def put(call: Call, note_id: str) -> Reply:
    """Create or replace. The same content again writes nothing and keeps `updatedAt`."""
    body = parse(call.body, NoteBody)
    call.check_tenant(body.tenant_id)
    check_note_id(note_id)
    if body.note_id not in (None, note_id):
        raise InvalidArgument("noteId", "the id that the address names")
    note = call.app.save_note(call.tenant_id, note_id, _draft(body))
    return Reply(note_json(note))


def import_file(call: Call) -> Reply:
    """Create or replace the note of one file: fields of its frontmatter, an id made of vault and path, so that the
    same file is the same note each time. A file that names no date was created when it was first seen to be modified.
    """
    body = parse(call.body, ImportBody)
    call.check_tenant(body.tenant_id)
    path, fields = _path(body.path), fields_of(body.text, body.path)
    _check_size(body.text)
    draft = NoteDraft(
        title=fields.title,
        text=body.text,
        vault=body.vault,
        path=path,
        tags=fields.tags,
        lang=fields.lang,
        created_at=fields.created_at,
        modified_at=None if body.modified_at is None else checked("modifiedAt", parse_instant, body.modified_at),
    )
    note = call.app.save_note(call.tenant_id, note_id_of(body.vault, path), draft)
    imported: ImportedJson = {"note": listed_note_json(note), "problem": fields.problem}
    return Reply(imported)


def get(call: Call, note_id: str) -> Reply:
    return Reply(note_json(call.app.note(call.tenant_id, check_note_id(note_id))))


def delete(call: Call, note_id: str) -> Reply:
    call.app.delete_note(call.tenant_id, check_note_id(note_id))
    return Reply(None, 204)


def list_all(call: Call) -> Reply:
    """`?pageSize=`, `?pageToken=`, `?vault=`; by note id, without the texts."""
    known = {"pageSize", "pageToken", "vault"}
    for name in call.query:
        if name not in known:
            raise InvalidArgument(name, f"no such parameter; there are {', '.join(sorted(known))}")
    page = call.app.notes(
        call.tenant_id,
        limit=_page_size(call.query.get("pageSize", str(PAGE))),
        token=call.query.get("pageToken") or None,
        vault=call.query.get("vault"),
    )
    listed: NotesJson = {"notes": [listed_note_json(note) for note in page.items], "nextPageToken": page.next_token}
    return Reply(listed)


def check_note_id(note_id: str) -> str:
    """The id itself. Raises InvalidArgument for one that Firestore could not keep."""
    if not _NOTE_ID.fullmatch(note_id) or "\ufffd" in note_id:
        raise InvalidArgument("noteId", NOTE_ID)
    return note_id


def _page_size(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,3}", text) or not 1 <= int(text) <= MOST_PER_PAGE:
        raise InvalidArgument("pageSize", f"a whole number from 1 to {MOST_PER_PAGE}")
    return int(text)


def _draft(body: NoteBody) -> NoteDraft:
    if not body.title.strip() and not body.text.strip():
        raise InvalidArgument("text", "a note with a title or a text")
    _check_size(body.text)
    created = body.created_at
    return NoteDraft(
        title=body.title,
        text=body.text,
        vault=body.vault,
        path=_path(body.path),
        tags=tuple(dict.fromkeys(body.tags)),
        lang=body.lang,
        created_at=None if created is None else checked("createdAt", parse_day_or_instant, created, "UTC"),
    )


def _check_size(text: str) -> None:
    if len(text.encode()) > MOST_TEXT:
        raise TooLarge(f"text: at most {MOST_TEXT} bytes of UTF-8")


def _path(path: str) -> str:
    """Normalised: `a//b/./c.md` -> `a/b/c.md`."""
    odd = path.startswith("/") or path.endswith("/") or re.search(r"[\x00-\x1f\x7f\\]", path)
    if odd or ".." in path.split("/"):
        raise InvalidArgument("path", PATH)
    return posixpath.normpath(path) if path else ""

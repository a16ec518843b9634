"""/notes and /notes/{id}: list, read, save, delete, import. The index follows every save by itself."""

from __future__ import annotations

import posixpath
import re
from typing import Annotated

from pydantic import Field

from functions.http.bodies import (
    Body,
    DayOrInstant,
    Instant,
    Names,
    Page,
    TenantBody,
    checked,
    checked_body,
    parse_query,
)
from functions.http.calls import Call, Reply, operation
from shared.api.notes import (
    CoverageJson,
    ImportedJson,
    IndexStatusJson,
    LinksJson,
    ListedNoteJson,
    NoteJson,
    NoteRowJson,
    NotesJson,
    index_status_json,
    links_json,
    note_json,
)
from shared.api.values import shown
from shared.errors import InvalidArgument, TooLarge
from shared.markdown.file import fields_of
from shared.model import limits
from shared.model.notes import DEFAULT_VAULT, NoteKey, TrashReason
from shared.notes.linked import linked
from shared.notes.service import NoteDraft
from shared.times.dates import DAY_OR_INSTANT, INSTANT, parse_day_or_instant, parse_instant

NOTE_ID = f"a note id: {limits.ID}"
LANG = "two or three letters, ISO 639, like en"
PATH = f"a relative path like projects/api/meeting.md, at most {limits.MAX_PATH} characters, with no `..` in it"
REPLACED = "the revision that is meant, as the server gave it; empty: there is no such note; null: whatever it is"

Vault = Annotated[str, Field(pattern=f"^{limits.VAULT_PATTERN}$", description=limits.VAULT)]


class NoteBody(TenantBody):
    """The request of PUT /notes/{id}. `noteId` and `updatedAt` are there so that what GET gave can be sent back."""

    title: str = Field(max_length=limits.MAX_TITLE, description=f"text of at most {limits.MAX_TITLE} characters")
    text: str = Field(description="the note as Markdown text")
    vault: Vault = DEFAULT_VAULT
    path: str = Field(default="", max_length=limits.MAX_PATH, description=PATH)
    tags: Annotated[Names, Field(max_length=limits.MAX_TAGS)] = Field(
        default=(), description=f"a list of at most {limits.MAX_TAGS} names of 1-{limits.MAX_NAME} characters"
    )
    created_at: DayOrInstant | None = Field(default=None, description=DAY_OR_INSTANT)
    lang: str | None = Field(default=None, pattern=f"^{limits.LANG_PATTERN}$", description=LANG)
    note_id: str | None = Field(default=None, description="the id that the address names")
    updated_at: str | None = Field(default=None, description="read-only; ignored on write")
    revision: str | None = Field(default=None, description=REPLACED)


class ImportBody(TenantBody):
    """The request of POST /notes:import: a Markdown file of a folder."""

    text: str = Field(description="the file as text")
    path: str = Field(min_length=1, max_length=limits.MAX_PATH, description=PATH)
    vault: Vault = DEFAULT_VAULT
    modified_at: Instant | None = Field(default=None, description=INSTANT)
    revision: str | None = Field(default=None, description=REPLACED)


class DeleteQuery(Body):
    """The parameters of DELETE /notes/{id}."""

    revision: str | None = Field(default=None, description=REPLACED)


@operation(body=NoteBody, reply=NoteJson, errors=(409,))
def put(call: Call, note_id: str) -> Reply:
    """Create or replace; what is replaced goes into the trash. The same content again writes nothing and keeps
    `updatedAt`. With the `revision` that GET gave, 409 if the note was changed since; 409 also if another
    note of the vault has the path.
    """
    body = checked_body(call, NoteBody)
    check_note_id(note_id)
    if body.note_id not in (None, note_id):
        raise InvalidArgument("noteId", "the id that the address names")
    note = call.app.notes.save(call.caller.tenant_id, note_id, draft_of(body), replacing=body.revision)
    return Reply(note_json(note))


@operation(body=ImportBody, reply=ImportedJson, errors=(409,))
def import_file(call: Call) -> Reply:
    """Create or replace the note at one file's path of the vault, with the fields of its frontmatter. What it replaces
    goes into the trash. A file that names no date was created when it was first seen to be modified.
    """
    body = checked_body(call, ImportBody)
    path = _path(body.path)
    fields = fields_of(body.text, path)
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
    note_id = call.app.notes.import_id(call.caller.tenant_id, body.vault, path)
    # A caller that names a revision has seen what the file replaces.
    reason = TrashReason.REPLACED if body.revision is None else TrashReason.EDITED
    note = call.app.notes.save(call.caller.tenant_id, note_id, draft, replacing=body.revision, reason=reason)
    return Reply(ImportedJson(note=shown(ListedNoteJson, note), problem=fields.problem))


@operation(reply=NoteJson, errors=(404, 409))
def get(call: Call, note_id: str) -> Reply:
    """The note as it is now. 409 if an app wrote it with fields of wrong types."""
    return Reply(note_json(call.app.notes.get(call.caller.tenant_id, check_note_id(note_id))))


@operation(reply=LinksJson, errors=(404, 409))
def links(call: Call, note_id: str) -> Reply:
    """Lists the note's links and backlinks within its vault: `[[wiki links]]`, embeds and links to Markdown
    files, by path, title or alias. `noteId` null: no note is called so, as far as the index has followed.
    """
    note = call.app.notes.get(call.caller.tenant_id, check_note_id(note_id))
    return Reply(links_json(note_id, linked(call.caller.tenant_id, note, store=call.app.store, pool=call.app.pool)))


@operation(query=DeleteQuery, errors=(404, 409))
def delete(call: Call, note_id: str) -> Reply:
    """Move the note into the trash. No answer cites it from now on. With a `revision`, 409 if the note has another."""
    replacing = parse_query(call.query, DeleteQuery).revision
    call.app.notes.delete(call.caller.tenant_id, check_note_id(note_id), replacing=replacing)
    return Reply(None, 204)


class NotesQuery(Page):
    """The parameters of GET /notes."""

    vault: str | None = Field(default=None, description="the name of a vault")


@operation(query=NotesQuery, reply=NotesJson)
def list_all(call: Call) -> Reply:
    """Lists notes by id, without their texts; unreadable ones with their error."""
    asked, tenant_id = parse_query(call.query, NotesQuery), call.caller.tenant_id
    page = call.app.notes.page(tenant_id, limit=asked.page_size, token=asked.page_token, vault=asked.vault)
    return Reply(NotesJson(notes=[shown(NoteRowJson, note) for note in page.items], nextPageToken=page.next_token))


@operation(reply=IndexStatusJson, errors=(404,))
def index_status(call: Call, note_id: str) -> Reply:
    """`current` true: the index holds exactly what the note says now."""
    key = NoteKey(call.caller.tenant_id, check_note_id(note_id))
    return Reply(index_status_json(note_id, call.app.indexer.note_state(key)))


@operation(reply=CoverageJson)
def index_coverage(call: Call) -> Reply:
    """How many of the notes are indexed, and how many are still to be embedded again."""
    return Reply(shown(CoverageJson, call.app.indexer.coverage(call.caller.tenant_id)))


def check_note_id(note_id: str, field: str = "noteId") -> str:
    """The id itself. Raises InvalidArgument of `field` for one that Firestore could not keep."""
    if not limits.is_id(note_id):
        raise InvalidArgument(field, NOTE_ID)
    return note_id


def draft_of(body: NoteBody) -> NoteDraft:
    """Raises InvalidArgument, TooLarge."""
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
    if len(text.encode()) > limits.MAX_TEXT_BYTES:
        raise TooLarge(f"text: at most {limits.MAX_TEXT_BYTES} bytes of UTF-8")


def _path(path: str) -> str:
    """Normalised: `a//b/./c.md` -> `a/b/c.md`."""
    odd = path.startswith("/") or path.endswith("/") or re.search(r"[\x00-\x1f\x7f\\]", path)
    plain = posixpath.normpath(path) if path else ""
    if odd or ".." in path.split("/") or plain == ".":
        raise InvalidArgument("path", PATH)
    return plain

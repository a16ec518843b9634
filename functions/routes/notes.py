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
    PageQuery,
    SavingBody,
    checked,
    checked_body,
    parse_query,
    with_example,
)
from functions.http.calls import Call, Reply, operation
from shared.api.notes import (
    ImportedJson,
    IndexStatusJson,
    LinksJson,
    NoteJson,
    NotesJson,
    RelatedJson,
    index_status_json,
    links_json,
    listed_note_json,
    note_json,
    note_row_json,
    related_json,
)
from shared.errors import InvalidArgument, TooLarge
from shared.indexing.coverage import read_note_state
from shared.markdown.file import fields_of
from shared.model import limits
from shared.model.notes import DEFAULT_VAULT, ListedNote, NoteKey, TrashReason
from shared.model.retrieval import UNKNOWN_CALIBRATION
from shared.notes.linked import linked
from shared.notes.related import related
from shared.notes.service import NoteDraft
from shared.times.dates import DAY_OR_INSTANT, INSTANT, parse_day_or_instant, parse_instant

NOTE_ID = f"a note id: {limits.ID}"
LANG = "two or three letters, ISO 639, like en"
PATH = f"a relative path like projects/api/meeting.md, at most {limits.MAX_PATH} characters, with no `..` in it"
ONE_PATH = "the path of one note within its vault, the default one if none is named"
REPLACED = "the revision that the client last read; empty: create only; null: overwrite"

Vault = Annotated[str, Field(pattern=f"^{limits.VAULT_PATTERN}$", description=limits.VAULT)]


class NoteBody(SavingBody):
    """The request of PUT /notes/{id}. `noteId` and `updatedAt` are there so that what GET gave can be sent back."""

    model_config = with_example(
        title="API meeting",
        text="We decided to run the API on Cloud Run.",
        path="projects/api/meeting.md",
        tags=["api"],
    )

    title: str = Field(
        max_length=limits.MAX_TITLE,
        description=f"text of at most {limits.MAX_TITLE} characters",
    )
    text: str = Field(description="the note as Markdown text")
    vault: Vault = DEFAULT_VAULT
    path: str = Field(default="", max_length=limits.MAX_PATH, description=PATH)
    tags: Annotated[Names, Field(max_length=limits.MAX_TAGS)] = Field(
        default=(),
        description=f"a list of at most {limits.MAX_TAGS} names of 1-{limits.MAX_NAME} characters",
    )
    created_at: DayOrInstant | None = Field(default=None, description=DAY_OR_INSTANT)
    lang: str | None = Field(default=None, pattern=f"^{limits.LANG_PATTERN}$", description=LANG)
    note_id: str | None = Field(default=None, description="the id that the address names")
    updated_at: str | None = Field(default=None, description="read-only; ignored on write")
    revision: str | None = Field(default=None, description=REPLACED)


class ImportBody(SavingBody):
    """The request of POST /notes:import: a Markdown file of a folder."""

    model_config = with_example(
        path="projects/api/plan.md",
        text="---\ntags: [api]\n---\n# Plan\n\nFirst the schema.",
        modifiedAt="2026-01-15T10:30:00Z",
    )

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
    note of the vault has the path, or if everything was erased since the `erasure` that GET /notes gave.
    """
    body = checked_body(call, NoteBody)
    check_note_id(note_id)
    if body.note_id not in (None, note_id):
        raise InvalidArgument("noteId", "the id that the address names")
    app = call.app_unless_erased(body.erasure)
    draft = draft_of(body)
    note = app.notes.save(
        call.tenant_id,
        note_id,
        draft,
        replacing=body.revision,
    )
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

    modified_at = None
    if body.modified_at is not None:
        modified_at = checked("modifiedAt", parse_instant, body.modified_at)
    draft = NoteDraft(
        title=fields.title,
        text=body.text,
        vault=body.vault,
        path=path,
        tags=fields.tags,
        lang=fields.lang,
        created_at=fields.created_at,
        modified_at=modified_at,
    )

    app = call.app_unless_erased(body.erasure)
    note_id = app.notes.import_id(call.tenant_id, body.vault, path)
    reason = TrashReason.REPLACED
    if body.revision is not None:  # the caller has seen what the file replaces
        reason = TrashReason.EDITED
    note = app.notes.save(call.tenant_id, note_id, draft, replacing=body.revision, reason=reason)
    return Reply(ImportedJson(note=listed_note_json(note), problem=fields.problem))


@operation(reply=NoteJson, errors=(404, 409))
def get(call: Call, note_id: str) -> Reply:
    """The note as it is now. 409 if an app wrote it with fields of wrong types."""
    check_note_id(note_id)
    note = call.app.notes.get(call.tenant_id, note_id)
    return Reply(note_json(note))


@operation(reply=LinksJson, errors=(404, 409))
def links(call: Call, note_id: str) -> Reply:
    """Lists the note's links and backlinks within its vault: `[[wiki links]]`, embeds and links to Markdown
    files, by path, title or alias. `noteId` null: no indexed note has that name.
    """
    app = call.app
    check_note_id(note_id)
    note = app.notes.get(call.tenant_id, note_id)
    linked_notes = linked(
        call.tenant_id,
        note,
        store=app.store,
        pool=app.pool,
    )
    return Reply(links_json(note_id, linked_notes))


@operation(reply=RelatedJson, errors=(404,))
def related_notes(call: Call, note_id: str) -> Reply:
    """Lists up to five notes that are about the same things, the nearest first, each with its nearest passage. Empty
    until the note has been embedded.
    """
    app = call.app
    check_note_id(note_id)
    app.notes.get(call.tenant_id, note_id)  # raises NotFound

    embedder = app.retriever.embedder_of(call.tenant_id)
    if embedder is None:
        return Reply(related_json(note_id, ()))

    neighbours = related(
        call.tenant_id,
        note_id,
        store=app.store,
        index_version=app.retriever.options.index_version,
        calibration=embedder.calibration or UNKNOWN_CALIBRATION,
    )
    return Reply(related_json(note_id, neighbours))


@operation(query=DeleteQuery, errors=(404, 409))
def delete(call: Call, note_id: str) -> Reply:
    """Move the note into the trash. No answer cites it from now on. With a `revision`, 409 if the note has another."""
    query = parse_query(call.query, DeleteQuery)
    check_note_id(note_id)
    call.app.notes.delete(call.tenant_id, note_id, replacing=query.revision)
    return Reply(None, 204)


class NotesQuery(PageQuery):
    """The parameters of GET /notes."""

    vault: Annotated[str | None, Field(pattern=f"^{limits.VAULT_PATTERN}$")] = Field(
        default=None,
        description=limits.VAULT,
    )
    path: Annotated[str | None, Field(min_length=1, max_length=limits.MAX_PATH)] = Field(
        default=None,
        description=ONE_PATH,
    )


@operation(query=NotesQuery, reply=NotesJson)
def list_all(call: Call) -> Reply:
    """Lists notes by id, without their texts; unreadable ones with their error. With a `path` the one note at it."""
    query = parse_query(call.query, NotesQuery)
    notes = call.app.notes
    if query.path is None:
        page = notes.page(
            call.tenant_id,
            limit=query.page_size,
            token=query.page_token,
            vault=query.vault,
        )
        listed = page.items
        next_token = page.next_token
    else:
        vault = query.vault or DEFAULT_VAULT
        note = notes.at_path(call.tenant_id, vault, query.path)
        listed = ()
        if note is not None:
            listed = (ListedNote.of(note),)
        next_token = None

    reply = NotesJson(
        notes=[note_row_json(note) for note in listed],
        nextPageToken=next_token,
        erasure=call.app.store.last_erasure(call.tenant_id),
    )
    return Reply(reply)


@operation(reply=IndexStatusJson, errors=(404,))
def index_status(call: Call, note_id: str) -> Reply:
    """The state of the note's index. `current` true: the index holds exactly what the note says now."""
    check_note_id(note_id)
    key = NoteKey(call.tenant_id, note_id)
    state = read_note_state(call.app.indexer, key)
    return Reply(index_status_json(note_id, state))


def check_note_id(note_id: str, field: str = "noteId") -> str:
    """Returns the id itself. Raises InvalidArgument of `field` for one that Firestore could not keep."""
    if not limits.is_id(note_id):
        raise InvalidArgument(field, NOTE_ID)
    return note_id


def draft_of(body: NoteBody) -> NoteDraft:
    """Returns the note that a body describes. Raises InvalidArgument, TooLarge."""
    is_blank = not body.title.strip() and not body.text.strip()
    if is_blank:
        raise InvalidArgument("text", "a note with a title or a text")
    _check_size(body.text)

    created_at = None
    if body.created_at is not None:
        created_at = checked("createdAt", parse_day_or_instant, body.created_at, "UTC")

    return NoteDraft(
        title=body.title,
        text=body.text,
        vault=body.vault,
        path=_path(body.path),
        tags=tuple(dict.fromkeys(body.tags)),
        lang=body.lang,
        created_at=created_at,
    )


def _check_size(text: str) -> None:
    size = len(text.encode())
    if size > limits.MAX_TEXT_BYTES:
        raise TooLarge(f"text: at most {limits.MAX_TEXT_BYTES} bytes of UTF-8")


def _path(path: str) -> str:
    """Normalises the path: `a//b/./c.md` is `a/b/c.md`. Raises InvalidArgument."""
    if not path:
        return ""

    normalised = posixpath.normpath(path)
    parts = path.split("/")
    names_file = normalised != "." and not path.endswith("/")
    is_relative = not path.startswith("/") and ".." not in parts
    has_odd_characters = re.search(r"[\x00-\x1f\x7f\\]", path) is not None
    if not names_file or not is_relative or has_odd_characters:
        raise InvalidArgument("path", PATH)
    return normalised

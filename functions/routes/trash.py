"""/trash and /trash/{id}: notes as they were before they were edited, replaced or deleted, for 30 days."""

from __future__ import annotations

from pydantic import Field

from functions.http.bodies import PageQuery, checked_body, parse_query, with_example
from functions.http.calls import Call, Reply, operation
from functions.routes.notes import NoteBody, check_note_id, draft_of
from shared.api.notes import (
    NoteJson,
    TrashedNoteJson,
    TrashJson,
    note_json,
    trashed_json,
    trashed_row_json,
)


class DiscardBody(NoteBody):
    """The request of POST /trash."""

    model_config = with_example(
        noteId="meeting",
        title="API meeting",
        text="We thought of running the API on our own machine.",
    )

    note_id: str = Field(description="the id of the note that this is a version of")


@operation(query=PageQuery, reply=TrashJson)
def list_all(call: Call) -> Reply:
    """Lists versions, newest first, without their texts."""
    query = parse_query(call.query, PageQuery)
    page = call.app.notes.trash(
        call.tenant_id,
        limit=query.page_size,
        token=query.page_token,
    )
    rows = [trashed_row_json(version) for version in page.items]
    return Reply(TrashJson(trash=rows, nextPageToken=page.next_token))


@operation(reply=TrashedNoteJson, errors=(404,))
def get(call: Call, trash_id: str) -> Reply:
    """The note as it was, with its text."""
    version = call.app.notes.trashed(call.tenant_id, trash_id)
    return Reply(trashed_json(version))


@operation(body=DiscardBody, reply=TrashedNoteJson, errors=(409,))
def put(call: Call) -> Reply:
    """Keep another version of a note, which was only in a file that is about to be replaced."""
    body = checked_body(call, DiscardBody)
    draft = draft_of(body)
    app = call.app_unless_erased(body.erasure)
    note_id = check_note_id(body.note_id)
    version = app.notes.discard(call.tenant_id, note_id, draft)
    return Reply(trashed_json(version))


@operation(reply=NoteJson, errors=(404, 409))
def restore(call: Call, trash_id: str) -> Reply:
    """Put the note back as it was; what has taken its place goes into the trash. 409 if another note has its path."""
    note = call.app.notes.restore(call.tenant_id, trash_id)
    return Reply(note_json(note))


@operation(errors=(404,))
def delete(call: Call, trash_id: str) -> Reply:
    """Remove it for good, before its 30 days are over."""
    call.app.notes.purge(call.tenant_id, trash_id)
    return Reply(None, 204)

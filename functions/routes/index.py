"""GET /notes/{id}:indexStatus and /index:coverage: how far the index has followed the notes."""

from __future__ import annotations

from functions.http.calls import Call, Reply
from functions.http.operations import operation
from functions.routes.notes import check_note_id
from shared.api.notes import CoverageJson, IndexStatusJson, coverage_json, index_status_json
from shared.model.notes import NoteKey


@operation(reply=IndexStatusJson, errors=(404,))
def status(call: Call, note_id: str) -> Reply:
    """`current` true: the index holds exactly what the note says now."""
    state = call.app.indexer.note_state(NoteKey(call.tenant_id, check_note_id(note_id)))
    return Reply(index_status_json(note_id, state.record, current=state.current))


@operation(reply=CoverageJson)
def coverage(call: Call) -> Reply:
    """How many of the notes are indexed."""
    return Reply(coverage_json(call.app.store.coverage(call.tenant_id)))

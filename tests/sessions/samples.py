"""An answered question in a session, and a store in memory for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shared.model.answers import StoredAnswer
from shared.model.index import IndexRecord
from shared.model.notes import Note
from shared.model.questions import Question
from shared.model.sessions import StoredCitation
from shared.sessions.service import Sessions
from shared.sessions.turns import Turn
from tests.contracts.samples import DAY, TENANT, chunk, note, record
from tests.memory_store import MemoryStore

CHUNK = chunk("n1")
SHOWN = {
    "cid": "N1",
    "noteId": "n1",
    "chunkId": "n1_000",
    "createdAt": "2026-05-08T12:30:15.123Z",
    "title": "Title of n1",
    "quote": "Alpha",
    "snippet": "Alpha beta.",
    "stale": False,
}
ANSWER = StoredAnswer(
    text="It is alpha [N1]. So they say.",
    citations=(StoredCitation("n1", CHUNK.note_revision, SHOWN),),
    claims=(),
    meta={"requestId": "r-1"},
)


def asked_in(sessions: Sessions, session_id: str, *, max_history: int | None = None) -> Turn:
    patch = {} if max_history is None else {"max_history": max_history}
    with sessions.turn(Question(TENANT, "What is alpha?", DAY), session_id, patch) as turn:
        return sessions.standalone_question(turn)


class Conversations(MemoryStore):
    """`shared.ports.stores.ConversationStore`: the note `n1` is there, at revision `r1`."""

    def __init__(self) -> None:
        super().__init__()
        self.notes: dict[str, Note] = {"n1": note("n1")}

    def get_note(self, tenant_id: str, note_id: str) -> Note | None:  # noqa: ARG002
        return self.notes.get(note_id)

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:  # noqa: ARG002
        return {note_id: record() for note_id in note_ids if note_id in self.notes}

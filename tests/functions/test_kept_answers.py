"""Answers that release 0.2.0 has kept are given again as they were: to a repeat, and in a session."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from functions.http.bodies import parse
from functions.http.calls import Call
from functions.routes.ask import AskBody, folder_request
from functions.routes.chat import ChatBody, turn_request
from shared.adapters.embedded.documents import CODEC as EMBEDDED
from shared.adapters.firestore.documents import CODEC as FIRESTORE
from shared.api.sessions import message_json
from shared.model.account import AnsweredRequest
from shared.model.codec import Codec
from shared.model.documents import MESSAGES, REQUESTS
from shared.ports.access import Identity
from tests.fakes import ScriptedWriter
from tests.functions.world import ALICE, World
from tests.servers.sdk_parsers import event_source

ASKED = {
    "/chat": {"message": "Which colour is the boat?", "requestId": "r-1"},
    "/ask": {"question": "Which colour is the boat?", "requestId": "r-1"},
}
REVISION = "129e7b3e09cfbb96"
"""Revision of the note from which the answers were written."""

CITATION = (
    '{"noteId": "boat", "chunkId": "boat_000", "title": "Boat", "vault": "default", "path": "", '
    '"headingPath": "", "createdAt": "2026-11-21T12:00:00.000Z", "snippet": "The boat is blue.", '
    '"span": {"start": 0, "end": 17}, "score": 0.5394, "scores": {"vector": 0.6001, '
    '"keyword": 0.3938, "recency": 0.5394, "similarity": 0.8}, "cid": "N1", "folder": "", '
    '"position": 0, "quote": "The boat is blue.", "support": {"state": "supported", '
    '"score": 1.0}, "stale": false}'
)
CLAIM = (
    '{"span": {"start": 0, "end": 22}, "cids": ["N1"], "support": {"state": "supported", '
    '"score": 1.0}, "quotes": [{"cid": "N1", "span": {"start": 0, "end": 17}, '
    '"quote": "The boat is blue."}]}'
)
META = (
    '{"model": "scripted", "answerKind": "written", "retrieval": {"k": 5, '
    '"strategy": "hybrid_reranked", "candidateCount": 1, "rerankCount": 1, "timeMs": 12, '
    '"reranker": null, "failedLegs": [], "silentLegs": []}, "requestId": "r-1", '
    '"sessionId": null, "offsetUnit": "utf16", "query": {"keywords": ["colour", "boat"], '
    '"timeRange": null}, "notesRead": null, "refusal": null, "grounding": {"precision": 1.0, '
    '"recall": 1.0}, "removedCitations": [], "writerProblem": null, "template": null, '
    '"usage": {"inputTokens": 0, "outputTokens": 0, "reads": 0, "usd": 0.0}, '
    '"timings": {"analysis": 0.3, "retrieval": 12.4, "write": 0.8, "check": 0.0}'
)
FOLDERS = (
    ', "folders": [{"vault": "default", "folder": "", "weight": 1.0, '
    '"chosenBy": "whole_vault"}], "silentVaults": []}'
)
REFERENCES = (
    ', "references": [{"vault": "default", "relPath": "", "headingPath": "", "chunkIndex": 0, '
    '"noteId": "boat", "chunkId": "boat_000", "title": "Boat"}]}'
)
ANSWER = f'{{"answer": "The boat is blue [N1].", "citations": [{CITATION}], "claims": [{CLAIM}], '
KEPT = {
    "/chat": f'{ANSWER}"meta": {META}}}}}',
    "/ask": f'{ANSWER}"meta": {META}{FOLDERS}{REFERENCES}',
}
"""Path -> text of the answer in the document of the request; `silentLegs` is of the release before."""

TEXT = "The boat is blue [N1].\n\nSources:\n- [N1] Boat (2026-11-21) note:boat#boat_000"
MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)
EMBEDDED_MESSAGE = {
    "message_id": "18eadda8c6dbb50f3e9bbfe6526daccc2",
    "role": "assistant",
    "text": TEXT,
    "created_at": 63930859200000000,
    "request_id": "r-1",
    "standalone": "",
    "as_of": None,
    "citations": [
        {
            "note_id": "boat",
            "note_revision": REVISION,
            "shown": json.loads(CITATION),
        },
    ],
    "claims": [json.loads(CLAIM)],
    "meta": json.loads(f"{META}}}"),
}
FIRESTORE_MESSAGE = {
    "messageId": "18eadda8c6dbb50f3e9bbfe6526daccc2",
    "role": "assistant",
    "text": TEXT,
    "createdAt": MOMENT,
    "requestId": "r-1",
    "standalone": "",
    "asOf": None,
    "citations": [
        {
            "noteId": "boat",
            "noteRevision": REVISION,
            "shown": CITATION,
        }
    ],
    "claims": [CLAIM],
    "meta": f"{META}}}",
}


@pytest.fixture(params=sorted(KEPT))
def path(request: pytest.FixtureRequest, world: World) -> str:
    """A path whose request was answered an hour ago."""
    path: str = request.param
    world.save("boat", title="Boat", text="The boat is blue.")
    world.plug(writer=ScriptedWriter(*["Asked again."] * 3))
    call = Call("x", {}, b"", Identity("alice", "alice"))
    content = json.dumps(ASKED[path]).encode()
    if path == "/chat":
        key = turn_request(call, parse(content, ChatBody)).repeat
    else:
        key = folder_request(call, parse(content, AskBody)).repeat
    assert key is not None
    record = AnsweredRequest(
        request_id="r-1",
        fingerprint=key.fingerprint,
        expires_at=world.clock() + timedelta(hours=23),
        lease_until=None,
        answer=KEPT[path],
        notes={"boat": REVISION},
    )
    world.app.store.put(ALICE, REQUESTS, record)
    return path


def _repeat(world: World, path: str, **headers: str) -> bytes:
    function = "chat" if path == "/chat" else "api"
    response = world.call(function, "POST", path, ASKED[path], headers=headers)
    assert response.status_code == 200
    return response.get_data()


def test_a_repeat_gets_the_kept_answer_byte_for_byte(world: World, path: str) -> None:
    assert _repeat(world, path).decode().strip() == KEPT[path]


def test_a_citation_of_an_edited_note_is_stale_in_it_and_nothing_else_changes(
    world: World, path: str
) -> None:
    world.save("boat", title="Boat", text="The boat is red.")
    expected = KEPT[path].replace('"stale": false', '"stale": true')
    assert _repeat(world, path).decode().strip() == expected


@pytest.mark.parametrize("path", ["/chat"], indirect=True)
def test_a_streamed_repeat_has_the_parts_of_the_kept_answer(world: World, path: str) -> None:
    events = event_source(_repeat(world, path, Accept="text/event-stream"))
    reply = json.loads(KEPT[path])
    assert events == [
        ("start", {"requestId": "r-1", "sessionId": None}),
        ("query", reply["meta"]["query"]),
        ("citation", reply["citations"][0]),
        ("token", {"text": "The boat is blue [N1].", "claim": None}),
        ("usage", reply["meta"]["usage"]),
        ("result", reply),
    ]


@pytest.mark.parametrize(
    ("codec", "stored"),
    [
        (EMBEDDED, EMBEDDED_MESSAGE),
        (FIRESTORE, FIRESTORE_MESSAGE),
    ],
)
def test_a_message_of_a_session_is_shown_as_it_was_answered(
    codec: Codec, stored: dict[str, Any]
) -> None:
    assert json.dumps(message_json(MESSAGES.load(codec, stored))) == json.dumps(
        {
            "messageId": "18eadda8c6dbb50f3e9bbfe6526daccc2",
            "requestId": "r-1",
            "role": "assistant",
            "text": TEXT,
            "createdAt": "2026-11-21T12:00:00.000Z",
            "citations": [json.loads(CITATION)],
            "claims": [json.loads(CLAIM)],
            "meta": json.loads(f"{META}}}"),
        }
    )

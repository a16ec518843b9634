"""Idempotency: a request with a `requestId` is answered once, and a repeat gets the answer already given."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from functions.http.bodies import Body
from functions.http.calls import REQUEST_ID_PATTERN, Call
from shared.account.repeats import Claim, RequestKey, fingerprint
from shared.api.stream import StreamEvent, notes_of, replayed

if TYPE_CHECKING:
    from shared.model.answers import Answer

RequestId = Annotated[str, Field(pattern=f"^{REQUEST_ID_PATTERN}$")]
REQUEST_ID = "1-128 letters, digits, . _ : or -; the same again gets the same answer for 24 hours"

_NOT_ASKED = {"request_id", "stream", "tenant_id"}
"""Fields that do not change what is asked: an answer may be had streamed first and whole the second time."""


def request_key(call: Call, body: Body, request_id: str) -> RequestKey:
    """Which request it is. `fingerprint` tells another body under the same id."""
    asked = body.model_dump(mode="json", exclude=_NOT_ASKED)
    return RequestKey(call.tenant_id, request_id, fingerprint(type(body).__name__, asked))


def answered_once(
    call: Call, body: Body, request_id: str | None, reply: Callable[[], tuple[Answer, Mapping[str, object]]]
) -> Mapping[str, object]:
    """The JSON of `reply()`, or what it was the first time. Without a `requestId` every request is the first.

    Raises Conflict for an id that was used for another request, RequestBusy while somebody is answering it.
    """
    if request_id is None:
        return reply()[1]
    with call.app.claimed(request_key(call, body, request_id)) as claim:
        kept = claim.answer
        if kept is None:
            answer, body_json = reply()
            kept = claim.keep(json.dumps(body_json, ensure_ascii=False), notes_of(answer))
    return _as_read_now(kept, claim)


def streamed_once(
    call: Call, body: Body, request_id: str | None, events: Generator[StreamEvent]
) -> Generator[StreamEvent]:
    """The same events; a repeat gets those of the answer already given. Raises as `answered_once`, before the first."""
    with closing(events):
        if request_id is None:
            yield from events
            return
        with call.app.claimed(request_key(call, body, request_id)) as claim:
            if claim.answer is not None:
                yield from replayed(_as_read_now(claim.answer, claim))
                return
            notes: dict[str, str] = {}
            for event in events:
                notes |= event.notes
                yield _kept(event, claim, notes) if event.name == "result" else event


def _kept(result: StreamEvent, claim: Claim, notes: Mapping[str, str]) -> StreamEvent:
    kept = claim.keep(json.dumps(result.data, ensure_ascii=False), notes)
    return StreamEvent(result.name, _as_read_now(kept, claim))


def _as_read_now(kept: str, claim: Claim) -> dict[str, Any]:
    """The answer that was kept; its citations of notes that were edited since are stale."""
    answered: dict[str, Any] = json.loads(kept)
    for citation in answered["citations"]:
        citation["stale"] = citation["stale"] or citation["noteId"] in claim.changed
    return answered

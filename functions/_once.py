"""A request with a `requestId` is answered once: a repeat gets the answer that there is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from functions._bodies import Body
from functions._calls import Call
from shared.account.repeats import RequestKey, fingerprint, notes_of

if TYPE_CHECKING:
    from shared.domain import Answer

RequestId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$")]
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
    answered: Mapping[str, object] = json.loads(kept)
    return answered

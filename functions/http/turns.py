"""Fields of bodies whose question is answered (settings, quotes, `requestId`), the turn they ask for, and its reply."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import Field, create_model

from functions.http.bodies import Body, RequestId
from functions.http.calls import Call, Reply
from functions.http.questions import AskingBody
from functions.http.streams import pump_with_keepalive
from shared.account.idempotency import RequestKey, fingerprint
from shared.api.stream import turn_json
from shared.asking.turn import TurnRequest, run_turn
from shared.model.questions import Question
from shared.model.sessions import SETTINGS, Setting, SettingsPatch

REQUEST_ID = "1-128 letters, digits, . _ : or -; the same again gets the same answer for 24 hours"

_NOT_ASKED = {"request_id", "stream", "tenant_id"}
"""Fields that do not change what is asked: an answer may be had streamed first and whole the second time."""


class _Settings(Body):
    """Some of a session's settings. Null means not set; where a setting may be null it means the configured one."""

    def patch(self) -> SettingsPatch:
        """Returns the settings that were given. Ranges are not checked yet."""
        patch: dict[str, Any] = {}
        for name, setting in SETTINGS.items():
            if name not in self.model_fields_set:
                continue
            value = getattr(self, name)
            if value is not None:
                patch[name] = value
            elif setting.nullable:
                patch[name] = ""
        return patch


def _field(setting: Setting) -> tuple[Any, Any]:
    """Returns a field's type and description for openapi.json; the library checks ranges, for every front door."""
    most_name = "maxLength" if setting.kind is str else "maximum"
    bounds: dict[str, Any] = {}
    if setting.kind is not str and setting.least is not None:
        bounds["minimum"] = setting.least
    if setting.most is not None:
        bounds[most_name] = setting.most

    field = Field(
        default=None,
        description=setting.expected,
        json_schema_extra=bounds or None,
    )
    return setting.kind | None, field


if TYPE_CHECKING:
    SettingsBody = _Settings
else:
    SettingsBody = create_model(
        "SettingsBody",
        __base__=_Settings,
        __doc__="`settings` of a session.",
        **{name: _field(setting) for name, setting in SETTINGS.items()},
    )


QUOTES = "a whole number from 1 to 8: passages quoted at most where no model writes"


class TurnBody(AskingBody):
    """A question that is answered."""

    quotes: int = Field(default=3, ge=1, le=8, description=QUOTES)
    request_id: RequestId | None = Field(default=None, description=REQUEST_ID)


def turn_of(call: Call, body: TurnBody, question: Question, **fields: Any) -> TurnRequest:  # noqa: ANN401
    """Returns the turn that a body asks for; `fields`: the turn's other fields."""
    person = call.caller.person
    repeat = None
    if body.request_id is not None:
        # Another body under the same id has another fingerprint.
        content = body.model_dump(mode="json", exclude=_NOT_ASKED)
        digest = fingerprint(type(body).__name__, content)
        repeat = RequestKey(person, body.request_id, digest)

    return TurnRequest(
        person=person,
        question=replace(question, quotes=body.quotes),
        request_id=body.request_id or call.request_id,
        repeat=repeat,
        **fields,
    )


def reply_to(call: Call, request: TurnRequest, *, streams: bool = False) -> Reply:
    """Answers a question, whole or with `streams` as a stream. Raises what is wrong with the request."""
    turn_events = run_turn(call.app, request)
    turn = turn_json(request.question, turn_events)
    first = next(turn)  # while the reply can still be a plain error
    events = pump_with_keepalive(first, turn)
    if streams:
        return Reply(None, events=events)

    # None keeps a connection alive, and the other events are parts of the result.
    (result,) = [event for event in events if event is not None and event.name == "result"]
    return Reply(result.data)

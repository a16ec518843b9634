"""/sessions and /sessions/{id}: conversations, their settings and messages. Questions are asked by POST /chat."""

from __future__ import annotations

from pydantic import Field

from functions._bodies import Body, parse
from functions._calls import Call, Reply
from functions._paging import check_parameters, page_size
from shared.domain import SettingsPatch
from shared.sessions.limits import SYSTEM_PROMPT, TITLE, expected
from shared.wire_sessions import messages_json, session_json, sessions_json

FLAG = "true or false"
MODEL = "the name of a model, or null for the configured one"
TENANT = "a tenant this caller may use"


class SettingsBody(Body):
    """Some of a session's settings. Ranges are checked by the library, for every front door."""

    use_notes: bool | None = Field(default=None, description=FLAG)
    top_k: int | None = Field(default=None, description=expected("top_k"))
    threshold: float | None = Field(default=None, description=expected("threshold"))
    include_citations: bool | None = Field(default=None, description=FLAG)
    system_prompt: str | None = Field(default=None, description=SYSTEM_PROMPT)
    model: str | None = Field(default=None, description=MODEL)
    max_context_tokens: int | None = Field(default=None, description=expected("max_context_tokens"))
    max_history: int | None = Field(default=None, description=expected("max_history"))


class SessionBody(Body):
    """The request of POST /sessions and PATCH /sessions/{id}."""

    title: str | None = Field(default=None, description=TITLE)
    settings: SettingsBody = Field(default=SettingsBody(), description="an object of settings")
    tenant_id: str | None = Field(default=None, description=TENANT)


def create(call: Call) -> Reply:
    body = _body(call)
    session = call.app.sessions.create(call.tenant_id, title=body.title or "", patch=settings_patch(body.settings))
    return Reply(session_json(session), 201)


def list_all(call: Call) -> Reply:
    """`?pageSize=`, `?pageToken=`, `?query=` (words of the title); last changed first."""
    check_parameters(call.query, "query")
    page = call.app.sessions.page(
        call.tenant_id,
        limit=page_size(call.query),
        token=call.query.get("pageToken") or None,
        title=call.query.get("query", "").strip(),
    )
    return Reply(sessions_json(page))


def get(call: Call, session_id: str) -> Reply:
    return Reply(session_json(call.app.sessions.get(call.tenant_id, session_id)))


def patch(call: Call, session_id: str) -> Reply:
    """Change what the body names."""
    body = _body(call)
    changes = settings_patch(body.settings)
    return Reply(session_json(call.app.sessions.change(call.tenant_id, session_id, title=body.title, patch=changes)))


def delete(call: Call, session_id: str) -> Reply:
    call.app.sessions.delete(call.tenant_id, session_id)
    return Reply(None, 204)


def messages(call: Call, session_id: str) -> Reply:
    """`?pageSize=`, `?pageToken=`; the newest page first, each in the order of time."""
    check_parameters(call.query)
    token = call.query.get("pageToken") or None
    page = call.app.sessions.messages(call.tenant_id, session_id, limit=page_size(call.query), token=token)
    return Reply(messages_json(page))


def settings_patch(body: SettingsBody) -> SettingsPatch:
    """As the library takes it. `model` null: back to the configured one; other fields that are null stay."""
    model = (body.model or "") if "model" in body.model_fields_set else None
    return SettingsPatch(**body.model_dump(exclude={"model"}), model=model)


def _body(call: Call) -> SessionBody:
    body = parse(call.body or b"{}", SessionBody)
    call.check_tenant(body.tenant_id)
    return body

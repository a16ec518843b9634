"""/sessions and /sessions/{id}: conversations, their settings and messages. Questions are asked by POST /chat."""

from __future__ import annotations

from pydantic import Field

from functions.http.bodies import Body, Page, TenantId, parse, parse_query
from functions.http.calls import Call, Reply
from functions.http.operations import operation
from functions.http.questions import SettingsBody
from shared.api.sessions import MessagesJson, SessionJson, SessionsJson, messages_json, session_json, sessions_json
from shared.sessions.limits import LONGEST_TITLE, TITLE


class SessionBody(Body):
    """The request of POST /sessions and PATCH /sessions/{id}."""

    title: str | None = Field(default=None, description=TITLE, json_schema_extra={"maxLength": LONGEST_TITLE})
    settings: SettingsBody = Field(default=SettingsBody(), description="an object of settings")
    tenant_id: TenantId | None = Field(default=None, description="a tenant this caller may use")


class SessionsQuery(Page):
    """The parameters of GET /sessions."""

    query: str = Field(default="", description="words of the title")


@operation(body=SessionBody, body_required=False, reply=SessionJson)
def create(call: Call) -> Reply:
    """A session without messages."""
    body = _body(call)
    session = call.app.sessions.create(call.tenant_id, title=body.title or "", patch=body.settings.patch())
    return Reply(session_json(session))


@operation(query=SessionsQuery, reply=SessionsJson)
def list_all(call: Call) -> Reply:
    """Last changed first; with `query` those whose title holds its words. A page of a search may hold fewer."""
    asked = parse_query(call.query, SessionsQuery)
    page = call.app.sessions.page(call.tenant_id, limit=asked.page_size, token=asked.token, title=asked.query.strip())
    return Reply(sessions_json(page))


@operation(reply=SessionJson, errors=(404,))
def get(call: Call, session_id: str) -> Reply:
    """The session with its settings."""
    return Reply(session_json(call.app.sessions.get(call.tenant_id, session_id)))


@operation(body=SessionBody, body_required=False, reply=SessionJson, errors=(404,))
def patch(call: Call, session_id: str) -> Reply:
    """Change what the body names, and nothing else."""
    body = _body(call)
    changes = body.settings.patch()
    return Reply(session_json(call.app.sessions.change(call.tenant_id, session_id, title=body.title, patch=changes)))


@operation(errors=(404,))
def delete(call: Call, session_id: str) -> Reply:
    """With its messages."""
    call.app.sessions.delete(call.tenant_id, session_id)
    return Reply(None, 204)


@operation(query=Page, reply=MessagesJson, errors=(404,))
def messages(call: Call, session_id: str) -> Reply:
    """The newest page first, each in the order of time."""
    asked = parse_query(call.query, Page)
    page = call.app.sessions.messages(call.tenant_id, session_id, limit=asked.page_size, token=asked.token)
    return Reply(messages_json(page))


def _body(call: Call) -> SessionBody:
    body = parse(call.body or b"{}", SessionBody)
    call.check_tenant(body.tenant_id)
    return body

"""The GraphQL schema of sessions and what answers its fields: the same library calls as behind the REST routes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias, cast

from graphql import GraphQLObjectType, GraphQLResolveInfo, GraphQLSchema, build_schema

from functions.http.bodies import Page, parse_fields
from functions.http.calls import Call
from functions.http.questions import SettingsBody, reply_to
from functions.routes.ask import AskBody, folder_request
from functions.routes.chat import ChatBody, turn_request
from shared.api.sessions import messages_json, session_json, sessions_json
from shared.errors import InvalidArgument
from shared.model.sessions import SETTINGS, SettingsPatch
from shared.sessions.service import NEW

MAX_ITEMS = 1000
"""Sessions and messages that one request may ask for, over all its pages."""

SDL = """
"A JSON object, as the REST routes give it."
scalar JSON

type Query {
  session(sessionId: ID!): Session!
  "Last changed first; `title`: words of the title."
  sessions(pageSize: Int = 50, pageToken: String, title: String = ""): SessionPage!
}

type Mutation {
  createSession(title: String = "", settings: SettingsInput): Session!
  renameSession(sessionId: ID!, title: String!): Session!
  updateSettings(sessionId: ID!, settings: SettingsInput!): Session!
  deleteSession(sessionId: ID!): Boolean!
  "A question in a session; `new` begins one. `settings` hold for this question alone."
  ask(sessionId: ID = "new", message: String!, settings: SettingsInput, timeZone: String, now: String): Answer!
  "The named folders are searched first, then those that rank best, as by POST /ask."
  askFolders(
    question: String!, vaults: [String!] = [], folders: [String!] = [], k: Int = 5, timeZone: String, now: String,
    whenNotInNotes: String
  ): FolderAnswer!
}

type Session {
  sessionId: ID!
  title: String!
  createdAt: String!
  updatedAt: String!
  messageCount: Int!
  settings: Settings!
  "The newest page first, each in the order of time."
  messages(pageSize: Int = 50, pageToken: String): MessagePage!
}

type SessionPage {
  sessions: [Session!]!
  nextPageToken: String
}

type MessagePage {
  messages: [Message!]!
  nextPageToken: String
}

type Message {
  messageId: ID!
  "One for a question and its answer; null: an older message."
  requestId: String
  role: String!
  text: String!
  createdAt: String!
  citations: [JSON!]!
  claims: [JSON!]!
  meta: JSON
}

type FolderAnswer {
  answer: String!
  references: [JSON!]!
  citations: [JSON!]!
  claims: [JSON!]!
  meta: JSON!
}

type Answer {
  answer: String!
  citations: [JSON!]!
  claims: [JSON!]!
  meta: JSON!
  session: Session!
}
"""


_TYPES = {bool: "Boolean", int: "Int", float: "Float", str: "String"}
_READ = (f"{each.field}: {_TYPES[each.kind]}{'' if each.nullable else '!'}" for each in SETTINGS.values())
_WRITTEN = (f"{each.field}: {_TYPES[each.kind]}" for each in SETTINGS.values())
SDL += f"type Settings {{ {' '.join(_READ)} }}\ninput SettingsInput {{ {' '.join(_WRITTEN)} }}\n"


@dataclass(slots=True)
class Visit:
    """One request's caller, and what it has used of its limits."""

    call: Call
    items: int = field(default=0)

    def page(self, named: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments of a listing as the library takes them. Raises InvalidArgument."""
        wanted = parse_fields({name: named.get(name) for name in ("pageSize", "pageToken")}, Page)
        self.items += wanted.page_size
        if self.items > MAX_ITEMS:
            raise InvalidArgument("query", f"pages of at most {MAX_ITEMS} items together")
        return {"limit": wanted.page_size, "token": wanted.page_token or None}


Info: TypeAlias = "GraphQLResolveInfo[Visit]"


@cache
def schema() -> GraphQLSchema:
    """Built once a process."""
    built = build_schema(SDL)
    for place, resolvers in RESOLVERS.items():
        fields = cast("GraphQLObjectType", built.type_map[place]).fields
        for name, resolver in resolvers.items():
            fields[name].resolve = resolver
    return built


def _session(_: object, info: Info, **named: Any) -> Mapping[str, Any]:  # noqa: ANN401
    return session_json(info.context.call.sessions.get(named["sessionId"]))


def _sessions(_: object, info: Info, **named: Any) -> Mapping[str, Any]:  # noqa: ANN401
    title = (named["title"] or "").strip()
    return sessions_json(info.context.call.sessions.page(**info.context.page(named), title=title))


def _messages(session: Mapping[str, Any], info: Info, **named: Any) -> Mapping[str, Any]:  # noqa: ANN401
    return messages_json(info.context.call.sessions.messages(session["sessionId"], **info.context.page(named)))


def _create(_: object, info: Info, **named: Any) -> Mapping[str, Any]:  # noqa: ANN401
    title, patch = named.get("title") or "", _patch(named.get("settings"))
    return session_json(info.context.call.sessions.create(title=title, patch=patch))


def _change(_: object, info: Info, **named: Any) -> Mapping[str, Any]:  # noqa: ANN401
    title, patch = named.get("title"), _patch(named.get("settings"))
    return session_json(info.context.call.sessions.change(named["sessionId"], title=title, patch=patch))


def _delete(_: object, info: Info, **named: Any) -> bool:  # noqa: ANN401
    info.context.call.sessions.delete(named["sessionId"])
    return True


def _ask(_: object, info: Info, **named: Any) -> Mapping[str, Any]:  # noqa: ANN401
    given = {name: value for name, value in named.items() if name != "settings" and value is not None}
    fields, call = {"sessionId": NEW, **given, **(named.get("settings") or {})}, info.context.call
    return reply_to(call, turn_request(call, parse_fields(fields, ChatBody))).body or {}


def _ask_folders(_: object, info: Info, **named: Any) -> Mapping[str, Any]:  # noqa: ANN401
    given, call = {name: value for name, value in named.items() if value is not None}, info.context.call
    return reply_to(call, folder_request(call, parse_fields(given, AskBody))).body or {}


def _patch(settings: Mapping[str, Any] | None) -> SettingsPatch:
    return SettingsBody.model_validate(settings or {}).patch()


RESOLVERS: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "Query": {"session": _session, "sessions": _sessions},
    "Mutation": {
        "createSession": _create,
        "renameSession": _change,
        "updateSettings": _change,
        "deleteSession": _delete,
        "ask": _ask,
        "askFolders": _ask_folders,
    },
    "Session": {"messages": _messages},
    "Answer": {"session": lambda answer, info: _session(None, info, sessionId=answer["meta"]["sessionId"])},
}

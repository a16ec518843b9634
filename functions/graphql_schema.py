"""GraphQL schema of sessions, and the functions that answer its fields by the library calls of the REST routes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from graphql import GraphQLSchema, build_schema

from functions.http.bodies import PageQuery, parse_fields
from functions.http.calls import Call
from functions.http.turns import SettingsBody, reply_to
from functions.routes.ask import AskBody, folder_request
from functions.routes.chat import ChatBody, turn_request
from shared.api.sessions import messages_json, session_json
from shared.errors import InvalidArgument
from shared.model.sessions import SETTINGS, Session, SettingsPatch
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


def _settings_sdl() -> str:
    """Returns the schema's types of a session's settings, as they are read and as they are written."""
    read = []
    written = []
    for setting in SETTINGS.values():
        field = f"{setting.field}: {_TYPES[setting.kind]}"
        written.append(field)
        read.append(field if setting.nullable else f"{field}!")
    read_fields = " ".join(read)
    written_fields = " ".join(written)
    return (
        f"type Settings {{ {read_fields} }}\n"
        f"input SettingsInput {{ {written_fields} }}\n"
    )  # fmt: skip


SDL += _settings_sdl()


@cache
def schema() -> GraphQLSchema:
    """Returns the schema, built once a process."""
    return build_schema(SDL)


class RequestRoot:
    """Answers the queries and mutations of one request.

    Each method answers the field of its name and gets the field's arguments. The root counts what the request has used
    of its limits.
    """

    def __init__(self, call: Call) -> None:
        self._call = call
        self._items = 0

    def session(self, _: object, **arguments: Any) -> Mapping[str, Any]:  # noqa: ANN401
        session = self._call.sessions.get(arguments["sessionId"])
        return self._session_fields(session)

    def sessions(self, _: object, **arguments: Any) -> Mapping[str, Any]:  # noqa: ANN401
        title = arguments["title"] or ""
        bounds = self._page(arguments)
        page = self._call.sessions.page(**bounds, query=title.strip())
        sessions = [self._session_fields(session) for session in page.items]
        return {"sessions": sessions, "nextPageToken": page.next_token}

    def createSession(self, _: object, **arguments: Any) -> Mapping[str, Any]:  # noqa: ANN401
        settings = arguments.get("settings")
        title = arguments.get("title") or ""
        patch = _patch(settings)
        session = self._call.sessions.create(title=title, patch=patch)
        return self._session_fields(session)

    def _change(self, _: object, **arguments: Any) -> Mapping[str, Any]:  # noqa: ANN401
        session = self._call.sessions.change(
            arguments["sessionId"],
            title=arguments.get("title"),
            patch=_patch(arguments.get("settings")),
        )
        return self._session_fields(session)

    renameSession = updateSettings = _change

    def deleteSession(self, _: object, **arguments: Any) -> bool:  # noqa: ANN401
        self._call.sessions.delete(arguments["sessionId"])
        return True

    def ask(self, _: object, **arguments: Any) -> Mapping[str, Any]:  # noqa: ANN401
        settings = arguments.pop("settings", None) or {}
        fields = {"sessionId": NEW, **_not_null(arguments), **settings}
        body = parse_fields(fields, ChatBody)
        request = turn_request(self._call, body)
        answer: Any = reply_to(self._call, request).body

        # The session is read where the query names its fields.
        session_id = answer["meta"]["sessionId"]
        session = partial(self.session, sessionId=session_id)
        return {**answer, "session": session}

    def askFolders(self, _: object, **arguments: Any) -> Mapping[str, Any]:  # noqa: ANN401
        body = parse_fields(_not_null(arguments), AskBody)
        request = folder_request(self._call, body)
        reply = reply_to(self._call, request)
        return reply.body or {}

    def _session_fields(self, session: Session) -> Mapping[str, Any]:
        """Returns the fields of a session; its messages are read where the query names them."""

        def messages(_: object, **arguments: Any) -> Mapping[str, Any]:  # noqa: ANN401
            bounds = self._page(arguments)
            page = self._call.sessions.messages(session.session_id, **bounds)
            return messages_json(page)

        return {**session_json(session), "messages": messages}

    def _page(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns the arguments of a listing as the library takes them. Raises InvalidArgument."""
        fields = {
            "pageSize": arguments.get("pageSize"),
            "pageToken": arguments.get("pageToken"),
        }
        page = parse_fields(fields, PageQuery)

        self._items += page.page_size
        if self._items > MAX_ITEMS:
            raise InvalidArgument("query", f"pages of at most {MAX_ITEMS} items together")
        return {"limit": page.page_size, "token": page.page_token}


def _not_null(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments that are not null."""
    return {name: value for name, value in arguments.items() if value is not None}


def _patch(settings: Mapping[str, Any] | None) -> SettingsPatch:
    body = SettingsBody.model_validate(settings or {})
    return body.patch()

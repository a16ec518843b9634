"""The GraphQL schema of sessions and what answers its fields: the same library calls as behind the REST routes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

from graphql import GraphQLSchema, build_schema

from functions.http.bodies import Page, parse_fields
from functions.http.calls import Call
from functions.http.questions import SettingsBody, reply_to
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
_READ = (f"{each.field}: {_TYPES[each.kind]}{'' if each.nullable else '!'}" for each in SETTINGS.values())
_WRITTEN = (f"{each.field}: {_TYPES[each.kind]}" for each in SETTINGS.values())
SDL += f"type Settings {{ {' '.join(_READ)} }}\ninput SettingsInput {{ {' '.join(_WRITTEN)} }}\n"


@cache
def schema() -> GraphQLSchema:
    """Built once a process."""
    return build_schema(SDL)


class Visit:
    """One request's caller, and what it has used of its limits; answers the fields of queries and mutations, each a
    method of its name that is called with the field's arguments.
    """

    def __init__(self, call: Call) -> None:
        self._call, self._items = call, 0

    def session(self, _: object, **named: Any) -> Mapping[str, Any]:  # noqa: ANN401
        return self._shown(self._call.sessions.get(named["sessionId"]))

    def sessions(self, _: object, **named: Any) -> Mapping[str, Any]:  # noqa: ANN401
        page = self._call.sessions.page(**self._page(named), title=(named["title"] or "").strip())
        return {"sessions": list(map(self._shown, page.items)), "nextPageToken": page.next_token}

    def createSession(self, _: object, **named: Any) -> Mapping[str, Any]:  # noqa: ANN401
        title, patch = named.get("title") or "", _patch(named.get("settings"))
        return self._shown(self._call.sessions.create(title=title, patch=patch))

    def _change(self, _: object, **named: Any) -> Mapping[str, Any]:  # noqa: ANN401
        title, patch = named.get("title"), _patch(named.get("settings"))
        return self._shown(self._call.sessions.change(named["sessionId"], title=title, patch=patch))

    renameSession = updateSettings = _change

    def deleteSession(self, _: object, **named: Any) -> bool:  # noqa: ANN401
        self._call.sessions.delete(named["sessionId"])
        return True

    def ask(self, _: object, **named: Any) -> Mapping[str, Any]:  # noqa: ANN401
        given = {name: value for name, value in named.items() if name != "settings" and value is not None}
        fields = {"sessionId": NEW, **given, **(named.get("settings") or {})}
        answer: Any = reply_to(self._call, turn_request(self._call, parse_fields(fields, ChatBody))).body
        return {**answer, "session": partial(self.session, sessionId=answer["meta"]["sessionId"])}

    def askFolders(self, _: object, **named: Any) -> Mapping[str, Any]:  # noqa: ANN401
        given = {name: value for name, value in named.items() if value is not None}
        return reply_to(self._call, folder_request(self._call, parse_fields(given, AskBody))).body or {}

    def _shown(self, session: Session) -> Mapping[str, Any]:
        def messages(_: object, **named: Any) -> Mapping[str, Any]:  # noqa: ANN401
            return messages_json(self._call.sessions.messages(session.session_id, **self._page(named)))

        return {**session_json(session), "messages": messages}

    def _page(self, named: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments of a listing as the library takes them. Raises InvalidArgument."""
        wanted = parse_fields({name: named.get(name) for name in ("pageSize", "pageToken")}, Page)
        self._items += wanted.page_size
        if self._items > MAX_ITEMS:
            raise InvalidArgument("query", f"pages of at most {MAX_ITEMS} items together")
        return {"limit": wanted.page_size, "token": wanted.page_token}


def _patch(settings: Mapping[str, Any] | None) -> SettingsPatch:
    return SettingsBody.model_validate(settings or {}).patch()

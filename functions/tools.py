"""The tools that a language model is offered over MCP: each is one route, with that route's fields and reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, Field, TypeAdapter

from functions.client import ApiClient, Json
from functions.http.bodies import Body
from functions.routes.chat import ChatBody
from functions.routes.notes import NOTE_ID
from functions.routes.search import SearchBody
from shared.api.answers import AnswerJson
from shared.api.notes import OpenNoteJson
from shared.api.search import SearchJson
from shared.errors import InvalidArgument


class GetNote(Body):
    """The arguments of `get_note`."""

    note_id: str = Field(description=NOTE_ID)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. Everything it says of its arguments and its result comes from the route behind it."""

    name: str
    title: str
    description: str
    body: type[BaseModel]
    fields: tuple[str, ...]
    """Which of the body's fields a model may set; the others are for apps."""
    result: type[Any]
    """The type of the reply."""
    send: Callable[[ApiClient, Mapping[str, Any]], Json]

    def input_schema(self) -> Json:
        schema = self.body.model_json_schema(by_alias=True)
        offered = {name: schema["properties"][name] for name in self.fields}
        required = [name for name in schema.get("required", ()) if name in offered]
        more = {"$defs": schema["$defs"]} if "$defs" in schema else {}
        return {"type": "object", "properties": offered, "required": required, "additionalProperties": False, **more}

    def output_schema(self) -> Json:
        schema: Json = TypeAdapter(self.result).json_schema()
        return schema

    def call(self, client: ApiClient, arguments: Mapping[str, Any]) -> Json:
        """The reply of the route. Raises the errors of `shared.errors`; what is not offered is a bad field."""
        for name in arguments:
            if name not in self.fields:
                raise InvalidArgument(name, f"no such field; there are {', '.join(self.fields)}")
        return self.send(client, arguments)


def _get_note(client: ApiClient, arguments: Mapping[str, Any]) -> Json:
    note_id = arguments.get("noteId")
    if not isinstance(note_id, str):
        raise InvalidArgument("noteId", NOTE_ID)
    return read_note(client, note_id)


def read_note(client: ApiClient, note_id: str) -> Json:
    """Raises NotFound."""
    return client.send("GET", f"/notes/{quote(note_id, safe='')}")


TOOLS = (
    Tool(
        name="rag-search",
        title="Answer from notes",
        description="Answer a question from the user's own notes. Every claim in `answer` carries a marker like "
        "[N1] that names an entry of `citations`: which note, the exact quote and where it stands. `meta.refusal` says "
        "why, when the notes do not hold the answer. Where `meta.answerKind` is `quoted`, no model has read them: "
        "`answer` quotes the nearest passages, which may not answer.",
        body=ChatBody,
        fields=("message", "topK", "threshold", "filters", "timeZone", "now", "strategy", "template"),
        result=AnswerJson,
        send=lambda client, arguments: client.send("POST", "/chat", arguments),
    ),
    Tool(
        name="search_notes",
        title="Search notes",
        description="Find passages in the user's notes by meaning and by keyword, best first. Times in the query "
        "('last week', 'in March') restrict the search.",
        body=SearchBody,
        fields=("query", "k", "filters", "timeZone", "now", "strategy"),
        result=SearchJson,
        send=lambda client, arguments: client.send("POST", "/search", arguments),
    ),
    Tool(
        name="get_note",
        title="Read a note",
        description="One whole note as Markdown, by the noteId that a search or a citation gave.",
        body=GetNote,
        fields=("noteId",),
        result=OpenNoteJson,
        send=_get_note,
    ),
)


@cache
def schemas(name: str) -> tuple[Json, Json]:
    """Of a tool's arguments and of its result."""
    tool = next(tool for tool in TOOLS if tool.name == name)
    return tool.input_schema(), tool.output_schema()

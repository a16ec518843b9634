"""MCP server on the official SDK: tools, and the notes as resources, for one caller.

Each tool is one route, with its fields and its reply.

The SDK is asynchronous and the product is not: each call runs in a thread, and over HTTP each request has an event
loop of its own, which a stateless server needs no longer than that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote, unquote

import anyio
import anyio.to_thread
import httpx2
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, Field, TypeAdapter

from functions.client import ApiClient, Json
from functions.http.bodies import Body, parse_fields
from functions.http.errors import reported
from functions.routes.ask import AskBody
from functions.routes.chat import ChatBody
from functions.routes.notes import NOTE_ID
from functions.routes.search import SearchBody
from shared.api.answers import AnswerJson, AskJson
from shared.api.notes import NoteJson
from shared.api.search import SearchJson
from shared.errors import AuroraError, InvalidArgument, NotFound
from shared.model.notes import DEFAULT_VAULT

INSTRUCTIONS = (
    "The user's own notes. Ask `rag-search` for an answer with citations, `search_notes` for passages, `get_note` for "
    "a whole note. Cite what you use by its note's title and path."
)
VERSION = "4"
"""Changes with the tools' names, arguments or results."""
PAGE = "100"
"""Notes in one page of resources."""
MARKDOWN = "text/markdown"
NOTE_URI = "aurora://notes/{noteId}"

PATH = "the path of a note within its vault, like projects/api/meeting.md"
VAULT = "the vault of the path"
LINE = "the number of a line, from 1"

_URI = re.compile(r"aurora://notes/([^/?#]+)")


class GetNote(Body):
    """The arguments of `get_note`."""

    note_id: str | None = Field(default=None, description=NOTE_ID)
    path: str | None = Field(default=None, description=PATH)
    vault: str = Field(default=DEFAULT_VAULT, description=VAULT)
    from_line: int = Field(default=1, ge=1, description=LINE)
    to_line: int | None = Field(default=None, ge=1, description=LINE)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. Everything it says of its arguments and its result comes from the route behind it."""

    name: str
    title: str
    description: str
    body: type[BaseModel]
    fields: tuple[str, ...]
    """Fields of the body that a model may set; the others are for apps."""
    result: type[Any]
    """The type of the reply."""
    send: Callable[[ApiClient, Mapping[str, Any]], Json]

    def input_schema(self) -> Json:
        """Returns the schema of the route's body, with the offered fields alone."""
        body_schema = self.body.model_json_schema(by_alias=True)
        properties = body_schema["properties"]
        required = body_schema.get("required", ())
        schema: Json = {
            "type": "object",
            "properties": {name: properties[name] for name in self.fields},
            "required": [name for name in required if name in self.fields],
            "additionalProperties": False,
        }
        if "$defs" in body_schema:
            schema["$defs"] = body_schema["$defs"]
        return schema


def _get_note(client: ApiClient, arguments: Mapping[str, Any]) -> Json:
    """Returns a note by its id or path, of its text the lines that are asked for. Raises NotFound, InvalidArgument."""
    body = parse_fields(arguments, GetNote)
    start = body.from_line - 1
    end = body.to_line
    if end is not None and end <= start:
        raise InvalidArgument("toLine", "the number of a line, not before fromLine")
    note_id = body.note_id
    if note_id is None:
        note_id = _id_at(client, body.vault, body.path)
    quoted_id = quote(note_id, safe="")
    note = client.send("GET", f"/notes/{quoted_id}")

    lines = note["text"].split("\n")
    if start >= len(lines):
        raise InvalidArgument("fromLine", f"a line of the note, which has {len(lines)}")
    requested_lines = lines[start:end]
    note["text"] = "\n".join(requested_lines)
    return note


def _id_at(client: ApiClient, vault: str, path: str | None) -> str:
    """Returns the id of the note at a path. Raises NotFound, InvalidArgument if neither an id nor a path is named."""
    if not path:
        raise InvalidArgument("noteId", "the id of a note, or a path")

    query = {"vault": vault, "path": path}
    page = client.send("GET", "/notes", query=query)
    notes = page["notes"]
    if not notes:
        raise NotFound(f"no note at {path!r} of vault {vault!r}")
    note_id: str = notes[0]["noteId"]
    return note_id


_ASKED = ("filters", "timeZone", "now", "strategy")
TOOLS = (
    Tool(
        name="rag-search",
        title="Answer from notes",
        description="Answer a question from the user's own notes. Every claim in `answer` carries a marker like "
        "[N1] that names an entry of `citations`: which note, the exact quote and its place. `meta.refusal` says "
        "why, when the notes do not hold the answer. Where `meta.answerKind` is `quoted`, no model has read them: "
        "`answer` quotes the nearest passages, which may not answer; where it is `general`, a model answered without "
        "the notes.",
        body=ChatBody,
        fields=("message", *_ASKED, "topK", "threshold", "template", "quotes", "whenNotInNotes"),
        result=AnswerJson,
        send=lambda client, arguments: client.send("POST", "/chat", arguments),
    ),
    Tool(
        name="ask_folders",
        title="Answer from ranked folders",
        description="As rag-search, from the folders that fit the question best; those in `folders` come first. "
        "`meta.folders` says where was looked.",
        body=AskBody,
        fields=("question", "vaults", "folders", "k", *_ASKED, "quotes", "whenNotInNotes"),
        result=AskJson,
        send=lambda client, arguments: client.send("POST", "/ask", arguments),
    ),
    Tool(
        name="search_notes",
        title="Search notes",
        description="Find passages in the user's notes by meaning and by keyword, best first. Times in the query "
        "('last week', 'in March') restrict the search.",
        body=SearchBody,
        fields=("query", "k", *_ASKED),
        result=SearchJson,
        send=lambda client, arguments: client.send("POST", "/search", arguments),
    ),
    Tool(
        name="get_note",
        title="Read a note",
        description="One note as Markdown, by the noteId or the path that a search or a citation gave; of a long one the lines "
        "from `fromLine` to `toLine`.",
        body=GetNote,
        fields=("noteId", "path", "vault", "fromLine", "toLine"),
        result=NoteJson,
        send=_get_note,
    ),
)

_TOOLS_BY_NAME = {tool.name: tool for tool in TOOLS}


@dataclass(frozen=True, slots=True)
class NotePrompt:
    """One prompt, which a person chooses in their assistant."""

    title: str
    argument: str
    """The one thing that the person fills in."""
    expected: str
    """Description of it."""
    template: str
    """Request to the model; `{}` stands for the argument."""


PROMPTS: Mapping[str, NotePrompt] = {
    "answer_from_notes": NotePrompt(
        title="Answer from my notes",
        argument="question",
        expected="What you want to know.",
        template="Answer from my notes alone, by `rag-search`: {}\n"
        "Name title and path of each note that you use. If my notes do not say it, say so.",
    ),
    "summarise_time": NotePrompt(
        title="Summarise a time",
        argument="time",
        expected="A day, week, month or any other time: last week, March 2026.",
        template="Find what I wrote in this time by `search_notes`, and read the notes by `get_note`: {}\n"
        "Summarise by subject: what was decided, what was done, what is open. Name the note of each.",
    ),
    "compare_notes": NotePrompt(
        title="Compare what my notes say",
        argument="subject",
        expected="A subject that several notes speak of.",
        template="Find every note that speaks of this by `search_notes`, and read it by `get_note`: {}\n"
        "Say in the order of their dates what each says, where they differ, and which is the newest.",
    ),
}


def server_for(client: ApiClient) -> Server[Any]:
    """Returns a server with the tools and resources of `client`'s caller."""
    in_thread = anyio.to_thread.run_sync

    async def list_tools(_: object, __: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=_tools())

    async def call_tool(_: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await in_thread(_call, client, params.name, params.arguments or {})

    async def list_resources(
        _: object,
        params: types.PaginatedRequestParams | None,
    ) -> types.ListResourcesResult:
        cursor = params.cursor if params else None
        return await in_thread(_resources, client, cursor)

    async def list_templates(_: object, __: object) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            name="note",
            uri_template=NOTE_URI,
            title="A note",
            mime_type=MARKDOWN,
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        _: object,
        params: types.ReadResourceRequestParams,
    ) -> types.ReadResourceResult:
        return await in_thread(_read, client, str(params.uri))

    async def list_prompts(_: object, __: object) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=_prompts())

    async def get_prompt(_: object, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return _filled_prompt(params.name, params.arguments or {})

    return Server(
        "aurora-notes",
        version=VERSION,
        title="Aurora Notes",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def answer_one(client: ApiClient, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
    """Has the SDK answer one HTTP request; returns status and body. `headers` have names in lower case."""
    return anyio.run(_exchange, server_for(client), body, headers)


async def _exchange(
    server: Server[Any],
    body: bytes,
    headers: Mapping[str, str],
) -> tuple[int, bytes]:
    """Runs the SDK's server for one request, without a network between."""
    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
    transport = httpx2.ASGITransport(manager.handle_request)
    async with (
        manager.run(),
        httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        encoded_headers = []
        for name, value in headers.items():
            encoded_name = name.encode("latin-1", "replace")
            encoded_value = value.encode("latin-1", "replace")
            encoded_headers.append((encoded_name, encoded_value))

        reply = await client.post("/mcp", content=body, headers=encoded_headers)
    return reply.status_code, reply.content


@cache
def _tools() -> list[types.Tool]:
    reads = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return [
        types.Tool(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            input_schema=tool.input_schema(),
            output_schema=TypeAdapter(tool.result).json_schema(),
            annotations=reads,
        )
        for tool in TOOLS
    ]


def _call(client: ApiClient, name: str, arguments: Json) -> types.CallToolResult:
    """Calls a tool. An error is its result: the model reads which field was wrong and what was expected."""
    tool = _TOOLS_BY_NAME.get(name)
    if tool is None:
        names = ", ".join(_TOOLS_BY_NAME)
        raise MCPError(types.INVALID_PARAMS, f"no tool {name!r}; there are {names}")

    try:
        for field in arguments:
            if field not in tool.fields:
                fields = ", ".join(tool.fields)
                raise InvalidArgument(field, f"no such field; there are {fields}")
        reply = tool.send(client, arguments)
    except AuroraError as error:
        message = reported(error)["error"]["message"]
        problem = types.TextContent(text=message)
        return types.CallToolResult(content=[problem], is_error=True)

    if tool.result is SearchJson:
        content = _hits(reply)
    else:
        text = json.dumps(reply, ensure_ascii=False)
        content = [types.TextContent(text=text)]
    return types.CallToolResult(content=content, structured_content=reply)


def _hits(found: Json) -> list[types.ContentBlock]:
    """Returns each passage as two short lines, and a link to its note."""
    content: list[types.ContentBlock] = []
    for row in found["results"]:
        title = row["title"]
        where = row["path"] or title
        day = row["createdAt"][:10]
        text = f"{where}: {title} ({day})\n{row['snippet']}"
        link = types.ResourceLink(
            uri=_note_uri(row["noteId"]),
            name=where,
            title=title or None,
            mime_type=MARKDOWN,
        )
        content += [types.TextContent(text=text), link]

    if not content:
        content.append(types.TextContent(text="nothing found"))
    return content


def _note_uri(note_id: str) -> str:
    """Returns the address of a note as a resource, in the form of NOTE_URI."""
    quoted_id = quote(note_id, safe="")
    return f"aurora://notes/{quoted_id}"


def _prompts() -> list[types.Prompt]:
    prompts = []
    for name, prompt in PROMPTS.items():
        argument = types.PromptArgument(
            name=prompt.argument,
            description=prompt.expected,
            required=True,
        )
        prompts.append(types.Prompt(name=name, title=prompt.title, arguments=[argument]))
    return prompts


def _filled_prompt(name: str, arguments: Mapping[str, str]) -> types.GetPromptResult:
    """Returns a prompt with its argument. Raises MCPError naming what is wrong."""
    prompt = PROMPTS.get(name)
    if prompt is None:
        names = ", ".join(PROMPTS)
        raise MCPError(types.INVALID_PARAMS, f"no prompt {name!r}; there are {names}")

    argument = arguments.get(prompt.argument, "")
    value = argument.strip()
    if not value:
        message = f"{prompt.argument}: expected text. {prompt.expected}"
        raise MCPError(types.INVALID_PARAMS, message)

    filled_template = prompt.template.format(value)
    text = types.TextContent(text=filled_template)
    request = types.PromptMessage(role="user", content=text)
    return types.GetPromptResult(messages=[request])


def _resources(client: ApiClient, cursor: str | None) -> types.ListResourcesResult:
    """Returns one page of the notes as resources."""
    query = {"pageSize": PAGE}
    if cursor:
        query["pageToken"] = cursor
    with _protocol_errors():
        page = client.send("GET", "/notes", query=query)

    resources = []
    for note in page["notes"]:
        note_id = note["noteId"]
        title = note["title"]
        resource = types.Resource(
            uri=_note_uri(note_id),
            name=note["path"] or title or note_id,
            title=title or None,
            mime_type=MARKDOWN,
        )
        resources.append(resource)

    return types.ListResourcesResult(
        resources=resources,
        next_cursor=page["nextPageToken"],
    )


def _read(client: ApiClient, uri: str) -> types.ReadResourceResult:
    """Returns the note that a resource's address names."""
    address = _URI.fullmatch(uri)
    if address is None:
        raise MCPError(types.INVALID_PARAMS, f"uri: expected {NOTE_URI}", {"uri": uri})

    note_id = unquote(address[1])
    with _protocol_errors({"uri": uri}):
        note = _get_note(client, {"noteId": note_id})

    contents = types.TextResourceContents(
        uri=uri,
        mime_type=MARKDOWN,
        text=note["text"],
    )
    return types.ReadResourceResult(contents=[contents])


@contextmanager
def _protocol_errors(data: Json | None = None) -> Iterator[None]:
    """Raises our errors as the protocol's: unlike a tool, a resource has no result that could carry one."""
    try:
        yield
    except AuroraError as error:
        code = types.INTERNAL_ERROR
        if isinstance(error, InvalidArgument | NotFound):
            code = types.INVALID_PARAMS
        message = reported(error)["error"]["message"]
        raise MCPError(code, message, data) from error

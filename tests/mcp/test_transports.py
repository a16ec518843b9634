"""The MCP server through the SDK's own client, over both transports, against the processes that people start."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from tests.cli.conftest import Aurora
from tests.servers.dev import ROOT
from tests.servers.served import Served, served

AURORA = "from cli.main import main; main()"
NOTES = {
    "toys/boat.md": "---\ntitle: Boat\ncreated: 2026-05-08\n---\nThe boat is blue and floats.\n",
    "garden.md": "# Garden\n\nWe planted six tomatoes.\n",
}
QUESTION = {"message": "What colour is the boat?"}

T = TypeVar("T")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Iterator[Served]:
    """Alice has the notes; Bob has none."""
    home = tmp_path_factory.mktemp("server")
    assert Aurora(home)("index", str(folder), "--tenant", "alice").exit_code == 0
    with served(home) as running:
        yield running


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Path:
    home = tmp_path_factory.mktemp("home")
    assert Aurora(home)("index", str(folder)).exit_code == 0
    return home


@asynccontextmanager
async def over_http(
    address: str, token: str | None, mode: str = "auto", **headers: str
) -> AsyncIterator[Client]:
    all_headers = {**({"Authorization": f"Bearer {token}"} if token else {}), **headers}
    async with httpx2.AsyncClient(headers=all_headers, timeout=30) as http:
        transport = streamable_http_client(f"{address}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


@asynccontextmanager
async def over_stdio(home: Path, *options: str, mode: str = "auto") -> AsyncIterator[Client]:
    command = StdioServerParameters(
        command=sys.executable, args=["-c", AURORA, "mcp", "--home", str(home), *options], cwd=ROOT
    )
    async with Client(stdio_client(command), mode=mode) as client:
        yield client


BAD: dict[str, tuple[str, dict[str, Any], str]] = {
    "missing": ("rag-search", {}, "message: expected the question, as text (the field is missing)"),
    "blank": ("rag-search", {"message": " "}, "message: expected text of at most"),
    "too many": (
        "rag-search",
        {"message": "x", "topK": 99},
        "topK: expected a whole number from 1 to 20",
    ),
    "not offered": (
        "rag-search",
        {"message": "x", "tenantId": "bob"},
        "tenantId: expected no such field; there are",
    ),
    "nested": (
        "search_notes",
        {"query": "x", "filters": {"createdAfter": "soon"}},
        "filters.createdAfter: expected",
    ),
    "no such vault": ("search_notes", {"query": "x", "filters": {"vaults": ["attic"]}}, "attic"),
    "no id": ("get_note", {"noteId": 7}, "noteId: expected a note id"),
    "no line": ("get_note", {"noteId": "x", "fromLine": 0}, "fromLine: expected the number of a"),
    "no lines": (
        "get_note",
        {"noteId": "x", "fromLine": 5, "toLine": 4},
        "toLine: expected the number of a line, not before fromLine",
    ),
    "neither": ("get_note", {}, "noteId: expected the id of a note, or a path"),
    "no path": ("get_note", {"path": "ghost.md"}, "no note at 'ghost.md' of vault 'default'"),
    "no note": ("get_note", {"noteId": "ghost"}, "no note 'ghost'"),
    "no tool": ("launch", {}, "no tool 'launch'; there are rag-search"),
}
BAD_URIS = {
    "aurora://notes/ghost": "no note 'ghost'",
    "aurora://elsewhere/x": "aurora://notes/{noteId}",
}


@dataclass
class Visit:
    """Replies that one client got through one connection."""

    tools: dict[str, Any]
    answer: Any
    found: Any
    note: Any
    note_at_path: Any
    listed: Any
    resource: Any
    lines: Any
    prompts: Any
    prompt: Any
    errors: dict[str, str] = field(default_factory=dict)
    """Messages by the names in `BAD` and `BAD_URIS`."""


async def _visit(client: Client) -> Visit:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    answer = await client.call_tool("rag-search", QUESTION)
    assert answer.structured_content
    note_id = answer.structured_content["citations"][0]["noteId"]
    visit = Visit(
        tools,
        answer,
        await client.call_tool(
            "search_notes",
            {
                "query": "boats",
                "k": 1,
                "filters": {"folders": ["toys"]},
            },
        ),
        await client.call_tool("get_note", {"noteId": note_id}),
        await client.call_tool(
            "get_note", {"path": answer.structured_content["citations"][0]["path"]}
        ),
        await client.list_resources(),
        await client.read_resource(f"aurora://notes/{note_id}"),
        await client.call_tool(
            "get_note",
            {
                "noteId": note_id,
                "fromLine": 1,
                "toLine": 1,
            },
        ),
        await client.list_prompts(),
        await client.get_prompt("summarise_time", {"time": "last week"}),
    )
    visit.errors["no prompt"] = await _error(client.get_prompt("dance", {}))
    past_the_end = client.call_tool("get_note", {"noteId": note_id, "fromLine": 1000})
    visit.errors["past the end"] = await _error(past_the_end)
    visit.errors["no time"] = await _error(client.get_prompt("summarise_time", {"time": " "}))
    for name, (tool, arguments, _) in BAD.items():
        visit.errors[name] = await _error(client.call_tool(tool, arguments))
    for uri in BAD_URIS:
        visit.errors[uri] = await _error(client.read_resource(uri))
    return visit


async def _error(asked: Awaitable[Any]) -> str:
    try:
        result = await asked
    except MCPError as error:
        return str(error)
    assert result.is_error
    text: str = result.content[0].text
    return text


WAYS: dict[str, Callable[[Served, Path], Any]] = {
    "http": lambda server, _: over_http(server.address, server.alice),
    "http, older protocol": lambda server, _: over_http(server.address, server.alice, "legacy"),
    "stdio": lambda _, home: over_stdio(home),
    "stdio, older protocol": lambda _, home: over_stdio(home, mode="legacy"),
    "stdio to a server": lambda server, home: over_stdio(
        home, "--server", server.address, "--token", server.alice
    ),
}


@pytest.fixture(scope="module", params=WAYS)
def visit(request: pytest.FixtureRequest, server: Served, home: Path) -> Visit:
    """One visit by every way to the same notes."""
    return using(lambda: WAYS[request.param](server, home), _visit)


def using(connect: Callable[[], Any], work: Callable[[Client], Awaitable[T]]) -> T:
    async def run() -> T:
        async with connect() as client:
            return await work(client)

    return anyio.run(run)


def test_the_tools_say_what_they_take_and_give(visit: Visit) -> None:
    assert set(visit.tools) == {"rag-search", "ask_folders", "search_notes", "get_note"}
    input_schema = visit.tools["rag-search"].input_schema
    output_schema = visit.tools["rag-search"].output_schema
    assert input_schema["required"] == ["message"]
    assert {"message", "filters", "timeZone"} <= set(input_schema["properties"])
    assert not {"tenantId", "requestId", "stream"} & set(input_schema["properties"])
    assert {"answer", "citations", "claims", "meta"} == set(output_schema["properties"])
    assert all(tool.annotations.read_only_hint for tool in visit.tools.values())


def test_an_answer_carries_the_citations_of_the_route(visit: Visit, server: Served) -> None:
    headers = {"Authorization": f"Bearer {server.alice}", "Content-Type": "application/json"}
    _, chat = server.running.call("POST", "/chat", QUESTION, **headers)
    answer = visit.answer.structured_content
    assert not visit.answer.is_error
    assert "blue" in answer["answer"]
    assert _without_age(answer["citations"]) == _without_age(chat["citations"])
    assert json.loads(visit.answer.content[0].text) == answer


def _without_age(citations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Scores move with the clock."""
    return [{**citation, "score": 0, "scores": None} for citation in citations]


def test_passages_are_found_and_filtered(visit: Visit) -> None:
    assert [row["path"] for row in visit.found.structured_content["results"]] == ["toys/boat.md"]


def test_a_hit_is_a_short_text_and_a_link_to_its_note(visit: Visit) -> None:
    text, link = visit.found.content
    row = visit.found.structured_content["results"][0]
    assert text.text.startswith("toys/boat.md: ")
    assert text.text.endswith(row["snippet"])
    assert str(link.uri) == f"aurora://notes/{row['noteId']}"


def test_the_requested_lines_of_a_note_are_read(visit: Visit) -> None:
    first_line = NOTES["toys/boat.md"].split("\n")[0]
    assert visit.lines.structured_content["text"] == first_line


def test_common_tasks_are_offered_as_prompts(visit: Visit) -> None:
    names = [prompt.name for prompt in visit.prompts.prompts]
    assert names == ["answer_from_notes", "summarise_time", "compare_notes"]
    (message,) = visit.prompt.messages
    assert "last week" in message.content.text
    assert "no prompt 'dance'; there are answer_from_notes" in visit.errors["no prompt"]
    assert "time: expected text. A day, week" in visit.errors["no time"]
    assert "fromLine: expected a line of the note, which has" in visit.errors["past the end"]

    assert visit.note_at_path.structured_content == visit.note.structured_content


def test_a_cited_note_can_be_read_as_tool_and_as_resource(visit: Visit) -> None:
    assert visit.note.structured_content["path"] == "toys/boat.md"
    assert {resource.name for resource in visit.listed.resources} == set(NOTES)
    (content,) = visit.resource.contents
    assert content.text == visit.note.structured_content["text"] == NOTES["toys/boat.md"]
    assert content.mime_type == "text/markdown"


def test_a_bad_argument_is_the_tools_error_and_names_field_and_expectation(visit: Visit) -> None:
    assert [
        name for name, (_, _, message) in BAD.items() if message not in visit.errors[name]
    ] == []


def test_an_unknown_note_is_no_resource(visit: Visit) -> None:
    assert [uri for uri, message in BAD_URIS.items() if message not in visit.errors[uri]] == []


def test_each_caller_sees_their_own_notes(server: Served) -> None:
    result = using(
        lambda: over_http(server.address, server.bob), lambda c: c.call_tool("rag-search", QUESTION)
    )
    assert result.structured_content["meta"]["refusal"]["reason"] == "no_notes"


def _post(server: Served, **headers: str) -> tuple[int, Any]:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = "application/json, text/event-stream"
    return server.running.call(
        "POST",
        "/mcp",
        body,
        **{
            "Content-Type": "application/json",
            "Accept": accept,
            **headers,
        },
    )


def test_without_a_token_nobody_is_served(server: Served) -> None:
    assert _post(server)[0] == 401
    assert _post(server, Authorization="Bearer nonsense")[0] == 401


def test_a_page_is_served_only_if_it_is_on_the_list(server: Served) -> None:
    alice = {"Authorization": f"Bearer {server.alice}"}
    assert _post(server, **alice)[0] == 200
    assert _post(server, **alice, Origin="https://notes.example")[0] == 200
    assert _post(server, **alice, Origin="https://evil.example")[0] == 403
    assert _post(server, **alice, Origin="null")[0] == 403


def test_there_is_no_stream_to_open_and_no_session_to_end(server: Served) -> None:
    alice = {"Authorization": f"Bearer {server.alice}"}
    assert [server.running.call(method, "/mcp", **alice)[0] for method in ("GET", "DELETE")] == [
        405,
        405,
    ]


def test_nothing_but_the_protocol_is_on_standard_output(home: Path) -> None:
    async def run() -> bytes:
        command = [sys.executable, "-c", AURORA, "mcp", "--home", str(home)]
        completed = await anyio.run_process(
            command,
            input=b"nonsense\n",
            cwd=ROOT,
            check=False,
        )
        assert completed.returncode == 0
        return completed.stdout

    lines = anyio.run(run).splitlines()
    assert [json.loads(line)["jsonrpc"] for line in lines] == ["2.0"] * len(lines)

"""The commands on a product elsewhere: the same words, the same output, the same exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cli.main import main
from desktop.client.remote import reaching
from functions.http.errors import ERROR_FORMS, error_body
from shared.errors import AuroraError
from tests.cli.conftest import Aurora, Write
from tests.servers.scripted import Reply, ScriptedServer
from tests.servers.served import Served

NOTES = {
    "toys/boat.md": "---\ntitle: Boat\ncreated: 2026-05-08\n---\nThe boat is blue and floats.\n",
    "garden.md": "---\ncreated: 2026-06-01\n---\n# Garden\n\nWe planted six tomatoes.\n",
}
NOW = ("--now", "2026-11-21T12:00:00Z")


class Both:
    """A command here and there."""

    def __init__(self, here: Aurora, server: Served) -> None:
        self.here = here
        self.server = server

    def there(self, *arguments: str) -> Result:
        return self.here(*arguments, "--server", self.server.address, "--token", self.server.alice)

    def __call__(self, *arguments: str) -> tuple[Result, Result]:
        return self.here(*arguments), self.there(*arguments)


@pytest.fixture
def both(aurora: Aurora, server: Served, notes: Write) -> Both:
    """A local and a remote product with equal notes."""
    both = Both(aurora, server)
    for result in both("index", str(notes(NOTES)), "--take", "file"):
        assert result.exit_code == 0, result.output
    return both


def _plain(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Without what differs from one request to the next."""
    passing = {"requestId", "timings", "timeMs", "indexedAt"}
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items() if name not in passing}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "command",
    [
        ("ask", "What colour is the boat?", *NOW),
        ("ask", "What colour is the boat?", "--folder", "toys", "--template", "plan", *NOW),
        ("search", "tomatoes", "--k", "1", *NOW),
        ("explain", "tomatoes", "--path", "garden.md", *NOW),
        ("templates", "list"),
        ("templates", "search", "make a decision"),
    ],
)
def test_the_output_is_exactly_the_same(both: Both, command: tuple[str, ...]) -> None:
    local, there = both(*command, "--json")
    assert local.exit_code == 0, there.output
    assert there.exit_code == 0, there.output
    assert _plain(json.loads(there.stdout)) == _plain(json.loads(local.stdout))
    local, there = both(*command)
    assert there.stdout == local.stdout


@pytest.mark.parametrize(
    "command",
    [
        ("ask", " "),
        ("ask", "hi", "--now", "soon"),
        ("search", "boat", "--vault", "attic"),
        ("explain", "boat", "--path", "attic.md"),
        ("ask", "boat", "--template", "nope"),
    ],
)
def test_errors_are_the_same_too(both: Both, command: tuple[str, ...]) -> None:
    local, there = both(*command)
    assert local.exit_code in (1, 2)
    assert there.exit_code == local.exit_code
    assert there.stderr == local.stderr


def test_a_conversation_streams_there_too_and_is_kept(both: Both) -> None:
    options = (
        "--home",
        str(both.here.home),
        "--server",
        both.server.address,
        "--token",
        both.server.alice,
    )
    lines = "What colour is the boat?\nHow many tomatoes?\n"
    result = CliRunner().invoke(main, ["chat", "--json", *NOW, *options], input=lines)
    first, second = (json.loads(line) for line in result.stdout.splitlines())
    local = json.loads(both.here("ask", "What colour is the boat?", "--json", *NOW).stdout)
    assert first["answer"] == local["answer"]
    assert first["citations"] == local["citations"]
    session_id = second["meta"]["sessionId"]
    session = json.loads(both.there("sessions", "show", session_id, "--json").stdout)
    assert [
        message["text"] for message in session["messages"] if message["role"] == "user"
    ] == lines.splitlines()
    assert both.there("sessions", "delete", session_id).exit_code == 0
    people = CliRunner().invoke(main, ["chat", *options], input=lines)
    assert "The boat is blue" in people.stdout
    assert "[N1] Boat" in people.stdout


def test_everything_is_exported_and_erased_there(
    aurora: Aurora, server: Served, notes: Write, tmp_path: Path
) -> None:
    bob = ("--server", server.address, "--token", server.bob)
    assert aurora("index", str(notes(NOTES)), *bob).exit_code == 0
    file = tmp_path / "bob.ndjson"
    assert json.loads(aurora("export", str(file), *bob, "--json").stdout)["counts"]["note"] == len(
        NOTES
    )
    texts = {
        row["text"]
        for row in map(json.loads, file.read_text().splitlines())
        if row["type"] == "note"
    }
    assert texts == set(NOTES.values())
    assert json.loads(aurora("erase", "--yes", *bob, "--json").stdout)["erased"]["notes"] == len(
        NOTES
    )
    searched = aurora("search", "boat", *bob)
    assert searched.exit_code == 3
    assert f"There are no notes on {server.address} yet" in searched.stdout


@pytest.mark.parametrize(
    "body",
    [
        b'event: token\ndata: {"text": "Half"}\n\n',
        b'event: error\ndata: {"error": {"message": "the store is away", "details": [{"reason": "UNAVAILABLE"}]}}\n\n',
    ],
)
def test_a_stream_that_breaks_off_is_1_in_one_line(aurora: Aurora, body: bytes) -> None:
    reply = Reply(body=body, headers={"Content-Type": "text/event-stream"})
    with ScriptedServer(lambda _: reply) as foreign_server:
        result = CliRunner().invoke(
            main, ["chat", "--json", "--server", foreign_server.url], input="Why?\n"
        )
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "broke off" in result.stderr or "the store is away" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not aurora.home.exists()


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["--server", "http://127.0.0.1:1", "reconcile"], "this machine"),
        (["--server", "http://127.0.0.1:1", "templates", "index"], "this machine"),
        (["search", "x", "--server", "http://127.0.0.1:1", "--tenant", "bob"], "--tenant"),
        *(
            (["search", "x", "--server", address, "--token", "secret"], "--server: expected")
            for address in ("example.com", "ftp://example.com", "http://notes.example", "https://")
        ),
    ],
)
def test_a_server_that_cannot_be_meant_so_is_2(
    aurora: Aurora, command: list[str], told: str
) -> None:
    result = aurora(*command)
    assert result.exit_code == 2
    assert told in result.stderr


def test_server_and_token_may_come_from_the_environment(
    both: Both, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AURORA_SERVER", server.address)
    monkeypatch.setenv("AURORA_TOKEN", server.bob)
    refused = both.here("ask", "What colour is the boat?", "--json")
    assert json.loads(refused.stdout)["meta"]["refusal"]["reason"] == "no_notes"


@pytest.mark.parametrize("token", [[], ["--token", "nonsense"]])
def test_a_token_that_is_missing_or_bad_is_1_and_told(
    aurora: Aurora, server: Served, token: list[str]
) -> None:
    result = aurora("search", "x", "--server", server.address, *token)
    assert result.exit_code == 1
    assert "AURORA_TOKEN" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply(body={"error": "no"}, status=500), "but not as Aurora Notes does"),
        (Reply(body=["x"]), "but not as Aurora Notes does"),
        (
            Reply(status=302, headers={"Location": "https://elsewhere.example"}),
            "https://elsewhere.example",
        ),
        (
            Reply(
                body={"error": {"message": "used up", "details": [{"reason": "EXHAUSTED"}]}},
                status=429,
                headers={"Retry-After": "7"},
            ),
            "used up",
        ),
    ],
)
def test_what_else_a_server_may_say_is_1_in_one_line(
    aurora: Aurora, reply: Reply, told: str
) -> None:
    with ScriptedServer(lambda _: reply) as foreign_server:
        result = aurora("search", "x", "--server", foreign_server.url)
    assert result.exit_code == 1
    assert told in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("error_class", ERROR_FORMS)
def test_every_error_of_a_server_is_the_same_error_here(error_class: type[AuroraError]) -> None:
    form = ERROR_FORMS[error_class]
    body = error_body(form, "why", {"field": "text", "expected": "a text"})
    with (
        ScriptedServer(lambda _: Reply(form.code, body)) as foreign_server,
        reaching(foreign_server.url, None) as client,
        pytest.raises(error_class) as raised,
    ):
        client.send("GET", "/notes")
    assert type(raised.value) is error_class

"""`aurora chat` and `aurora sessions`: a conversation, kept."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from cli.commands.chat import ChatSession, follow
from cli.main import main
from cli.options import CommandContext
from functions.client import Json
from shared.api.stream import StreamEvent
from shared.errors import AuroraError
from tests.cli.conftest import BOATS, Aurora, Write
from tests.servers.dev import ROOT


def talk(aurora: Aurora, lines: str, *options: str) -> Result:
    return CliRunner().invoke(main, ["--home", str(aurora.home), "chat", *options], input=lines)


def answers(result: Result) -> list[Any]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_questions_are_answered_line_by_line_in_one_session(aurora: Aurora, notes: Write) -> None:
    aurora("index", str(notes(BOATS)))
    first, second = answers(
        talk(aurora, "What colour is the boat?\n\n  \nHow many tomatoes?\n", "--json")
    )
    assert "blue" in first["answer"]
    assert "six" in second["answer"]
    assert first["meta"]["sessionId"] == second["meta"]["sessionId"] is not None


def test_a_later_conversation_goes_on_with_an_earlier_one(aurora: Aurora, notes: Write) -> None:
    aurora("index", str(notes(BOATS)))
    (first,) = answers(talk(aurora, "What colour is the boat?\n", "--json"))
    session_id = first["meta"]["sessionId"]
    (second,) = answers(talk(aurora, "And how many tomatoes?\n", "--json", "--session", session_id))
    assert second["meta"]["sessionId"] == session_id
    session = aurora.json("sessions", "show", session_id)
    assert [message["role"] for message in session["messages"]] == [
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    assert "› What colour is the boat?" in aurora("sessions", "show", session_id).output


def test_a_word_begins_anew_and_a_word_ends(aurora: Aurora, notes: Write) -> None:
    aurora("index", str(notes(BOATS)))
    lines = "What colour is the boat?\n/new\nHow many tomatoes?\n/exit\nWhat colour is the boat?\n"
    first, second = answers(talk(aurora, lines, "--json"))
    assert first["meta"]["sessionId"] != second["meta"]["sessionId"]


def test_a_question_that_cannot_be_does_not_end_the_conversation(
    aurora: Aurora, notes: Write
) -> None:
    aurora("index", str(notes(BOATS)))
    result = talk(aurora, "x" * 2001 + "\nWhat colour is the boat?\n", "--json")
    assert "message: expected" in result.stderr
    assert len(answers(result)) == 1


def test_a_session_that_is_not_there_is_told_before_anything_is_asked(aurora: Aurora) -> None:
    result = talk(aurora, "What colour is the boat?\n", "--session", "ghost")
    assert result.exit_code == 1
    assert "session" in result.stderr
    assert result.stdout == ""


def test_sessions_are_listed_renamed_and_deleted(aurora: Aurora, notes: Write) -> None:
    aurora("index", str(notes(BOATS)))
    (first,) = answers(talk(aurora, "What colour is the boat?\n", "--json"))
    session_id = first["meta"]["sessionId"]
    assert (
        aurora.json("sessions", "rename", session_id, "Boats of the family")["title"]
        == "Boats of the family"
    )
    assert "Boats of the family" in aurora("sessions", "list").output
    family = aurora.json("sessions", "list", "--query", "family")["sessions"]
    assert len(family) == 1
    assert family[0]["sessionId"] in aurora("sessions", "list").output
    assert aurora.json("sessions", "list", "--query", "whales")["sessions"] == []
    assert aurora.json("sessions", "delete", session_id) == {"deleted": session_id}
    assert "no sessions" in aurora("sessions", "list").output
    assert aurora("sessions", "show", session_id).exit_code == 1


# -- what a model may do that the extractive writer never does


@dataclass
class Scripted:
    """A client that is answered with these events."""

    script: list[StreamEvent | Exception]
    closed: int = 0

    def send(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Json:
        raise AssertionError((method, path, body, query))

    def lines(self, path: str) -> Generator[str]:
        raise AssertionError(path)

    def events(self, path: str, body: Mapping[str, object]) -> Generator[StreamEvent]:
        del path, body
        try:
            for part in self.script:
                if isinstance(part, Exception):
                    raise part
                yield part
        finally:
            self.closed += 1


RESULT: Json = {
    "answer": "",
    "citations": [],
    "meta": {
        "sessionId": "s1",
        "refusal": None,
        "retrieval": {"strategy": "hybrid_reranked"},
    },
}


def token(text: str) -> StreamEvent:
    return StreamEvent("token", {"text": text})


def test_a_withdrawn_answer_is_announced() -> None:
    console = Console(
        width=80,
        force_terminal=False,
        record=True,
        soft_wrap=True,
    )
    for event in (
        token("One 😀. "),
        token("Wrong."),
        StreamEvent("retract", {"from": 0, "reason": "refused"}),
    ):
        follow(event, console)
    follow(token("Right."), console)
    assert console.export_text() == "One 😀. Wrong.\n(withdrawn: refused)\nRight."


def test_a_pipe_gets_only_what_is_final(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    final = {**RESULT, "answer": "Right."}
    withdrawn = StreamEvent("retract", {"from": 0, "reason": "refused"})
    client = Scripted([token("Wrong. "), withdrawn, token("Right."), StreamEvent("result", final)])
    context = CommandContext(tmp_path, "local", as_json=False)
    with context.lasting_client():
        ChatSession(client, context, {}, "new").say("Why?")
    assert capsys.readouterr().out == "Right.\n"


def test_an_answer_that_breaks_off_ends_with_its_error(tmp_path: Path) -> None:
    scripts: list[list[StreamEvent | Exception]] = [
        [token("Half")],
        [token("Half"), AuroraError("gone")],
    ]
    for script in scripts:
        client = Scripted(script)
        for as_json in (True, False):
            with pytest.raises(AuroraError):
                ChatSession(
                    client, CommandContext(tmp_path, "local", as_json=as_json), {}, "new"
                ).say("Why?")
        assert client.closed == 2


# -- on a terminal


def test_on_a_terminal_it_prompts_links_to_files_and_ends_with_ctrl_d(
    aurora: Aurora, notes: Write
) -> None:
    aurora("index", str(notes(BOATS)))
    leader, follower = pty.openpty()
    command = [
        sys.executable,
        "-c",
        "from cli.main import main; main()",
        "chat",
        "--home",
        str(aurora.home),
    ]
    env = {**os.environ, "TERM": "xterm-256color"}
    with subprocess.Popen(
        command, cwd=ROOT, stdin=follower, stdout=follower, stderr=follower, env=env
    ) as process:
        os.close(follower)
        try:
            _until(leader, "› ")
            os.write(leader, b"What colour is the boat?\n")
            output = _until(leader, "floats.", "choose one.", "› ")
            assert "The boat is blue" in output
            assert f"file://{notes({})}/toys/boat.md" in output
            os.write(leader, b"\x04")
            assert process.wait(30) == 0
        finally:
            process.kill()
            os.close(leader)


def _until(leader: int, *wanted: str) -> str:
    """Read what a terminal shows until then: all of `wanted`, the last of them after the others."""
    output = b""
    deadline = time.monotonic() + 60
    while not _ends_with(output.decode(errors="replace"), wanted):
        assert time.monotonic() < deadline, output
        if select.select([leader], [], [], 1)[0]:
            output += os.read(leader, 4096)
    return output.decode()


def _ends_with(seen: str, wanted: tuple[str, ...]) -> bool:
    place = 0
    for expected_part in wanted:
        if (position := seen.find(expected_part, place)) < 0:
            return False
        place = position + len(expected_part)
    return True


def test_ctrl_c_while_lines_are_piped_ends_it_quietly(aurora: Aurora, notes: Write) -> None:
    aurora("index", str(notes(BOATS)))
    command = [
        sys.executable,
        "-c",
        "from cli.main import main; main()",
        "chat",
        "--json",
        "--home",
        str(aurora.home),
    ]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("What colour is the boat?\n")
        process.stdin.flush()
        assert "blue" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr is not None
        assert process.stderr.read() == ""

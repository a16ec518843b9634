"""Notes, names and requests that hold escape sequences and markup, read by every command on a real terminal."""

from __future__ import annotations

import ast
import json
import os
import pty
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import click
import pytest

from cli.main import main
from cli.options import CommandContext
from shared.markdown.printable import printable, printable_json
from tests.cli.conftest import Aurora, Write
from tests.servers.dev import ROOT

ACTS = "\x1b]52;c;aGk=\x07\x1b[2J\x9b2J\x9d52;c;aGk=\x9c\x1bc\x08\x7f"
"""Writes the clipboard and clears the screen, in both spellings; resets the terminal; moves the cursor."""
BEYOND_ASCII = "\x9b2J\x9d52;c;aGk=\x9c"
MARKUP = "[bold]M[/bold][/nope]:smile:"
TITLE = f"Boat {ACTS}{MARKUP}"
TEXT = f"The boat {ACTS} is blue {MARKUP} and floats. See [[harbour {BEYOND_ASCII}]].\n\n# Deck {ACTS}\n\nA deck.\n"
LINE = f"Boats {BEYOND_ASCII}{MARKUP}"
FOLDER_NAME = f"notes {BEYOND_ASCII}[bold]F"
NOTE_FILE = f"toys {BEYOND_ASCII}/boat {BEYOND_ASCII}[bold]P.md"
OURS = re.compile(
    r"\x1b\[[0-9;]*m|\x1b\]8;[^\x07\x1b]*\x1b\\|\x1b\[\?(?:25|2004)[hl]|\x1b\[[0-9]*[AK]|\r"
)
"""Sequences that rich and the line editor send: colours, links to files, the cursor of a progress bar."""
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
DEV = (sys.executable, "-c", "from cli.main import main; main()", "dev", "--no-browser")
DRIVER = """
import json, sys
from cli.main import main
for arguments in json.load(open(sys.argv[1])):
    print("\\n@@@", json.dumps(arguments), flush=True)
    try:
        main(arguments, prog_name="aurora")
    except SystemExit as end:
        print("\\n@@@ exit", end.code, flush=True)
"""
PRINTERS = frozenset(
    [
        "click.echo",
        "click.secho",
        "click.confirm",
        "click.prompt",
        "Console",
        "print",
        "sys.stdout.write",
        "sys.stderr.write",
    ]
)
ELSEWHERE = {
    "completion": "prints a script that click made",
    "dev": "has a test of its own",
    "live": "reads the sample notes that are shipped alone",
    "mcp": "speaks JSON-RPC with a program, no terminal",
}


def _commands(group: click.Command, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if not isinstance(group, click.Group):
        yield before
        return
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from _commands(command, (*before, name))


@contextmanager
def _on_a_terminal(
    command: Sequence[str], typed: str = ""
) -> Iterator[tuple[subprocess.Popen[bytes], list[bytes]]]:
    """A process whose streams are all a terminal, and what it has written so far."""
    leader, follower = pty.openpty()
    written: list[bytes] = []

    def read() -> None:
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:  # Linux: nobody has the other end any more
                return
            written.append(piece)

    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "200"}
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=follower, stdout=follower, stderr=follower, env=env
    )
    os.close(follower)
    reader = Thread(target=read, daemon=True)
    reader.start()
    os.write(leader, typed.encode())
    try:
        yield process, written
    finally:
        process.terminate()
        process.wait(60)
        reader.join(10)
        os.close(leader)


def _acting(written: str) -> list[str]:
    """Find sequences that act on a terminal, with the text beside them."""
    rest = OURS.sub("", written)
    return [rest[max(0, match.start() - 40) : match.end() + 10] for match in ACTING.finditer(rest)]


def test_a_line_break_in_a_files_name_makes_no_line_of_its_own(
    aurora: Aurora, notes: Write
) -> None:
    folder = notes({"boat.md": "The boat is blue."})
    (folder / "a\n  failed boat.md").write_text("Its name is none of ours.")
    lines = aurora("index", str(folder)).stdout.splitlines()
    assert not [line for line in lines if line.startswith("  failed")]
    assert [line for line in lines if line.startswith("  skipped a\ufffd  failed boat.md: ")]


@pytest.mark.slow
def test_nothing_in_notes_acts_on_the_terminal_of_any_command(
    aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    folder = notes(
        {
            f"{FOLDER_NAME}/{NOTE_FILE}": f'---\ntags: ["t{BEYOND_ASCII}[bold]T"]\n---\n# {TITLE}\n\n{TEXT}'
        }
    )
    folder = folder / FOLDER_NAME
    (folder / f"skipped {ACTS}.md").write_text("Its name is none of ours.")
    golden = tmp_path / f"golden {ACTS}.jsonl"
    golden.write_text(json.dumps({"query": f"boat {ACTS}", "relevant": {NOTE_FILE: 1}}) + "\n")
    template = tmp_path / "steps.md"
    template.write_text(
        f'---\nname: "N [bold]{BEYOND_ASCII}"\ndescription: "D {BEYOND_ASCII}"\n---\nSteps {ACTS}.\n'
    )
    moved = tmp_path / f"moved {ACTS}"
    moved.mkdir()
    backup = tmp_path / f"backup {ACTS}.jsonl"
    aurora("index", str(folder), "--vault", "boats")
    with CommandContext(aurora.home, "local", as_json=False).client() as client:
        note = {
            "title": TITLE,
            "text": TEXT,
            "path": f"p {BEYOND_ASCII}/made.md",
            "tags": [BEYOND_ASCII],
        }
        client.send("PUT", "/notes/made", note)
        client.send("PUT", "/notes/linked", {"title": "L", "text": f"[[{TITLE}]]"})
        client.send("PUT", "/notes/gone", note | {"path": "gone.md"})
        client.send("DELETE", "/notes/gone")
        (trashed,) = client.send("GET", "/trash")["trash"]
        session = client.send("POST", "/sessions", {"title": LINE})["sessionId"]
        client.send("POST", "/chat", {"message": f"boat {ACTS}?", "sessionId": session})
        (indexed,) = [n for n in client.send("GET", "/notes")["notes"] if n["path"] == NOTE_FILE]
        note_id = indexed["noteId"]
        (folder / NOTE_FILE).write_text(f"# {TITLE}\n\nIn the file {ACTS}.\n")
        client.send(
            "PUT",
            f"/notes/{note_id}",
            {
                **note,
                "path": NOTE_FILE,
                "vault": "boats",
                "text": f"In the note {ACTS}.",
            },
        )
    runs: list[list[str]] = [
        ["index", str(folder), "--vault", "boats"],
        ["conflicts"],
        ["conflicts", note_id, "--take", "note"],
        ["ask", "What colour is the boat?"],
        ["ask", "What colour is the boat?", "--rank-folders"],
        ["notes", "check", str(folder / NOTE_FILE)],
        ["model"],
        ["search", "boat"],
        ["explain", "boat"],
        ["chat", "--session", session],
        ["folders"],
        ["folders", "list"],
        ["folders", "move", str(folder), str(moved)],
        ["notes", "list"],
        ["notes", "show", "made"],
        ["notes", "delete", "made"],
        ["notes", "trash"],
        ["notes", "restore", trashed["trashId"]],
        ["notes", "show", f"no such {ACTS}"],
        ["sessions", "list"],
        ["sessions", "show", session],
        ["sessions", "rename", session, LINE],
        ["templates", "add", str(template)],
        ["templates", "list"],
        ["templates", "search", "steps"],
        ["templates", "index"],
        ["export"],
        ["export", str(backup)],
        ["reconcile", "--full"],
        ["doctor"],
        ["eval", str(golden), "--notes", str(folder), "--embedder", "none", "--no-chat"],
        ["demo", str(folder)],
        ["token", "--user", "u", "--project", "p"],
        ["sessions", "delete", session],
        ["folders", "forget", str(moved)],
        ["import", str(backup)],
        ["erase"],
        ["erase", "--yes"],
    ]
    reading = (
        ["search", "boat"],
        ["notes", "show", "linked"],
        ["sessions", "list"],
        ["export"],
        ["explain", "boat"],
    )
    runs = [*(["--json", *run] for run in reading), *runs]
    walked = {tuple(run[: len(path)]) for run in runs for path in _commands(main)}
    assert set(_commands(main)) - walked <= {(name,) for name in ELSEWHERE}
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps([["--home", str(aurora.home), *run] for run in runs]))
    typed = "s\nWhat floats?\n/exit\nn\nno\n"
    with _on_a_terminal([sys.executable, "-c", DRIVER, str(plan)], typed) as (process, written):
        process.wait(150)
    output = b"".join(written).decode()
    assert len(re.findall("@@@ exit", output)) == len(runs), output[-2000:]
    for part in re.split(r"(?=@@@ \[)", output):
        assert _acting(part) == [], part
        assert "Traceback" not in part
    assert MARKUP in output
    assert "\N{SMILING FACE WITH OPEN MOUTH AND SMILING EYES}" not in output


@pytest.mark.nightly
@pytest.mark.slow
def test_nothing_in_requests_and_followed_files_acts_on_the_terminal_of_dev(
    aurora: Aurora, notes: Write
) -> None:
    folder = notes({f"N {ACTS}/boat.md": "The boat is blue."}) / f"N {ACTS}"
    aurora("index", str(folder), "--vault", "boats")
    command = [*DEV, "--port", "0", "--home", str(aurora.home)]
    with _on_a_terminal(command) as (_, written):

        def shown() -> str:
            return b"".join(written).decode(errors="replace")

        _await(lambda: "try: " in shown())
        address = re.search(r"http://localhost:(\d+)", shown())
        assert address
        path = f"/notes/{ACTS}".replace(" ", "%20").encode("latin-1")
        for request in (
            b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"GET " + path + b" what is this\r\n\r\n",
            b"\x1b]52;c;aGk=\x07 / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ):
            with socket.create_connection(("127.0.0.1", int(address[1])), timeout=30) as connection:
                connection.sendall(request)
                connection.recv(65536)
        (folder / "boat.md").write_text("The boat is red.")
        _await(lambda: "1 indexed" in shown())
        _await(lambda: shown().count(" ms") > 0)
    assert _acting(shown()) == []
    assert "/notes/" in shown()


def _await(is_true: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_commands_print_by_the_filter_alone() -> None:
    for file in sorted([*Path(ROOT, "cli").rglob("*.py"), *Path(ROOT, "desktop").rglob("*.py")]):
        place = file.relative_to(ROOT).as_posix()
        if place in ("cli/terminal.py", "cli/main.py"):
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            assert called not in PRINTERS, f"{place}:{node.lineno}: {called}"


def test_json_stays_the_same_value_and_text_keeps_its_lines() -> None:
    value = {TITLE: ["\ud800", "é\u2028", "\x00\r\n\t"]}
    text = printable_json(json.dumps(value, ensure_ascii=False, indent=2))
    assert json.loads(text) == value
    assert not ACTING.search(text)
    assert printable("a\r\nb\tc\rd\x1b[2J\ud800 é") == "a\nb\tc\ufffdd\ufffd[2J\ufffd é"
    assert (
        printable("paid to \u202ebob\u202c \u2067שלום\u2069")
        == "paid to \ufffdbob\u202c \u2067שלום\u2069"
    )

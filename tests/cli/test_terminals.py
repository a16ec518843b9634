"""The commands in terminals, pipes and shells."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from cli.commands.index import LINE_SECONDS, _with_bar
from cli.main import COMMANDS, GROUPS
from cli.options import CommandContext
from cli.showing import show_results
from tests.cli.conftest import BOATS, Aurora, Write
from tests.servers.dev import ROOT


def _aurora(aurora: Aurora, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:  # noqa: ANN401 - Popen's
    command = [
        sys.executable,
        "-c",
        "from cli.main import main; main()",
        "--home",
        str(aurora.home),
        *arguments,
    ]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        stderr=subprocess.PIPE,
        **options,
    )


@pytest.mark.nightly
def test_a_reader_who_has_left_is_no_error(aurora: Aurora, notes: Write) -> None:
    aurora("index", str(notes(BOATS)))
    for arguments in (["search", "boat", "--json"], ["search", "boat"], ["doctor"], ["--help"]):
        read, write = os.pipe()
        os.close(read)
        with _aurora(aurora, *arguments, stdout=write) as process:
            os.close(write)
            process.wait(60)
            assert process.stderr is not None
            assert process.stderr.read() == b"", arguments


def test_ctrl_c_ends_a_long_command_quietly(aurora: Aurora, notes: Write) -> None:
    folder = notes(
        {f"n{number}.md": f"# Note {number}\n\n" + "A sentence. " * 2000 for number in range(200)}
    )
    with _aurora(aurora, "index", str(folder), stdout=subprocess.PIPE) as process:
        while not (aurora.home / "folders.db").exists():
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr is not None
        assert process.stderr.read() == b""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed(aurora: Aurora, shell: str) -> None:
    script = aurora("completion", shell).output
    assert f"_AURORA_COMPLETE={shell}_complete" in script
    assert aurora("completion", "tcsh").exit_code == 2
    if shell == "bash":
        subprocess.run(
            ["bash", "-n"],
            input=script,
            text=True,
            check=True,
        )


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("aurora in", "index"),
        ("aurora sessions re", "rename"),
        ("aurora search --va", "--vault"),
    ],
)
def test_the_shell_completes_commands_and_options(typed: str, wanted: str) -> None:
    words = typed.split()
    env = {
        **os.environ,
        "_AURORA_COMPLETE": "bash_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(words) - 1),
    }
    command = [sys.executable, "-c", "from cli.main import main; main(prog_name='aurora')"]
    completed = subprocess.run(
        command,
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"plain,{wanted}" in completed.stdout.splitlines()


@pytest.mark.parametrize(
    "completing",
    [
        {},
        {
            "_AURORA_COMPLETE": "bash_complete",
            "COMP_WORDS": "aurora",
            "COMP_CWORD": "1",
        },
    ],
)
def test_commands_are_listed_without_importing_any(completing: dict[str, str]) -> None:
    code = (
        "import atexit, sys; from cli.main import main\n"
        "atexit.register(lambda: print([name for name in sys.modules if name.startswith(('cli.', 'shared'))]))\n"
        "main(['--help'], prog_name='aurora')"
    )
    env = {**os.environ, **completing}
    completed = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    *listed, imported = completed.stdout.splitlines()
    assert all(any(name in line for line in listed) for name in COMMANDS)
    assert imported == "['cli.suggestions', 'cli.main']"


def test_a_search_is_seldom_stopped_to_look_for_garbage(aurora: Aurora, notes: Write) -> None:
    """8 times with Python 3.13, 37 by its defaults; 22 and 115 with 3.11."""
    assert aurora("index", str(notes(BOATS))).exit_code == 0
    by_defaults = _looks_for_garbage(aurora, "gc.set_threshold = lambda *numbers: None\n")
    assert 3 * _looks_for_garbage(aurora) < by_defaults


def _looks_for_garbage(aurora: Aurora, preparation: str = "") -> int:
    """Returns how often Python looks for garbage while a search runs in a process of its own."""
    code = (
        f"import atexit, gc\n{preparation}from cli.main import main\n"
        "looks = lambda: sum(generation['collections'] for generation in gc.get_stats())\n"
        "before = looks()\n"
        "atexit.register(lambda: print(looks() - before))\n"
        f"main(['--home', {str(aurora.home)!r}, 'search', 'boat'], prog_name='aurora')"
    )
    completed = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return int(completed.stdout.splitlines()[-1])


def test_links_to_files_are_for_terminals_only(
    aurora: Aurora,
    notes: Write,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = notes({"a b [x].md": "The boat is blue."})
    aurora("index", str(folder))
    assert "\x1b" not in aurora("search", "boat").output
    monkeypatch.setenv("FORCE_COLOR", "1")
    rows = aurora.json("search", "boat")["results"]
    show_results(rows, CommandContext(aurora.home, "local", as_json=False))
    assert (folder / "a b [x].md").as_uri() in capsys.readouterr().out


def test_every_command_is_below_one_heading_of_the_help(aurora: Aurora) -> None:
    names = [name for _, group in GROUPS for name in group]
    assert sorted(names) == sorted(COMMANDS)
    help_text = aurora("--help").output
    headings = [f"\n{heading}:\n" for heading in ("Examples", *(heading for heading, _ in GROUPS))]
    places = [help_text.index(heading) for heading in headings]
    assert places == sorted(places)
    assert "aurora index ~/notes --watch" in help_text


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        (["serch", "boat"], "Did you mean 'search'?"),
        (["notes", "lst"], "Did you mean 'list'?"),
        (["search", "boat", "--vualt", "x"], "Did you mean '--vault'?"),
        (["xyzzy"], "No such command 'xyzzy'.\n"),
    ],
)
def test_a_misspelt_command_or_option_is_answered_with_the_likeliest(
    aurora: Aurora, arguments: list[str], suggestion: str
) -> None:
    refused = aurora(*arguments)
    assert refused.exit_code == 2
    assert suggestion in refused.output


def test_without_a_terminal_progress_is_printed_as_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def work(step: Callable[[str, int, int], None]) -> None:
        step("notes", 1, 2000)
        time.sleep(LINE_SECONDS)
        step("notes", 1500, 2000)
        step("notes", 1501, 2000)

    _with_bar(work)
    assert capsys.readouterr().err == "aurora: notes: 1,500 of 2,000\n"


@pytest.mark.parametrize(
    ("without_vectors", "told"),
    [(1, "1 waits for its vectors"), (1500, "1,500 wait for their vectors")],
)
def test_notes_that_wait_when_a_person_breaks_off_are_counted(
    without_vectors: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(step: Callable[[str, int, int], None]) -> None:
        step("vectors", 2000 - without_vectors, 2000)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _with_bar(work, goes_on="the server goes on")
    message = f"aurora: every note is found by its words, {told}: the server goes on"
    assert capsys.readouterr().err.strip() == message

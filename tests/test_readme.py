"""README and docs/ say what is so: the settings table is `Settings`, commands exist, links lead somewhere."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import click
import pytest

from cli.main import main
from functions import tables
from functions.http.errors import ERROR_FORMS, INTERNAL, UNROUTED, WRONG_METHOD
from functions.routes.openapi import API_VERSION
from shared.settings import (
    CHAT_MODEL,
    DEPLOYED_LIMITS,
    EMBEDDING_MODEL,
    RetrievalSettings,
    Settings,
    variable_of,
)

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
COMMAND = (ROOT / "docs/command.md").read_text()
HOME = str(Path("~/.aurora").expanduser())


def test_every_setting_stands_in_the_table_with_its_default_and_meaning() -> None:
    def shown(default: object) -> str:
        if default in (None, "", (), False):
            return ""
        return f"`{str(default).replace(HOME, '~/.aurora')}`"

    meanings = {
        name.target.id: " ".join(ast.literal_eval(docstring.value).split())
        for settings in (RetrievalSettings, Settings)
        for declared in ast.parse(inspect.getsource(settings)).body
        if isinstance(declared, ast.ClassDef)
        for name, docstring in pairwise(declared.body)
        if isinstance(name, ast.AnnAssign)
        and isinstance(name.target, ast.Name)
        and isinstance(docstring, ast.Expr)
    }
    assert all(
        f"Default {limit:.0f} where" in meanings[name] for name, limit in DEPLOYED_LIMITS.items()
    )
    assert CHAT_MODEL in meanings["chat_model"]
    assert EMBEDDING_MODEL in meanings["embedding_model"]
    expected = {
        variable_of(setting): f"| {shown(setting.default)} | {meanings[setting.name]} |".replace(
            "|  |", "| |"
        )
        for setting in fields(Settings)
    }
    page = (ROOT / "docs/settings.md").read_text()
    rows = re.findall(r"^\| `([A-Z0-9_]+)` (\| .* \|) [^|]+ \|$", page, re.MULTILINE)
    assert len(rows) == len(expected)
    assert dict(rows) == expected


def _commands(group: click.Group = main, name: str = "aurora") -> dict[str, click.Command]:
    """Every command by its full name, subcommands too."""
    context = click.Context(group)
    commands: dict[str, click.Command] = {}
    for command_name in group.list_commands(context):
        command = group.get_command(context, command_name)
        assert command is not None
        commands[f"{name} {command_name}"] = command
        commands |= (
            _commands(command, f"{name} {command_name}") if isinstance(command, click.Group) else {}
        )
    return commands


def _options(command: click.Command) -> set[str]:
    return {
        option
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }


def test_every_command_stands_in_the_table_and_no_other() -> None:
    table = re.findall(r"^\| `(aurora [a-z]+)[^`]*` \|", COMMAND, re.MULTILINE)
    assert sorted(table) == sorted(name for name in _commands() if name.count(" ") == 1)


def test_every_subcommand_is_named_in_its_row() -> None:
    for name in (name for name in _commands() if name.count(" ") == 2):
        _, group, inner = name.split()
        (row,) = re.findall(rf"^\| `aurora {group}` \|.*$", COMMAND, re.MULTILINE)
        assert f"`{inner}`" in row, name


def test_every_command_line_in_the_pages_can_be_given() -> None:
    """In code and in the table's rows: the command exists and has the options named."""
    rows = re.findall(r"^\| `aurora [a-z]+.*$", COMMAND, re.MULTILINE)
    code = "\n".join(
        block
        for page in PAGES
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(), re.DOTALL)
    )
    lines = re.findall(r"^\S*aurora [a-z]+.*$", code, re.MULTILINE)
    assert rows
    assert lines
    commands = _commands()
    for text in (*rows, *lines):
        name = "aurora " + re.search(r"aurora ([a-z]+)", text)[1]  # type: ignore[index]
        named = set(re.findall(r"(?<![\w-])--[a-z-]+", text.partition(" # ")[0]))
        assert named <= _options(commands[name]), text


def test_the_commands_said_to_work_on_a_server_are_those_that_do() -> None:
    (sentence,) = re.findall(
        r"talks to a deployed product, with the same output: ([^.]*)\.", COMMAND
    )
    remote = {
        name.split()[1] for name, command in _commands().items() if "--server" in _options(command)
    }
    assert set(re.findall(r"`([a-z]+)`", sentence)) == remote


def test_every_error_stands_in_the_table_with_its_code_and_no_other() -> None:
    rows = re.findall(
        r"^\| (\d{3}) \| `([A-Z_]+)` \| .+ \| .+ \|$",
        (ROOT / "docs/http.md").read_text(),
        re.MULTILINE,
    )
    forms = [*ERROR_FORMS.values(), UNROUTED, WRONG_METHOD, INTERNAL]
    assert sorted({(str(form.code), form.reason) for form in forms}) == sorted(rows)


def test_the_version_of_the_promise_to_apps_is_the_one_that_is_served() -> None:
    assert f"now {API_VERSION}:" in (ROOT / "docs/stability.md").read_text()


def test_every_route_stands_in_the_table_and_no_other() -> None:
    rows = re.findall(r"^\| (`[A-Z].*?) \|", (ROOT / "docs/http.md").read_text(), re.MULTILINE)
    documented = {
        f"{verb} {path}"
        for row in rows
        for verbs, path in re.findall(r"`([A-Z ]+) (/\S*)`", row)
        for verb in verbs.split()
    }
    served = {f"{route.method} {re.sub('{.*?}', '{id}', route.pattern)}" for route in tables.API}
    assert documented == served - {"GET /", "GET /healthz"} | {"POST /chat"}


def test_the_exit_codes_are_those_of_the_help() -> None:
    assert re.findall(r"^\| (\d+) \| ", COMMAND, re.MULTILINE) == ["0", "1", "2", "3", "130"]
    assert main.help
    assert re.findall(r"\b(\d+) [a-z]", main.help) == ["0", "1", "2", "3", "130"]


def _anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", page.read_text()):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in _anchors(target), link


def test_files_named_in_code_are_there() -> None:
    """Names with a capital stand for a file that is yet to be made."""
    folders = "cli|deploy|desktop|docs|evaluation|examples|functions|shared|templates|tests|web"
    pages = "".join(page.read_text() for page in PAGES)
    named = re.findall(rf"`((?:{folders})/[a-z0-9_./-]*)`", pages)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_a_stranger_reads_at_most_150_lines() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


def test_readme_lists_every_page_of_the_docs() -> None:
    listed = set(re.findall(r"\]\((docs/\w+\.md)\)", (ROOT / "README.md").read_text()))
    assert listed >= {page.relative_to(ROOT).as_posix() for page in PAGES[1:]}

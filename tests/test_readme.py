"""README says what is so: its settings table is `Settings`, its links lead somewhere."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import click

from cli.main import main
from shared.settings import Settings

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
HOME = str(Path("~/.aurora").expanduser())


def test_every_setting_stands_in_the_table_with_its_default_and_meaning() -> None:
    def shown(default: object) -> str:
        if default in (None, "", (), False):
            return ""
        return f"`{str(default).replace(HOME, '~/.aurora')}`"

    expected = [
        f"| `{setting.metadata['variable']}` | {shown(setting.default)} | {setting.metadata['meaning']} |".replace(
            "|  |", "| |"
        )
        for setting in fields(Settings)
    ]
    assert re.findall(r"^\| `[A-Z0-9_]+` \|.*$", README, re.MULTILINE) == expected


def _commands(group: click.Group = main, name: str = "aurora") -> dict[str, click.Command]:
    """Every command by its full name, subcommands too."""
    context = click.Context(group)
    found: dict[str, click.Command] = {}
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        assert command is not None
        found[f"{name} {each}"] = command
        found |= _commands(command, f"{name} {each}") if isinstance(command, click.Group) else {}
    return found


def _options(command: click.Command) -> set[str]:
    return {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}


def test_every_command_stands_in_the_table_and_no_other() -> None:
    table = re.findall(r"^\| `(aurora [a-z]+)[^`]*` \|", README, re.MULTILINE)
    assert sorted(table) == sorted(name for name in _commands() if name.count(" ") == 1)


def test_every_subcommand_is_named_in_its_row() -> None:
    for name in (name for name in _commands() if name.count(" ") == 2):
        _, group, inner = name.split()
        (row,) = re.findall(rf"^\| `aurora {group}` \|.*$", README, re.MULTILINE)
        assert f"`{inner}`" in row, name


def test_every_command_line_in_the_page_can_be_given() -> None:
    """In code and in the table's rows: the command exists and has the options named."""
    rows = re.findall(r"^\| `aurora [a-z]+.*$", README, re.MULTILINE)
    lines = re.findall(
        r"^\S*aurora [a-z]+.*$", "\n".join(re.findall(r"```sh\n(.*?)```", README, re.DOTALL)), re.MULTILINE
    )
    assert rows
    assert lines
    commands = _commands()
    for text in (*rows, *lines):
        name = "aurora " + re.search(r"aurora ([a-z]+)", text)[1]  # type: ignore[index]
        named = set(re.findall(r"(?<![\w-])--[a-z-]+", text.partition(" # ")[0]))
        assert named <= _options(commands[name]), text


def test_the_commands_said_to_work_on_a_server_are_those_that_do() -> None:
    (said,) = re.findall(r"talks to a deployed product, with the same output: ([^.]*)\.", README)
    remote = {name.split()[1] for name, command in _commands().items() if "--server" in _options(command)}
    assert set(re.findall(r"`([a-z]+)`", said)) == remote


def test_the_exit_codes_are_those_of_the_help() -> None:
    assert re.findall(r"^\| (\d+) \| ", README, re.MULTILINE) == ["0", "1", "2", "3", "130"]
    assert main.help
    assert re.findall(r"\b(\d+) [a-z]", main.help) == ["0", "1", "2", "3", "130"]


def test_relative_links_lead_to_files() -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_links_inside_the_page_lead_to_headings() -> None:
    anchors = {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.*)$", README, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", README)) <= anchors

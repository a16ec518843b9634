"""The `aurora` command.

Exit codes: 0 done; 1 something failed; 2 the command line is wrong; 3 nothing found, or the notes hold no answer;
130 ended by Ctrl-C.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path

import click

COMMANDS: Mapping[str, str] = {
    "ask": "cli.asking:ask",
    "chat": "cli.chatting:chat",
    "completion": "cli.completing:completion",
    "demo": "cli.indexing:demo",
    "dev": "cli.dev:dev",
    "doctor": "cli.doctor:doctor",
    "eval": "cli.evaluating:evaluate",
    "erase": "cli.account:erase",
    "explain": "cli.explaining:explain",
    "export": "cli.account:export",
    "index": "cli.indexing:index",
    "mcp": "cli.mcp:mcp",
    "reconcile": "cli.indexing:reconcile",
    "search": "cli.asking:search",
    "sessions": "cli.sessions:sessions",
    "templates": "cli.templates:templates",
}
"""Name -> where it is, imported when it is called: what one command needs, the others do not wait for."""


class Commands(click.Group):
    """The group that looks its commands up in `COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, help=__doc__)
@click.option("--home", type=click.Path(path_type=Path, file_okay=False), help="Folder of the embedded store.")
@click.option("--tenant", help="Whose notes.  [default: local]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a program to read.")
@click.option("--server", metavar="URL", help="A deployed product instead of this machine's notes.")
@click.option("--token", help="Firebase ID token of who calls the server.")
@click.version_option(package_name="aurora-notes")
@click.pass_context
def main(context: click.Context, /, **options: object) -> None:
    """Keep what stands before the command's name, for the command."""
    context.obj = options

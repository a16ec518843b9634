"""The `aurora` command.

Exit codes: 0 done; 1 something failed; 2 the command line is wrong; 3 nothing found, or the notes
hold no answer; 130 ended by Ctrl-C.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from cli.suggestions import SuggestingGroup

COMMANDS: Mapping[str, tuple[str, str]] = {
    "ask": ("cli.commands.ask:ask", "Ask your notes; every claim in the answer cites its passage."),
    "chat": ("cli.commands.chat:chat", "Talk with your notes."),
    "completion": ("cli.main:completion", "Print the completion script of a shell."),
    "conflicts": (
        "cli.commands.conflicts:conflicts",
        "Resolve conflicts between files and their notes.",
    ),
    "demo": (
        "cli.commands.index:demo",
        "Ask three questions about the sample notes, in a temporary home.",
    ),
    "dev": (
        "cli.commands.dev:dev",
        "Run the whole product on this machine, for this machine only.",
    ),
    "doctor": ("cli.commands.doctor:doctor", "Check settings, store, models and indexed folders."),
    "eval": (
        "cli.commands.evaluate:evaluate",
        "Ask questions whose answers are known; print the figures.",
    ),
    "erase": ("cli.commands.account:erase", "Erase everything that is stored about you."),
    "explain": (
        "cli.commands.explain:explain",
        "Show how a search scores notes, and why one is not found.",
    ),
    "export": (
        "cli.commands.account:export",
        "Write everything that is stored about you to a file.",
    ),
    "folders": ("cli.commands.folders:folders", "List, move and forget indexed folders."),
    "import": (
        "cli.commands.import_export:import_export",
        "Bring back what `aurora export` wrote.",
    ),
    "index": ("cli.commands.index:index", "Bring a folder of Markdown into a vault."),
    "live": ("cli.commands.live:live", "Try the configured models with ten questions."),
    "mcp": ("cli.commands.mcp:mcp", "Serve your notes to an MCP host over stdio."),
    "model": ("cli.commands.model:model", "Show, choose and try the model that writes."),
    "notes": ("cli.commands.notes:notes", "List, show and delete notes."),
    "reconcile": (
        "cli.commands.index:reconcile",
        "Repair the index of notes whose changes it missed.",
    ),
    "search": ("cli.commands.ask:search", "Find passages, best first."),
    "sessions": ("cli.commands.sessions:sessions", "List, show, rename and delete conversations."),
    "templates": (
        "cli.commands.templates:templates",
        "List, search, add and index reasoning templates.",
    ),
    "token": ("cli.commands.token:token", "Print an ID token for a product on an emulator."),
}
"""Name of a command -> where it is, and its line in the list of commands. It is imported when it is
called, so that no command waits for what another one needs.
"""

# pydantic would look for plugins in every package that is installed.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
# numpy's linear algebra would start a thread a core, which wait for work by spinning. Nothing here uses them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

GROUPS = (
    ("Begin", ("dev", "demo", "index", "folders", "model")),
    ("Ask", ("ask", "search", "chat", "explain", "sessions", "templates")),
    ("Notes", ("notes", "conflicts", "export", "import", "erase")),
    ("Other programs", ("mcp", "token", "completion")),
    ("Check and measure", ("doctor", "reconcile", "eval", "live")),
)
"""Headings of `--help`, in the order in which people need them, with the commands below each."""
EXAMPLES = (
    ("aurora dev --sample", "the page, with sample notes"),
    ("aurora index ~/notes --watch", "a folder of your own, followed from now on"),
    ('aurora ask "What did I decide last week?"', "an answer with its passages"),
    ("aurora search boat --files | xargs wc", "the files that match"),
)
SHELLS = ("bash", "zsh", "fish")


class Commands(SuggestingGroup):
    """Group that looks its commands up in `COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        path, _ = COMMANDS[cmd_name]
        module_name, _, name = path.partition(":")
        module = importlib.import_module(module_name)
        command: click.Command = getattr(module, name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes examples and the list of commands for `--help` without importing them."""
        del ctx
        with formatter.section("Examples"):
            formatter.write_dl(EXAMPLES, col_max=45)
        for heading, names in GROUPS:
            lines = [(name, COMMANDS[name][1]) for name in names]
            with formatter.section(heading):
                formatter.write_dl(lines)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Returns what completes a word, without importing commands: a shell waits for it at every
        press of a key.
        """
        items = []
        for name in self.list_commands(ctx):
            if name.startswith(incomplete):
                items.append(CompletionItem(name, help=COMMANDS[name][1]))

        items.extend(click.Command.shell_complete(self, ctx, incomplete))
        return items


OPTIONS: tuple[click.Parameter, ...] = (
    click.Option(
        ["--home"],
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder of the embedded store.",
    ),
    click.Option(["--tenant"], help="Whose notes.  [default: local]"),
    click.Option(
        ["--json", "as_json"],
        is_flag=True,
        help="Print JSON for a program to read.",
    ),
    click.Option(
        ["--server"],
        metavar="URL",
        help="A deployed product instead of this machine's notes.",
    ),
    click.Option(["--token"], help="Firebase ID token of the person who calls the server."),
)
"""Options that stand before the command's name; `cli.options` gives most commands the same."""


@click.group(
    cls=Commands,
    params=list(OPTIONS),
    context_settings={"help_option_names": ["-h", "--help"]},
    help=__doc__,
)
@click.version_option(package_name="aurora-notes")
@click.pass_context
def main(context: click.Context, /, **options: object) -> None:
    """Keeps the options before the command's name, for the command."""
    context.obj = options


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    bash: eval "$(aurora completion bash)" in ~/.bashrc; zsh the same in ~/.zshrc;
    fish: aurora completion fish > ~/.config/fish/completions/aurora.fish
    """
    completion_class = get_completion_class(shell)
    if completion_class is None:
        shells = ", ".join(SHELLS)
        raise click.BadParameter(f"one of {shells}")

    from cli.options import errors_as_one_line  # noqa: PLC0415 - as all that the commands need

    with errors_as_one_line():
        aurora = context.find_root().command
        script = completion_class(
            aurora,
            {},
            "aurora",
            "_AURORA_COMPLETE",
        )
        click.echo(script.source())

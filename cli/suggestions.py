"""Suggestions: the likeliest command where one is misspelt, and the command that installs a package."""

from __future__ import annotations

import sys
from pathlib import Path

import click

MIN_LIKENESS = 0.6
"""Likeness, by difflib's measure, from which a command is suggested."""


class SuggestingGroup(click.Group):
    """Group that answers an unknown command with the ones that are like it; click does so for options."""

    def resolve_command(
        self,
        ctx: click.Context,
        args: list[str],
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

            likely = get_close_matches(
                args[0],
                self.list_commands(ctx),
                cutoff=MIN_LIKENESS,
            )
            if not likely:
                raise
            names = " or ".join(f"'{name}'" for name in likely)
            suggestion = f"{error.message} Did you mean {names}?"
            raise click.UsageError(suggestion, ctx) from error


def install_command(packages: str, prefix: str = sys.prefix) -> str:
    """Returns the command that installs packages where this interpreter, of `prefix`, finds them.

    pipx keeps each application in an environment of its own, which `pip` on the path does not reach.
    """
    is_of_pipx = (Path(prefix) / "pipx_metadata.json").exists()
    if is_of_pipx:
        return f"pipx inject {Path(prefix).name} {packages}"
    return f"pip install {packages}"

"""Suggestions: the likeliest command where one is misspelt."""

from __future__ import annotations

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

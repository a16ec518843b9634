"""`aurora completion`: what a shell needs to complete the command's words."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from cli.options import errors_as_one_line

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    bash: eval "$(aurora completion bash)" in ~/.bashrc; zsh the same in ~/.zshrc;
    fish: aurora completion fish > ~/.config/fish/completions/aurora.fish
    """
    found = get_completion_class(shell)
    if found is None:
        raise click.BadParameter(f"one of {', '.join(SHELLS)}")
    with errors_as_one_line():
        click.echo(found(context.find_root().command, {}, "aurora", "_AURORA_COMPLETE").source())

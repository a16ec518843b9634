"""Output for people and programs, except what rich lays out (`cli.showing.TerminalConsole`).

Notes, and what a server sends, may hold escape sequences; nothing that is printed here acts on a
terminal.
"""

from __future__ import annotations

import json

import click

from shared.markdown.printable import printable, printable_json


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Prints a text.

    err: print on standard error.
    nl: end the text with a newline.
    """
    click.echo(printable(text), err=err, nl=nl)


def echo_json(value: object, *, indent: int | None = 2) -> None:
    """Prints a value as JSON.

    indent: None prints it on one line.
    """
    echo_json_text(json.dumps(value, ensure_ascii=False, indent=indent))


def echo_json_text(text: str) -> None:
    """Prints a text that is JSON already."""
    click.echo(printable_json(text))


def confirm(prompt_text: str, *, err: bool = False) -> bool:
    """Asks a question whose default answer is no, and reports whether the answer is yes."""
    return click.confirm(
        printable(prompt_text),
        default=False,
        err=err,
    )


def prompt(prompt_text: str, *, default: str = "") -> str:
    """Asks for a word, and returns it or the default."""
    answer: str = click.prompt(
        printable(prompt_text),
        default=default,
        show_default=False,
    )
    return answer

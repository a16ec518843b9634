"""`aurora ask` and `aurora search`: the same questions and the same JSON as /chat and /search."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.options import NOTHING, CommandContext, anywhere, with_options
from cli.showing import (
    NOTHING_FOUND,
    matches_well,
    show_answer,
    show_files,
    show_found,
    tell_what_waits,
    tell_who_was_away,
    why_nothing,
)
from cli.terminal import echo_json
from shared.times.dates import parse_zone

if TYPE_CHECKING:
    from functions.client import Json

STANDARD_INPUT = "-"
"""In the place of a question: it is read from standard input."""
ZONES = "zoneinfo/"
"""Last folder before the names of zones in a path."""


asking = with_options(
    click.option(
        "--strategy",
        type=click.Choice(["weighted", "rrf"]),
        help="How the rankings by meaning, words and date are combined.  [default: the session's, or weighted]",
    ),
    click.option(
        "--vault",
        "vaults",
        multiple=True,
        help="Only this vault; repeatable.",
    ),
    click.option(
        "--folder",
        "folders",
        multiple=True,
        help="Only this folder and what is below it; repeatable.",
    ),
    click.option("--now", help="Ask as of this RFC 3339 time."),
    click.option(
        "--time-zone",
        help="IANA zone in which `yesterday` is meant.  [default: this machine's]",
    ),
)
"""Gives a command the options of a question."""
answered = with_options(
    click.option(
        "--k",
        type=click.IntRange(1, 20),
        help="How many passages the writer gets.",
    ),
    click.option(
        "--template",
        help="`auto`, or the id of a template that gives answers their outline.",
    ),
    click.option(
        "--general",
        is_flag=True,
        help="Let a model answer from general knowledge what the notes do not, and say so.",
    ),
    asking,
)
"""Gives a command the options of a question that is to be answered."""


@click.command()
@click.argument("question")
@click.option(
    "--rank-folders",
    "ranks",
    is_flag=True,
    help="Look in --folder first, then in those that fit best.",
)
@answered
@anywhere
def ask(
    context: CommandContext,
    question: str,
    *,
    ranks: bool,
    **options: Any,  # noqa: ANN401 - click's options
) -> None:
    """Ask your notes; every claim in the answer cites its passage. `-` reads the question from
    standard input. Exit code 3: they do not hold the answer.
    """
    question = _read_question(question)
    if ranks:
        path = "/ask"
        body = _ranked_body(question, options)
    else:
        path = "/chat"
        body = {**question_json(**options), "message": question}

    with context.client() as client:
        answer = client.send("POST", path, body)
        meta = answer["meta"]
        if context.as_json:
            echo_json(answer)
        else:
            show_answer(answer, context)
            tell_who_was_away(meta, client, general=options.get("general", False))
            tell_what_waits(meta, client, context)

    if meta["refusal"]:
        sys.exit(NOTHING)


@click.command()
@click.argument("query")
@click.option(
    "--k",
    type=click.IntRange(1, 100),
    default=10,
    show_default=True,
    help="How many passages.",
)
@click.option(
    "--files",
    is_flag=True,
    help="Print only the files of the notes, one a line.",
)
@asking
@anywhere
def search(
    context: CommandContext,
    query: str,
    *,
    k: int,
    files: bool,
    **options: Any,  # noqa: ANN401 - click's options
) -> None:
    """Find passages, best first. `-` reads the query from standard input. Exit code 3: nothing
    found that matches well.
    """
    if files and context.as_json:
        raise click.UsageError("--files and --json do not go together")
    body = {
        **question_json(**options),
        "query": _read_question(query),
        "k": k,
    }
    with context.client() as client:
        found = client.send("POST", "/search", body)
        if context.as_json:
            echo_json(found)
        elif files:
            show_files(found, context)
        else:
            nothing = NOTHING_FOUND
            if not found["results"]:
                nothing = why_nothing(client, context)
            show_found(found, context, nothing=nothing)
            tell_who_was_away(found["meta"], client)
            tell_what_waits(found["meta"], client, context)

    if not matches_well(found):
        sys.exit(NOTHING)


def _read_question(question: str) -> str:
    """Returns the question itself, or for `-` what standard input holds. Raises click.UsageError."""
    if question != STANDARD_INPUT:
        return question
    text = sys.stdin.read().strip()
    if not text:
        raise click.UsageError("standard input holds no question")
    return text


def _ranked_body(question: str, options: Json) -> Json:
    """Returns the body of a question whose folders are ranked. Raises click.UsageError."""
    if options.pop("template"):
        raise click.UsageError("--template does not work with --rank-folders")
    folders = options.pop("folders")
    vaults = options.pop("vaults")
    k = options.pop("k")
    body = {
        **question_json(**options),
        "question": question,
        "folders": folders,
        "vaults": vaults,
    }
    if k is not None:
        body["k"] = k
    return body


def question_json(
    *,
    vaults: Sequence[str] = (),
    folders: Sequence[str] = (),
    now: str | None = None,
    time_zone: str | None = None,
    k: int | None = None,
    template: str | None = None,
    strategy: str | None = None,
    general: bool = False,
) -> Json:
    """Returns the options of a question as the fields of a body, without those that are not set."""
    if time_zone is None:
        time_zone = local_zone()
    when_not_in_notes = None
    if general:
        when_not_in_notes = "general"
    filters = {}
    if vaults:
        filters["vaults"] = list(vaults)
    if folders:
        filters["folders"] = list(folders)
    body = {
        "timeZone": time_zone,
        "now": now,
        "topK": k,
        "template": template,
        "strategy": strategy,
        "whenNotInNotes": when_not_in_notes,
        "filters": filters or None,
    }
    return {name: value for name, value in body.items() if value is not None}


def local_zone() -> str:
    """Returns the IANA zone of this machine: TZ, else the target of /etc/localtime, else UTC."""
    names = [os.environ.get("TZ", "")]
    target = str(Path("/etc/localtime").resolve())
    if ZONES in target:
        names.append(target.rpartition(ZONES)[2])
    for name in names:
        try:
            return parse_zone(name)
        except ValueError:
            continue

    return "UTC"

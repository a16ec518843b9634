"""`aurora ask` and `aurora search`: the same questions and the same JSON as /chat and /search."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli.options import NOTHING, Place, anywhere, print_json
from cli.showing import (
    NOTHING_FOUND,
    matches_well,
    show_answer,
    show_found,
    tell_what_waits,
    tell_who_was_away,
    why_nothing,
)
from shared.times.dates import parse_zone

if TYPE_CHECKING:
    from functions.client import Json

C = TypeVar("C", bound=Callable[..., Any])

ZONES = "zoneinfo/"


def asking(command: C) -> C:
    """The options of a question."""
    for option in (
        click.option("--time-zone", help="IANA zone in which `yesterday` is meant.  [default: this machine's]"),
        click.option("--now", help="Ask as of this RFC 3339 time."),
        click.option("--folder", "folders", multiple=True, help="Only this folder and what is below it; repeatable."),
        click.option("--vault", "vaults", multiple=True, help="Only this vault; repeatable."),
    ):
        command = option(command)
    return command


def answered(command: C) -> C:
    """The options of a question that is to be answered."""
    with_template = click.option("--template", help="`auto`, or the id of a template along which answers are laid out.")
    with_k = click.option("--k", type=click.IntRange(1, 20), help="How many passages the writer gets.")
    return with_k(with_template(asking(command)))


@click.command()
@click.argument("question")
@click.option("--rank-folders", "ranks", is_flag=True, help="Look in --folder first, then in those that fit best.")
@click.option("--general", is_flag=True, help="Let a model answer what the notes do not, and say so.")
@answered
@anywhere
def ask(place: Place, question: str, *, ranks: bool, general: bool, **options: Any) -> None:  # noqa: ANN401 - click's options
    """Ask your notes; every claim in the answer cites its passage. Exit code 3: they do not hold the answer."""
    path, body = _ranked(question, options) if ranks else ("/chat", {**question_json(**options), "message": question})
    if general:
        body["whenNotInNotes"] = "general"
    with place.client() as client:
        answer = client.send("POST", path, body)
        if place.as_json:
            print_json(answer)
        else:
            show_answer(answer, place)
            tell_who_was_away(answer["meta"], client)
            tell_what_waits(client, place)
    if answer["meta"]["refusal"]:
        sys.exit(NOTHING)


@click.command()
@click.argument("query")
@click.option("--k", type=click.IntRange(1, 100), default=10, show_default=True, help="How many passages.")
@asking
@anywhere
def search(place: Place, query: str, k: int, **options: Any) -> None:  # noqa: ANN401 - click's options
    """Find passages, best first. Exit code 3: nothing found that matches well."""
    with place.client() as client:
        found = client.send("POST", "/search", {**question_json(**options), "query": query, "k": k})
        matched = matches_well(found)
        if place.as_json:
            print_json(found)
        else:
            nothing = NOTHING_FOUND if found["results"] else why_nothing(client, place)
            show_found(found, place, matched=matched, nothing=nothing)
            tell_who_was_away(found["meta"], client)
            tell_what_waits(client, place)
    if not matched:
        sys.exit(NOTHING)


def _ranked(question: str, options: Json) -> tuple[str, Json]:
    """Path and body of a question whose folders are ranked."""
    if options.pop("template"):
        raise click.UsageError("--rank-folders lays out no answer along a template")
    folders, vaults, k = (options.pop(name) for name in ("folders", "vaults", "k"))
    named = {"question": question, "folders": folders, "vaults": vaults, **({} if k is None else {"k": k})}
    return "/ask", {**question_json(**options), **named}


def question_json(
    *,
    vaults: Sequence[str] = (),
    folders: Sequence[str] = (),
    now: str | None = None,
    time_zone: str | None = None,
    k: int | None = None,
    template: str | None = None,
) -> Json:
    """The options of a question as the fields of a body."""
    filters = {name: list(values) for name, values in (("vaults", vaults), ("folders", folders)) if values}
    zone = local_zone() if time_zone is None else time_zone
    asked = {"timeZone": zone, "now": now, "topK": k, "template": template, "filters": filters or None}
    return {name: value for name, value in asked.items() if value is not None}


def local_zone() -> str:
    """The IANA zone of this machine: TZ, else where /etc/localtime points; UTC when neither says."""
    linked = str(Path("/etc/localtime").resolve())
    for name in (os.environ.get("TZ", ""), linked.rpartition(ZONES)[2] if ZONES in linked else ""):
        try:
            return parse_zone(name)
        except ValueError:
            continue
    return "UTC"

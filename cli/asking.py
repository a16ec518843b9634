"""`aurora ask` and `aurora search`: the same questions and the same JSON as /chat and /search."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from cli.options import NOTHING, Place, common, print_json
from cli.showing import show_answer, show_results
from shared.app import App
from shared.domain import Filters, Question
from shared.errors import InvalidArgument
from shared.text.instants import parse_instant, parse_zone
from shared.wire import answer_json, search_json

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


@click.command()
@click.argument("question")
@click.option("--k", type=click.IntRange(1, 20), help="How many passages the writer gets.")
@asking
@common
def ask(place: Place, question: str, k: int | None, **options: Any) -> None:  # noqa: ANN401 - click's options
    """Ask your notes; every claim in the answer cites its passage. Exit code 3: they do not hold the answer."""
    with place.app() as app:
        asked = question_of(place, app, question, top_k=k, **options)
        answer = app.chat(asked)
        if place.as_json:
            print_json(answer_json(asked, answer, k=app.passages_wanted(asked), request_id=uuid.uuid4().hex))
        else:
            show_answer(answer)
    if answer.refusal:
        sys.exit(NOTHING)


@click.command()
@click.argument("query")
@click.option("--k", type=click.IntRange(1, 100), default=10, show_default=True, help="How many passages.")
@asking
@common
def search(place: Place, query: str, k: int, **options: Any) -> None:  # noqa: ANN401 - click's options
    """Find passages, best first. Exit code 3: nothing found."""
    with place.app() as app:
        asked = question_of(place, app, query, **options)
        retrieved = app.search(asked, k=k)
        if place.as_json:
            print_json(search_json(asked, retrieved, k=k, request_id=uuid.uuid4().hex))
        else:
            show_results(retrieved.selected)
    if not retrieved.selected:
        sys.exit(NOTHING)


def question_of(
    place: Place,
    app: App,
    text: str,
    *,
    vaults: tuple[str, ...] = (),
    folders: tuple[str, ...] = (),
    now: str | None = None,
    time_zone: str | None = None,
    top_k: int | None = None,
) -> Question:
    """Raises InvalidArgument naming the option."""
    longest = app.settings.chat_max_query_length
    if not text.strip() or len(text) > longest:
        raise InvalidArgument("the question", f"text of at most {longest} characters, not blank")
    return Question(
        place.tenant_id,
        text.strip(),
        app.clock() if now is None else checked("--now", parse_instant, now),
        zone=local_zone() if time_zone is None else checked("--time-zone", parse_zone, time_zone),
        filters=Filters(vaults=vaults, folders=folders),
        top_k=top_k,
    )


T = TypeVar("T")


def checked(option: str, parse: Callable[[str], T], text: str) -> T:
    try:
        return parse(text)
    except ValueError as error:
        raise InvalidArgument(option, str(error)) from error


def local_zone() -> str:
    """The IANA zone of this machine: TZ, else where /etc/localtime points; UTC when neither says."""
    linked = str(Path("/etc/localtime").resolve())
    for name in (os.environ.get("TZ", ""), linked.rpartition(ZONES)[2] if ZONES in linked else ""):
        try:
            return parse_zone(name)
        except ValueError:
            continue
    return "UTC"

"""`aurora explain`: how a search saw these notes, the JSON of /search:explain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from cli.commands.ask import asking, question_json
from cli.options import Place, anywhere, print_json
from cli.pages import listed_notes
from cli.showing import Linked, console, linked, show_time, why_nothing
from functions.client import ApiClient, Json
from shared.errors import NotFound
from shared.model.questions import Strategy

MAX_SHOWN = 3
"""Passages of a note that people are shown, those that got furthest first; JSON has more."""
LEGS = ("vector", "keyword", "recency")


@click.command()
@click.argument("question")
@click.option("--note", "note_ids", multiple=True, help="A note's id; repeatable.")
@click.option("--path", "paths", multiple=True, help="A note's path, like projects/api.md; repeatable.")
@click.option("--k", type=click.IntRange(1, 100), default=10, show_default=True, help="How many passages are found.")
@click.option("--threshold", type=click.FloatRange(0, 1), default=0.0, show_default=True, help="Least similarity.")
@click.option("--strategy", type=click.Choice([each.value for each in Strategy]), default="weighted", show_default=True)
@asking
@anywhere
def explain(
    place: Place,
    question: str,
    note_ids: tuple[str, ...],
    paths: tuple[str, ...],
    *,
    k: int,
    threshold: float,
    strategy: str,
    **options: Any,  # noqa: ANN401 - click's options
) -> None:
    """How a search for QUESTION sees notes, and why one is not found; without --note and --path, those it finds."""
    asked = {**question_json(**options), "query": question, "k": k, "threshold": threshold, "strategy": strategy}
    with place.client() as client:
        named = [*note_ids, *_ids_at(client, paths)]
        explained = client.send("POST", "/search:explain", {**asked, "noteIds": named})
        nothing = "" if explained["notes"] else why_nothing(client, place)
    if place.as_json:
        print_json(explained)
    else:
        _show(explained, linked(place), nothing)


def _ids_at(client: ApiClient, paths: Sequence[str]) -> list[str]:
    """Ids of the notes at these paths, in every vault that has one there. Raises NotFound naming a path without one."""
    if not paths:
        return []
    ids: dict[str, list[str]] = {path: [] for path in paths}
    for note in listed_notes(client):
        if note["path"] in ids:
            ids[note["path"]].append(note["noteId"])
    for path, found in ids.items():
        if not found:
            raise NotFound(f"no note at {path!r}")
    return [note_id for found in ids.values() for note_id in found]


def _show(explained: Json, link: Linked, nothing: str) -> None:
    """A passage, what each leg made of it as `rank: part`, and below it why it is missing."""
    out = console()
    notes = explained["notes"]
    table = Table(box=None, pad_edge=False)
    legs: Json = next((note["chunks"][0]["legs"] for note in notes if note["chunks"]), {})
    headings = (f"{name}\n× {legs[name]['weight']:g}" if legs else name for name in LEGS)
    for heading in ("rank", "score", *headings, "similar"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("passage", overflow="fold")
    for note in notes:
        if not note["chunks"]:
            table.add_row(*[""] * 6, _with_reason(Text(note["noteId"]), note["detail"]))
        for passage in note["chunks"][:MAX_SHOWN]:
            table.add_row(*_row(passage, link))
    out.print(table if notes else Text(nothing))
    show_time(explained)


def _row(passage: Json, link: Linked) -> tuple[str | Text, ...]:
    part = int(passage["chunkId"].rpartition("_")[2]) + 1
    where = (passage["path"] or passage["title"] or passage["noteId"], passage["headingPath"], f"part {part}")
    legs = passage["legs"]
    return (
        _rank(passage["rank"]),
        f"{passage['score']:.3f}",
        *(f"{_rank(legs[name]['rank'], '#')}: {legs[name]['score']:.3f}" for name in LEGS),
        f"{legs['vector']['similarity']:.2f}",
        _with_reason(link(" · ".join(filter(None, where)), passage), passage["detail"]),
    )


def _with_reason(where: Text, reason: str | None) -> Text:
    return Text.assemble(where, "\n", ("found", "green") if reason is None else (reason, "yellow"))


def _rank(rank: int | None, sign: str = "") -> str:
    return "–" if rank is None else f"{sign}{rank}"

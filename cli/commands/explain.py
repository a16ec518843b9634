"""`aurora explain`: the view that a search has of notes, the JSON of /search:explain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from cli.commands.ask import asking, question_json
from cli.options import CommandContext, anywhere
from cli.showing import Linked, console, linked, show_time, why_nothing
from cli.terminal import echo_json
from desktop.client.pages import listed_notes
from functions.client import ApiClient, Json
from shared.errors import NotFound

MAX_SHOWN = 3
"""Passages of a note that people see, those that got furthest first; JSON has more."""
LEGS = ("vector", "keyword", "recency")


@click.command()
@click.argument("question")
@click.option(
    "--note",
    "note_ids",
    multiple=True,
    help="A note's id; repeatable.",
)
@click.option(
    "--path",
    "paths",
    multiple=True,
    help="A note's path, like projects/api.md; repeatable.",
)
@click.option(
    "--k",
    type=click.IntRange(1, 100),
    default=10,
    show_default=True,
    help="How many passages are found.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Least similarity.",
)
@asking
@anywhere
def explain(
    context: CommandContext,
    question: str,
    note_ids: tuple[str, ...],
    paths: tuple[str, ...],
    *,
    k: int,
    threshold: float,
    **options: Any,  # noqa: ANN401 - click's options
) -> None:
    """How a search for QUESTION sees notes, and why one is not found; without --note and --path,
    those it finds.
    """
    body = {
        **question_json(**options),
        "query": question,
        "k": k,
        "threshold": threshold,
    }
    with context.client() as client:
        body["noteIds"] = [*note_ids, *_ids_at(client, paths)]
        explained = client.send("POST", "/search:explain", body)
        nothing = ""
        if not explained["notes"]:
            nothing = why_nothing(client, context)

    if context.as_json:
        echo_json(explained)
    else:
        _show(explained, linked(context), nothing)


def _ids_at(client: ApiClient, paths: Sequence[str]) -> list[str]:
    """Returns the ids of the notes at these paths, in every vault that has one there.

    Raises NotFound naming a path without one.
    """
    if not paths:
        return []
    ids_by_path: dict[str, list[str]] = {path: [] for path in paths}
    for note in listed_notes(client):
        if note["path"] in ids_by_path:
            ids_by_path[note["path"]].append(note["noteId"])

    note_ids = []
    for path, ids in ids_by_path.items():
        if not ids:
            raise NotFound(f"no note at {path!r}")
        note_ids.extend(ids)

    return note_ids


def _show(explained: Json, link: Linked, nothing: str) -> None:
    """Prints a table: passages, their rank in each leg, and below each why it is missing."""
    out = console()
    notes = explained["notes"]
    if notes:
        out.print(_table(notes, link))
    else:
        out.print(Text(nothing))
    show_time(explained)


def _table(notes: Sequence[Json], link: Linked) -> Table:
    """Returns a table with a row for each passage, and for each note without passages."""
    table = Table(box=None, pad_edge=False)
    for heading in ("rank", "score", *_leg_headings(notes), "similar"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("passage", overflow="fold")
    for note in notes:
        passages = note["chunks"]
        if not passages:
            name = Text(note["noteId"])
            empty = [""] * 6
            table.add_row(*empty, _with_reason(name, note["detail"]))
        for passage in passages[:MAX_SHOWN]:
            cells = _row(passage, link)
            table.add_row(*cells)

    return table


def _leg_headings(notes: Sequence[Json]) -> list[str]:
    """Returns the names of the legs, with their weights if there is a passage to read them from."""
    for note in notes:
        for passage in note["chunks"]:
            legs = passage["legs"]
            return [f"{name}\n× {legs[name]['weight']:g}" for name in LEGS]
    return list(LEGS)


def _row(passage: Json, link: Linked) -> tuple[str | Text, ...]:
    """Returns the cells of a passage."""
    legs = passage["legs"]
    leg_cells = []
    for name in LEGS:
        leg = legs[name]
        rank = _rank(leg["rank"], "#")
        leg_cells.append(f"{rank}: {leg['score']:.3f}")

    similarity = legs["vector"]["similarity"]
    location = link(_location(passage), passage)
    return (
        _rank(passage["rank"]),
        f"{passage['score']:.3f}",
        *leg_cells,
        f"{similarity:.2f}",
        _with_reason(location, passage["detail"]),
    )


def _location(passage: Json) -> str:
    """Returns a passage's note, heading and number in the note."""
    name = passage["path"] or passage["title"] or passage["noteId"]
    location = [name]
    heading = passage["headingPath"]
    if heading:
        location.append(heading)
    number_in_note = passage["chunkId"].rpartition("_")[2]
    part = int(number_in_note) + 1
    location.append(f"part {part}")
    return " · ".join(location)


def _with_reason(location: Text, reason: str | None) -> Text:
    """Returns the cell of a passage with the reason why it is missing, or that it was found."""
    verdict = ("found", "green")
    if reason is not None:
        verdict = (reason, "yellow")
    return Text.assemble(location, "\n", verdict)


def _rank(rank: int | None, sign: str = "") -> str:
    """Returns a rank with the sign before it; a dash if there is none."""
    if rank is None:
        return "–"
    return f"{sign}{rank}"

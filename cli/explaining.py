"""`aurora explain`: how a search saw these notes, the JSON of /search:explain."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cli.asking import asking, question_of
from cli.options import Place, common, print_json
from shared.app import App
from shared.domain import Question, Strategy
from shared.errors import NotFound
from shared.retrieval.explanation import Explanation, PassageReport
from shared.wire_explain import explain_json, weights, why

PAGE = 200
MOST_SHOWN = 3
"""Passages of a note that people are shown, those that got furthest first; JSON has more."""


@click.command()
@click.argument("question")
@click.option("--note", "note_ids", multiple=True, help="A note's id; repeatable.")
@click.option("--path", "paths", multiple=True, help="A note's path, like projects/api.md; repeatable.")
@click.option("--k", type=click.IntRange(1, 100), default=10, show_default=True, help="How many passages are found.")
@click.option("--threshold", type=click.FloatRange(0, 1), default=0.0, show_default=True, help="Least similarity.")
@click.option("--strategy", type=click.Choice([each.value for each in Strategy]), default="weighted", show_default=True)
@asking
@common
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
    with place.app() as app:
        asked = question_of(place, app, question, **options)
        asked = replace(asked, threshold=threshold, strategy=Strategy(strategy))
        explained = app.explain(asked, (*note_ids, *_ids_at(app, place.tenant_id, paths)), k=k)
    if place.as_json:
        print_json(explain_json(asked, explained, k=k, request_id=uuid.uuid4().hex))
    else:
        _show(asked, explained.explanation)


def _ids_at(app: App, tenant_id: str, paths: Sequence[str]) -> list[str]:
    """Of the notes at these paths, in every vault that has one there. Raises NotFound naming a path without note."""
    if not paths:
        return []
    ids: dict[str, list[str]] = {path: [] for path in paths}
    for note_id, path in _paths(app, tenant_id):
        if path in ids:
            ids[path].append(note_id)
    for path, found in ids.items():
        if not found:
            raise NotFound(f"no note at {path!r}")
    return [note_id for found in ids.values() for note_id in found]


def _paths(app: App, tenant_id: str) -> Iterator[tuple[str, str]]:
    token = None
    while True:
        page = app.notes(tenant_id, limit=PAGE, token=token, vault=None)
        yield from ((note.note_id, note.path) for note in page.items)
        if page.next_token is None:
            return
        token = page.next_token


def _show(question: Question, explanation: Explanation) -> None:
    """A passage, what each leg made of it as `rank: part`, and below it why it is missing."""
    console = Console(highlight=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    names = ("vector", "keyword", "recency")
    legs = [f"{name}\n× {weight:g}" for name, weight in zip(names, weights(explanation), strict=True)]
    for heading in ("rank", "score", *legs, "similar"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("passage", overflow="fold")
    for note in explanation.notes:
        if not note.passages:
            table.add_row(*[""] * 6, _told(note.note_id, why(note, question, explanation)))
        for passage in note.passages[:MOST_SHOWN]:
            table.add_row(*_row(passage, why(passage, question, explanation)))
    if explanation.notes:
        console.print(table)
    else:
        console.print("nothing found")
    if explanation.retrieved.widened:
        missing = "nothing there speaks of it" if explanation.retrieved.silent_then else "nothing was written"
        console.print(f"[dim]in the time named {missing}: searched {explanation.retrieved.widened}[/]")


def _row(passage: PassageReport, reason: str | None) -> tuple[str, ...]:
    chunk, parts, seen = passage.scored.chunk, passage.scored.scores, passage.seen
    where = [chunk.path or chunk.title or chunk.note_id, chunk.heading_path, f"part {chunk.position + 1}"]
    return (
        "–" if passage.place is None else str(passage.place),
        f"{passage.scored.score:.3f}",
        _leg(seen.vector_rank, parts.vector),
        _leg(seen.keyword_rank, parts.keyword),
        _leg(seen.recent_rank, parts.recency),
        f"{parts.similarity:.2f}",
        _told(" · ".join(filter(None, where)), reason),
    )


def _told(where: str, reason: str | None) -> str:
    return f"{escape(where)}\n" + ("[green]found[/]" if reason is None else f"[yellow]{escape(reason)}[/]")


def _leg(rank: int | None, part: float) -> str:
    return f"{'–' if rank is None else f'#{rank}'}: {part:.3f}"

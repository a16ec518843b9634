"""`aurora eval`: how well the product finds and answers, by questions whose answers are known."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from math import prod
from pathlib import Path
from typing import Any, cast

import click
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from cli.commands.evaluate_cost import agree
from cli.commands.evaluate_support import evaluate_support
from cli.options import Place, close, common, fail, print_json
from cli.showing import console
from cli.sync.folder import FileNote, read, walk
from evaluation.asking import Asker
from evaluation.collection import UNDATED, read_collection
from evaluation.comparison import Golden, Measured, Variant, halves, measure
from evaluation.corpus import CHUNKERS, RememberingEmbedder, fill, names_of, notes_of, relevant_ids
from evaluation.golden import GoldenQuestion, parts_needed, read_golden
from evaluation.measures import ANSWERS, TABLE
from evaluation.report import Report, html
from evaluation.summary import summary, variant_summary
from evaluation.tuning import Tuned, tune
from shared.app import App
from shared.bootstrap import build
from shared.errors import InvalidArgument
from shared.indexing.chunking import MARKDOWN
from shared.model.questions import Filters, Strategy
from shared.notes.service import NoteDraft
from shared.ports.models import Embedder
from shared.times.dates import parse_instant

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
CHUNKER = click.Choice(list(CHUNKERS))
VAULT = "default"
CONFIGURED, NONE = "configured", "none"
"""Embedders that are no model's name."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is evaluated: notes by id, the questions about them, when those are asked that do not say."""

    source: str
    notes: Mapping[str, NoteDraft]
    golden: Golden
    now: datetime


@click.command(name="eval")
@click.argument("golden", type=FILE, required=False)
@click.option("--notes", type=FOLDER, help="Markdown that the questions are about.  [default: your notes]")
@click.option("--collection", type=FOLDER, help="A folder with notes.jsonl, queries.jsonl and qrels.jsonl instead.")
@click.option(
    "--support",
    type=click.Path(path_type=Path, exists=True),
    help="Measure the judge of support instead: a file of labelled pairs, or the folder of a collection.",
)
@click.option("--strategy", "strategies", multiple=True, type=click.Choice([each.value for each in Strategy]))
@click.option("--chunker", "chunkers", multiple=True, type=CHUNKER, default=[MARKDOWN.name], show_default=True)
@click.option(
    "--embedder",
    "embedders",
    multiple=True,
    default=[CONFIGURED],
    show_default=True,
    help="`configured`, `none`, or a model as in EMBEDDING_MODEL.",
)
@click.option("--slice", "slices", multiple=True, help="Only questions of this slice; repeatable.")
@click.option("--chat/--no-chat", default=None, help="Have them answered too.  [default: with a golden file]")
@click.option("--yes", is_flag=True, help="Do not ask whether to pay for the answers of a model.")
@click.option(
    "--foreign",
    "strangers",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="A golden file or collection about quite other notes: its questions are asked too and should be refused.",
)
@click.option("--tune", "tunes", is_flag=True, help="Tune weights and BM25 on one half, report the other.")
@click.option("--now", help="RFC 3339; when questions are asked that do not say.")
@click.option(
    "--cache",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep vectors in this file, by a hash of what was embedded: the next run embeds what is new.",
)
@click.option("--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Write a page with plots.")
@common
def evaluate(place: Place, golden: Path | None, collection: Path | None, support: Path | None, **options: Any) -> None:  # noqa: ANN401 - click's options
    """Ask questions whose answers are known, in a store of their own; nothing of yours is changed.

    GOLDEN is JSON Lines or YAML, described in evaluation/golden.py; examples/golden.jsonl is one.
    Strategies, chunkers and embedders given more than once are compared with each other. Where questions name vaults,
    the first-level folders of --notes are those vaults.
    """
    if [golden, collection, support].count(None) != 2:
        raise click.UsageError("give a golden file, or --collection, or --support")
    if importlib.util.find_spec("ir_measures") is None:  # before anything is indexed
        fail("the metrics are not installed: pip install -e '.[eval]'")
    if support is not None:
        evaluate_support(place, support)
        return
    task = _task(place, golden, collection, options)
    chat = options["chat"] if options["chat"] is not None else golden is not None
    variants = (options["embedders"], options["chunkers"], options["strategies"] or (Strategy.WEIGHTED,))
    asked = [*task.golden.foreign.values(), task.golden.questions if chat else ()]
    with _app(place, NONE, None) as app:  # before anything is indexed
        agree(app, prod(map(len, variants)) * sum(map(len, asked)), yes=options["yes"])
    measured, tuned = _evaluated(place, task, chat=chat, options=options)
    report = Report(source=task.source, golden=task.golden, notes=task.notes, measured=measured, tuned=tuned)
    if place.as_json:
        print_json(summary(report))
    else:
        _show(report)
    if options["page"] is not None:
        options["page"].write_text(html(report), encoding="utf-8")


@contextmanager
def _app(place: Place, embedder: str, cache: Path | None) -> Iterator[App]:
    """The product as configured but for its embedder, on an empty store of its own."""
    chosen = {} if embedder in (CONFIGURED, NONE) else {"EMBEDDING_MODEL": embedder}
    with tempfile.TemporaryDirectory(prefix="aurora-eval-") as home:
        app = build(replace(place, home=Path(home)).settings(STORE="embedded", **chosen), tenant=place.tenant_id)
        try:
            if embedder == NONE:
                app = replace(app, embedder=None)
            elif app.embedder is not None and cache is not None:
                app = replace(app, embedder=cast("Embedder", RememberingEmbedder(app.embedder, cache)))
            yield app
        finally:
            close(app)


def _task(place: Place, golden: Path | None, collection: Path | None, options: Mapping[str, Any]) -> Task:
    try:
        given = None if options["now"] is None else parse_instant(options["now"])
    except ValueError as error:
        raise InvalidArgument("--now", str(error)) from error
    notes: Mapping[str, NoteDraft]
    if collection is not None:
        taken = read_collection(collection)
        source, questions, notes, now = collection.name, taken.questions, taken.notes, given or UNDATED
    else:
        assert golden is not None  # noqa: S101 - one of both is there
        source, questions, now = golden.name, read_golden(golden), given or datetime.now(UTC)
        if options["notes"]:
            notes = _markdown(options["notes"], in_vaults=any(each.vault for each in questions))
        else:
            with place.app() as app:
                notes = notes_of(app.store, place.tenant_id)
    return Task(source=source, notes=notes, golden=_golden(questions, notes, options), now=now)


def _golden(
    questions: tuple[GoldenQuestion, ...], notes: Mapping[str, NoteDraft], options: Mapping[str, Any]
) -> Golden:
    """Raises InvalidArgument for a note that does not exist, and when no question is left."""
    wanted = tuple(each for each in questions if not options["slices"] or each.slice in options["slices"])
    if not wanted:
        raise InvalidArgument("--slice", f"one of {', '.join(sorted({each.slice for each in questions}))}")
    if options["tunes"] and not all(halves(wanted)):
        raise InvalidArgument("--tune", "questions with an answer for both halves, the tuned one and the other")
    names, texts = names_of(notes), {note_id: note.text for note_id, note in notes.items()}
    relevant = {each.question_id: relevant_ids(each, notes, names) for each in wanted if each.answerable}
    return Golden(
        questions=wanted,
        relevant=relevant,
        needed={
            each.question_id: parts_needed(each.facts, relevant[each.question_id], texts)
            for each in wanted
            if each.answerable
        },
        foreign={source.stem: _foreign(source) for source in options["strangers"]},
    )


def _foreign(source: Path) -> tuple[GoldenQuestion, ...]:
    """The questions alone: their vaults, folders and answers are elsewhere."""
    questions = read_collection(source).questions if source.is_dir() else read_golden(source)
    return tuple(replace(each, filters=Filters(), vault="", relevant={}) for each in questions)


def _markdown(folder: Path, *, in_vaults: bool) -> dict[str, NoteDraft]:
    """`in_vaults`: the folder's folders are vaults, and what else is in it is no note."""
    vaults = sorted(each for each in folder.iterdir() if each.is_dir()) if in_vaults else [folder]
    read_notes = (
        read(vault, file, vault.name if in_vaults else VAULT)
        for vault in vaults
        for file in walk(vault)
        if isinstance(file, Path)
    )
    return {
        note.note_id: replace(note.draft, created_at=note.draft.created_at or note.modified)
        for note in read_notes
        if isinstance(note, FileNote)
    }


def _evaluated(
    place: Place, task: Task, *, chat: bool, options: Mapping[str, Any]
) -> tuple[list[Measured], list[Tuned]]:
    """Each embedder in a store of its own, each chunker in a tenant of its own, each strategy on it."""
    measured, tuned = [], []
    strategies = [Strategy(each) for each in options["strategies"] or (Strategy.WEIGHTED,)]
    columns = (TextColumn("{task.description}"), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        for embedder in options["embedders"]:
            with _app(place, embedder, options["cache"]) as app:
                for chunker in options["chunkers"]:
                    variant = replace(app, chunker=CHUNKERS[chunker])
                    counted = progress.add_task("indexing", total=len(task.notes))
                    fill(variant, chunker, task.notes, partial(progress.advance, counted))
                    for strategy in strategies:
                        asker = Asker(app=variant, tenant_id=chunker, now=task.now, strategy=strategy)
                        label = Variant(strategy, variant.embedder.model if variant.embedder else NONE, chunker)
                        progress.add_task(f"asking {label.label}", total=None)
                        measured.append(measure(task.golden, label, asker, chat=chat))
                        if options["tunes"]:
                            tuned.append(tune(task.golden, asker))
    return measured, tuned


def _show(report: Report) -> None:
    out = console()
    for measured in report.measured:
        shown = variant_summary(report, measured)
        label = measured.variant.label
        out.print(_table(f"{report.source}: {label}", TABLE, {"all": shown["overall"], **shown["slices"]}))
        if "answers" in shown:
            out.print(_table(f"{report.source}, answered: {label}", ANSWERS, shown["answers"]))
            out.print(f"refusal accuracy {shown['refusals']['accuracy']:.3f}")
        for source, refused in shown.get("foreignRefused", {}).items():
            out.print(f"questions of {source}: refused {refused:.3f}")
    for each in report.tuned:
        changes = ", ".join(f"{name} {value:g}" for name, value in each.change.items()) or "nothing did better"
        out.print(
            f"tuned {each.strategy.value}: {changes}; "
            f"tuned half {each.tuned_before:.3f} -> {each.tuned_after:.3f}, "
            f"held-out half {each.held_out_before:.3f} -> {each.held_out_after:.3f}"
        )


def _table(title: str, names: Sequence[str], rows: Mapping[str, Mapping[str, float]]) -> Table:
    """A row a slice; what was not measured of it is left open."""
    table = Table(title=title, box=None, title_justify="left")
    table.add_column("slice")
    for name in names:
        table.add_column(name, justify="right")
    for label, figures in rows.items():
        if figures:
            table.add_row(label, *(f"{figures[name]:.3f}" if name in figures else "" for name in names))
    return table

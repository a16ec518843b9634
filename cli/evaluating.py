"""`aurora eval`: how well the product finds and answers, by questions whose answers are known."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from cli.evaluating_support import evaluate_support
from cli.folder import FileNote, read, walk
from cli.options import Place, close, common, fail, print_json
from evaluation.asking import Asker
from evaluation.collection import UNDATED, read_collection
from evaluation.comparison import Golden, Measured, Variant, halves, measure
from evaluation.corpus import fill, names_of, notes_of, relevant_ids
from evaluation.golden import GoldenQuestion, read_golden
from evaluation.measures import TABLE, means
from evaluation.report import Report, html
from evaluation.tuning import Tuned, tune
from shared.app import App, NoteDraft
from shared.bootstrap import build
from shared.domain import Strategy
from shared.errors import InvalidArgument
from shared.indexing.pipeline import DEFAULT_CHUNKER
from shared.text.instants import parse_instant

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
CHUNKERS = click.Choice(["markdown", "sentence", "fixed", "whole"])
VAULT = "default"


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
@click.option("--chunker", "chunkers", multiple=True, type=CHUNKERS, default=[DEFAULT_CHUNKER], show_default=True)
@click.option("--embedder", "embedders", multiple=True, type=click.Choice(["configured", "none"]))
@click.option("--slice", "slices", multiple=True, help="Only questions of this slice; repeatable.")
@click.option("--chat/--no-chat", default=None, help="Have them answered too.  [default: with a golden file]")
@click.option("--tune", "tunes", is_flag=True, help="Tune weights and BM25 on one half, report the other.")
@click.option("--now", help="RFC 3339; when questions are asked that do not say.")
@click.option("--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Write a page with plots.")
@common
def evaluate(place: Place, golden: Path | None, collection: Path | None, support: Path | None, **options: Any) -> None:  # noqa: ANN401 - click's options
    """Ask questions whose answers are known, in a store of their own; nothing of yours is changed.

    GOLDEN is JSON Lines or YAML, described in evaluation/golden.py; examples/golden.jsonl is one.
    Strategies, chunkers and embedders given more than once are compared with each other.
    """
    if [golden, collection, support].count(None) != 2:
        raise click.UsageError("give a golden file, or --collection, or --support")
    _need_metrics()
    if support is not None:
        evaluate_support(place, support)
        return
    task = _task(place, golden, collection, options)
    chat = options["chat"] if options["chat"] is not None else golden is not None
    with tempfile.TemporaryDirectory(prefix="aurora-eval-") as home, _app(place, Path(home)) as app:
        measured, tuned = _evaluated(task, app, chat=chat, options=options)
    report = Report(source=task.source, golden=task.golden, notes=task.notes, measured=measured, tuned=tuned)
    if place.as_json:
        print_json(_json(report))
    else:
        _show(report)
    if options["page"] is not None:
        options["page"].write_text(html(report), encoding="utf-8")


def _need_metrics() -> None:
    """Said before anything is indexed."""
    try:
        import ir_measures  # noqa: F401, PLC0415 - an extra
    except ImportError:
        fail("the metrics are not installed: pip install 'aurora-notes[eval]'")


@contextmanager
def _app(place: Place, home: Path) -> Iterator[App]:
    """The product as configured, on an empty store of its own."""
    app = build(replace(place, home=home).settings(STORE="embedded"), tenant=place.tenant_id)
    try:
        yield app
    finally:
        close(app)


def _task(place: Place, golden: Path | None, collection: Path | None, options: Mapping[str, Any]) -> Task:
    given = None if options["now"] is None else _instant(options["now"])
    if collection is not None:
        taken = read_collection(collection)
        return Task(collection.name, taken.notes, _golden(taken.questions, taken.notes, options), given or UNDATED)
    assert golden is not None  # noqa: S101 - one of both is there
    notes = _markdown(options["notes"]) if options["notes"] else _own(place)
    questions = _golden(read_golden(golden), notes, options)
    return Task(golden.name, notes, questions, given or datetime.now(UTC))


def _instant(text: str) -> datetime:
    try:
        return parse_instant(text)
    except ValueError as error:
        raise InvalidArgument("--now", str(error)) from error


def _golden(
    questions: tuple[GoldenQuestion, ...], notes: Mapping[str, NoteDraft], options: Mapping[str, Any]
) -> Golden:
    """Raises InvalidArgument for a note that does not exist, and when no question is left."""
    wanted = tuple(each for each in questions if not options["slices"] or each.slice in options["slices"])
    if not wanted:
        raise InvalidArgument("--slice", f"one of {', '.join(sorted({each.slice for each in questions}))}")
    if options["tunes"] and not all(halves(wanted)):
        raise InvalidArgument("--tune", "questions with an answer for both halves, the tuned one and the other")
    names = names_of(notes)
    return Golden(wanted, {each.question_id: relevant_ids(each, notes, names) for each in wanted if each.answerable})


def _markdown(folder: Path) -> dict[str, NoteDraft]:
    read_notes = (read(folder, file, VAULT) for file in walk(folder) if isinstance(file, Path))
    return {
        note.note_id: replace(note.draft, created_at=note.draft.created_at or note.modified)
        for note in read_notes
        if isinstance(note, FileNote)
    }


def _own(place: Place) -> dict[str, NoteDraft]:
    with place.app() as app:
        return notes_of(app.store, place.tenant_id)


def _evaluated(task: Task, app: App, *, chat: bool, options: Mapping[str, Any]) -> tuple[list[Measured], list[Tuned]]:
    """Each chunker and embedder in a tenant of its own, each strategy on it."""
    measured, tuned = [], []
    strategies = [Strategy(each) for each in options["strategies"] or (Strategy.WEIGHTED,)]
    with _progress() as progress:
        for embedder in options["embedders"] or ("configured",):
            for chunker in options["chunkers"]:
                variant = replace(app, chunker=chunker, embedder=app.embedder if embedder == "configured" else None)
                tenant = f"{embedder}-{chunker}"
                _indexed(task, variant, tenant, progress)
                for strategy in strategies:
                    asker = Asker(variant, tenant, task.now, strategy)
                    label = Variant(strategy, variant.embedder.model if variant.embedder else "none", chunker)
                    progress.add_task(f"asking {label.label}", total=None)
                    measured.append(measure(task.golden, label, asker, chat=chat))
                    if options["tunes"]:
                        tuned.append(tune(task.golden, asker))
    return measured, tuned


def _indexed(task: Task, app: App, tenant: str, progress: Progress) -> None:
    counted = progress.add_task("indexing", total=len(task.notes))
    fill(app, tenant, task.notes, lambda: progress.advance(counted))


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"), MofNCompleteColumn(), console=Console(stderr=True), transient=True
    )


def _json(report: Report) -> dict[str, Any]:
    return {
        "source": report.source,
        "questions": len(report.golden.questions),
        "notes": len(report.notes),
        "variants": [_variant_json(report, each) for each in report.measured],
        "tuned": [
            {
                "strategy": each.strategy.value,
                "change": dict(each.change),
                "tunedHalf": {"before": each.tuned_before, "after": each.tuned_after},
                "heldOutHalf": {"before": each.held_out_before, "after": each.held_out_after},
            }
            for each in report.tuned
        ],
    }


def _variant_json(report: Report, measured: Measured) -> dict[str, Any]:
    refusals = measured.refusals(report.golden.questions)
    slices = {name: means(measured.figures, questions) for name, questions in report.golden.slices().items()}
    if timed := measured.timed():
        slices["(names a time)"] = means(measured.figures, timed)
    shown: dict[str, Any] = {"variant": measured.variant.label, "overall": measured.overall(), "slices": slices}
    if refusals is not None:
        shown["refusals"] = {
            "accuracy": refusals.accuracy,
            "unanswerableRefused": refusals.unanswerable_refused,
            "answerableRefused": refusals.answerable_refused,
        }
        shown["citations"] = means(measured.citations, measured.citations)
    return shown


def _show(report: Report) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for measured in report.measured:
        shown = _variant_json(report, measured)
        table = Table(title=f"{report.source}: {measured.variant.label}", box=None, title_justify="left")
        table.add_column("slice")
        for name in TABLE:
            table.add_column(name, justify="right")
        for label, figures in {"all": shown["overall"], **shown["slices"]}.items():
            if figures:
                table.add_row(label, *(f"{figures[name]:.3f}" for name in TABLE))
        console.print(table)
        for part in ("refusals", "citations"):
            figures = {name: value for name, value in shown.get(part, {}).items() if value is not None}
            if figures:
                console.print(f"{part}: " + ", ".join(f"{name} {value:.3f}" for name, value in figures.items()))
    for each in report.tuned:
        changes = ", ".join(f"{name} {value:g}" for name, value in each.change.items()) or "nothing did better"
        console.print(
            f"tuned {each.strategy.value}: {changes}; "
            f"tuned half {each.tuned_before:.3f} -> {each.tuned_after:.3f}, "
            f"held-out half {each.held_out_before:.3f} -> {each.held_out_after:.3f}"
        )

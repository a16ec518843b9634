"""`aurora eval`: how well the product finds and answers, by questions whose answers are known."""

from __future__ import annotations

import importlib.util
import math
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, cast

import click
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from cli.commands.evaluate_cost import agree
from cli.commands.evaluate_support import evaluate_support
from cli.options import FILE, FOLDER, CommandContext, close, common, fail, with_options
from cli.showing import TerminalConsole, console
from cli.terminal import echo_json
from desktop.files.reading import FileNote, read, walk
from evaluation.asking import Asker
from evaluation.collection import UNDATED, read_collection
from evaluation.comparison import Golden, Measured, Variant, halves, measure
from evaluation.corpus import CHUNKERS, RememberingEmbedder, fill, names_of, notes_of, relevant_ids
from evaluation.golden import GoldenQuestion, parts_needed, read_golden
from evaluation.measures import ANSWERS, TABLE
from evaluation.report import EvaluationReport, html
from evaluation.summary import summary, variant_summary
from evaluation.tuning import Tuned, tune
from shared.adapters.extras import install_command
from shared.app import App
from shared.bootstrap import assemble, build
from shared.errors import InvalidArgument
from shared.indexing.chunking import MARKDOWN
from shared.model.questions import Filters, Strategy
from shared.notes.service import NoteDraft
from shared.ports.models import Embedder
from shared.times.dates import parse_instant

CHUNKER = click.Choice(list(CHUNKERS))
VAULT = "default"
CONFIGURED = "configured"
"""Value of --embedder for the model that is set."""
NONE = "none"
"""Value of --embedder for a search without vectors."""


@dataclass(frozen=True, slots=True)
class Task:
    """Questions to be evaluated, and the notes about which they are asked."""

    source: str
    notes: Mapping[str, NoteDraft]
    """Notes by id."""
    golden: Golden
    now: datetime
    """Time at which questions without a time of their own are asked."""


_with_eval_options = with_options(
    click.option(
        "--notes",
        type=FOLDER,
        help="Markdown that the questions are about.  [default: your notes]",
    ),
    click.option(
        "--collection",
        type=FOLDER,
        help="A folder with notes.jsonl, queries.jsonl and qrels.jsonl instead.",
    ),
    click.option(
        "--support",
        type=click.Path(path_type=Path, exists=True),
        help="Measure the judge of support instead: a file of labelled pairs, or the folder of a collection.",
    ),
    click.option(
        "--strategy",
        "strategies",
        multiple=True,
        type=click.Choice([strategy.value for strategy in Strategy]),
    ),
    click.option(
        "--chunker",
        "chunkers",
        multiple=True,
        type=CHUNKER,
        default=[MARKDOWN.name],
        show_default=True,
    ),
    click.option(
        "--embedder",
        "embedders",
        multiple=True,
        default=[CONFIGURED],
        show_default=True,
        help="`configured`, `none`, or a model as in EMBEDDING_MODEL.",
    ),
    click.option(
        "--slice",
        "slices",
        multiple=True,
        help="Only questions of this slice; repeatable.",
    ),
    click.option(
        "--chat/--no-chat",
        default=None,
        help="Have them answered too.  [default: with a golden file]",
    ),
    click.option(
        "--yes",
        is_flag=True,
        help="Do not ask whether to pay for the answers of a model.",
    ),
    click.option(
        "--foreign",
        "strangers",
        multiple=True,
        type=click.Path(path_type=Path, exists=True),
        help="A golden file or collection about other notes: its questions are asked too and should be refused.",
    ),
    click.option(
        "--tune",
        "tunes",
        is_flag=True,
        help="Tune weights and BM25 on one half, report the other.",
    ),
    click.option("--now", help="RFC 3339 time at which questions are asked that name none."),
    click.option(
        "--cache",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Keep vectors in this file, by a hash of what was embedded: the next run embeds what is new.",
    ),
    click.option(
        "--html",
        "page",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Write a page with plots.",
    ),
)


@click.command(name="eval")
@click.argument("golden", type=FILE, required=False)
@_with_eval_options
@common
def evaluate(
    context: CommandContext,
    golden: Path | None,
    collection: Path | None,
    support: Path | None,
    **options: Any,  # noqa: ANN401 - click's options
) -> None:
    """Ask questions whose answers are known, in a store of their own; nothing of yours is changed.

    GOLDEN is JSON Lines or YAML, described in evaluation/golden.py; examples/golden.jsonl is one.
    Strategies, chunkers and embedders given more than once are compared with each other. Where questions name vaults,
    the first-level folders of --notes are those vaults.
    """
    sources = [golden, collection, support]
    if sources.count(None) != 2:
        raise click.UsageError("give a golden file, or --collection, or --support")
    if importlib.util.find_spec("ir_measures") is None:  # before anything is indexed
        fail(f"the metrics are not installed: {install_command('ir-measures')}")
    if support is not None:
        evaluate_support(context, support)
        return

    task = _task(context, golden, collection, options)
    chat = options["chat"]
    if chat is None:
        chat = golden is not None
    with _app(context, NONE, None) as app:  # before anything is indexed
        answers = _number_of_answers(task.golden, options, chat=chat)
        agree(app, answers, yes=options["yes"])

    measured, tuned = _evaluate(context, task, chat=chat, options=options)
    report = EvaluationReport(
        source=task.source,
        golden=task.golden,
        notes=task.notes,
        measured=measured,
        tuned=tuned,
    )
    if context.as_json:
        echo_json(summary(report))
    else:
        _show(report)

    page: Path | None = options["page"]
    if page is not None:
        page.write_text(html(report), encoding="utf-8")


def _strategies(options: Mapping[str, Any]) -> list[Strategy]:
    """Returns the strategies to compare."""
    names = options["strategies"]
    if not names:
        return [Strategy.WEIGHTED]
    return [Strategy(name) for name in names]


def _number_of_answers(golden: Golden, options: Mapping[str, Any], *, chat: bool) -> int:
    """Returns how many answers a model is asked for, over all variants."""
    questions = sum(len(foreign) for foreign in golden.foreign.values())
    if chat:
        questions += len(golden.questions)
    variants = (
        len(options["embedders"]),
        len(options["chunkers"]),
        len(_strategies(options)),
    )
    return questions * math.prod(variants)


@contextmanager
def _app(context: CommandContext, embedder: str, cache: Path | None) -> Iterator[App]:
    """Yields the product with this embedder, on an empty store of its own.

    cache: file of vectors from earlier runs.
    """
    variables = {"STORE": "embedded"}
    if embedder not in (CONFIGURED, NONE):
        variables["EMBEDDING_MODEL"] = embedder
    with tempfile.TemporaryDirectory(prefix="aurora-eval-") as home:
        temporary = replace(context, home=Path(home))
        app = build(temporary.settings(**variables), tenant=context.tenant_id)
        try:
            if embedder == NONE:
                app = assemble(replace(app, embedder=None))
            elif app.embedder is not None and cache is not None:
                remembering = RememberingEmbedder(app.embedder, cache)
                app = assemble(replace(app, embedder=cast("Embedder", remembering)))
            yield app
        finally:
            close(app)


def _task(
    context: CommandContext,
    golden: Path | None,
    collection: Path | None,
    options: Mapping[str, Any],
) -> Task:
    """Reads the questions and the notes. Raises InvalidArgument."""
    if collection is not None:
        content = read_collection(collection)
        return Task(
            source=collection.name,
            notes=content.notes,
            golden=_golden(content.questions, content.notes, options),
            now=_now(options["now"], default=UNDATED),
        )

    assert golden is not None  # noqa: S101 - one of both is there
    questions = read_golden(golden)
    notes: Mapping[str, NoteDraft]
    if options["notes"]:
        in_vaults = any(question.vault for question in questions)
        notes = read_markdown(options["notes"], in_vaults=in_vaults)
    else:
        with context.app() as app:
            notes = notes_of(app.store, context.tenant_id)

    return Task(
        source=golden.name,
        notes=notes,
        golden=_golden(questions, notes, options),
        now=_now(options["now"], default=datetime.now(UTC)),
    )


def _now(value: str | None, *, default: datetime) -> datetime:
    """Returns the time that --now names, or the default. Raises InvalidArgument."""
    if value is None:
        return default
    try:
        return parse_instant(value)
    except ValueError as error:
        raise InvalidArgument("--now", str(error)) from error


def _golden(
    questions: tuple[GoldenQuestion, ...],
    notes: Mapping[str, NoteDraft],
    options: Mapping[str, Any],
) -> Golden:
    """Returns the questions with their relevant notes.

    Raises InvalidArgument for a note that does not exist, and when no question is left.
    """
    slices = options["slices"]
    selected = questions
    if slices:
        selected = tuple(question for question in questions if question.slice in slices)
    if not selected:
        known_slices = sorted({question.slice for question in questions})
        raise InvalidArgument("--slice", f"one of {', '.join(known_slices)}")

    if options["tunes"] and not all(halves(selected)):
        raise InvalidArgument(
            "--tune",
            "questions with an answer for both halves, the tuned one and the other",
        )

    names = names_of(notes)
    texts = {note_id: note.text for note_id, note in notes.items()}
    relevant = {}
    needed = {}
    for question in selected:
        if question.answerable:
            ids = relevant_ids(question, notes, names)
            relevant[question.question_id] = ids
            needed[question.question_id] = parts_needed(question.facts, ids, texts)

    foreign = {source.stem: _foreign(source) for source in options["strangers"]}
    return Golden(
        questions=selected,
        relevant=relevant,
        needed=needed,
        foreign=foreign,
    )


def _foreign(source: Path) -> tuple[GoldenQuestion, ...]:
    """Returns the questions without their vaults, folders and answers, which are not in the notes."""
    if source.is_dir():
        questions = read_collection(source).questions
    else:
        questions = read_golden(source)

    bare_questions = []
    for question in questions:
        bare_question = replace(
            question,
            filters=Filters(),
            vault="",
            relevant={},
        )
        bare_questions.append(bare_question)

    return tuple(bare_questions)


def read_markdown(folder: Path, *, in_vaults: bool) -> dict[str, NoteDraft]:
    """Returns the notes in a folder, by id.

    in_vaults: the folders in it are vaults, and its other entries no notes.
    """
    if not in_vaults:
        return _read_vault(folder, VAULT)
    notes: dict[str, NoteDraft] = {}
    for entry in sorted(folder.iterdir()):
        if entry.is_dir():
            notes |= _read_vault(entry, entry.name)

    return notes


def _read_vault(folder: Path, vault: str) -> dict[str, NoteDraft]:
    """Returns the notes in the folder of a vault, by id; a file without a date has that of its change."""
    notes = {}
    for entry in walk(folder):
        if not isinstance(entry, Path):
            continue
        note = read(folder, entry, vault)
        if isinstance(note, FileNote):
            created_at = note.draft.created_at or note.modified
            notes[note.note_id] = replace(note.draft, created_at=created_at)

    return notes


def _evaluate(
    context: CommandContext,
    task: Task,
    *,
    chat: bool,
    options: Mapping[str, Any],
) -> tuple[list[Measured], list[Tuned]]:
    """Measures every variant: each embedder in a store of its own, each chunker in a tenant of its
    own, each strategy on it.
    """
    measured = []
    tuned = []
    progress = Progress(
        TextColumn("{task.description}"),
        MofNCompleteColumn(),
        console=TerminalConsole(stderr=True),
        transient=True,
    )
    with progress, closing(_variants(context, task, options, progress)) as variants:
        for variant, asker in variants:
            progress.add_task(f"asking {variant.label}", total=None)
            measured.append(measure(task.golden, variant, asker, chat=chat))
            if options["tunes"]:
                tuned.append(tune(task.golden, asker))

    return measured, tuned


def _variants(
    context: CommandContext,
    task: Task,
    options: Mapping[str, Any],
    progress: Progress,
) -> Generator[tuple[Variant, Asker]]:
    """Yields each variant with what asks it, when its notes are indexed.

    Its store is there until the next variant is taken.
    """
    for embedder in options["embedders"]:
        with _app(context, embedder, options["cache"]) as app:
            model = NONE
            if app.embedder is not None:
                model = app.embedder.model
            for chunker in options["chunkers"]:
                variant_app = assemble(replace(app, chunker=CHUNKERS[chunker]))
                indexing = progress.add_task("indexing", total=len(task.notes))
                advance = partial(progress.advance, indexing)
                fill(variant_app, chunker, task.notes, advance)
                for strategy in _strategies(options):
                    asker = Asker(
                        app=variant_app,
                        tenant_id=chunker,
                        now=task.now,
                        strategy=strategy,
                    )
                    yield Variant(strategy, model, chunker), asker


def _show(report: EvaluationReport) -> None:
    """Prints the figures of each variant, and what was tuned."""
    out = console()
    for measured in report.measured:
        _show_variant(report, measured, out)
    for tuned in report.tuned:
        out.print(_tuned_line(tuned))


def _show_variant(report: EvaluationReport, measured: Measured, out: Console) -> None:
    """Prints the figures of a variant."""
    figures = variant_summary(report, measured)
    label = measured.variant.label
    retrieval_table = _table(
        f"{report.source}: {label}",
        TABLE,
        {"all": figures["overall"], **figures["slices"]},
    )
    out.print(retrieval_table)
    if "answers" in figures:
        answer_table = _table(
            f"{report.source}, answered: {label}",
            ANSWERS,
            figures["answers"],
        )
        out.print(answer_table)
        accuracy = figures["refusals"]["accuracy"]
        out.print(f"refusal accuracy {accuracy:.3f}")

    refused_shares = figures.get("foreignRefused", {})
    for source, share in refused_shares.items():
        out.print(f"questions of {source}: refused {share:.3f}")


def _tuned_line(tuned: Tuned) -> str:
    """Returns the line that says what was tuned, and what it changes in both halves."""
    changes = [f"{name} {value:g}" for name, value in tuned.change.items()]
    listing = ", ".join(changes) or "nothing did better"
    tuned_half = _change(tuned.tuned_before, tuned.tuned_after)
    held_out_half = _change(tuned.held_out_before, tuned.held_out_after)
    return (
        f"tuned {tuned.strategy.value}: {listing}; "
        f"tuned half {tuned_half}, held-out half {held_out_half}"
    )


def _change(before: float, after: float) -> str:
    """Returns a figure before and after a change."""
    return f"{before:.3f} -> {after:.3f}"


def _table(title: str, names: Sequence[str], rows: Mapping[str, Mapping[str, float]]) -> Table:
    """Returns a table with a row for each slice; a figure that was not measured stays empty."""
    table = Table(title=title, box=None, title_justify="left")
    table.add_column("slice")
    for name in names:
        table.add_column(name, justify="right")
    for label, figures in rows.items():
        if not figures:
            continue
        cells = [label]
        for name in names:
            cell = ""
            if name in figures:
                cell = f"{figures[name]:.3f}"
            cells.append(cell)
        table.add_row(*cells)

    return table

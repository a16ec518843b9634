"""`aurora index`, `aurora reconcile` and `aurora demo`."""

from __future__ import annotations

import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cli.commands.ask import question_json
from cli.options import (
    FAILED,
    FOLDER,
    CommandContext,
    anywhere,
    can_be_asked,
    common,
    counted,
    parts_in_use,
)
from cli.showing import TerminalConsole, show_answer, show_report
from cli.terminal import echo, echo_json, prompt
from desktop.folders.destinations import Destination, LocalDestination
from desktop.folders.gone import GoneAnswer
from desktop.folders.importing import NOTES, VECTORS, Import, Step, answer_gone
from desktop.folders.manifest import Manifest
from desktop.folders.merging import ImportChoice, Side
from desktop.folders.report import ImportReport
from desktop.folders.server import RemoteDestination
from desktop.folders.vault_choice import choose_vault
from functions.client import InProcessClient, Json
from shared.api.notes import reconcile_json
from shared.bootstrap import use
from shared.errors import AuroraError, NotFound
from shared.model.limits import VAULT, VAULT_PATTERN
from shared.ports.access import Identity
from shared.settings import shipped
from shared.sweep.reconcile import ReconcileReport
from shared.sweep.reconcile import reconcile as reconcile_index

DEMO_QUESTIONS = (
    "What did we decide at the API meeting?",
    "When does the launch happen, and why was it moved?",
    "How do I bake the sourdough bread?",
)

GOES_ON = "`aurora index` or `aurora reconcile` goes on, and `aurora dev` while it runs"
"""Hint on the vectors that an interrupted import did not make."""

GONE_ANSWERS = {"r": GoneAnswer.REMOVE, "k": GoneAnswer.KEEP}

LINE_SECONDS = 5.0
"""Seconds between two lines of progress where there is no terminal for a bar."""
T = TypeVar("T")


@click.command()
@click.argument("path", type=FOLDER)
@click.option(
    "--vault",
    help="The vault that the notes go into.  [default: default, or one of its own]",
)
@click.option(
    "--watch",
    "watching",
    is_flag=True,
    help="Keep following the folder until Ctrl-C.",
)
@click.option(
    "--write-back",
    is_flag=True,
    help="Write notes that were changed elsewhere into their files.",
)
@click.option(
    "--take",
    type=click.Choice([side.value for side in Side]),
    help="Which version to keep if both were changed.",
)
@click.option(
    "--gone",
    type=click.Choice([answer.value for answer in GoneAnswer]),
    help="What to do with notes whose files disappear all at once.",
)
@anywhere
def index(
    context: CommandContext,
    path: Path,
    vault: str | None,
    take: str | None,
    gone: str | None,
    *,
    watching: bool,
    write_back: bool,
) -> None:
    """Bring a folder of Markdown into a vault: what changed is indexed, what is gone removed.

    A note that was changed or deleted elsewhere stays so; --write-back makes its file the same.
    Where the file has changed too, both stay until --take decides; the other goes into the trash.
    Where all files of a folder are gone at once, or most of many, their notes stay until --gone
    decides: the drive may not be there.

    Exit code 1: some files are not notes yet, or wait for their vectors, or for such a decision.
    With --watch and --json: one object a line, one line a change.
    """
    if vault is not None and not re.fullmatch(VAULT_PATTERN, vault):
        raise click.BadParameter(VAULT, param_hint="--vault")
    with destination_of(context) as destination:
        manifest = Manifest.of(destination.home)
        chosen = choose_vault(manifest, destination.name, path, vault)
        if chosen.remark:
            echo(f"aurora: {chosen.remark}", err=True)
        choice = ImportChoice(
            write_back=write_back,
            take=Side(take) if take else None,
            gone=GoneAnswer(gone) if gone else None,
        )
        task = Import(
            destination=destination,
            root=chosen.root,
            vault=chosen.vault,
            choice=choice,
        )
        if watching:
            _follow(context, task)
            return
        goes_on = GOES_ON
        if context.server:
            goes_on = "the server goes on"
        report = _with_bar(task.run, goes_on=goes_on)
        asks = not context.as_json and can_be_asked()
        if report.gone and asks:
            report = _ask_gone(task, report)

    if context.as_json:
        echo_json(report.as_json())
    else:
        show_report(report)

    if not report.complete:
        sys.exit(FAILED)


def _ask_gone(task: Import, report: ImportReport) -> ImportReport:
    """Asks about each folder whose files are gone.

    Returns the report of the import that followed the last answer.
    """
    for folder in report.gone:
        path = task.root / folder.path
        echo(f"{path}: {folder.loss}. Is the drive there?")
        question = "their notes: [r]emove, [k]eep without files, [s]kip"
        answer = prompt(question, default="s")
        decision = GONE_ANSWERS.get(answer[:1].lower())
        if decision is None:
            continue
        try:
            report = answer_gone(task, folder.path, decision)
        except NotFound:  # the import that followed an earlier answer has found the files
            echo(f"{path}: the files are there again")

    return report


@contextmanager
def destination_of(context: CommandContext) -> Iterator[Destination]:
    """Yields the destination of notes, here or on the server."""
    if context.server is None:
        with context.app() as app:
            yield LocalDestination(app, context.tenant_id)
    else:
        with context.client() as client:
            yield RemoteDestination(client, context.server, context.settings().home)


def _follow(context: CommandContext, task: Import) -> None:
    """Follows a folder until Ctrl-C, which is its usual end."""
    from desktop.folders.watching import Follower  # noqa: PLC0415 - its watcher is for those who watch

    on_news = partial(tell_news, as_json=context.as_json)
    follower = Follower(task)
    with suppress(KeyboardInterrupt):
        on_news(_with_bar(follower.first))
        if not context.as_json:
            echo(f"following {task.root}  (Ctrl-C ends it)")
        sys.stdout.flush()
        follower.follow(on_news)


def tell_news(news: ImportReport | AuroraError, *, as_json: bool = False) -> None:
    """Prints the report of a pass over a followed folder, or the reason why there was none."""
    if isinstance(news, AuroraError):
        echo(f"aurora: {news.message}; trying again", err=True)
    elif as_json:
        echo_json(news.as_json(), indent=None)
    else:
        echo(f"{datetime.now():%H:%M:%S} ", nl=False)  # noqa: DTZ005 - the clock on the wall
        show_report(news)


@click.command()
@click.option(
    "--full",
    is_flag=True,
    help="Look at every note, not only at those changed lately.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Change nothing; count what would be embedded. Damage is counted by `aurora doctor`.",
)
@click.option(
    "--budget",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    help="Most notes to look at.",
)
@common
def reconcile(
    context: CommandContext,
    budget: int,
    *,
    full: bool,
    dry_run: bool,
) -> None:
    """Find notes whose index does not follow them, and repair it. Exit code 1: some could not be
    repaired.
    """
    with context.app() as app:
        report = reconcile_index(
            app.indexer,
            budget=budget,
            full=full,
            dry_run=dry_run,
        )

    if context.as_json:
        echo_json(reconcile_json(report))
    else:
        _show_repairs(report, dry_run=dry_run)

    if report.failed or report.postponed:
        sys.exit(FAILED)


def _show_repairs(report: ReconcileReport, *, dry_run: bool) -> None:
    """Prints what was found, and what was or would be done about it."""
    notes = counted(report.examined, "note")
    findings = [f"{count} {finding.value}" for finding, count in report.found.items()]
    summary = ", ".join(findings) or "nothing to repair"
    echo(f"looked at {notes}: {summary}")
    texts = counted(report.texts, "text")
    if dry_run:
        tokens = counted(report.tokens, "token")
        echo(f"would embed {texts}, about {tokens}")
    else:
        repairs = (
            f"{report.indexed} indexed",
            f"{report.deleted} removed",
            f"{report.failed} failed",
            f"{report.postponed} left for later",
            f"{texts} embedded",
        )
        echo(", ".join(repairs))
        if report.postponed:
            echo("`aurora doctor` says whether a model is unavailable")

    if not report.complete:
        echo("there is more to look at: run it again, or with a larger --budget")


@click.command()
@click.argument(
    "folder",
    type=FOLDER,
    default=shipped.SAMPLE_NOTES,
)
@common
def demo(context: CommandContext, folder: Path) -> None:
    """Index a folder into a temporary home, ask three questions, print the cited answers.

    Without FOLDER: the sample notes.
    """
    with tempfile.TemporaryDirectory(prefix="aurora-demo-") as home:
        temporary = replace(context, home=Path(home))
        with temporary.app() as app:
            destination = LocalDestination(app, context.tenant_id)
            task = Import(destination, folder, "default")
            report = _with_bar(task.run)
            if not context.as_json:
                notes = counted(report.notes, "note")
                echo(parts_in_use(app))
                echo(f"{notes} indexed in {report.seconds:.1f} s")
            use(app)
            answers = _ask_demo_questions(temporary)

    if context.as_json:
        echo_json({"index": report.as_json(), "answers": answers})


def _ask_demo_questions(context: CommandContext) -> list[Json]:
    """Asks the product in this process, prints the answers for people and returns them."""
    identity = Identity(context.tenant_id, context.tenant_id)
    client = InProcessClient(identity)
    answers = []
    for question in DEMO_QUESTIONS:
        body = {**question_json(), "message": question}
        answer = client.send("POST", "/chat", body)
        answers.append(answer)
        if not context.as_json:
            echo(f"\n› {question}\n")
            show_answer(answer, context)

    return answers


def _with_bar(work: Callable[[Step], T], goes_on: str = GOES_ON) -> T:
    """Runs some work with progress bars on standard error; with a line now and then where that is no terminal.

    goes_on: printed if Ctrl-C leaves notes without vectors.
    """
    console = TerminalConsole(stderr=True)
    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bars:
        progress = ImportProgress(bars, with_lines=not console.is_terminal)
        try:
            return work(progress.step)
        except KeyboardInterrupt:
            if progress.waiting:
                waiting = "1 waits for its vectors"
                if progress.waiting > 1:
                    waiting = f"{progress.waiting:,} wait for their vectors"
                echo(
                    f"aurora: every note is found by its words, {waiting}: {goes_on}",
                    err=True,
                )
            raise


class ImportProgress:
    """Progress of an import: a bar for each kind of work, or lines."""

    def __init__(self, bars: Progress, *, with_lines: bool) -> None:
        """Shows the bar of notes.

        with_lines: print a line now and then.
        """
        self.waiting = 0
        """Notes without vectors."""
        self._bars = bars
        self._bar_of = {NOTES: bars.add_task(NOTES, total=None, rate="")}
        self._with_lines = with_lines
        self._last_line = time.monotonic()

    def step(self, name: str, completed: int, total: int) -> None:
        """Shows how much of a kind of work is done."""
        if name == VECTORS:
            self.waiting = total - completed
        now = time.monotonic()
        if self._with_lines and now - self._last_line >= LINE_SECONDS:
            self._last_line = now
            echo(f"aurora: {name}: {completed:,} of {total:,}", err=True)

        if name not in self._bar_of:
            self._bar_of[name] = self._bars.add_task(name, rate="")
        bar = self._bar_of[name]
        rate = ""
        speed = self._bars.tasks[bar].speed
        if speed:
            rate = f"{speed:.1f} notes/s"
        self._bars.update(
            bar,
            completed=completed,
            total=total,
            rate=rate,
        )

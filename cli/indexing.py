"""`aurora index`, `aurora reconcile` and `aurora demo`."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cli.asking import question_of
from cli.importing import Import, Report
from cli.options import FAILED, Place, common, print_json
from cli.showing import show_answer, show_report
from shared.app import App
from shared.wire import answer_json, reconcile_json
from shared.wire_types import AnswerJson

DEMO_QUESTIONS = (
    "What did we decide about the API?",
    "When does the launch happen, and why was it moved?",
    "How do I bake the sourdough bread?",
)

FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command()
@click.argument("path", type=FOLDER)
@click.option("--vault", default="default", show_default=True, help="The vault that the notes go into.")
@common
def index(place: Place, path: Path, vault: str) -> None:
    """Bring a folder of Markdown into a vault: what changed is indexed, what is gone removed.

    Exit code 1: some notes could not be indexed, or wait for their vectors.
    """
    if not vault or "/" in vault:
        raise click.BadParameter("a name without slash", param_hint="--vault")
    with place.app() as app:
        report = _import(app, place, path, vault)
    if place.as_json:
        print_json(report.as_json())
    else:
        show_report(report)
    if report.failed or report.pending:
        sys.exit(FAILED)


@click.command()
@click.option("--full", is_flag=True, help="Look at every note, not only at those changed lately.")
@click.option("--dry-run", is_flag=True, help="Change nothing; count what would be embedded.")
@click.option("--budget", type=click.IntRange(1), default=10_000, show_default=True, help="Most notes to look at.")
@common
def reconcile(place: Place, budget: int, *, full: bool, dry_run: bool) -> None:
    """Find notes whose index does not follow them, and repair it. Exit code 1: some could not be repaired."""
    with place.app() as app:
        report = app.reconcile(budget=budget, full=full, dry_run=dry_run)
    if place.as_json:
        print_json(reconcile_json(report))
    else:
        found = ", ".join(f"{count} {finding.value}" for finding, count in report.found.items()) or "nothing to repair"
        click.echo(f"looked at {report.examined} notes: {found}")
        if dry_run:
            click.echo(f"would embed {report.texts} texts, about {report.tokens} tokens")
        else:
            click.echo(
                f"{report.indexed} indexed, {report.deleted} removed, {report.failed} failed, "
                f"{report.postponed} left for later, {report.texts} texts embedded"
            )
        if not report.complete:
            click.echo("there is more to look at: run it again, or with a larger --budget")
    if report.failed or report.postponed:
        sys.exit(FAILED)


@click.command()
@click.argument("folder", type=FOLDER, default=Path("examples/notes"))
@common
def demo(place: Place, folder: Path) -> None:
    """Index a folder into a temporary home, ask three questions, print the cited answers."""
    with tempfile.TemporaryDirectory(prefix="aurora-demo-") as home:
        temporary = replace(place, home=Path(home))
        with temporary.app() as app:
            report = _import(app, temporary, folder, "default")
            if not place.as_json:
                click.echo(f"{app.notice}\n{report.notes} notes indexed in {report.seconds:.1f} s")
            answers = [_demonstrate(app, temporary, question) for question in DEMO_QUESTIONS]
    if place.as_json:
        print_json({"index": report.as_json(), "answers": answers})


def _demonstrate(app: App, place: Place, text: str) -> AnswerJson:
    question = question_of(place, app, text)
    answer = app.chat(question)
    if not place.as_json:
        click.echo(f"\n> {text}\n")
        show_answer(answer)
    return answer_json(question, answer, k=app.passages_wanted(question), request_id="demo")


def _import(app: App, place: Place, folder: Path, vault: str) -> Report:
    """With a bar and its rate on stderr, where a person watches."""
    task = Import(app, place.tenant_id, folder, vault)
    console = Console(stderr=True)
    columns = (
        TextColumn("indexing"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("indexing", total=None, rate="")

        def step(done: int, total: int) -> None:
            speed = progress.tasks[bar].speed
            progress.update(bar, completed=done, total=total, rate=f"{speed:.0f} notes/s" if speed else "")

        return task.run(step)

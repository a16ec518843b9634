"""`aurora index`, `aurora reconcile` and `aurora demo`."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cli.commands.ask import question_json
from cli.options import FAILED, Place, anywhere, common, counted, parts_in_use, print_json
from cli.showing import show_answer, show_report
from cli.sync.destinations import Destination, LocalDestination
from cli.sync.importing import NOTES, VECTORS, Import, Step
from cli.sync.manifest import Manifest
from cli.sync.merging import Choice, Side
from cli.sync.report import Report
from cli.sync.server import RemoteDestination
from cli.sync.vault_choice import choose_vault
from functions.client import InProcessClient
from shared.api.notes import ReconcileJson
from shared.api.values import shown
from shared.bootstrap import use
from shared.errors import AuroraError
from shared.model.limits import VAULT, VAULT_PATTERN
from shared.ports.access import Identity
from shared.sweep.reconcile import reconcile as reconcile_index

DEMO_QUESTIONS = (
    "What did we decide at the API meeting?",
    "When does the launch happen, and why was it moved?",
    "How do I bake the sourdough bread?",
)

FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)

GOES_ON = "`aurora index` or `aurora reconcile` goes on, and `aurora dev` while it runs"
"""With the vectors that an import was not given the time for."""

T = TypeVar("T")


@click.command()
@click.argument("path", type=FOLDER)
@click.option("--vault", help="The vault that the notes go into.  [default: default, or one of its own]")
@click.option("--watch", "watching", is_flag=True, help="Go on following the folder until Ctrl-C.")
@click.option("--write-back", is_flag=True, help="Write notes that were changed elsewhere into their files.")
@click.option("--take", type=click.Choice([side.value for side in Side]), help="What stays where both were changed.")
@anywhere
def index(place: Place, path: Path, vault: str | None, take: str | None, *, watching: bool, write_back: bool) -> None:
    """Bring a folder of Markdown into a vault: what changed is indexed, what is gone removed.

    A note that was changed or deleted elsewhere stays so; --write-back makes its file the same. Where the file has
    changed too, both stay until --take decides; the other goes into the trash.

    Exit code 1: some files are not notes yet, or wait for their vectors, or for such a decision. With --watch and
    --json: one object a line, one line a change.
    """
    if vault is not None and not re.fullmatch(VAULT_PATTERN, vault):
        raise click.BadParameter(VAULT, param_hint="--vault")
    with destination_of(place) as destination:
        found = choose_vault(Manifest.of(destination.home), destination.name, path, vault)
        if found.remark:
            click.echo(f"aurora: {found.remark}", err=True)
        task = Import(
            destination=destination,
            root=found.root,
            vault=found.vault,
            choice=Choice(write_back=write_back, take=Side(take) if take else None),
        )
        if watching:
            _follow(place, task)
            return
        report = _with_bar(task.run, goes_on="the server goes on" if place.server else GOES_ON)
    if place.as_json:
        print_json(report.as_json())
    else:
        show_report(report)
    if not report.complete:
        sys.exit(FAILED)


@contextmanager
def destination_of(place: Place) -> Iterator[Destination]:
    """Where the notes are, here or on the server."""
    if place.server is None:
        with place.app() as app:
            yield LocalDestination(app, place.tenant_id)
    else:
        with place.client() as client:
            yield RemoteDestination(client, place.server, place.settings().home)


def _follow(place: Place, task: Import) -> None:
    """Until Ctrl-C, which is how it is meant to end."""
    from cli.sync.watching import Follower  # noqa: PLC0415 - its watcher is for those who watch

    on_news = partial(tell_news, as_json=place.as_json)
    follower = Follower(task)
    with suppress(KeyboardInterrupt):
        on_news(_with_bar(follower.first))
        if not place.as_json:
            click.echo(f"following {task.root}  (Ctrl-C ends it)")
        sys.stdout.flush()
        follower.follow(on_news)


def tell_news(news: Report | AuroraError, *, as_json: bool = False) -> None:
    """What a pass over a followed folder did, or why there was none."""
    if isinstance(news, AuroraError):
        click.echo(f"aurora: {news.message}; trying again", err=True)
    elif as_json:
        click.echo(json.dumps(news.as_json(), ensure_ascii=False))
    else:
        click.echo(f"{datetime.now():%H:%M:%S} ", nl=False)  # noqa: DTZ005 - the clock on the wall
        show_report(news)


@click.command()
@click.option("--full", is_flag=True, help="Look at every note, not only at those changed lately.")
@click.option("--dry-run", is_flag=True, help="Change nothing; count what would be embedded.")
@click.option("--budget", type=click.IntRange(1), default=10_000, show_default=True, help="Most notes to look at.")
@common
def reconcile(place: Place, budget: int, *, full: bool, dry_run: bool) -> None:
    """Find notes whose index does not follow them, and repair it. Exit code 1: some could not be repaired."""
    with place.app() as app:
        report = reconcile_index(app.indexer, budget=budget, full=full, dry_run=dry_run)
    if place.as_json:
        print_json(shown(ReconcileJson, report))
    else:
        found = ", ".join(f"{count} {finding.value}" for finding, count in report.found.items()) or "nothing to repair"
        click.echo(f"looked at {counted(report.examined, 'note')}: {found}")
        if dry_run:
            click.echo(f"would embed {counted(report.texts, 'text')}, about {counted(report.tokens, 'token')}")
        else:
            click.echo(
                f"{report.indexed} indexed, {report.deleted} removed, {report.failed} failed, "
                f"{report.postponed} left for later, {counted(report.texts, 'text')} embedded"
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
            report = _with_bar(Import(LocalDestination(app, place.tenant_id), folder, "default").run)
            if not place.as_json:
                click.echo(f"{parts_in_use(app)}\n{counted(report.notes, 'note')} indexed in {report.seconds:.1f} s")
            use(app)
            client = InProcessClient(Identity(place.tenant_id, place.tenant_id))
            answers = []
            for question in DEMO_QUESTIONS:
                answers.append(client.send("POST", "/chat", {**question_json(), "message": question}))
                if not place.as_json:
                    click.echo(f"\n› {question}\n")
                    show_answer(answers[-1], temporary)
    if place.as_json:
        print_json({"index": report.as_json(), "answers": answers})


def _with_bar(work: Callable[[Step], T], goes_on: str = GOES_ON) -> T:
    """With bars, their rate and the time left on stderr, where a person watches. What Ctrl-C leaves is said."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    waiting = 0
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bars = {NOTES: progress.add_task(NOTES, total=None, rate="")}

        def step(what: str, done: int, total: int) -> None:
            nonlocal waiting
            if what == VECTORS:
                waiting = total - done
            bar = bars.get(what)
            if bar is None:
                bar = bars[what] = progress.add_task(what, rate="")
            speed = progress.tasks[bar].speed
            progress.update(bar, completed=done, total=total, rate=f"{speed:.1f} notes/s" if speed else "")

        try:
            return work(step)
        except KeyboardInterrupt:
            if waiting:
                click.echo(f"aurora: words find every note, {waiting} wait for their vectors: {goes_on}", err=True)
            raise

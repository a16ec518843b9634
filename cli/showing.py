"""Results for people."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cli.importing import Report
from shared.domain import Answer, Citation, Scored
from shared.text.dates import date_in_words
from shared.wire import snippet


def show_answer(answer: Answer) -> None:
    """The answer, then what it cites; with a refusal the nearest notes."""
    console = Console(highlight=False, soft_wrap=True)
    console.print(escape(answer.text))
    for citation in answer.citations:
        console.print(f"  [cyan]\\[{citation.label}][/] {escape(_where(citation.passage))}")
        console.print(f"       [dim]“{escape(_quote(citation))}”[/]")
    if answer.refusal and answer.retrieved and answer.retrieved.nearest:
        console.print(f"\n[dim]Reason: {answer.refusal.value}. The nearest notes:[/]")
        show_results(answer.retrieved.nearest)


def show_results(passages: Sequence[Scored]) -> None:
    """One line a passage, best first."""
    console = Console(highlight=False, soft_wrap=True)
    if not passages:
        console.print("nothing found")
        return
    table = Table(box=None, pad_edge=False)
    for heading, justify in (("score", "right"), ("note", "left"), ("date", "left"), ("passage", "left")):
        table.add_column(heading, justify="right" if justify == "right" else "left", overflow="fold")
    for passage in passages:
        chunk = passage.chunk
        day = chunk.created_at.date().isoformat()
        table.add_row(f"{passage.score:.2f}", escape(chunk.title), day, escape(snippet(chunk.text)))
    console.print(table)


def show_report(report: Report) -> None:
    """One import: the counts, then every file that needs a word."""
    console = Console(highlight=False, soft_wrap=True)
    console.print(
        f"{report.notes} notes from {escape(report.folder)} into vault {escape(report.vault)}: "
        f"{report.indexed} indexed, {report.unchanged} unchanged, {report.removed} removed, "
        f"{report.embedded} texts embedded in {report.seconds:.1f} s"
    )
    for heading, places in (
        ("skipped", report.skipped),
        ("indexed with a remark", report.odd),
        ("saved, vectors pending", report.pending),
        ("failed", report.failed),
    ):
        for place in places:
            console.print(f"  [yellow]{heading}[/] {escape(place.path)}: {escape(place.reason)}")


def _where(passage: Scored) -> str:
    chunk = passage.chunk
    parts = (chunk.title, chunk.heading_path, chunk.path, date_in_words(chunk.created_at))
    return " · ".join(part for part in parts if part)


def _quote(citation: Citation) -> str:
    return snippet(citation.quote)

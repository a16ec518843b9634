"""`aurora templates`: the steps along which answers are laid out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cli.options import FAILED, Place, common, print_json
from shared.errors import InvalidArgument
from shared.templates.markdown import read_template
from shared.wire import template_json, template_match_json, templates_json


@click.group()
def templates() -> None:
    """List, search, add and index reasoning templates."""


@templates.command("list")
@common
def list_all(place: Place) -> None:
    """Every template, by id."""
    with place.app() as app:
        found = app.list_templates(place.tenant_id)
        ready = app.templates_ready(place.tenant_id)
    if place.as_json:
        print_json(templates_json(found, ready=ready))
    else:
        _show(("id", "name", "description"), [(each.template_id, each.name, each.description) for each in found])


@templates.command()
@click.argument("query")
@click.option("--k", type=click.IntRange(1, 20), default=3, show_default=True, help="How many templates.")
@common
def search(place: Place, query: str, k: int) -> None:
    """The templates most similar to a question; the chain of thought where none is similar."""
    if not query.strip():
        raise InvalidArgument("the query", "text that is not blank")
    with place.app() as app:
        found = app.search_templates(place.tenant_id, query.strip(), top_k=k)
    if place.as_json:
        print_json({"templates": [template_match_json(match) for match in found]})
    else:
        rows = [(f"{match.score:.2f}", match.template.template_id, match.template.name) for match in found]
        _show(("score", "id", "name"), rows)


@templates.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@common
def add(place: Place, file: Path) -> None:
    """Add a Markdown file with YAML frontmatter, or replace what has its id: the file's name without ending."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidArgument(str(file), "UTF-8") from error
    template = read_template(file.stem, text)
    with place.app() as app:
        app.save_template(place.tenant_id, template)
    if place.as_json:
        print_json(template_json(template))
    else:
        click.echo(f"added {template.template_id} ({template.name})")


@templates.command()
@common
def index(place: Place) -> None:
    """Bring what is in TEMPLATE_FOLDERS. Exit code 1: some files are no templates."""
    with place.app() as app:
        report = app.index_templates(place.tenant_id)
    if place.as_json:
        problems = [{"path": problem.path, "reason": problem.reason} for problem in report.problems]
        print_json({"count": report.count, "written": report.written, "removed": report.removed, "problems": problems})
    else:
        click.echo(f"{report.count} templates: {report.written} written, {report.removed} removed")
        for problem in report.problems:
            click.echo(f"  no template: {problem.path}: {problem.reason}")
    if report.problems:
        sys.exit(FAILED)


def _show(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    Console(highlight=False, soft_wrap=True).print(table)

"""`aurora templates`: the steps along which answers are laid out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.text import Text

from cli.options import FAILED, Place, anywhere, common, counted, print_json
from cli.pages import address
from cli.showing import show_table
from shared.api.templates import TemplateJson
from shared.api.values import shown
from shared.errors import InvalidArgument, NotFound
from shared.templates.files import read_template


@click.group()
def templates() -> None:
    """List, search, add and index reasoning templates."""


@templates.command("list")
@anywhere
def list_all(place: Place) -> None:
    """Every template, by id."""
    with place.client() as client:
        found = client.send("GET", "/templates")
    if place.as_json:
        print_json(found)
    else:
        names = ("templateId", "name", "description")
        show_table(("id", *names[1:]), [[Text(each[name]) for name in names] for each in found["templates"]])


@templates.command()
@click.argument("query")
@click.option("--k", type=click.IntRange(1, 20), default=3, show_default=True, help="How many templates.")
@anywhere
def search(place: Place, query: str, k: int) -> None:
    """The templates most similar to a question; the chain of thought where none is similar."""
    with place.client() as client:
        found = client.send("POST", "/templates:search", {"query": query, "topK": k})
    if place.as_json:
        print_json(found)
    else:
        rows = [(f"{match['score']:.2f}", match["templateId"], match["name"]) for match in found["templates"]]
        show_table(("score", "id", "name"), [[Text(each) for each in row] for row in rows])


@templates.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@anywhere
def add(place: Place, file: Path) -> None:
    """Add a Markdown file with YAML frontmatter, or replace what has its id: the file's name without ending.

    What is replaced goes into the trash.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidArgument(str(file), "UTF-8") from error
    template = read_template(file.stem, text)
    with place.client() as client:
        where, wanted = address("templates", template.template_id), dict(shown(TemplateJson, template))
        try:  # what another of this id said goes into the trash: somebody may have written it
            held = client.send("GET", where)
        except NotFound:
            held = wanted
        if held != wanted:
            kept = {"noteId": f"template-{held['templateId']}", "title": f"Template {held['name']}"}
            client.send("POST", "/trash", {**kept, "text": json.dumps(held, ensure_ascii=False, indent=2)})
        saved = client.send("PUT", where, wanted)
    place.tell(saved, f"added {saved['templateId']} ({saved['name']})")


@templates.command()
@common
def index(place: Place) -> None:
    """Read what is in TEMPLATE_FOLDERS and embed what is new. Exit code 1: some files are no templates."""
    with place.app() as app:
        report = app.templates.index(place.tenant_id)
    if place.as_json:
        problems = [{"path": problem.path, "reason": problem.reason} for problem in report.problems]
        print_json({"count": len(report.templates), "problems": problems})
    else:
        click.echo(counted(len(report.templates), "template"))
        for problem in report.problems:
            click.echo(f"  no template: {problem.path}: {problem.reason}")
    if report.problems:
        sys.exit(FAILED)

"""`aurora templates`: the steps along which answers are laid out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from cli.options import FAILED, FILE, CommandContext, anywhere, common, counted
from cli.showing import show_table
from cli.suggestions import SuggestingGroup
from cli.terminal import echo, echo_json
from desktop.client.pages import address
from functions.client import Json
from shared.api.templates import template_json
from shared.errors import InvalidArgument, NotFound
from shared.model.retrieval import UNRELATED
from shared.templates.files import read_template


@click.group(cls=SuggestingGroup)
def templates() -> None:
    """List, search, add and index reasoning templates."""


@templates.command("list")
@anywhere
def list_all(context: CommandContext) -> None:
    """Every template, by id."""
    with context.client() as client:
        found = client.send("GET", "/templates")
    if context.as_json:
        echo_json(found)
        return

    rows = []
    for template in found["templates"]:
        row = (
            template["templateId"],
            template["name"],
            template["description"],
        )
        rows.append(row)

    show_table(("id", "name", "description"), rows)


@templates.command()
@click.argument("query")
@click.option(
    "--k",
    type=click.IntRange(1, 20),
    default=3,
    show_default=True,
    help="How many templates.",
)
@anywhere
def search(context: CommandContext, query: str, k: int) -> None:
    """The templates most similar to a question; the chain of thought where none is similar."""
    body = {
        "query": query,
        "topK": k,
    }
    with context.client() as client:
        found = client.send("POST", "/templates:search", body)
    if context.as_json:
        echo_json(found)
        return

    rows = []
    for match in found["templates"]:
        score = f"{match['score']:.2f}"
        if match["score"] <= UNRELATED:
            score = "fallback"
        row = (
            score,
            match["templateId"],
            match["name"],
        )
        rows.append(row)

    show_table(("score", "id", "name"), rows)


@templates.command()
@click.argument("file", type=FILE)
@anywhere
def add(context: CommandContext, file: Path) -> None:
    """Add a Markdown file with YAML frontmatter, or replace what has its id: the file's name
    without ending.

    What is replaced goes into the trash.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidArgument(str(file), "UTF-8") from error

    template = read_template(file.stem, text)
    body = dict(template_json(template))
    path = address("templates", template.template_id)
    with context.client() as client:
        try:
            previous = client.send("GET", path)
        except NotFound:
            previous = body
        if {**previous, "path": None} != body:
            # Somebody may have written the template that is replaced.
            client.send("POST", "/trash", _as_note(previous))
        saved = client.send("PUT", path, body)

    context.tell(saved, f"added {saved['templateId']} ({saved['name']})")


def _as_note(template: Json) -> Json:
    """Returns the note as which a template goes into the trash."""
    return {
        "noteId": f"template-{template['templateId']}",
        "title": f"Template {template['name']}",
        "text": json.dumps(template, ensure_ascii=False, indent=2),
    }


@templates.command()
@common
def index(context: CommandContext) -> None:
    """Read what is in TEMPLATE_FOLDERS and embed what is new. Exit code 1: some files are no
    templates.
    """
    with context.app() as app:
        report = app.templates.index(context.tenant_id)
    count = len(report.templates)
    if context.as_json:
        problems = []
        for problem in report.problems:
            problems.append({"path": problem.path, "reason": problem.reason})
        echo_json({"count": count, "problems": problems})
    else:
        echo(counted(count, "template"))
        for problem in report.problems:
            echo(f"  no template: {problem.path}: {problem.reason}")

    if report.problems:
        sys.exit(FAILED)

"""`aurora import`: what `aurora export` wrote, brought back. Nothing that is there is lost by it."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path

import click

from cli.commands.account import counted_lines
from cli.options import FAILED, Place, anywhere, print_json
from cli.pages import address
from cli.sync.destinations import LocalDestination
from functions.client import ApiClient, Json
from shared.bootstrap import app
from shared.errors import Conflict, InvalidArgument, NotFound, RequestError

NOTE, TEMPLATE, SESSION, MESSAGE, END = "note", "template", "session", "message", "end"
MAX_MESSAGES, MAX_LENGTH = 20, 200_000
"""Messages in one request, and how many characters of JSON if they are several."""
DIFFERS = "another one is there, and stays"


@dataclass(slots=True)
class Restored:
    """What became of an export's objects."""

    counts: Counter[str] = field(default_factory=Counter)
    """By type, those that are there now as the export has them."""
    kept: list[tuple[str, str]] = field(default_factory=list)
    """(name, reason) of those that are not."""
    left_out: Counter[str] = field(default_factory=Counter)
    """By type: ratings and counters are kept of what happened here alone."""
    complete: bool = False
    """Whether the export came to its end."""

    def as_json(self) -> Json:
        return {
            "counts": dict(self.counts),
            "kept": [{"name": name, "reason": reason} for name, reason in self.kept],
            "leftOut": dict(self.left_out),
            "complete": self.complete,
        }


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@anywhere
def import_export(place: Place, file: Path) -> None:
    """Bring back the notes, templates and conversations of a FILE that `aurora export` wrote.

    What is there already stays as it is: where it differs it is named, exit code 1. Ratings are left out.
    """
    with place.lasting_client() as client:
        restored = Restored()
        for saved in _restored(client, _rows(file), restored):
            if place.server is None:
                LocalDestination(app(), place.tenant_id).follow(saved)
    if place.as_json:
        print_json(restored.as_json())
    else:
        _show(restored, file)
    if restored.kept or not restored.complete:
        sys.exit(FAILED)


def _rows(file: Path) -> Iterator[Json]:
    """Raises InvalidArgument naming the line that is none of an export."""
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line.decode())  # of a byte that is damaged no other letter is made
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict) or not isinstance(row.get("type"), str):
                expected = "a JSON object with a `type`, as aurora export writes it"
                raise InvalidArgument(f"{file}, line {number}", expected)
            yield row


def _restored(client: ApiClient, rows: Iterable[Json], restored: Restored) -> Iterator[str]:
    """Ids of the notes that are there now. A conversation's messages follow it: it is brought when they have come."""
    session: Json | None = None
    messages: list[Json] = []
    for row in chain(rows, [{"type": ""}]):
        kind = row.pop("type")
        if session is not None and kind != MESSAGE:
            if _tried(partial(_bring_session, client, session, messages), SESSION, session, restored):
                restored.counts[MESSAGE] += len(messages)
            session = None
        if kind == END:
            restored.complete = True
        elif kind == SESSION:
            session, messages = row, []
        elif kind == MESSAGE and session is not None and row.pop("sessionId", None) == session.get("sessionId"):
            messages.append(row)
        elif kind in BRINGS:
            if _tried(partial(BRINGS[kind], client, row), kind, row, restored) and kind == NOTE:
                yield row["noteId"]
        elif kind:
            restored.left_out[kind] += 1


def _tried(bring: Callable[[], None], kind: str, row: Json, restored: Restored) -> bool:
    """Whether it is there now and counted; else it is named with the reason."""
    name = str(row.get("path") or row.get("title") or row.get(f"{kind}Id") or f"a {kind}")
    try:
        bring()
    except Conflict:
        restored.kept.append((name, DIFFERS))
    except RequestError as error:
        restored.kept.append((name, error.message))
    else:
        restored.counts[kind] += 1
        return True
    return False


def _id(row: Json, name: str) -> str:
    """Raises InvalidArgument."""
    found = row.get(name)
    if not isinstance(found, str) or not found:
        raise InvalidArgument(name, "the id that it was exported with")
    return found


def _bring_note(client: ApiClient, row: Json) -> None:
    """Raises Conflict where another is there."""
    client.send("PUT", address("notes", _id(row, "noteId")), {**row, "revision": ""})


def _bring_template(client: ApiClient, row: Json) -> None:
    """Raises Conflict where another is there."""
    place = address("templates", _id(row, "templateId"))
    try:
        held = client.send("GET", place)
    except NotFound:
        client.send("PUT", place, row)
        return
    if held != row:
        raise Conflict(DIFFERS)


BRINGS: Mapping[str, Callable[[ApiClient, Json], None]] = {NOTE: _bring_note, TEMPLATE: _bring_template}


def _bring_session(client: ApiClient, session: Json, messages: Iterable[Json]) -> None:
    """Raises Conflict where it is called otherwise or set otherwise; its messages are there then."""
    in_order = sorted(messages, key=lambda each: (str(each.get("createdAt")), str(each.get("messageId"))))
    held: Json = {}
    for batch in _in_requests(in_order):
        held = client.send("POST", "/sessions:import", {"session": session, "messages": batch})
    if any(held.get(name) != session.get(name) for name in ("title", "settings")):
        raise Conflict(DIFFERS)


def _in_requests(messages: Sequence[Json]) -> Iterator[Sequence[Json]]:
    """At least one, which may be empty: there are conversations in which nothing was said."""
    start = length = 0
    for place, message in enumerate(messages):
        length += len(json.dumps(message))
        if place > start and (place - start == MAX_MESSAGES or length > MAX_LENGTH):
            yield messages[start:place]
            start, length = place, len(json.dumps(message))
    yield messages[start:]


def _show(restored: Restored, file: Path) -> None:
    click.echo(f"{counted_lines(restored.counts) or 'nothing'} of {file} are there now")
    for name, reason in restored.kept:
        click.echo(f"  not {name}: {reason}")
    if restored.left_out:
        click.echo(f"left out: {counted_lines(restored.left_out)}")
    if not restored.complete:
        click.echo("the file does not come to its end: it is not the whole export")

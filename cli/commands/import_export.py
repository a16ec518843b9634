"""`aurora import`: brings back what `aurora export` wrote. Nothing that is there is lost by it."""

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
from cli.options import FAILED, FILE, CommandContext, anywhere
from cli.terminal import echo, echo_json
from desktop.client.pages import address, last_erasure, named_erasure
from desktop.folders.destinations import LocalDestination
from functions.client import ApiClient, Json
from shared.bootstrap import app
from shared.errors import Conflict, Erased, InvalidArgument, NotFound, RequestError

NOTE = "note"
TEMPLATE = "template"
SESSION = "session"
MESSAGE = "message"
END = "end"
MAX_MESSAGES = 20
"""Messages in one request."""
MAX_LENGTH = 200_000
"""Characters of JSON in one request of several messages."""
DIFFERS = "a different one exists, and is kept"


@dataclass(slots=True)
class Restored:
    """Outcome of an import."""

    counts: Counter[str] = field(default_factory=Counter)
    """Objects that are there now as the export has them, by type."""
    kept: list[tuple[str, str]] = field(default_factory=list)
    """(name, reason) of the objects that are not."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Objects that are never brought back, by type: ratings and counters tell of what happened
    here.
    """
    complete: bool = False
    """True if the export came to its end."""

    def as_json(self) -> Json:
        """Returns the outcome for a program."""
        return {
            "counts": dict(self.counts),
            "kept": [{"name": name, "reason": reason} for name, reason in self.kept],
            "leftOut": dict(self.left_out),
            "complete": self.complete,
        }


@click.command("import")
@click.argument("file", type=FILE)
@anywhere
def import_export(context: CommandContext, file: Path) -> None:
    """Bring back the notes, templates and conversations of a FILE that `aurora export` wrote.

    What is there already stays as it is: where it differs it is named, exit code 1. Ratings and
    the trash are left out.
    """
    restored = Restored()
    damage: InvalidArgument | None = None
    with context.lasting_client() as client:
        note_ids = _restored(
            client,
            _rows(file),
            restored,
            erasure=last_erasure(client),
        )
        try:
            for note_id in note_ids:
                if context.server is None:
                    LocalDestination(app(), context.tenant_id).follow(note_id)
        except InvalidArgument as error:  # what came before the line is there now, and is counted
            damage = error

    if context.as_json:
        echo_json(restored.as_json())
    elif damage is None or restored.counts:
        _show(restored, file)

    if damage is not None:
        raise damage
    if restored.kept or not restored.complete:
        sys.exit(FAILED)


def _rows(file: Path) -> Iterator[Json]:
    """Yields the objects of an export. Raises InvalidArgument naming a line that is not an object."""
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                # A damaged byte is an error, and becomes no other letter.
                row = json.loads(line.decode())
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict) or not isinstance(row.get("type"), str):
                expected = "a JSON object with a `type`, as aurora export writes it"
                raise InvalidArgument(f"{file}, line {number}", expected)
            yield row


def _restored(
    client: ApiClient,
    rows: Iterable[Json],
    restored: Restored,
    *,
    erasure: str | None,
) -> Iterator[str]:
    """Brings back objects, and yields the ids of the notes that are there now.

    A conversation's messages follow it: it is brought when they have come.

    erasure: number of the last erasure before; None if the server has no such number. Raises Erased once there was another.
    """
    session: Json | None = None
    messages: list[Json] = []
    for row in chain(rows, [{"type": ""}]):
        kind = row.pop("type")
        if session is not None and kind != MESSAGE:
            bring = partial(_bring_session, client, session, messages, erasure)
            if _tried(bring, SESSION, session, restored):
                restored.counts[MESSAGE] += len(messages)
            session = None

        if kind == END:
            restored.complete = True
        elif kind == SESSION:
            session = row
            messages = []
        elif kind == MESSAGE and session is not None and _belongs(row, session):
            row.pop("sessionId", None)
            messages.append(row)
        elif kind in BRINGS:
            bring = partial(BRINGS[kind], client, row, erasure)
            if _tried(bring, kind, row, restored) and kind == NOTE:
                yield row["noteId"]
        elif kind:
            restored.left_out[kind] += 1


def _belongs(message: Json, session: Json) -> bool:
    """Reports whether a message is one of the session."""
    return bool(message.get("sessionId") == session.get("sessionId"))


def _tried(
    bring: Callable[[], None],
    kind: str,
    row: Json,
    restored: Restored,
) -> bool:
    """Brings an object and counts it, or names it with the reason why not.

    Reports whether the object is there now. Raises Erased.
    """
    name = str(row.get("path") or row.get("title") or row.get(f"{kind}Id") or f"a {kind}")
    try:
        bring()
    except Erased:
        raise
    except Conflict:
        restored.kept.append((name, DIFFERS))
    except RequestError as error:
        restored.kept.append((name, error.message))
    else:
        restored.counts[kind] += 1
        return True

    return False


def _id(row: Json, name: str) -> str:
    """Returns the id of an object. Raises InvalidArgument."""
    value = row.get(name)
    if not isinstance(value, str) or not value:
        raise InvalidArgument(name, "the id that it was exported with")
    return value


def _bring_note(client: ApiClient, row: Json, erasure: str | None) -> None:
    """Saves a note. Raises Conflict if another is there."""
    note_id = _id(row, "noteId")
    body = {
        **row,
        "revision": "",
        **named_erasure(erasure),
    }
    client.send("PUT", address("notes", note_id), body)


def _bring_template(client: ApiClient, row: Json, erasure: str | None) -> None:
    """Saves a template. Raises Conflict if another is there."""
    path = address("templates", _id(row, "templateId"))
    try:
        current = client.send("GET", path)
    except NotFound:
        client.send("PUT", path, {**row, **named_erasure(erasure)})
        return

    for name, value in row.items():
        if name != "path" and current.get(name) != value:
            raise Conflict(DIFFERS)


BRINGS: Mapping[str, Callable[[ApiClient, Json, str | None], None]] = {
    NOTE: _bring_note,
    TEMPLATE: _bring_template,
}


def _bring_session(
    client: ApiClient,
    session: Json,
    messages: Iterable[Json],
    erasure: str | None,
) -> None:
    """Saves a conversation with its messages.

    Raises Conflict if its title or settings are others; its messages are there then.
    """
    in_order = sorted(messages, key=_time_and_id)
    current: Json = {}
    for batch in _in_requests(in_order):
        body = {
            "session": session,
            "messages": batch,
            **named_erasure(erasure),
        }
        current = client.send("POST", "/sessions:import", body)

    for name in ("title", "settings"):
        if current.get(name) != session.get(name):
            raise Conflict(DIFFERS)


def _time_and_id(message: Json) -> tuple[str, str]:
    """Returns the key by which messages are in order."""
    created_at = message.get("createdAt")
    message_id = message.get("messageId")
    return str(created_at), str(message_id)


def _in_requests(messages: Sequence[Json]) -> Iterator[Sequence[Json]]:
    """Yields the messages of each request; at least one request, for a session without messages."""
    start = 0
    length = 0
    for index, message in enumerate(messages):
        message_length = len(json.dumps(message))
        length += message_length
        is_full = index - start == MAX_MESSAGES or length > MAX_LENGTH
        if index > start and is_full:
            yield messages[start:index]
            start = index
            length = message_length

    yield messages[start:]


def _show(restored: Restored, file: Path) -> None:
    """Prints the outcome of an import for a person."""
    objects = counted_lines(restored.counts) or "nothing"
    echo(f"there now, of {file}: {objects}")
    for name, reason in restored.kept:
        echo(f"  not {name}: {reason}")
    if restored.left_out:
        left_out = counted_lines(restored.left_out)
        echo(f"left out: {left_out}")

    if not restored.complete:
        echo("the file ends too early: it is not the whole export")

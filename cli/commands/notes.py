"""`aurora notes`: the notes themselves."""

from __future__ import annotations

from contextlib import contextmanager
from operator import itemgetter
from typing import TYPE_CHECKING, BinaryIO

import click
from rich.text import Text

from cli.options import CommandContext, anywhere, fail, with_options
from cli.showing import console, linked, show_list, time_in_words
from cli.suggestions import SuggestingGroup
from cli.terminal import echo, echo_json
from desktop.client.pages import address, listed_notes, rows_of
from shared.errors import Conflict, InvalidArgument, NotFound, TooLarge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from desktop.folders.destinations import LocalDestination
    from functions.client import ApiClient, Json


DOCUMENT_FIELDS = (
    "title",
    "text",
    "createdAt",
    "updatedAt",
    "vault",
    "path",
    "tags",
    "lang",
)
"""Fields that the rules allow in a note."""


@click.group(cls=SuggestingGroup)
def notes() -> None:
    """List, show, delete and restore notes; each is named by its id, or by its path."""


_with_note = with_options(
    click.argument("note", metavar="ID"),
    click.option("--vault", help="Vault of the path."),
)
"""Gives a command the id or path of a note."""


@notes.command("list")
@click.option("--vault", help="Only those of this vault.")
@anywhere
def list_all(context: CommandContext, vault: str | None) -> None:
    """Every note, newest first."""
    with context.client() as client:
        rows = _listed(client, vault)
    link = linked(context)

    def line(note: Json) -> Text:
        note_id = note["noteId"]
        day = note["createdAt"][:10]
        name = link(_name(note), note)
        failure = ""
        error = note.get("error")
        if error:
            failure = f"  failed: {error}"
        return Text.assemble(f"{note_id}  {day}  ", name, failure)

    show_list(context, "notes", rows, line, empty="no notes")


def _name(row: Json) -> str:
    """Returns `vault/path`, or `vault/title` of a note without a path."""
    return f"{row['vault']}/{row['path'] or row['title']}"


@notes.command()
@_with_note
@anywhere
def show(context: CommandContext, note: str, vault: str | None) -> None:
    """A note's text, below what else it says, and above where it links to and what links to it."""
    with context.client() as client:
        record = _named(client, note, vault)
        path = address("notes", record["noteId"])
        neighbours = client.send("GET", f"{path}:links")

    links = neighbours["links"]
    backlinks = neighbours["backlinks"]
    if context.as_json:
        echo_json({**record, "links": links, "backlinks": backlinks})
        return

    out = console()
    _show_head(record, out)
    echo(record["text"])

    targets = []
    for row in links:
        target = row["title"] or f"{row['target']} (no note)"
        targets.append(Text(target))

    _show_names("links to", targets, out)
    link = linked(context)
    origins = [link(_name(row), row) for row in backlinks]
    _show_names("linked from", origins, out)
    if not neighbours["complete"]:
        out.print(Text("  and perhaps more: not all were looked at", "dim"))


def _show_head(note: Json, out: Console) -> None:
    """Prints a note's title, path, day and tags."""
    title = note["title"] or note["noteId"]
    out.print(Text(title, "bold"))

    line = note["createdAt"][:10]
    path = note["path"]
    if path:
        line = f"{note['vault']}/{path}  {line}"
    for tag in note["tags"]:
        line += f" #{tag}"
    out.print(Text(line, "dim"))


def _show_names(heading: str, names: Sequence[Text], out: Console) -> None:
    """Prints a heading and the names below it, if there are any."""
    if names:
        out.print(Text(heading, "bold"))
    for name in names:
        out.print(Text.assemble("  ", name))


@notes.command()
@_with_note
@anywhere
def delete(context: CommandContext, note: str, vault: str | None) -> None:
    """Put a note into the trash for 30 days; the file that it came from stays."""
    with context.client() as client:
        record = _named(client, note, vault)
        note_id = record["noteId"]
        client.send(
            "DELETE",
            address("notes", note_id),
            query={"revision": record["revision"]},
        )
        _index(client, context, note_id)

    name = record["title"] or record["path"]
    context.tell({"deleted": note_id}, f"deleted {name}; it is in the trash")


def _index(client: ApiClient, context: CommandContext, note_id: str) -> None:
    """Lets the index follow, if the product runs in this process alone."""
    destination = _destination_here(client, context)
    if destination is not None:
        destination.follow(note_id)


def _destination_here(client: ApiClient, context: CommandContext) -> LocalDestination | None:
    """Returns this machine's store, if the product runs in this process alone."""
    from functions.client import InProcessClient  # noqa: PLC0415 - whoever asks a server does not wait for the product

    if not isinstance(client, InProcessClient):
        return None
    from desktop.folders.destinations import LocalDestination  # noqa: PLC0415
    from shared.bootstrap import app  # noqa: PLC0415

    return LocalDestination(app(), context.tenant_id)


@notes.command()
@anywhere
def trash(context: CommandContext) -> None:
    """Notes as they were before they were edited, replaced or deleted, for 30 days, the newest
    first.
    """
    with context.client() as client:
        rows = list(rows_of(client, "/trash", "trash"))
    show_list(context, "trash", rows, _trash_line, empty="the trash is empty")


def _trash_line(row: Json) -> Text:
    """Returns the line of a version in the list of the trash."""
    cells = (
        row["trashId"],
        time_in_words(row["trashedAt"]),
        row["reason"],
        _name(row),
    )
    return Text("  ".join(cells))


@notes.command()
@click.argument("trashed", metavar="ID")
@anywhere
def restore(context: CommandContext, trashed: str) -> None:
    """Put a note of the trash back as it was; what is there now goes into the trash. ID: as `trash`
    lists it.
    """
    with context.client() as client:
        try:
            with _file_expected(client, context, trashed):
                note = client.send(
                    "POST",
                    f"{address('trash', trashed)}:restore",
                    {},
                )
        except NotFound as error:
            hint = "`aurora notes trash` lists what it holds"
            raise NotFound(f"{error}; {hint}") from error
        _index(client, context, note["noteId"])

    name = note["title"] or note["path"]
    context.tell(note, f"restored {name}")


@contextmanager
def _file_expected(client: ApiClient, context: CommandContext, trash_id: str) -> Iterator[None]:
    """Lets the next pass over a folder whose files are written write the file of the note that the
    block restores, unless that is refused.
    """
    destination = _destination_here(client, context)
    if destination is None:  # a product that runs writes it by itself
        yield
        return

    from desktop.folders.note_files import FolderFiles  # noqa: PLC0415 - as above

    files = FolderFiles(destination)
    note_id = files.expect_restored(trash_id)
    try:
        yield
    except (NotFound, Conflict):
        if note_id is not None:
            files.expect_no_more(note_id)
        raise


@notes.command()
@click.argument("file", type=click.File("rb"))
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON.",
)
def check(file: BinaryIO, *, as_json: bool) -> None:
    """Name the field for which the rules refuse a note: they themselves only say PERMISSION_DENIED.

    FILE holds the document that the app writes, as JSON; `-` reads standard input. Timestamps are RFC 3339 there. That
    `createdAt` is a timestamp in the app and not a string, and `updatedAt` the server's time, no file can show.
    """
    problem = problem_of(file.read())
    if as_json:
        echo_json({"valid": problem is None, "problem": problem})
    elif problem is None:
        echo("the rules accept this note")

    if problem is not None:
        fail(problem)


def problem_of(document: bytes) -> str | None:
    """Returns the field for which the rules refuse a document, and what is expected; None if they take it."""
    from functions.http.bodies import parse_fields, parse_object  # noqa: PLC0415 - for this command alone
    from functions.routes.notes import NoteBody, draft_of  # noqa: PLC0415

    try:
        fields = parse_object(document)
        for name in fields:
            if name not in DOCUMENT_FIELDS:
                raise InvalidArgument(name, f"no other fields than {', '.join(DOCUMENT_FIELDS)}")
        for name in ("createdAt", "updatedAt"):
            if fields.get(name) is None:
                raise InvalidArgument(name, "a timestamp; for updatedAt the server's time")
        text = fields.get("text")
        if isinstance(text, str) and not text.strip():
            fields["text"] = "-"  # an app's editor may begin with an empty note
        draft_of(parse_fields(fields, NoteBody))
    except (InvalidArgument, TooLarge) as error:
        return error.message

    return None


def _listed(client: ApiClient, vault: str | None) -> list[Json]:
    """Returns the notes of a vault, or of all, newest first."""
    rows = []
    for note in listed_notes(client):
        if vault is None or note["vault"] == vault:
            rows.append(note)

    return sorted(
        rows,
        key=itemgetter("createdAt", "path"),
        reverse=True,
    )


def _named(client: ApiClient, name: str, vault: str | None) -> Json:
    """Returns the note with that id or path, else with that vault and path as they are listed.

    Raises NotFound, and InvalidArgument if several vaults have a note there.
    """
    matches = []
    matches_in_vaults = []
    for note in _listed(client, vault):
        path = note["path"]
        if name in (note["noteId"], path):
            matches.append(note)
        elif path and name == f"{note['vault']}/{path}":
            matches_in_vaults.append(note)

    if not matches:
        matches = matches_in_vaults
    if not matches:
        raise NotFound(f"there is no note {name!r}: `aurora notes list` lists them all")
    if len(matches) > 1:
        vaults = sorted({note["vault"] for note in matches})
        listing = ", ".join(vaults)
        expected = f"one note, vaults {listing} have it: choose with --vault"
        raise InvalidArgument(f"note {name!r}", expected)

    note_id = matches[0]["noteId"]
    return client.send("GET", address("notes", note_id))

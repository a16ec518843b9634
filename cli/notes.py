"""`aurora notes`: the notes themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.text import Text

from cli.options import Place, anywhere, print_json
from cli.pages import address, listed_notes
from cli.showing import console, linked
from shared.errors import InvalidArgument, NotFound

if TYPE_CHECKING:
    from functions.client import ApiClient, Json


@click.group()
def notes() -> None:
    """List, show and delete notes; each is named by its id, or by its path."""


@notes.command("list")
@click.option("--vault", help="Only those of this vault.")
@anywhere
def list_all(place: Place, vault: str | None) -> None:
    """Every note, newest first."""
    with place.client() as client:
        found = _listed(client, vault)
    if place.as_json:
        print_json({"notes": found})
        return
    out, link = console(), linked(place)
    if not found:
        out.print("no notes")
    for each in found:  # a line each, as in the list of sessions
        name = link(f"{each['vault']}/{each['path'] or each['title']}", each)
        failed = f"  failed: {each['error']}" if each.get("error") else ""
        out.print(Text.assemble(f"{each['noteId']}  {each['createdAt'][:10]}  ", name, failed))


@notes.command()
@click.argument("note", metavar="ID")
@click.option("--vault", help="Of which the path is.")
@anywhere
def show(place: Place, note: str, vault: str | None) -> None:
    """A note's text, below what else it says, and above where it links to and what links to it."""
    with place.client() as client:
        found = _named(client, note, vault)
        pointing = client.send("GET", f"{address('notes', found['noteId'])}:links")
    if place.as_json:
        print_json({**found, **{name: pointing[name] for name in ("links", "backlinks")}})
        return
    out = console()
    tags = "".join(f" #{tag}" for tag in found["tags"])
    place_of = f"{found['vault']}/{found['path']}  " if found["path"] else ""
    out.print(Text(found["title"] or found["noteId"], "bold"))
    out.print(Text(f"{place_of}{found['createdAt'][:10]}{tags}", "dim"))
    click.echo(found["text"])
    _show_pointing(pointing, place)


def _show_pointing(pointing: Json, place: Place) -> None:
    out, link = console(), linked(place)
    to = [Text(each["title"] or f"{each['target']} (no note)") for each in pointing["links"]]
    at = [link(f"{each['vault']}/{each['path'] or each['title']}", each) for each in pointing["backlinks"]]
    for heading, names in (("links to", to), ("linked from", at)):
        if names:
            out.print(Text(heading, "bold"))
        for name in names:
            out.print(Text.assemble("  ", name))
    if not pointing["complete"]:
        out.print(Text("  and perhaps more than were looked at", "dim"))


@notes.command()
@click.argument("note", metavar="ID")
@click.option("--vault", help="Of which the path is.")
@anywhere
def delete(place: Place, note: str, vault: str | None) -> None:
    """Delete a note. It goes into the trash as a file; the file that it came from stays."""
    from cli.indexing import destination_of  # noqa: PLC0415 - whoever lists does not wait for the product
    from cli.writing_back import trash_text  # noqa: PLC0415
    from shared.markdown.note_file import whole_content  # noqa: PLC0415

    with place.client() as client:
        found = _named(client, note, vault)
    with destination_of(place) as destination:
        held = destination.read(found["noteId"])
        if held is None:
            raise NotFound(f"note {note!r} is not there any more")
        name = held.note.path or f"{held.note.note_id}.md"
        trash_text(destination.home, name, whole_content(held.note, name))
        destination.remove(held.note.note_id, held.revision)
    if place.as_json:
        print_json({"deleted": held.note.note_id})
    else:
        click.echo(f"deleted {held.note.title or name}; it is in the trash")


def _listed(client: ApiClient, vault: str | None) -> list[Json]:
    found = [note for note in listed_notes(client) if vault in (None, note["vault"])]
    return sorted(found, key=lambda note: (note["createdAt"], note["path"]), reverse=True)


def _named(client: ApiClient, name: str, vault: str | None) -> Json:
    """By id or path, or by vault and path as they are listed. Raises NotFound; InvalidArgument where several vaults
    have a note there.
    """
    listed = _listed(client, vault)
    at = [note for note in listed if name in (note["noteId"], note["path"])]
    at = at or [note for note in listed if note["path"] and name == f"{note['vault']}/{note['path']}"]
    if not at:
        raise NotFound(f"there is no note {name!r}: `aurora notes list` has them all")
    if len(at) > 1:
        raise InvalidArgument("--vault", f"one of {', '.join(sorted({note['vault'] for note in at}))}: several have it")
    return client.send("GET", address("notes", at[0]["noteId"]))

"""`aurora notes`: the notes themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.text import Text

from cli.options import Place, anywhere, print_json
from cli.pages import address, listed_notes, pages
from cli.showing import console, linked, show_list
from shared.errors import InvalidArgument, NotFound

if TYPE_CHECKING:
    from functions.client import ApiClient, Json


@click.group()
def notes() -> None:
    """List, show, delete and restore notes; each is named by its id, or by its path."""


@notes.command("list")
@click.option("--vault", help="Only those of this vault.")
@anywhere
def list_all(place: Place, vault: str | None) -> None:
    """Every note, newest first."""
    with place.client() as client:
        found = _listed(client, vault)
    link = linked(place)

    def line(each: Json) -> Text:
        name = link(f"{each['vault']}/{each['path'] or each['title']}", each)
        failed = f"  failed: {each['error']}" if each.get("error") else ""
        return Text.assemble(f"{each['noteId']}  {each['createdAt'][:10]}  ", name, failed)

    show_list(place, "notes", found, line, empty="no notes")


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
    link = linked(place)
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
    """Put a note into the trash for 30 days; the file that it came from stays."""
    with place.client() as client:
        found = _named(client, note, vault)
        client.send("DELETE", address("notes", found["noteId"]), query={"revision": found["revision"]})
        _index(client, place, found["noteId"])
    place.tell({"deleted": found["noteId"]}, f"deleted {found['title'] or found['path']}; it is in the trash")


def _index(client: ApiClient, place: Place, note_id: str) -> None:
    """Let the index follow, where the product runs in this process alone."""
    from functions.client import InProcessClient  # noqa: PLC0415 - whoever asks a server does not wait for the product

    if isinstance(client, InProcessClient):
        from cli.sync.destinations import LocalDestination  # noqa: PLC0415
        from shared.bootstrap import app  # noqa: PLC0415

        LocalDestination(app(), place.tenant_id).follow(note_id)


@notes.command()
@anywhere
def trash(place: Place) -> None:
    """Notes as they were before they were edited, replaced or deleted, for 30 days, the newest first."""
    with place.client() as client:
        found = [row for page in pages(client, "/trash") for row in page["trash"]]

    def line(each: Json) -> Text:
        name = f"{each['vault']}/{each['path'] or each['title']}"
        return Text(f"{each['trashId']}  {each['trashedAt'][:16].replace('T', ' ')}  {each['reason']}  {name}")

    show_list(place, "trash", found, line, empty="the trash is empty")


@notes.command()
@click.argument("trashed", metavar="ID")
@anywhere
def restore(place: Place, trashed: str) -> None:
    """Put a note of the trash back as it was; what is there now goes into the trash. ID: as `trash` lists it."""
    with place.client() as client:
        note = client.send("POST", f"{address('trash', trashed)}:restore", {})
        _index(client, place, note["noteId"])
    place.tell(note, f"restored {note['title'] or note['path']}")


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
        vaults = sorted({note["vault"] for note in at})
        raise InvalidArgument(f"note {name!r}", f"one note, vaults {', '.join(vaults)} have it: choose with --vault")
    return client.send("GET", address("notes", at[0]["noteId"]))

"""`aurora folders`: the folders whose notes are kept, when they have moved or are no more to be followed."""

from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from cli.commands.index import destination_of
from cli.options import Place, anywhere, can_be_asked, counted
from cli.showing import show_list
from cli.sync.destinations import Destination
from cli.sync.manifest import Manifest, Source
from functions.client import Json
from shared.api.values import instant
from shared.errors import InvalidArgument, NotFound

KEEP, REMOVE = "keep", "remove"


@click.group(invoke_without_command=True)
@anywhere
def folders(place: Place) -> None:
    """List, move and forget the folders whose notes are kept; without a word more, list them."""
    context = click.get_current_context()
    if context.invoked_subcommand is None:
        _list(place)
    else:
        tenant = None if place.server else place.tenant_id
        options = {"home": place.home, "tenant": tenant, "server": place.server, "token": place.token}
        context.obj = {**options, "as_json": place.as_json}


@folders.command("list")
@anywhere
def list_all(place: Place) -> None:
    """Every folder, its vault, how many notes it has, what was skipped and when it was last indexed."""
    _list(place)


def _list(place: Place) -> None:
    with destination_of(place) as destination:
        known = Manifest.of(destination.home).folders(destination.name)
    rows = [
        {
            "folder": str(each.source.root),
            "vault": each.source.vault,
            "notes": each.notes,
            "skipped": each.skipped,
            "indexedAt": None if each.indexed_at is None else instant(each.indexed_at),
            "complete": each.finished,
            "present": each.source.root.is_dir(),
            "writeBack": each.write_back,
        }
        for each in known
    ]
    show_list(place, "folders", rows, _line, empty="no folders: aurora index PATH brings one")


def _line(row: Json) -> Text:
    when = "never indexed to its end"
    if row["indexedAt"] is not None:
        when = f"indexed {row['indexedAt'][:16].replace('T', ' ')} UTC"
    skipped = f", {row['skipped']} skipped" if row["skipped"] else ""
    gone = "" if row["present"] else "  (not there: aurora folders move or forget)"
    return Text(f"{row['folder']}  vault {row['vault']}  {counted(row['notes'], 'note')}{skipped}  {when}{gone}")


@folders.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path, exists=True, file_okay=False))
@anywhere
def move(place: Place, old: Path, new: Path) -> None:
    """Say that the folder OLD is at NEW now; its notes stay what they are."""
    with destination_of(place) as destination:
        manifest = Manifest.of(destination.home)
        sources = _named(manifest, destination, old)
        root = new.resolve()
        if any(each.source.root == root for each in manifest.folders(destination.name)):
            raise InvalidArgument("NEW", f"a folder that is not indexed yet: {root} is; aurora folders forget it first")
        for source in sources:
            manifest.move(source, root)
    place.tell({"moved": str(sources[0].root), "to": str(root)}, f"{sources[0].root} is {root} now")


@folders.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--notes", type=click.Choice([KEEP, REMOVE]), help="Whether its notes stay or go.  [default: asks]")
@anywhere
def forget(place: Place, folder: Path, notes: str | None) -> None:
    """Follow a folder no more. Its files stay; its notes stay or go into the trash, as you say."""
    with destination_of(place) as destination:
        manifest = Manifest.of(destination.home)
        sources = _named(manifest, destination, folder)
        note_ids = [note_id for source in sources for note_id in manifest.files(source)]
        count = len(note_ids)
        going = (notes or _asked(sources[0].root, count)) == REMOVE
        removed = 0
        for note_id in note_ids if going else ():
            if held := destination.read(note_id):
                destination.remove(note_id, held.revision)
                removed += 1
        for source in sources:
            manifest.forget(source)
    notes_are = f"{counted(removed, 'note')} removed" if going else f"its notes stay: {count}"
    place.tell({"forgotten": str(sources[0].root), "removed": removed}, f"{sources[0].root} is forgotten; {notes_are}")


def _named(manifest: Manifest, destination: Destination, folder: Path) -> list[Source]:
    """The folder in each vault it went into. Raises NotFound."""
    root = folder.resolve()
    found = [each.source for each in manifest.folders(destination.name) if each.source.root == root]
    if not found:
        raise NotFound(f"{root} was never indexed; aurora folders lists those that were")
    return found


def _asked(root: Path, count: int) -> str:
    """Raises InvalidArgument where nobody can be asked."""
    if not count:
        return KEEP
    if not can_be_asked():
        raise InvalidArgument(str(root), f"--notes {KEEP} or --notes {REMOVE} for its {counted(count, 'note')}")
    return REMOVE if click.confirm(f"Remove its {counted(count, 'note')} too?", default=False) else KEEP

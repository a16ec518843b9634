"""`aurora conflicts`: files and notes that were both changed, settled one by one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from difflib import unified_diff

import click
from rich.text import Text

from cli.commands.index import destination_of
from cli.options import FAILED, Place, anywhere, can_be_asked, print_json
from cli.showing import console
from cli.sync.conflicts import Sides, open_conflicts, settle
from cli.sync.destinations import Destination
from cli.sync.merging import Side
from functions.client import Json
from shared.errors import NotFound

DECISIONS = {"f": Side.FILE, "n": Side.NOTE}
GOES = {Side.FILE: "the note", Side.NOTE: "the file"}


@click.command()
@click.argument("notes", metavar="[NOTE]...", nargs=-1)
@click.option("--take", type=click.Choice([side.value for side in Side]), help="What stays of each NOTE.")
@anywhere
def conflicts(place: Place, notes: tuple[str, ...], take: str | None) -> None:
    """List notes that were changed in their file and elsewhere; NOTE (id, path or vault/path): show what differs.

    With --take that side stays and the other goes into the trash. On a terminal you are asked for each. Exit code 1:
    some wait for a decision.
    """
    if take and not notes:
        raise click.UsageError("--take decides for notes that are named; `aurora index --take` for a whole folder")
    with destination_of(place) as destination:
        chosen = _chosen(list(open_conflicts(destination)), notes)
        shown = [_row(each, _decided(destination, place, each, take, differs=bool(notes))) for each in chosen]
    if place.as_json:
        print_json({"conflicts": shown})
    elif not shown:
        click.echo("no conflicts")
    if any(row["decided"] is None for row in shown):
        sys.exit(FAILED)


def _chosen(found: Sequence[Sides], names: Sequence[str]) -> list[Sides]:
    """Raises NotFound for a name that none has."""
    chosen = [each for each in found if not names or not {each.note_id, *_names(each)}.isdisjoint(names)]
    known = {name for each in chosen for name in (each.note_id, *_names(each))}
    if missing := [name for name in names if name not in known]:
        raise NotFound(f"{missing[0]} is in no conflict: `aurora conflicts` lists those that are")
    return chosen


def _names(each: Sides) -> tuple[str, str]:
    return each.last.path, f"{each.folder.source.vault}/{each.last.path}"


def _decided(
    destination: Destination, place: Place, each: Sides, take: str | None, *, differs: bool
) -> tuple[Side | None, str]:
    """What stays (None: both do), and in words what was done."""
    asks = take is None and not place.as_json and can_be_asked()
    if not place.as_json:
        console().print(Text.assemble((each.note_id, "dim"), f"  {_names(each)[1]}: {each.reason}"))
        if asks or (differs and take is None):
            texts = (each.file.draft.text if each.file else "", each.note.text if each.note else "")
            file, note = (text.splitlines() for text in texts)
            click.echo("\n".join(unified_diff(file, note, "file", "note", lineterm="", n=1)))
    answer = click.prompt("what stays: [f]ile, [n]ote, [s]kip", default="s", show_default=False) if asks else ""
    side = Side(take) if take else DECISIONS.get(answer[:1].lower())
    if side is None:
        return None, each.reason
    taken = settle(destination, each.folder, each.note_id, each.last, side)
    problem = taken.failed or taken.conflict
    outcome = problem or f"the {side.value} stays, {GOES[side]} went into the trash"
    if not place.as_json:
        click.echo(f"  {outcome}")
    return None if problem else side, outcome


def _row(each: Sides, decided: tuple[Side | None, str]) -> Json:
    side, reason = decided
    return {
        "noteId": each.note_id,
        "vault": each.folder.source.vault,
        "path": each.last.path,
        "folder": str(each.folder.source.root),
        "reason": reason,
        "decided": side and side.value,
    }

"""`aurora conflicts`: files and notes that were both changed, settled one by one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from difflib import unified_diff

import click
from rich.text import Text

from cli.commands.index import destination_of
from cli.options import FAILED, CommandContext, anywhere, can_be_asked
from cli.showing import console
from cli.terminal import echo, echo_json, prompt
from desktop.folders.conflicts import FileAndNote, open_conflicts, settle
from desktop.folders.destinations import Destination
from desktop.folders.merging import Side
from functions.client import Json
from shared.errors import NotFound

DECISIONS = {"f": Side.FILE, "n": Side.NOTE}
"""First letter of an answer -> side that stays."""
TRASHED = {Side.FILE: "the note", Side.NOTE: "the file"}
"""Side that stays -> name of the one that goes into the trash."""


@click.command()
@click.argument("notes", metavar="[NOTE]...", nargs=-1)
@click.option(
    "--take",
    type=click.Choice([side.value for side in Side]),
    help="Which version of each NOTE to keep.",
)
@anywhere
def conflicts(context: CommandContext, notes: tuple[str, ...], take: str | None) -> None:
    """List notes that were changed in their file and elsewhere; NOTE (id, path or vault/path): show
    what differs.

    With --take that side stays and the other goes into the trash. On a terminal you are asked for
    each. Exit code 1: some wait for a decision.
    """
    if take and not notes:
        raise click.UsageError(
            "--take decides for notes that are named; `aurora index --take` for a whole folder",
        )

    rows = []
    is_complete = True
    with destination_of(context) as destination:
        open_ones = list(open_conflicts(destination))
        for sides in _chosen(open_ones, notes):
            side, reason = _decided(
                destination,
                context,
                sides,
                take,
                differs=bool(notes),
            )
            rows.append(_row(sides, side, reason))
            is_complete = is_complete and side is not None

    if context.as_json:
        echo_json({"conflicts": rows})
    elif not rows:
        echo("no conflicts")

    if not is_complete:
        sys.exit(FAILED)


def _chosen(conflicts: Sequence[FileAndNote], names: Sequence[str]) -> list[FileAndNote]:
    """Returns the conflicts that have these names; all if there are no names.

    Raises NotFound for a name that none has.
    """
    if not names:
        return list(conflicts)
    chosen = []
    chosen_names: set[str] = set()
    for sides in conflicts:
        names_of_note = {sides.note_id, sides.last.path, _full_path(sides)}
        if not names_of_note.isdisjoint(names):
            chosen.append(sides)
            chosen_names |= names_of_note

    for name in names:
        if name not in chosen_names:
            raise NotFound(f"{name} is in no conflict: `aurora conflicts` lists those that are")

    return chosen


def _full_path(sides: FileAndNote) -> str:
    """Returns `vault/path` of a note."""
    return f"{sides.folder.source.vault}/{sides.last.path}"


def _decided(
    destination: Destination,
    context: CommandContext,
    sides: FileAndNote,
    take: str | None,
    *,
    differs: bool,
) -> tuple[Side | None, str]:
    """Settles a conflict. Returns the side that stays (None if both do) and what was done in words.

    differs: print what differs.
    """
    for_people = not context.as_json
    asks = take is None and for_people and can_be_asked()
    if for_people:
        line = f"  {_full_path(sides)}: {sides.reason}"
        console().print(Text.assemble((sides.note_id, "dim"), line))
        if take is None and (asks or differs):
            echo(_difference(sides))

    side = None
    if take:
        side = Side(take)
    elif asks:
        answer = prompt("what stays: [f]ile, [n]ote, [s]kip", default="s")
        side = DECISIONS.get(answer[:1].lower())

    if side is None:
        return None, sides.reason

    result = settle(
        destination,
        sides.folder,
        sides.note_id,
        sides.last,
        side,
    )
    outcome = f"the {side.value} stays, {TRASHED[side]} went into the trash"
    problem = result.failed or result.conflict
    if problem:
        side = None
        outcome = problem

    if for_people:
        echo(f"  {outcome}")
    return side, outcome


def _difference(sides: FileAndNote) -> str:
    """Returns the lines in which the note differs from the file."""
    file_text = ""
    if sides.file:
        file_text = sides.file.draft.text
    note_text = ""
    if sides.note:
        note_text = sides.note.text
    lines = unified_diff(
        file_text.splitlines(),
        note_text.splitlines(),
        "file",
        "note",
        lineterm="",
        n=1,
    )
    return "\n".join(lines)


def _row(sides: FileAndNote, side: Side | None, reason: str) -> Json:
    """Returns the JSON of a conflict. side: the one that stays; None if both do."""
    return {
        "noteId": sides.note_id,
        "vault": sides.folder.source.vault,
        "path": sides.last.path,
        "folder": str(sides.folder.source.root),
        "reason": reason,
        "decided": side and side.value,
    }

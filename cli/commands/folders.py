"""`aurora folders`: the folders whose notes are kept."""

from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from cli.commands.index import destination_of
from cli.options import FOLDER, CommandContext, anywhere, can_be_asked, counted
from cli.showing import show_list, time_in_words
from cli.suggestions import SuggestingGroup
from cli.terminal import confirm
from desktop.folders.destinations import Destination, stop_following
from desktop.folders.importing import open_questions
from desktop.folders.manifest import FolderSource, FollowedFolder, Manifest
from functions.client import Json
from shared.api.values import instant
from shared.errors import InvalidArgument, NotFound

KEEP = "keep"
REMOVE = "remove"


@click.group(cls=SuggestingGroup, invoke_without_command=True)
@anywhere
def folders(context: CommandContext) -> None:
    """List, move and forget the folders whose notes are kept; without a word more, list them."""
    click_context = click.get_current_context()
    if click_context.invoked_subcommand is None:
        _list(context)
        return

    click_context.obj = {
        "home": context.home,
        "tenant": None if context.server else context.tenant_id,
        "server": context.server,
        "token": context.token,
        "as_json": context.as_json,
    }


@folders.command("list")
@anywhere
def list_all(context: CommandContext) -> None:
    """Every folder, its vault, how many notes it has, what was skipped and when it was last
    indexed.
    """
    _list(context)


def _list(context: CommandContext) -> None:
    """Prints every folder."""
    rows = []
    with destination_of(context) as destination:
        manifest = Manifest.of(destination.home)
        for folder in manifest.folders(destination.name):
            questions = open_questions(manifest, folder.source)
            files_gone = sum(question.files for question in questions)
            rows.append(_row(folder, files_gone))

    show_list(context, "folders", rows, _line, empty="no folders: aurora index PATH brings one")


def _row(folder: FollowedFolder, files_gone: int) -> Json:
    """Returns the JSON of a folder."""
    return {
        "folder": str(folder.source.root),
        "vault": folder.source.vault,
        "notes": folder.notes,
        "skipped": folder.skipped,
        "indexedAt": None if folder.indexed_at is None else instant(folder.indexed_at),
        "complete": folder.finished,
        "present": folder.source.root.is_dir(),
        "writeBack": folder.write_back,
        "filesGone": files_gone,
    }


def _line(row: Json) -> Text:
    """Returns the line of a folder in the list."""
    notes = counted(row["notes"], "note")
    if row["skipped"]:
        notes += f", {row['skipped']} skipped"
    indexed = "never indexed completely"
    indexed_at = row["indexedAt"]
    if indexed_at is not None:
        indexed = f"indexed {time_in_words(indexed_at)} UTC"
    cells = [
        row["folder"],
        f"vault {row['vault']}",
        notes,
        indexed,
    ]
    files_gone = row["filesGone"]
    if not row["present"]:
        cells.append("(not there: aurora folders move or forget)")
    elif files_gone:
        files = counted(files_gone, "file")
        cells.append(f"({files} gone: aurora index --gone remove or keep)")

    return Text("  ".join(cells))


@folders.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=FOLDER)
@anywhere
def move(context: CommandContext, old: Path, new: Path) -> None:
    """Say that the folder OLD is at NEW now; its notes stay what they are."""
    with destination_of(context) as destination:
        manifest = Manifest.of(destination.home)
        sources = _named(manifest, destination, old)
        root = new.resolve()
        roots = {folder.source.root for folder in manifest.folders(destination.name)}
        if root in roots:
            raise InvalidArgument(
                "NEW",
                f"a folder that is not indexed yet; {root} is: aurora folders forget it first",
            )
        for source in sources:
            manifest.move(source, root)

    previous_root = sources[0].root
    moved = {
        "moved": str(previous_root),
        "to": str(root),
    }
    context.tell(moved, f"{previous_root} is {root} now")


@folders.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--notes",
    type=click.Choice([KEEP, REMOVE]),
    help="Keep or delete its notes.  [default: asks]",
)
@anywhere
def forget(context: CommandContext, folder: Path, notes: str | None) -> None:
    """Follow a folder no more. Its files stay; its notes stay or go into the trash, as you say."""
    with destination_of(context) as destination:
        manifest = Manifest.of(destination.home)
        sources = _named(manifest, destination, folder)
        root = sources[0].root
        count = 0
        for source in sources:
            count += len(manifest.files(source))
        decision = notes or _ask_decision(root, count)
        removes_notes = decision == REMOVE
        removed = stop_following(
            destination,
            sources,
            remove_notes=removes_notes,
        )

    outcome = f"its notes stay: {count}"
    if removes_notes:
        outcome = f"{counted(removed, 'note')} removed"
    forgotten = {
        "forgotten": str(root),
        "removed": removed,
    }
    context.tell(forgotten, f"{root} is forgotten; {outcome}")


def _named(manifest: Manifest, destination: Destination, folder: Path) -> list[FolderSource]:
    """Returns the folder in each vault that it went into. Raises NotFound."""
    root = folder.resolve()
    manifest.follow_links(destination.name)
    sources = []
    for followed in manifest.folders(destination.name):
        if followed.source.root == root:
            sources.append(followed.source)

    if not sources:
        raise NotFound(f"{root} was never indexed; aurora folders lists those that were")
    return sources


def _ask_decision(root: Path, count: int) -> str:
    """Asks whether the notes of a folder stay. Raises InvalidArgument if nobody can be asked."""
    if not count:
        return KEEP
    notes = counted(count, "note")
    if not can_be_asked():
        raise InvalidArgument(str(root), f"--notes {KEEP} or --notes {REMOVE} for its {notes}")
    if confirm(f"Remove its {notes} too?"):
        return REMOVE
    return KEEP

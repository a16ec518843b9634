"""A file and its note side by side: which of them wait for a decision, and what one does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cli.sync.comparison import Comparison, compare, conflict_reason
from cli.sync.destinations import Destination
from cli.sync.folder import FileNote, Skipped, ignore_rules, read
from cli.sync.manifest import Known, Manifest, Read
from cli.sync.merging import Choice, Side, merge_of
from cli.sync.report import Taken
from shared.model.notes import Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """A file and its note as they are now. None: it is gone."""

    folder: Known
    note_id: str
    last: Read
    file: FileNote | None
    note: Note | None
    state: Comparison
    unread: str = ""
    """Why the file, which is there, cannot be read."""

    @property
    def reason(self) -> str:
        """Why they wait, where both have changed."""
        if self.unread:
            return f"the file cannot be read ({self.unread}): mend it, then decide"
        return conflict_reason(self.last.path, self.file, self.note)


def sides_of(destination: Destination, folder: Known, note_id: str, last: Read, *, replaced: str) -> Sides:
    """`replaced`: as of `compare`."""
    held, place = destination.read(note_id), folder.source.root / last.path
    found = read(folder.source.root, place, folder.source.vault) if place.exists() else None
    file, note = found if isinstance(found, FileNote) else None, held.note if held else None
    state = compare(last, file, note, replaced)
    unread = found.reason if isinstance(found, Skipped) else ""
    return Sides(folder=folder, note_id=note_id, last=last, file=file, note=note, state=state, unread=unread)


def open_conflicts(destination: Destination) -> Iterator[Sides]:
    """Conflicts in every folder that is there, as it is now; nothing is changed. An ignored file is in none."""
    manifest, listed, replaced = Manifest.of(destination.home), destination.listed(), destination.replaced()
    for folder in manifest.folders(destination.name):
        if not folder.source.root.is_dir():
            continue
        rules = ignore_rules(folder.source.root)
        for note_id, last in manifest.files(folder.source).items():
            unchanged = last.seen is not None and note_id in listed and listed[note_id].seen == last.seen
            if unchanged or rules.match_file(last.path):
                continue
            sides = sides_of(destination, folder, note_id, last, replaced=replaced.get(note_id, ""))
            if sides.state is Comparison.CONFLICT:
                yield sides


def settle(destination: Destination, folder: Known, note_id: str, last: Read, side: Side) -> Taken:
    """That side stays; the other goes into the trash, and the index follows. A file that cannot be read stays as it is,
    as its note does: `failed` says why.
    """
    place = folder.source.root / last.path
    merge = merge_of(destination, folder.source, Choice(take=side), {note_id: last})
    taken = merge.join(note_id, place if place.exists() else None)
    if isinstance(taken.file, Skipped):
        return replace(taken, failed=f"the file cannot be read ({taken.file.reason}): mend it, then decide")
    if taken.is_behind:
        destination.follow(note_id)
    return taken

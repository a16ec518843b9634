"""Files and notes that were both changed: which wait for a decision, and what one does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cli.sync.comparison import Comparison, compare
from cli.sync.destinations import Destination
from cli.sync.folder import FileNote, read
from cli.sync.manifest import Known, Manifest, Read
from cli.sync.merging import Choice, Side, conflict_reason, merge_of
from cli.sync.report import Taken
from shared.model.notes import Note


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenConflict:
    """A file and its note, of which neither follows from the other. None: it is gone."""

    folder: Known
    note_id: str
    last: Read
    file: FileNote | None
    note: Note | None

    @property
    def reason(self) -> str:
        return conflict_reason(self.last.path, self.file, self.note)


def open_conflicts(destination: Destination) -> Iterator[OpenConflict]:
    """Of every folder that is there, as it is now; nothing is changed."""
    manifest, listed, replaced = Manifest.of(destination.home), destination.listed(), destination.replaced()
    for folder in manifest.folders(destination.name):
        root = folder.source.root
        for note_id, last in manifest.files(folder.source).items() if root.is_dir() else ():
            if last.seen is not None and note_id in listed and listed[note_id].seen == last.seen:
                continue  # nobody has changed the note
            held, place = destination.read(note_id), root / last.path
            found = read(root, place, folder.source.vault) if place.exists() else None
            file, note = found if isinstance(found, FileNote) else None, held.note if held else None
            if compare(last, file, note, replaced.get(note_id, "")) is Comparison.CONFLICT:
                yield OpenConflict(folder=folder, note_id=note_id, last=last, file=file, note=note)


def settle(destination: Destination, conflict: OpenConflict, side: Side) -> Taken:
    """That side stays; the other goes into the trash, and the index follows."""
    source = conflict.folder.source
    merge = merge_of(destination, source, Choice(take=side), {conflict.note_id: conflict.last})
    place: Path = source.root / conflict.last.path
    taken = merge.join(conflict.note_id, place if place.exists() else None)
    if taken.is_behind and taken.note_id:
        destination.follow(taken.note_id)
    return taken

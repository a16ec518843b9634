"""A file and its note side by side: which of them wait for a decision, and what a decision does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from desktop.files.reading import FileNote, Skipped, ignore_rules, read
from desktop.folders.comparison import Comparison, compare, conflict_reason
from desktop.folders.destinations import Destination
from desktop.folders.manifest import FollowedFolder, Manifest, SyncedState
from desktop.folders.merging import ImportChoice, Side, merge_of
from desktop.folders.report import FileOutcome
from shared.model.notes import Note


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAndNote:
    """A file and its note as they are now; None for one that is gone."""

    folder: FollowedFolder
    note_id: str
    last: SyncedState
    file: FileNote | None
    note: Note | None
    state: Comparison
    unread: str = ""
    """Reason why the file, which is there, cannot be read; empty if it can."""

    @property
    def reason(self) -> str:
        """Says why they wait, where both have changed."""
        if self.unread:
            return f"the file cannot be read ({self.unread}): mend it, then decide"
        return conflict_reason(self.last.path, self.file, self.note)


def file_and_note(
    destination: Destination,
    folder: FollowedFolder,
    note_id: str,
    last: SyncedState,
    *,
    replaced: str,
) -> FileAndNote:
    """Reads a file and its note, and compares them.

    replaced: as for `compare`.
    """
    current = destination.read(note_id)
    note = current.note if current else None
    file = None
    unread = ""
    place = folder.source.root / last.path
    if place.exists():
        content = read(folder.source.root, place, folder.source.vault)
        if isinstance(content, FileNote):
            file = content
        elif isinstance(content, Skipped):
            unread = content.reason

    return FileAndNote(
        folder=folder,
        note_id=note_id,
        last=last,
        file=file,
        note=note,
        state=compare(last, file, note, replaced),
        unread=unread,
    )


def open_conflicts(destination: Destination) -> Iterator[FileAndNote]:
    """Yields the conflicts in every folder that is there, without changing anything. A file that is
    ignored is in none.
    """
    manifest = Manifest.of(destination.home)
    listed = destination.listed()
    replaced = destination.replaced()
    for folder in manifest.folders(destination.name):
        if not folder.source.root.is_dir():
            continue
        rules = ignore_rules(folder.source.root)
        for note_id, last in manifest.files(folder.source).items():
            version = listed.get(note_id)
            if version is not None and version.updated == last.note_updated:
                continue  # the note has not changed
            if rules.match_file(last.path):
                continue
            pair = file_and_note(
                destination,
                folder,
                note_id,
                last,
                replaced=replaced.get(note_id, ""),
            )
            if pair.state is Comparison.CONFLICT:
                yield pair


def settle(
    destination: Destination,
    folder: FollowedFolder,
    note_id: str,
    last: SyncedState,
    side: Side,
) -> FileOutcome:
    """Keeps one side and puts the other into the trash; the index follows.

    A file that cannot be read stays as it is, and so does its note: `failed` says why.
    """
    merge = merge_of(
        destination,
        folder.source,
        ImportChoice(take=side),
        {note_id: last},
    )
    place = folder.source.root / last.path
    outcome = merge.join(note_id, place if place.exists() else None)
    if isinstance(outcome.file, Skipped):
        problem = f"the file cannot be read ({outcome.file.reason}): mend it, then decide"
        return replace(outcome, failed=problem)

    if outcome.is_behind:
        destination.follow(note_id)
    return outcome

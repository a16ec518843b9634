"""Merges one file and its note: a change of either goes to the other, and changes of both wait for a decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from desktop.files.conversion import converter_for
from desktop.files.reading import (
    FileNote,
    Skipped,
    Unchanged,
    digest_of_bytes,
    ignore_rules,
    read,
    relative,
)
from desktop.files.writing import (
    content_of,
    create_file,
    move_file,
    remove_file,
    replace_file,
    unsaid,
    why_unwritable,
)
from desktop.folders.comparison import (
    Comparison,
    agree,
    compare,
    conflict_reason,
    content_digest,
    note_digest,
)
from desktop.folders.destinations import CurrentNote, Destination, NoteVersion, updated_text
from desktop.folders.gone import GoneAnswer
from desktop.folders.manifest import FolderSource, ImportSnapshot, Manifest, SyncedState
from desktop.folders.report import FileOutcome
from shared.errors import AuroraError, Conflict, Erased, NotFound
from shared.model.notes import Note
from shared.notes.service import NoteDraft

ATTEMPTS = 3
"""Number of times that a file and its note are read while somebody changes them."""
FOREIGN = (
    "another folder has put a note at this path of the vault: index this one with --vault NAME"
)


class Side(StrEnum):
    """Side that stays of a file and its note that were both changed."""

    FILE = "file"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class ImportChoice:
    """Decisions that a person has made beforehand."""

    write_back: bool = False
    """True if a note that was changed elsewhere goes into its file."""
    take: Side | None = None
    """Side that stays where both were changed; the other goes into the trash. With None, both stay."""
    gone: GoneAnswer | None = None
    """Answer for notes whose files are gone all at once; with None, the notes wait until a person answers."""


UNDECIDED = ImportChoice()


@dataclass(frozen=True, slots=True)
class _Pair:
    """A file and its note as they are now; None for one that does not exist."""

    path: str
    """Path of the file, below its folder."""
    file: FileNote | None
    current: CurrentNote | None

    @property
    def note(self) -> Note | None:
        return self.current.note if self.current else None

    @property
    def revision(self) -> str:
        """Revision of the note; empty if there is none."""
        return self.current.revision if self.current else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """State that all files of one import share. Used by several threads at once."""

    destination: Destination
    source: FolderSource
    root: Path
    """The folder as it was named."""
    choice: ImportChoice
    manifest: Manifest
    snapshot: ImportSnapshot
    listed: Mapping[str, NoteVersion]
    """Every note by its id."""
    replaced: Mapping[str, str] = field(default_factory=dict)
    """When another file was imported in a note's place, by note id; only where files are written."""
    added: Mapping[str, datetime] = field(default_factory=dict)
    """When git first knew each file, by path, of a folder with files that are new here."""

    def is_settled(self, note_id: str) -> bool:
        """Reports whether there is nothing new of the note."""
        return note_id in self.snapshot.foreign or self._is_untouched(note_id)

    def _is_untouched(self, note_id: str) -> bool:
        """Reports whether the note is as it was, and its file needs no other place."""
        last = self.snapshot.synced.get(note_id)
        version = self.listed.get(note_id)
        if last is None or version is None or version.updated != last.note_updated:
            return False
        if not self.choice.write_back:
            return True
        return self._new_path(last.path, version.vault, version.path) is None

    def _new_path(self, path: str, vault: str, note_path: str) -> str | None:
        """Returns where the file at `path` is to lie now that its note is at `note_path`; None if it
        stays where it is.
        """
        if not note_path or note_path == path or vault != self.source.vault:
            return None
        if why_unwritable(self.root, note_path) or (self.root / note_path).exists():
            return None
        return note_path

    def join(self, note_id: str, file: Path | None) -> FileOutcome:
        """Merges a file with its note. A failure is reported, so that other files go on.

        file: None if it is not there any more.
        """
        last = self.snapshot.synced.get(note_id)
        path = last.path if last else ""
        if file is not None:
            path = relative(self.root, file)
        if note_id in self.snapshot.foreign:
            return FileOutcome(path, Skipped(path, FOREIGN, missed=True))
        for _ in range(ATTEMPTS):
            content = None if file is None else self._read(note_id, path, file)
            if isinstance(content, Skipped):
                self._drop_unless_imported(note_id)
                return FileOutcome(path, content)
            try:
                return self._join(note_id, path, content)
            except Conflict as error:  # somebody has changed one of them in this moment
                problem = error.message
            except Erased:  # nothing of the import is to be saved any more
                raise
            except AuroraError as error:
                return FileOutcome(path, content, note_id, failed=error.message)
            except OSError as error:
                reason = f"{error.strerror}: {error.filename}"
                return FileOutcome(path, content, note_id, failed=reason)

        if not problem.startswith("path: "):
            problem = "it is being changed right now: index again"
        return FileOutcome(path, content, note_id, conflict=problem)

    def create(self, note_id: str, path: str) -> FileOutcome:
        """Creates the file of a note that came from none. Raises Conflict if there is a file at this path."""
        pair = _Pair(path, None, self.destination.read(note_id))
        return self._update_file(note_id, pair)

    def _read(self, note_id: str, path: str, file: Path) -> FileNote | Skipped | Unchanged:
        last = self.snapshot.synced.get(note_id)
        known_digest = None
        if last and self._is_untouched(note_id):
            known_digest = last.file_digest
        content = read(
            self.root,
            file,
            self.source.vault,
            known_digest,
        )
        if not isinstance(content, FileNote):
            return content
        if content.dated == "file" and path in self.added:
            content = replace(content, modified=self.added[path], dated="git")
        return replace(content, note_id=note_id)

    def _drop_unless_imported(self, note_id: str) -> None:
        """Forgets a file that is no note, and never was."""
        last = self.snapshot.synced.get(note_id)
        was_imported = last is not None and last.note_digest is not None
        if note_id not in self.listed and not was_imported:
            self.manifest.drop(self.source, note_id)

    def _join(self, note_id: str, path: str, file: FileNote | Unchanged | None) -> FileOutcome:
        """Merges a file that was read with its note. Raises Conflict, other AuroraErrors and OSError."""
        last = self.snapshot.synced.get(note_id)
        if isinstance(file, Unchanged):
            return self._index(note_id, path, file)
        was_read = file and last and _was_read(last, file)
        if was_read and self._is_untouched(note_id):
            return self._index(note_id, path, file)

        pair = _Pair(path, file, self.destination.read(note_id))
        pair = self._move_file(note_id, pair)
        comparison = self._compare(note_id, pair, last)
        if comparison is Comparison.CONFLICT:
            # Another import may have read it since this one began.
            last_now = self.manifest.read(self.source, note_id)
            comparison = self._compare(note_id, pair, last_now)

        if comparison is Comparison.CONFLICT:
            return self._decide(note_id, pair)
        if comparison is Comparison.FILE_CHANGED:
            return self._update_note(note_id, pair)
        if comparison is Comparison.NOTE_CHANGED:
            return self._take_note_change(note_id, pair)
        return self._record_settled(note_id, pair, last)

    def _compare(self, note_id: str, pair: _Pair, last: SyncedState | None) -> Comparison:
        """Compares file and note with what they were when they last agreed."""
        return compare(
            last,
            pair.file,
            pair.note,
            self.replaced.get(note_id, ""),
        )

    def _move_file(self, note_id: str, pair: _Pair) -> _Pair:
        """Moves the file to the path that the note has now, where files are written, and returns the
        pair as it is then.
        """
        if not self.choice.write_back or pair.file is None or pair.note is None:
            return pair
        new_path = self._new_path(pair.path, pair.note.vault, pair.note.path)
        if new_path is None:
            return pair
        new_place = self.root / new_path
        move_file(
            self.root / pair.path,
            new_place,
            was=pair.file.digest,
        )
        content = read(self.root, new_place, self.source.vault)
        if not isinstance(content, FileNote):
            raise Conflict("the file was changed meanwhile")
        last = self.snapshot.synced.get(note_id)
        if last is not None:
            moved = replace(last, path=new_path, note_updated=None)
            self.manifest.record(self.source, note_id, moved)

        return _Pair(
            new_path,
            replace(content, note_id=note_id),
            pair.current,
        )

    def _record_settled(self, note_id: str, pair: _Pair, last: SyncedState | None) -> FileOutcome:
        """Records file and note, which need no change."""
        file = pair.file
        if file is None or pair.note is None:
            self.manifest.drop(self.source, note_id)
            return FileOutcome(pair.path, None)

        state = _state_of(pair.path, file, pair.note)
        if state != last and agree(file, pair.note):
            self.manifest.record(self.source, note_id, state)
        return self._index(note_id, pair.path, file)

    def _index(self, note_id: str, path: str, file: FileNote | Unchanged | None) -> FileOutcome:
        """Begins to index the note."""
        progress = self.destination.index(note_id)
        return FileOutcome(
            path=path,
            file=file,
            note_id=note_id,
            index=progress,
        )

    def _update_note(self, note_id: str, pair: _Pair) -> FileOutcome:
        """Makes the note what the file says, which may be gone."""
        file = pair.file
        if file is None:
            removed = False
            with suppress(NotFound):  # somebody else has deleted it
                self.destination.remove(note_id, pair.revision)
                removed = True
            self.manifest.drop(self.source, note_id)
            ignored = self._is_ignored(pair)
            return FileOutcome(pair.path, None, removed=removed, ignored=ignored)

        self.manifest.intend(
            self.source,
            note_id,
            content_digest(file.draft),
        )
        to_save = file
        if pair.note is not None:
            # A note that was moved elsewhere stays where it is.
            draft = replace(file.draft, path=pair.note.path, vault=pair.note.vault)
            to_save = replace(file, draft=draft)

        note = self.destination.save(to_save, pair.revision)
        self.manifest.record(
            self.source,
            note_id,
            _state_of(pair.path, file, note),
        )
        outcome = self._index(note_id, pair.path, file)
        return replace(outcome, saved=True, created=pair.note is None)

    def _is_ignored(self, pair: _Pair) -> bool:
        """Reports whether the file is there, and a rule of the folder says that it is no note."""
        if pair.file is not None or not (self.root / pair.path).exists():
            return False
        return ignore_rules(self.root).match_file(pair.path)

    def _take_note_change(self, note_id: str, pair: _Pair) -> FileOutcome:
        """Writes the note's change into the file, if files are written, or says why it is not."""
        is_converted = converter_for(pair.path) is not None
        if pair.note is None:
            if self.choice.write_back:
                return self._update_file(note_id, pair)
            reason = "deleted elsewhere, and stays so; --write-back removes the file"
            return FileOutcome(pair.path, pair.file, None, kept=reason)

        if self.choice.write_back and pair.file is None:
            return self._create_file(note_id, pair, pair.note)
        if self.choice.write_back and not is_converted:
            return self._update_file(note_id, pair)
        # The note of a file that was converted is only its text.
        remark = "--write-back writes the file"
        if is_converted:
            remark = "no text can be written into such a file"
        outcome = self._index(note_id, pair.path, pair.file)
        return replace(outcome, kept=f"changed elsewhere, and stays so; {remark}")

    def _create_file(self, note_id: str, pair: _Pair, note: Note) -> FileOutcome:
        """Creates the file of a note that was saved by a process that died before it wrote the file.
        The note may have been moved since. Raises Conflict and OSError.
        """
        path = self._new_path("", note.vault, note.path)
        if path is None:
            self.manifest.drop(self.source, note_id)
            return FileOutcome(pair.path, None)
        return self._update_file(note_id, replace(pair, path=path))

    def _update_file(self, note_id: str, pair: _Pair) -> FileOutcome:
        """Makes the file what the note says, which may be gone. Raises Conflict and OSError."""
        if pair.note is None:
            return self._discard_file(note_id, pair)
        file = self.root / pair.path
        old_bytes = b"" if pair.file is None else file.read_bytes()
        content = content_of(old_bytes, pair.note, pair.path)
        new_digest = digest_of_bytes(content)
        changed = pair.file is None or new_digest != pair.file.digest
        if pair.file is None:
            create_file(file, content)
        elif changed:
            replace_file(file, content, was=pair.file.digest)

        written = read(self.root, file, self.source.vault)
        if not isinstance(written, FileNote) or written.digest != new_digest:
            raise Conflict("somebody else has written the file")

        state = _state_of(pair.path, written, pair.note)
        reason = None
        missing_fields = unsaid(
            content,
            pair.note,
            pair.path,
            old_bytes,
        )
        if missing_fields:
            # The note counts as changed, so that no change of the file takes away what it says more.
            state = SyncedState(
                path=pair.path,
                file_digest=written.digest,
                note_digest=content_digest(written.draft),
            )
            reason = _why_fields_stay(missing_fields, written)

        self.manifest.record(self.source, note_id, state)
        outcome = self._index(note_id, pair.path, written)
        return replace(outcome, written=changed, conflict=reason)

    def _discard_file(self, note_id: str, pair: _Pair) -> FileOutcome:
        """Puts the file of a deleted note into the trash. A file that was converted stays."""
        file = pair.file
        if file is not None and converter_for(pair.path):
            reason = "deleted elsewhere, and stays so; its file stays too"
            return FileOutcome(pair.path, file, None, kept=reason)

        if file is not None:
            self.destination.discard(note_id, file.dated_draft)
            remove_file(self.root / pair.path, was=file.digest)

        self.manifest.drop(self.source, note_id)
        current = self.destination.read(note_id)
        if current is not None:  # somebody has restored it in this moment
            return self._update_file(note_id, _Pair(pair.path, None, current))
        return FileOutcome(pair.path, None, written=file is not None)

    def _decide(self, note_id: str, pair: _Pair) -> FileOutcome:
        """Does what a person has decided beforehand where both have changed; what does not stay goes
        into the trash. A note whose file is ignored from now on is no file's any more.
        """
        side = self.choice.take
        if side is not Side.FILE and self._is_ignored(pair):
            self.manifest.drop(self.source, note_id)
            reason = "changed elsewhere, and stays; its file is ignored"
            return FileOutcome(pair.path, None, ignored=True, kept=reason)

        can_write = pair.note is None or not converter_for(pair.path)
        if side is Side.FILE:
            if pair.note is not None and pair.file is not None:
                self.destination.discard(note_id, NoteDraft.of(pair.note))
            return self._update_note(note_id, pair)

        if side is Side.NOTE and can_write:
            if pair.file is not None and pair.note is not None:
                self.destination.discard(note_id, pair.file.dated_draft)
            return self._update_file(note_id, pair)

        reason = conflict_reason(pair.path, pair.file, pair.note)
        return FileOutcome(
            pair.path,
            pair.file,
            note_id if pair.note else None,
            conflict=reason,
        )


def _why_fields_stay(missing_fields: Sequence[str], file: FileNote) -> str:
    """Returns the reason why some fields of a note are not written into its file."""
    fields = " and ".join(missing_fields)
    problem = ""
    if file.problem:
        problem = f" ({file.problem})"
    return (
        f"its {fields} cannot be written into the file{problem}, and stay in the note; "
        "mend the file, then --take note or --take file decides"
    )


def merge_of(
    destination: Destination,
    source: FolderSource,
    choice: ImportChoice,
    synced: Mapping[str, SyncedState],
) -> Merge:
    """Returns a merge for files that are named one by one.

    synced: these files as last read, by note id.
    """
    return Merge(
        destination=destination.for_task(),
        source=source,
        root=source.root,
        choice=choice,
        manifest=Manifest.of(destination.home),
        snapshot=ImportSnapshot(synced, frozenset()),
        listed={},
        replaced=destination.replaced(),
    )


def _state_of(path: str, file: FileNote, note: Note) -> SyncedState:
    return SyncedState(
        path=path,
        file_digest=file.digest,
        note_digest=note_digest(note),
        note_updated=updated_text(note),
        content_digest=content_digest(file.draft) if agree(file, note) else None,
    )


def _was_read(last: SyncedState, file: FileNote) -> bool:
    """Reports whether the file is as it was, and says the same."""
    return last.file_digest == file.digest and last.content_digest == content_digest(file.draft)

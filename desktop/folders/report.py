"""Report of one import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from desktop.files.reading import FileNote, Skipped, Unchanged
from desktop.folders.copies import SharedTime, shared_time
from desktop.folders.destinations import IndexProgress
from desktop.folders.gone import GoneFolder
from shared.api.values import instant

NOT_INDEXED = IndexProgress()
NAMES_NO_DATE = frozenset({"file", "git"})
"""Origins of the dates of files that name none themselves, see `FileNote.dated`."""


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """Outcome of one file and its note. At most one of the reasons is there."""

    path: str
    file: FileNote | Unchanged | Skipped | None
    """The file as it was read; None if it does not exist (any more)."""
    note_id: str | None = None
    """Id of the note; None if it does not exist (any more)."""
    index: IndexProgress = NOT_INDEXED
    saved: bool = False
    """True if the note was saved."""
    created: bool = False
    """True if there was no note before."""
    removed: bool = False
    """True if the note was put into the trash."""
    ignored: bool = False
    """True if the file is there, and a rule says that it is no note."""
    written: bool = False
    """True if the file was written, or put into the trash, as the note is."""
    kept: str | None = None
    """Change of the note elsewhere, which stays."""
    conflict: str | None = None
    """Changes of file and note, which both stay."""
    failed: str | None = None

    @property
    def is_behind(self) -> bool:
        """Reports whether the index has still to follow the note."""
        if self.note_id is None or self.index.failed or self.index.pending:
            return False
        return self.saved or self.index.waiting


@dataclass(slots=True)
class ImportReport:
    """Outcome of one import. Paths are relative to the folder."""

    vault: str
    folder: str
    notes: int = 0
    indexed: int = 0
    """Files that are new or changed, and notes that the index had still to follow."""
    unchanged: int = 0
    removed: int = 0
    removed_by_rule: int = 0
    """Removed notes whose files are there and ignored from now on."""
    written: int = 0
    """Files that were written, or put into the trash, because their notes were changed elsewhere."""
    embedded: int = 0
    """Texts that were embedded."""
    pending: list[Skipped] = field(default_factory=list)
    """Saved and findable by keyword; vectors follow with `aurora reconcile`."""
    failed: list[Skipped] = field(default_factory=list)
    conflicts: list[Skipped] = field(default_factory=list)
    """Changed in the file and elsewhere: both stay until somebody decides."""
    kept: list[Skipped] = field(default_factory=list)
    """Changed or deleted elsewhere, and not in the file: so they stay."""
    skipped: list[Skipped] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    """Number of files that were never looked at, by reason."""
    dates: Counter[str] = field(default_factory=Counter)
    """Number of notes that were read, by the origin of their dates."""
    undated: list[datetime] = field(default_factory=list)
    """Times of the new files that name no date: their notes count as written then."""
    odd: list[Skipped] = field(default_factory=list)
    """Indexed, but not as their author meant."""
    gone: list[GoneFolder] = field(default_factory=list)
    """Folders whose files are gone all at once: their notes stay until a person says that they are deleted."""
    absent: frozenset[str] = frozenset()
    """Ids of notes that stay for now although their files are not there; see `PreviousPass`."""
    seconds: float = 0.0

    def add(self, outcome: FileOutcome) -> None:
        """Counts one file."""
        if isinstance(outcome.file, Skipped):
            self.skipped.append(outcome.file)
            return

        self.written += outcome.written
        if outcome.removed:
            self.removed += 1
            if outcome.ignored:
                self.removed_by_rule += 1

        has_problem = self._add_problems(outcome)
        if outcome.file is None or outcome.note_id is None:
            return

        self.notes += 1
        self.embedded += outcome.index.embedded
        if isinstance(outcome.file, FileNote):
            self.dates[outcome.file.dated] += 1
            if outcome.created and outcome.file.dated in NAMES_NO_DATE:
                self.undated.append(outcome.file.modified)
            if outcome.file.problem:
                self.odd.append(Skipped(outcome.path, outcome.file.problem))

        if has_problem:
            return
        if outcome.saved or outcome.index.changed:
            self.indexed += 1
        else:
            self.unchanged += 1

    def _add_problems(self, outcome: FileOutcome) -> bool:
        """Lists the file by each of its problems, and reports whether it has one."""
        problems = (
            (self.failed, outcome.failed or outcome.index.failed),
            (self.pending, outcome.index.pending),
            (self.conflicts, outcome.conflict),
            (self.kept, outcome.kept),
        )
        for places, reason in problems:
            if reason is not None:
                places.append(Skipped(outcome.path, reason))

        return any(reason for _, reason in problems)

    @property
    def complete(self) -> bool:
        """Reports whether everything in the folder is a note now, and as its author left it."""
        if self.failed or self.pending or self.conflicts or self.gone:
            return False
        return not any(place.missed for place in self.skipped)

    @property
    def shared_time(self) -> SharedTime | None:
        """The time that many of the new files without a date share, as a copy leaves it; None if there is none."""
        return shared_time(self.undated)

    def as_json(self) -> dict[str, Any]:
        """Returns every field but `absent`, whose notes the next pass decides on, and `undated`, of which it says what
        many share.
        """
        return {
            "vault": self.vault,
            "folder": self.folder,
            "notes": self.notes,
            "indexed": self.indexed,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "written": self.written,
            "embedded": self.embedded,
            "pending": _places_json(self.pending),
            "failed": _places_json(self.failed),
            "conflicts": _places_json(self.conflicts),
            "kept": _places_json(self.kept),
            "skipped": _places_json(self.skipped),
            "ignored": self.ignored,
            "dates": self.dates,
            "odd": _places_json(self.odd),
            "gone": [
                {"path": folder.path, "files": folder.files, "of": folder.known}
                for folder in self.gone
            ],
            "seconds": round(self.seconds, 3),
            "removedByRule": self.removed_by_rule,
            "sharedTime": _shared_time_json(self.shared_time),
        }


def _places_json(places: Sequence[Skipped]) -> list[dict[str, str]]:
    return [{"path": place.path, "reason": place.reason} for place in places]


def _shared_time_json(shared: SharedTime | None) -> dict[str, Any] | None:
    if shared is None:
        return None
    return {"files": shared.files, "time": instant(shared.time)}

"""What one import did."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any

from cli.sync.destinations import Followed
from cli.sync.folder import FileNote, Skipped, Unchanged

UNFOLLOWED = Followed()


@dataclass(frozen=True, slots=True)
class Taken:
    """One file and its note after their turn. Of the words at most one is there."""

    path: str
    file: FileNote | Unchanged | Skipped | None
    """None: there is no file (any more)."""
    note_id: str | None = None
    """None: there is no note (any more)."""
    followed: Followed = UNFOLLOWED
    saved: bool = False
    removed: bool = False
    ignored: bool = False
    """Whether the file is there, and a rule says that it is no note."""
    written: bool = False
    """Whether the file was written, or put into the trash, as the note is."""
    kept: str | None = None
    """What was done to the note elsewhere, which stays."""
    conflict: str | None = None
    """What has become of both, which stay."""
    failed: str | None = None

    @property
    def is_behind(self) -> bool:
        """Whether the index has still to follow the note."""
        known = self.followed.failed or self.followed.pending or self.note_id is None
        return not known and (self.saved or self.followed.waiting)


@dataclass(slots=True)
class Report:
    """What one import did. Paths are relative to the folder."""

    vault: str
    folder: str
    notes: int = 0
    indexed: int = 0
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
    """Why files were never looked at -> how many."""
    dates: Counter[str] = field(default_factory=Counter)
    """Where the dates of the notes that were read are from -> how many."""
    odd: list[Skipped] = field(default_factory=list)
    """Indexed, but not as their author meant."""
    absent: frozenset[str] = frozenset()
    """Ids of notes that stay for now although their files are not there; see `Glance`."""
    seconds: float = 0.0

    def add(self, taken: Taken) -> None:
        """Count one file."""
        if isinstance(taken.file, Skipped):
            self.skipped.append(taken.file)
            return
        self.removed += taken.removed
        self.removed_by_rule += taken.removed and taken.ignored
        self.written += taken.written
        for places, reason in (
            (self.failed, taken.failed or taken.followed.failed),
            (self.pending, taken.followed.pending),
            (self.conflicts, taken.conflict),
            (self.kept, taken.kept),
        ):
            if reason is not None:
                places.append(Skipped(taken.path, reason))
        if taken.file is None or taken.note_id is None:
            return
        self.notes += 1
        self.embedded += taken.followed.embedded
        if isinstance(taken.file, FileNote):
            self.dates[taken.file.dated] += 1
            if taken.file.problem:
                self.odd.append(Skipped(taken.path, taken.file.problem))
        if not (taken.failed or taken.followed.failed or taken.followed.pending or taken.conflict or taken.kept):
            self.unchanged += not taken.followed.changed
            self.indexed += taken.followed.changed

    @property
    def complete(self) -> bool:
        """Whether everything in the folder is a note now, and as its author left it."""
        missed = any(place.missed for place in self.skipped)
        return not (self.failed or self.pending or self.conflicts or missed)

    def as_json(self) -> dict[str, Any]:
        """Every field but `absent`, whose notes the next pass decides on; of a place its path and its reason."""
        shown: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "absent"}
        for name, value in shown.items():
            if isinstance(value, list):
                shown[name] = [{"path": place.path, "reason": place.reason} for place in value]
        return {**shown, "removedByRule": shown.pop("removed_by_rule"), "seconds": round(self.seconds, 3)}

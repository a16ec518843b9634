"""A folder of Markdown into the product: save what changed, index it, remove what is gone."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cli.folder import FileNote, Skipped, read, walk
from cli.manifest import Manifest
from shared.app import App, NoteDraft
from shared.domain import NoteKey
from shared.errors import ModelRefused, NotFound, RequestError, Unavailable
from shared.indexing.pipeline import IndexOutcome


@dataclass(slots=True)
class Report:
    """What one import did. Paths are relative to the folder."""

    vault: str
    folder: str
    notes: int = 0
    indexed: int = 0
    unchanged: int = 0
    removed: int = 0
    embedded: int = 0
    """Texts that were embedded."""
    pending: list[Skipped] = field(default_factory=list)
    """Saved and findable by keyword; vectors follow with `aurora reconcile`."""
    failed: list[Skipped] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    odd: list[Skipped] = field(default_factory=list)
    """Indexed, but not as their author meant."""
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "vault": self.vault,
            "folder": self.folder,
            "notes": self.notes,
            "indexed": self.indexed,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "embedded": self.embedded,
            "seconds": round(self.seconds, 3),
        }
        for name, places in (
            ("pending", self.pending),
            ("failed", self.failed),
            ("skipped", self.skipped),
            ("odd", self.odd),
        ):
            shown[name] = [{"path": place.path, "reason": place.reason} for place in places]
        return shown


@dataclass(frozen=True, slots=True)
class Import:
    """One folder on its way into one vault of one tenant."""

    app: App
    tenant_id: str
    root: Path
    vault: str

    @property
    def source(self) -> str:
        """Names the folder in the manifest."""
        settings = self.app.settings
        place = f"firestore:{settings.project}" if settings.store == "firestore" else "embedded"
        return f"{place} {self.tenant_id} {self.vault} {self.root.resolve()}"

    def manifest(self) -> Manifest:
        return Manifest(self.app.settings.home / "folders.json")

    def run(self, step: Callable[[int, int], None] = lambda _done, _all: None) -> Report:
        """Import all of it. `step(done, all)` is called after every note. Raises OperatorError, StoreUnavailable."""
        if not self.root.is_dir():
            raise NotFound(f"no folder {self.root}")
        started = time.perf_counter()
        report = Report(self.vault, str(self.root))
        found = list(walk(self.root))
        report.skipped += [entry for entry in found if isinstance(entry, Skipped)]
        files = [entry for entry in found if isinstance(entry, Path)]
        manifest = self.manifest()
        before, foreign = manifest.ids(self.source), manifest.elsewhere(self.source)
        kept: set[str] = set()
        for count, file in enumerate(files, 1):
            kept |= self._take(file, foreign, report)
            step(count, len(files))
        if any(entry.unread for entry in report.skipped):
            kept |= before  # what cannot be looked at may still be there
        manifest.keep(self.source, before | kept)
        for note_id in sorted(before - kept):
            self._remove(note_id, report)
        manifest.keep(self.source, kept)
        report.seconds = time.perf_counter() - started
        return report

    def _take(self, file: Path, foreign: frozenset[str], report: Report) -> set[str]:
        """Read, save and index one file. The id of its note, if it is one."""
        note = read(self.root, file, self.vault)
        if isinstance(note, FileNote) and note.note_id in foreign:
            note = Skipped(note.draft.path, "another folder has put a note at this path of the vault")
        if isinstance(note, Skipped):
            report.skipped.append(note)
            return set()
        self._save(note, report)
        return {note.note_id}

    def _save(self, note: FileNote, report: Report) -> None:
        """Save and index one note, and count how it went."""
        path = note.draft.path
        report.notes += 1
        if note.problem:
            report.odd.append(Skipped(path, note.problem))
        try:
            self.app.save_note(self.tenant_id, note.note_id, self._dated(note))
            outcome = self.app.index_note(NoteKey(self.tenant_id, note.note_id))
        except Unavailable as error:
            report.pending.append(Skipped(path, error.message))
        except (RequestError, ModelRefused) as error:
            report.failed.append(Skipped(path, error.message))
        else:
            self._count(path, outcome, report)

    def _count(self, path: str, outcome: IndexOutcome, report: Report) -> None:
        report.embedded += outcome.embedded
        if outcome.action == "failed":
            report.failed.append(Skipped(path, outcome.error or "refused by the model"))
        elif outcome.action == "unchanged":
            report.unchanged += 1
        else:
            report.indexed += 1

    def _dated(self, note: FileNote) -> NoteDraft:
        """A file without a date of its own was created when it was first seen to be modified."""
        if note.draft.created_at is not None:
            return note.draft
        existing = self.app.store.get_note(self.tenant_id, note.note_id)
        return replace(note.draft, created_at=existing.created_at if existing else note.modified)

    def _remove(self, note_id: str, report: Report) -> None:
        try:
            self.app.delete_note(self.tenant_id, note_id)
        except NotFound:
            return  # somebody else deleted it
        self.app.index_note(NoteKey(self.tenant_id, note_id))
        report.removed += 1

"""A folder of Markdown into the product: save what changed, index it, remove what is gone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cli.folder import FileNote, Skipped, read, relative, walk
from cli.manifest import Manifest
from shared.app import App
from shared.domain import NoteKey
from shared.errors import ModelRefused, NotFound, RequestError, Unavailable
from shared.indexing.markdown_file import note_id_of
from shared.indexing.pipeline import IndexOutcome

WORKERS = 4
"""Files at once: while one waits for a model or the disk, another is read."""


@dataclass(frozen=True, slots=True)
class Taken:
    """One file after its turn: left out, indexed, or why not."""

    file: FileNote | Skipped
    outcome: IndexOutcome | None = None
    pending: str | None = None
    failed: str | None = None


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

    def add(self, taken: Taken) -> set[str]:
        """Count one file. The id of its note, if it is one."""
        if isinstance(taken.file, Skipped):
            self.skipped.append(taken.file)
            return set()
        path, outcome = taken.file.draft.path, taken.outcome
        self.notes += 1
        if taken.file.problem:
            self.odd.append(Skipped(path, taken.file.problem))
        if taken.pending is not None:
            self.pending.append(Skipped(path, taken.pending))
        elif outcome is None or outcome.action == "failed":
            reason = taken.failed or (outcome.error if outcome else None) or "refused by the model"
            self.failed.append(Skipped(path, reason))
        else:
            self.embedded += outcome.embedded
            self.unchanged += outcome.action == "unchanged"
            self.indexed += outcome.action != "unchanged"
        return {taken.file.note_id}

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
        planned = {note_id_of(self.vault, relative(self.root, file)) for file in files}
        manifest.begin(self.source, before | (planned - foreign))
        kept: set[str] = set()
        with _workers() as workers:
            for count, taken in enumerate(workers.map(lambda file: self._take(file, foreign), files), 1):
                kept |= report.add(taken)
                step(count, len(files))
        if any(entry.unread for entry in report.skipped):
            kept |= before  # what cannot be looked at may still be there
        for note_id in sorted(before - kept):
            self._remove(note_id, report)
        manifest.keep(self.source, kept)
        report.seconds = time.perf_counter() - started
        return report

    def _take(self, file: Path, foreign: frozenset[str]) -> Taken:
        """Read, save and index one file. Runs in several threads at once."""
        note = read(self.root, file, self.vault)
        if isinstance(note, FileNote) and note.note_id in foreign:
            note = Skipped(note.draft.path, "another folder has put a note at this path of the vault")
        if isinstance(note, Skipped):
            return Taken(note)
        try:
            # without a date of its own, a file was created when it was first seen to be modified
            self.app.save_note(self.tenant_id, note.note_id, replace(note.draft, modified_at=note.modified))
        except (RequestError, Unavailable) as error:
            return Taken(note, failed=error.message)
        try:
            return Taken(note, self.app.index_note(NoteKey(self.tenant_id, note.note_id)))
        except Unavailable as error:
            return Taken(note, pending=error.message)
        except ModelRefused as error:
            return Taken(note, failed=error.message)

    def _remove(self, note_id: str, report: Report) -> None:
        try:
            self.app.delete_note(self.tenant_id, note_id)
        except NotFound:
            return  # somebody else deleted it
        self.app.index_note(NoteKey(self.tenant_id, note_id))
        report.removed += 1


@contextmanager
def _workers() -> Iterator[ThreadPoolExecutor]:
    """Threads that stop after the files at hand when the import is broken off."""
    pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="import")
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)

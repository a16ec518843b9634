"""A folder of Markdown into the product: save what changed, index it, remove what is gone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from cli.destinations import Destination, Taken
from cli.folder import FileNote, Skipped, read, relative, walk
from cli.manifest import Manifest
from shared.errors import NotFound
from shared.indexing.markdown_file import note_id_of

WORKERS = 4
"""Files at once: while one waits for a model or the disk, another is read."""

Step: TypeAlias = Callable[[int, int], None]


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
    absent: frozenset[str] = frozenset()
    """Ids of notes that stay for now although their files are not there; see `Glance`."""
    seconds: float = 0.0

    def add(self, taken: Taken) -> set[str]:
        """Count one file. The id of its note, if it is one."""
        if isinstance(taken.file, Skipped):
            self.skipped.append(taken.file)
            return set()
        path = taken.file.draft.path
        self.notes += 1
        self.embedded += taken.embedded
        if taken.file.problem:
            self.odd.append(Skipped(path, taken.file.problem))
        if taken.pending is not None:
            self.pending.append(Skipped(path, taken.pending))
        elif taken.failed is not None:
            self.failed.append(Skipped(path, taken.failed))
        else:
            self.unchanged += not taken.changed
            self.indexed += taken.changed
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
class Glance:
    """What somebody who has looked before knows of the folder, so that a pass needs not read all of it again."""

    known: Callable[[Path], bool] = lambda _: False
    """Whether this file was taken as it is now."""
    absent: frozenset[str] | None = None
    """Ids of notes whose files were not there last time: only those are removed. Many programs save a file by moving
    the old one away first. None: all whose files are not there.
    """


@dataclass(frozen=True, slots=True)
class Import:
    """One folder on its way into one vault."""

    destination: Destination
    root: Path
    vault: str

    @property
    def source(self) -> str:
        """Names the folder in the manifest."""
        return f"{self.destination.name} {self.vault} {self.root.resolve()}"

    def manifest(self) -> Manifest:
        return Manifest.of(self.destination.home)

    def run(self, step: Step = lambda _done, _all: None, glance: Glance = Glance()) -> Report:
        """Import all of it. `step(done, all)` is called after every note. Raises OperatorError, StoreUnavailable."""
        if not self.root.is_dir():
            raise NotFound(f"no folder {self.root}")
        started = time.perf_counter()
        report = Report(self.vault, str(self.root))
        entries = list(walk(self.root))
        report.skipped += [entry for entry in entries if isinstance(entry, Skipped)]
        files = self._ids(entry for entry in entries if isinstance(entry, Path))
        manifest = self.manifest()
        begun = manifest.begin(self.destination.name, self.source, self.root.resolve(), files.values())
        seen = {file for file in files if glance.known(file) and files[file] in begun.before | begun.foreign}
        kept = begun.before.intersection(files[file] for file in seen)
        kept |= self._take_all([file for file in files if file not in seen], begun.foreign, report, step)
        if any(entry.unread for entry in report.skipped):
            kept |= begun.before  # what cannot be looked at may still be there
        gone = self._remove_all(begun.before - kept, glance, report)
        manifest.keep(self.source, kept, gone)
        report.seconds = time.perf_counter() - started
        return report

    def _ids(self, files: Iterable[Path]) -> dict[Path, str]:
        return {file: note_id_of(self.vault, relative(self.root, file)) for file in files}

    def _take_all(self, files: Sequence[Path], foreign: frozenset[str], report: Report, step: Step) -> set[str]:
        """Read and save each, then wait until the index has followed. The ids of those that are notes."""
        taken: list[Taken] = []
        with _workers() as workers:
            for each in workers.map(lambda file: self._take(file, foreign), files):
                taken.append(each)
                step(len(taken), len(files))
            return {note_id for each in workers.map(self.destination.follow, taken) for note_id in report.add(each)}

    def _take(self, file: Path, foreign: frozenset[str]) -> Taken:
        """Runs in several threads at once."""
        note = read(self.root, file, self.vault)
        if isinstance(note, FileNote) and note.note_id in foreign:
            note = Skipped(note.draft.path, "another folder has put a note at this path of the vault")
        return Taken(note) if isinstance(note, Skipped) else self.destination.save(note)

    def _remove_all(self, missing: frozenset[str], glance: Glance, report: Report) -> frozenset[str]:
        """Those whose time has come. The ids that are gone."""
        gone = missing if glance.absent is None else missing & glance.absent
        report.absent = missing - gone
        report.removed = sum(self.destination.remove(note_id) for note_id in sorted(gone))
        return gone


@contextmanager
def _workers() -> Iterator[ThreadPoolExecutor]:
    """Threads that stop after the files at hand when the import is broken off."""
    pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="import")
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)

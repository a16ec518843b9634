"""Following a folder: whatever happens in it, the notes end as its files are.

What an event says is not believed, only that something happened: each pass looks at the whole folder again, compares
how the files look with how they looked when they were last taken, and reads those that differ. So a lost event, a
moved folder, an editor that saves by way of another file, and a start after a crash are all the same case.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from watchfiles import Change, watch

from cli.sync.folder import Skipped
from cli.sync.importing import Glance, Import, Step
from cli.sync.report import Report
from shared.errors import NotFound, Unavailable

TICK_MS = 1000
"""How often is looked whether something is due, milliseconds."""
EVERY_SECONDS = 30.0
"""A pass without an event: what the system did not tell of, and what failed before."""
YOUNG_SECONDS = 2.0
"""A file changed less than this before it was looked at is looked at again: clocks of file systems are coarse, and a
second change within one of their ticks leaves no trace.
"""


@dataclass(frozen=True, slots=True)
class _Look:
    """What tells without reading a file that it is another than before."""

    changed_ns: int
    size: int
    inode: int


@dataclass(slots=True)
class Follower:
    """One import, repeated for as long as somebody wants it."""

    task: Import
    _taken: dict[Path, _Look] = field(default_factory=dict)
    _absent: frozenset[str] | None = None
    _told_before: list[Skipped] = field(default_factory=list)
    """What was told last of notes that were changed elsewhere: told once, not at every pass."""
    _due: float = 0.0
    """When the next pass is due without an event, on the monotonic clock."""

    def first(self, step: Step) -> Report:
        """All that there is. Raises NotFound, OperatorError, Unavailable."""
        report = self._pass(step)
        self._told_before = [*report.kept, *report.conflicts]
        return report

    def follow(self, told: Callable[[Report | Unavailable], None]) -> None:
        """Never ends. `told` hears of every pass that did something, and of those that could not. Raises NotFound
        when the folder is gone, OperatorError.
        """
        self._due = 0.0  # what happened between the first pass and the start of the watch
        concerns = _concerns(self.task.root, self.task.destination.home)
        try:
            for happened in watch(self.task.root, watch_filter=concerns, rust_timeout=TICK_MS, yield_on_timeout=True):
                if happened or time.monotonic() >= self._due:
                    self._again(told)
        except FileNotFoundError as error:  # by the watcher, at its start
            raise NotFound(f"no folder {self.task.root}") from error

    def _again(self, told: Callable[[Report | Unavailable], None]) -> None:
        try:
            report = self._pass(lambda _what, _done, _all: None)
        except Unavailable as error:
            self._due = time.monotonic() + EVERY_SECONDS
            told(error)
            return
        told_before = [*report.kept, *report.conflicts]
        news = report.indexed or report.removed or report.written or report.failed or report.pending
        if news or told_before != self._told_before:
            told(report)
        self._told_before = told_before

    def _pass(self, step: Step) -> Report:
        began = time.time_ns()
        looks: dict[Path, _Look] = {}

        def known(file: Path) -> bool:
            look = _look(file)
            if look is not None:
                looks[file] = look
            return look is not None and self._taken.get(file) == look

        report = self.task.run(step, Glance(known, self._absent))
        failed = {self.task.root / place.path for place in (*report.failed, *report.pending)}
        young = {file for file, look in looks.items() if abs(began - look.changed_ns) < YOUNG_SECONDS * 1e9}
        self._taken = {file: look for file, look in looks.items() if file not in failed | young}
        self._absent = report.absent
        self._due = time.monotonic() + (YOUNG_SECONDS if report.absent or young else EVERY_SECONDS)
        return report


def _look(file: Path) -> _Look | None:
    try:
        about = file.stat()
    except OSError:
        return None
    return _Look(about.st_mtime_ns, about.st_size, about.st_ino)


def _concerns(root: Path, home: Path) -> Callable[[Change, str], bool]:
    """Not what is hidden, where tools keep their own state, nor our own home: they are written to all the time."""
    real, own = root.resolve(), home.resolve()

    def concerns(_: Change, path: str) -> bool:
        place = Path(path)
        inner = place.relative_to(real).parts if place.is_relative_to(real) else place.parts[-1:]
        return not place.is_relative_to(own) and not any(part.startswith(".") for part in inner)

    return concerns

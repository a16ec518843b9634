"""Follows a folder: whatever happens in it, the notes end as its files are.

An event is believed to say that something happened, and nothing else: each pass looks at the whole folder again,
compares the files' stamps with those of the last import, and reads those that differ. So a lost event, a moved folder,
an editor that saves by way of another file, and a start after a crash are all the same case.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event, Thread
from typing import TypeAlias

from watchfiles import Change, watch

from desktop.files.reading import RULES_FILE, Skipped
from desktop.folders.destinations import Destination
from desktop.folders.gone import GoneFolder
from desktop.folders.importing import Import, PreviousPass, Step
from desktop.folders.manifest import FolderSource, Manifest, Stopped
from desktop.folders.merging import ImportChoice
from desktop.folders.report import ImportReport
from shared.errors import AuroraError, NotFound, OperatorError, Unavailable

_logger = logging.getLogger(__name__)

TICK_MS = 1000
"""Milliseconds between two looks at whether something is due."""
EVERY_SECONDS = 30.0
"""Seconds after which a pass is made without an event, for changes that the system did not report and for what failed."""
_NO_WATCHER = "Error creating"
"""Begins what the watcher says where the system's limits on watchers or open files are reached."""
YOUNG_SECONDS = 2.0
"""Age in seconds under which a changed file is looked at again: clocks of file systems are coarse, and a second change
within one of their ticks leaves no trace.
"""


OnReport: TypeAlias = Callable[[ImportReport | AuroraError], None]


@dataclass(frozen=True, slots=True)
class _FileStamp:
    """Properties of a file that change when it does, without reading it."""

    changed_ns: int
    size: int
    inode: int


@dataclass(slots=True)
class Follower:
    """One import, repeated for as long as somebody wants it."""

    task: Import
    stop: Event | None = None
    """Event after which a pass ends with the files at hand."""
    _imported: dict[Path, _FileStamp] = field(default_factory=dict)
    """Files that need not be read again unless their stamps change."""
    _absent: frozenset[str] | None = None
    _reported: list[Skipped | GoneFolder] = field(default_factory=list)
    """Notes changed elsewhere and folders gone, as the last pass found them: reported once, not at every pass."""
    _due: float = 0.0
    """Time on the monotonic clock at which the next pass is due without an event."""
    _problem: str = ""
    """Message of the error that ended the last pass; empty if it came to its end."""

    def first(self, step: Step) -> ImportReport:
        """Makes a pass over all that there is. An answer that was given beforehand is for this one.

        Raises NotFound, OperatorError, Unavailable.
        """
        report = self._pass(step)
        self.task = replace(self.task, choice=replace(self.task.choice, gone=None))
        self._reported = [*report.kept, *report.conflicts, *report.gone]
        return report

    def follow(self, on_report: OnReport) -> None:
        """Follows the folder without an end.

        on_report: gets the report of every pass that did something, and the error of one that failed.

        Raises NotFound when the folder is gone or forgotten, OperatorError.
        """
        self._due = (
            0.0  # something may have happened between the first pass and the start of the watch
        )
        try:
            for changed_paths in _watched([self.task.root], self.task.destination.home):
                self.turn(changed_paths, on_report)
        except FileNotFoundError as error:  # by the watcher, at its start
            raise NotFound(f"no folder {self.task.root}") from error
        except Stopped as error:
            raise NotFound(f"{self.task.root} is not indexed any more") from error

    def turn(
        self,
        changed_paths: Iterable[Path],
        on_report: OnReport,
        passing: type[Exception] = Unavailable,
    ) -> None:
        """Makes a pass, if one of these paths lies in the folder or a pass is due.

        passing: errors that are reported once, after which the pass is tried again.

        Raises Stopped.
        """
        root = self.task.source.root
        is_due = time.monotonic() >= self._due
        if not is_due and not any(path.is_relative_to(root) for path in changed_paths):
            return
        try:
            self.task.manifest().follow_links(self.task.destination.name)
            self._check()
            report = self._pass(self._check, follows=True)
        except Stopped:
            raise
        except passing as error:
            self._due = time.monotonic() + EVERY_SECONDS
            problem = _problem_of(error, str(self.task.root))
            if problem.message != self._problem:
                on_report(problem)
            self._problem = problem.message
            return

        self._problem = ""
        waiting: list[Skipped | GoneFolder] = [*report.kept, *report.conflicts, *report.gone]
        changes = report.indexed + report.removed + report.written
        if changes or report.failed or report.pending or waiting != self._reported:
            on_report(report)
        self._reported = waiting

    def _check(self, *_: object) -> None:
        """Ends the pass before its next step if the folder was forgotten, or all erased, so that no
        note of it comes back. Raises Stopped.
        """
        if self.stop is not None and self.stop.is_set():
            raise Stopped
        if not self.task.manifest().knows(self.task.source):
            raise Stopped

    def _pass(self, step: Step, *, follows: bool = False) -> ImportReport:
        """Imports the folder. Raises Stopped if it must be known and is not."""
        began = time.time_ns()
        stamps: dict[Path, _FileStamp] = {}

        def is_unchanged(file: Path) -> bool:
            stamp = _stamp(file)
            if stamp is None:
                return False
            stamps[file] = stamp
            return self._imported.get(file) == stamp

        task = replace(self.task, follows=follows)
        report = task.run(step, PreviousPass(is_unchanged, self._absent))
        failed = {self.task.root / place.path for place in (*report.failed, *report.pending)}
        young = set()
        for file, stamp in stamps.items():
            if abs(began - stamp.changed_ns) < YOUNG_SECONDS * 1e9:
                young.add(file)

        to_read_again = failed | young
        self._imported = {
            file: stamp for file, stamp in stamps.items() if file not in to_read_again
        }
        self._absent = report.absent
        pause = YOUNG_SECONDS if report.absent or young else EVERY_SECONDS
        self._due = time.monotonic() + pause
        return report


def _problem_of(error: Exception, where: str) -> AuroraError:
    """Returns the error to report, and logs where an unexpected one came from."""
    if isinstance(error, AuroraError):
        return error
    _logger.warning("not followed: %s", where, exc_info=not isinstance(error, OSError))
    return OperatorError(f"{where}: {error or type(error).__name__}")


def _stamp(file: Path) -> _FileStamp | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return _FileStamp(status.st_mtime_ns, status.st_size, status.st_ino)


def _watched(roots: Sequence[Path], home: Path, stop: Event | None = None) -> Iterator[list[Path]]:
    """Yields the paths that changed in the folders, and an empty list every TICK_MS.

    Hidden files, where tools keep their own state, and a home inside a folder are left out: they are
    written to all the time. The file of rules is hidden too, and counts.

    A path that is not UTF-8 ends the watcher. It is started again, and the folders themselves are
    yielded, as anything in them may have changed meanwhile.

    Raises FileNotFoundError where a folder is gone, OperatorError where the system allows no watcher.
    """
    real_roots = [root.resolve() for root in roots]
    real_home = home.resolve()

    def concerns_notes(_: Change, path: str) -> bool:
        place = Path(path)
        is_in_home = place.is_relative_to(real_home)
        for root in real_roots:
            if not place.is_relative_to(root):
                continue
            if is_in_home and not root.is_relative_to(real_home):
                continue
            if not any(_is_hidden(part) for part in place.relative_to(root).parts):
                return True

        return False

    unseen: list[Path] = []
    while stop is None or not stop.is_set():
        is_told = False
        try:
            for changes in watch(
                *real_roots,
                watch_filter=concerns_notes,
                rust_timeout=TICK_MS,
                yield_on_timeout=True,
                stop_event=stop,
                ignore_permission_denied=True,
            ):
                is_told = bool(unseen)
                yield [*unseen, *(Path(path) for _, path in changes)]
                unseen = []
        except RuntimeError as error:  # the watcher's own class of it is private
            if str(error).startswith(_NO_WATCHER):
                message = f"folders cannot be watched, which other programs that watch files may cause: {error}"
                raise OperatorError(message) from error
            _logger.debug("watched again: %s", error)
            # A pass over the folders opens a folder of such a name itself, which is no change.
            unseen = [] if is_told else real_roots
            time.sleep(TICK_MS / 1000)
            yield []


def _is_hidden(name: str) -> bool:
    return name.startswith(".") and name != RULES_FILE


@contextmanager
def following_all(destination: Destination, on_report: OnReport) -> Iterator[None]:
    """Follows each folder that the manifest knows while the block runs, also those that come
    meanwhile; where files are written, notes go into them.

    on_report: called by a thread of its own, as by `Follower.follow`.
    """
    stop = Event()
    thread = Thread(
        target=_follow_all,
        args=(destination, on_report, stop),
        name="folders",
        daemon=True,
    )
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _follow_all(destination: Destination, on_report: OnReport, stop: Event) -> None:
    """Follows the folders until `stop` is set. A failure is reported once, and tried again."""
    followers: dict[tuple[FolderSource, bool], Follower] = {}
    problem = ""
    while not stop.is_set():
        try:
            present = _present_folders(destination)
            followers = {folder: followers[folder] for folder in present & followers.keys()}
            for source, write_back in present - followers.keys():
                choice = ImportChoice(write_back=write_back)
                task = Import(destination, source.root, source.vault, choice=choice)
                followers[source, write_back] = Follower(task, stop)
            roots = sorted({source.root for source, _ in present})
            for changed_paths in _watched(roots, destination.home, stop) if roots else ():
                if _present_folders(destination) != present:
                    break
                for follower in followers.values():
                    follower.turn(changed_paths, on_report, Exception)
                problem = ""
        except (FileNotFoundError, Stopped):
            pass  # a folder has gone or was forgotten in this moment; or all is to end
        except Exception as error:  # noqa: BLE001 - the folders are followed until the process ends
            if str(error) != problem:
                on_report(_problem_of(error, "the folders"))
            problem = str(error)
        stop.wait(TICK_MS / 1000)


def _present_folders(destination: Destination) -> set[tuple[FolderSource, bool]]:
    """Returns the followed folders that are there, each with whether its files are written."""
    present = set()
    manifest = Manifest.of(destination.home)
    manifest.follow_links(destination.name)
    for folder in manifest.folders(destination.name):
        if folder.source.root.is_dir():
            present.add((folder.source, bool(folder.write_back)))
    return present

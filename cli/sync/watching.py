"""Following a folder: whatever happens in it, the notes end as its files are.

What an event says is not believed, only that something happened: each pass looks at the whole folder again, compares
how the files look with how they looked when they were last taken, and reads those that differ. So a lost event, a
moved folder, an editor that saves by way of another file, and a start after a crash are all the same case.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

from watchfiles import Change, watch

from cli.sync.destinations import Destination
from cli.sync.folder import RULES_FILE, Skipped
from cli.sync.importing import Glance, Import, Step
from cli.sync.manifest import Manifest, Source
from cli.sync.merging import Choice
from cli.sync.report import Report
from shared.errors import AuroraError, NotFound, OperatorError, Unavailable

_logger = logging.getLogger(__name__)

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


class Stopped(Exception):
    """The pass is not to go on: following ends, or the folder was forgotten."""


@dataclass(slots=True)
class Follower:
    """One import, repeated for as long as somebody wants it."""

    task: Import
    stop: Event | None = None
    """Set: a pass ends with the files at hand."""
    _taken: dict[Path, _Look] = field(default_factory=dict)
    _absent: frozenset[str] | None = None
    _reported: list[Skipped] = field(default_factory=list)
    """Notes changed elsewhere, as the last pass found them: reported once, not at every pass."""
    _due: float = 0.0
    """When the next pass is due without an event, on the monotonic clock."""
    _problem: str = ""
    """What kept the last pass from its end."""

    def first(self, step: Step) -> Report:
        """A pass over all that there is. Raises NotFound, OperatorError, Unavailable."""
        report = self._pass(step)
        self._reported = [*report.kept, *report.conflicts]
        return report

    def follow(self, on_news: Callable[[Report | AuroraError], None]) -> None:
        """Never ends. `on_news` gets every pass that did something, and why one could not. Raises NotFound when the
        folder is gone or forgotten, OperatorError.
        """
        self._due = 0.0  # what happened between the first pass and the start of the watch
        try:
            for happened in _watched([self.task.root], self.task.destination.home):
                self.turn(happened, on_news)
        except FileNotFoundError as error:  # by the watcher, at its start
            raise NotFound(f"no folder {self.task.root}") from error
        except Stopped as error:
            raise NotFound(f"{self.task.root} is not indexed any more") from error

    def turn(
        self,
        happened: Iterable[Path],
        on_news: Callable[[Report | AuroraError], None],
        passing: type[Exception] = Unavailable,
    ) -> None:
        """A pass, if one of these paths lies in the folder or one is due. A `passing` error is reported once, and the
        pass tried again. Raises Stopped.
        """
        if time.monotonic() < self._due and not any(path.is_relative_to(self.task.source.root) for path in happened):
            return
        try:
            self._check()
            report = self._pass(self._check)
        except Stopped:
            raise
        except passing as error:
            self._due = time.monotonic() + EVERY_SECONDS
            problem = _problem_of(error, str(self.task.root))
            if problem.message != self._problem:
                on_news(problem)
            self._problem = problem.message
            return
        self._problem = ""
        elsewhere = [*report.kept, *report.conflicts]
        news = report.indexed or report.removed or report.written or report.failed or report.pending
        if news or elsewhere != self._reported:
            on_news(report)
        self._reported = elsewhere

    def _check(self, *_: object) -> None:
        """A step of the import: whoever forgets a folder, or erases all, gets no note of it back. Raises Stopped."""
        if (self.stop is not None and self.stop.is_set()) or not self.task.manifest().knows(self.task.source):
            raise Stopped

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


def _problem_of(error: Exception, where: str) -> AuroraError:
    """The error to report. The log has where an unexpected one came from."""
    if isinstance(error, AuroraError):
        return error
    _logger.warning("%s is not followed", where, exc_info=not isinstance(error, OSError))
    return OperatorError(f"{where}: {error or type(error).__name__}")


def _look(file: Path) -> _Look | None:
    try:
        about = file.stat()
    except OSError:
        return None
    return _Look(about.st_mtime_ns, about.st_size, about.st_ino)


def _watched(roots: Sequence[Path], home: Path, stop: Event | None = None) -> Iterator[list[Path]]:
    """What happened in the folders, and every TICK_MS nothing. Not what is hidden, where tools keep their own state,
    nor a home inside a folder: they are written to all the time. The file of what is ignored is hidden too, and counts.
    """
    real, own = [root.resolve() for root in roots], home.resolve()

    def concerns(_: Change, path: str) -> bool:
        place = Path(path)
        roots = [root for root in real if place.is_relative_to(root)]
        if place.is_relative_to(own):
            roots = [root for root in roots if root.is_relative_to(own)]
        below = (place.relative_to(root).parts for root in roots)
        return any(not any(part.startswith(".") and part != RULES_FILE for part in parts) for parts in below)

    for happened in watch(
        *real,
        watch_filter=concerns,
        rust_timeout=TICK_MS,
        yield_on_timeout=True,
        stop_event=stop,
        ignore_permission_denied=True,
    ):
        yield [Path(path) for _, path in happened]


@contextmanager
def following_all(destination: Destination, on_news: Callable[[Report | AuroraError], None]) -> Iterator[None]:
    """While the block runs, each folder that the manifest knows is followed, also those that come meanwhile; where
    files are written, notes go into them. `on_news` is called by a thread of its own, as by `Follower.follow`.
    """
    stop = Event()
    thread = Thread(target=_follow_all, args=(destination, on_news, stop), name="folders", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _follow_all(destination: Destination, on_news: Callable[[Report | AuroraError], None], stop: Event) -> None:
    """Until `stop` is set: what fails is reported once, and tried again."""
    followers: dict[tuple[Source, bool], Follower] = {}
    problem = ""
    while not stop.is_set():
        try:
            known = _followed(destination)
            followers = {each: followers[each] for each in known & followers.keys()}
            for source, writes in known - followers.keys():
                task = Import(destination, source.root, source.vault, choice=Choice(write_back=writes))
                followers[source, writes] = Follower(task, stop)
            roots = sorted({source.root for source, _ in known})
            for happened in _watched(roots, destination.home, stop) if roots else ():
                if _followed(destination) != known:
                    break
                for follower in followers.values():
                    follower.turn(happened, on_news, Exception)
                problem = ""
        except (FileNotFoundError, Stopped):
            pass  # one has gone or was forgotten in this moment; or all is to end
        except Exception as error:  # noqa: BLE001 - the folders are followed until the process ends
            if str(error) != problem:
                on_news(_problem_of(error, "the folders"))
            problem = str(error)
        stop.wait(TICK_MS / 1000)


def _followed(destination: Destination) -> set[tuple[Source, bool]]:
    """Folders that are there, and whether their files are written."""
    known = Manifest.of(destination.home).folders(destination.name)
    return {(each.source, bool(each.write_back)) for each in known if each.source.root.is_dir()}

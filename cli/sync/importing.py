"""A folder of Markdown and the notes made of it: what is news in one goes to the other, and nothing that somebody wrote
is lost.
"""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeAlias

from cli.sync.comparison import digest_of
from cli.sync.destinations import Destination, Followed, Listed
from cli.sync.folder import BY_RULE, FileNote, Skipped, digest_of_file, relative, walk
from cli.sync.manifest import Manifest, Read, Source
from cli.sync.merging import UNDECIDED, Choice, Merge
from cli.sync.report import Report, Taken
from shared.errors import Conflict, NotFound
from shared.markdown.file import candidate_ids
from shared.notes.service import NoteDraft

WORKERS = 4
"""Files at once: while one waits for a model or the disk, another is read."""

GIT_SECONDS = 30.0
"""A history that takes longer to read is left unread."""
_DATE = "\x01"
_LOG = ("log", "--reverse", "--diff-filter=AR", "--name-status", "--relative", "--no-ext-diff", f"--format={_DATE}%aI")
_SAFE = ("-c", "core.quotepath=off", "-c", "core.fsmonitor=false")

NOTES, VECTORS = "notes", "vectors"
Step: TypeAlias = Callable[[str, int, int], None]
"""Called as (NOTES or VECTORS, done, all)."""


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
    choice: Choice = UNDECIDED

    @property
    def source(self) -> Source:
        """Names the folder in the manifest."""
        return Source(self.destination.name, self.vault, self.root.resolve())

    def manifest(self) -> Manifest:
        return Manifest.of(self.destination.home)

    def run(
        self, step: Step = lambda _what, _done, _all: None, glance: Glance = Glance(), *, vectors: bool = True
    ) -> Report:
        """Import all of it: first every note, so that words find it, then the vectors that they wait for, unless
        somebody else sees to them. Broken off among those, it is complete but for them, and the next one goes on.

        Raises OperatorError, StoreUnavailable.
        """
        if not self.root.is_dir():
            raise NotFound(f"no folder {self.root}")
        started = time.perf_counter()
        report, manifest = Report(self.vault, str(self.root)), self.manifest()
        entries = list(self._entries())
        left_out = [entry for entry in entries if isinstance(entry, Skipped)]
        report.skipped += [each for each in left_out if not each.ignored]
        report.ignored.update(each.reason for each in left_out if each.ignored)
        with manifest.held():
            merge, files = self._begun(manifest, entries)
            taken = self._bring(merge, files, report, step, glance)
            unfit = sum(isinstance(each.file, Skipped) for each in taken)
            manifest.end(self.source, skipped=len(report.skipped) + unfit)
        for each in self._followed(taken, step) if vectors else taken:
            report.add(each)
        report.seconds = time.perf_counter() - started
        return report

    def _entries(self) -> Iterator[Path | Skipped]:
        """Files and what is left out; a folder inside that is indexed by itself is left out whole."""
        own = self.source.root
        roots = (known.source.root for known in self.manifest().folders(self.destination.name))
        inner = [root for root in roots if root != own and root.is_relative_to(own) and root.is_dir()]
        named: set[Path] = set()
        for entry in walk(self.root):
            path = entry.path if isinstance(entry, Skipped) else relative(self.root, entry)
            within = next((root for root in inner if (own / path).is_relative_to(root)), None)
            if within is None:
                yield entry
            elif within not in named:
                named.add(within)
                yield Skipped(within.relative_to(own).as_posix(), "indexed as a folder of its own")

    def _begun(self, manifest: Manifest, entries: Sequence[Path | Skipped]) -> tuple[Merge, dict[str, Path]]:
        """The files by their notes' ids, and what they share. Files that are there and are not read any more are not
        known: their notes stay. Raises NotFound for a folder of which everything has gone: so looks one whose disk is
        not there.
        """
        listed, before = self.destination.listed(), manifest.files(self.source)
        if not entries and before and not any(self.root.iterdir()):
            raise NotFound(f"{self.root} is empty: is its disk there? Its notes stay: {len(before)}")
        paths = {relative(self.root, entry): entry for entry in entries if isinstance(entry, Path)}
        ids = note_ids(self.vault, paths, before, listed)
        files = {ids[path]: entry for path, entry in paths.items()}
        merge = Merge(
            destination=self.destination,
            source=self.source,
            root=self.root,
            choice=self.choice,
            manifest=manifest,
            begun=manifest.begin(self.source, {note_id: path for path, note_id in ids.items()}),
            listed=listed,
            replaced=self.destination.replaced() if self.choice.write_back else {},
        )
        merge = _with_moves(merge, files)
        if not files.keys() <= merge.begun.before.keys():
            merge = replace(merge, added=_first_added(self.root))
        left = (each for each in entries if isinstance(each, Skipped))
        unread = {each.path for each in left if each.ignored and each.reason != BY_RULE}
        known = {note_id: read for note_id, read in merge.begun.before.items() if read.path not in unread}
        return replace(merge, begun=replace(merge.begun, before=known)), files

    def _bring(
        self, merge: Merge, files: Mapping[str, Path], report: Report, step: Step, glance: Glance
    ) -> list[Taken]:
        """Each file and its note, then the notes whose files are not there."""
        due = {note_id: file for note_id, file in files.items() if not (glance.known(file) and merge.settled(note_id))}
        taken: list[Taken] = []
        with _workers() as workers:
            for each in workers.map(merge.join, due, due.values()):
                taken.append(each)
                step(NOTES, len(taken), len(due))
            missing = frozenset(merge.begun.before) - frozenset(files)
            unfit = (*report.skipped, *(each.file for each in taken))
            if any(isinstance(each, Skipped) and each.unread for each in unfit):
                missing = frozenset()  # what cannot be looked at may still be there
            gone = missing if glance.absent is None else missing & glance.absent
            report.absent = missing - gone
            taken += workers.map(partial(merge.join, file=None), sorted(gone))
        return taken

    def _followed(self, taken: Sequence[Taken], step: Step) -> Iterator[Taken]:
        """Each file once the index has followed its note. Where the model is away, only the first few wait for it."""
        behind = sum(each.is_behind for each in taken)
        done = 0
        away: list[Followed] = []
        if behind:
            step(VECTORS, done, behind)

        def follow(each: Taken) -> Taken:
            if each.note_id is None or not each.is_behind:
                return each
            rest = away[0] if away else self.destination.follow(each.note_id)
            if rest.away:
                away.append(rest)
            return replace(each, followed=replace(rest, changed=each.followed.changed or rest.changed))

        with _workers() as workers:
            for before, after in zip(taken, workers.map(follow, taken), strict=True):
                if before.is_behind:
                    done += 1
                    step(VECTORS, done, behind)
                yield after


def note_ids(
    vault: str, paths: Iterable[str], known: Mapping[str, Read], listed: Mapping[str, Listed]
) -> dict[str, str]:
    """Path -> id of its note: as it was last read, else that of the note at this path of the vault, else a new one."""
    read = {each.path: note_id for note_id, each in known.items()}
    there = {each.path: note_id for note_id, each in listed.items() if each.vault == vault and note_id not in known}
    found: dict[str, str] = {}
    for path in paths:
        fresh = (each for each in candidate_ids(vault, path) if each not in known and each not in listed)
        found[path] = read.get(path) or there.get(path) or next(fresh)
    return found


def _with_moves(merge: Merge, files: Mapping[str, Path]) -> Merge:
    """`merge` with files that were moved inside their folder while their notes were changed elsewhere, as if they had
    been read at their new places: their notes go with them. `files`: those that are there, by note id.

    A note's id is made of its path, so that a moved file is another note. Where somebody has changed or deleted the
    note that it was, that stays so under the new path, instead of a second note beside the first.
    """
    before = dict(merge.begun.before)
    for new, old in _moved_files(merge, files).items():
        path = relative(merge.root, files[new])
        with suppress(Conflict):  # there is a note at the new path
            if _carried(merge, old, new, path):
                before[new] = replace(before[old], path=path, seen=None)
                del before[old]
    return replace(merge, begun=replace(merge.begun, before=before))


def _moved_files(merge: Merge, files: Mapping[str, Path]) -> dict[str, str]:
    """New id -> old id, of files that are unlike all others."""
    begun = merge.begun
    gone = {note_id: read.file for note_id, read in begun.before.items() if note_id not in files and read.file}
    if not gone:
        return {}
    known = begun.before.keys() | begun.foreign
    fresh = {note_id: digest_of_file(file) for note_id, file in files.items() if note_id not in known}
    counts, places = Counter(gone.values()), {digest: note_id for note_id, digest in gone.items()}
    seen = Counter(fresh.values())
    return {
        note_id: places[digest]
        for note_id, digest in fresh.items()
        if digest in places and counts[digest] == seen[digest] == 1
    }


def _carried(merge: Merge, old: str, new: str, path: str) -> bool:
    """Whether somebody has changed or deleted the note, so that it had to be. Raises Conflict."""
    last, held = merge.begun.before[old], merge.destination.read(old)
    if held is not None:
        if digest_of(held.note) == last.note:
            return False
        elsewhere = held.note.path != last.path
        draft = replace(NoteDraft.of(held.note), path=held.note.path if elsewhere else path)
        merge.destination.save(
            FileNote(note_id=new, draft=draft, modified=datetime.now(UTC), digest="", problem=None), ""
        )  # as if a file said what the note does
    merge.manifest.record(merge.source, new, replace(last, path=path, seen=None))
    if held is not None:
        with suppress(NotFound):
            merge.destination.remove(old, held.revision)
    merge.manifest.drop(merge.source, old)
    return True


@contextmanager
def _workers() -> Iterator[ThreadPoolExecutor]:
    """Threads that stop after the files at hand when the import is broken off."""
    pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="import")
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _first_added(root: Path) -> dict[str, datetime]:
    """POSIX path below `root` -> when git first knew the file, under whatever name; copies have the dates of their
    copying. Empty where there is no git.
    """
    command = ("git", "-C", str(root), *_SAFE, *_LOG, "--", ".")
    try:
        log = subprocess.run(command, capture_output=True, timeout=GIT_SECONDS, check=True).stdout.decode(
            errors="replace"
        )
    except (OSError, subprocess.SubprocessError):
        return {}
    found: dict[str, datetime] = {}
    when: datetime | None = None
    for line in log.splitlines():
        kind, *names = line.split("\t")
        if line.startswith(_DATE):
            when = datetime.fromisoformat(line.removeprefix(_DATE))
        elif when is not None and names:
            found[names[-1]] = found.get(names[0], when) if kind.startswith("R") else when
    return found

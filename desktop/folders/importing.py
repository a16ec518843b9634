"""Imports a folder of Markdown: what has changed in a file goes to its note and the other way round, and
nothing that somebody wrote is lost.
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

from desktop.files.reading import BY_RULE, FileNote, Skipped, digest_of_file, relative, walk
from desktop.folders.comparison import note_digest
from desktop.folders.destinations import Destination, IndexProgress, NoteVersion
from desktop.folders.gone import (
    GoneAnswer,
    GoneFolder,
    doubtful_files,
    folders_above,
    gone_folders,
    mount_points,
)
from desktop.folders.manifest import FolderSource, Manifest, MissingFile, Stopped, SyncedState
from desktop.folders.merging import UNDECIDED, ImportChoice, Merge
from desktop.folders.report import FileOutcome, ImportReport
from shared.errors import Conflict, Erased, NotFound
from shared.markdown.file import candidate_ids
from shared.notes.service import NoteDraft

WORKERS = 4
"""Files at once: while one waits for a model or the disk, another is read."""
ALIKE = "another file here has this name, but for bytes that are not UTF-8: rename one of them"
"""Reason why a file is left out whose path, in UTF-8, is another file's."""

GIT_SECONDS = 30.0
"""Seconds after which a history is left unread."""
_DATE = "\x01"
_LOG = (
    "log",
    "--reverse",
    "--diff-filter=AR",
    "--name-status",
    "--relative",
    "--no-ext-diff",
    f"--format={_DATE}%aI",
)
_SAFE = ("-c", "core.quotepath=off", "-c", "core.fsmonitor=false")

NOTES = "notes"
VECTORS = "vectors"
Step: TypeAlias = Callable[[str, int, int], None]
"""Called as (NOTES or VECTORS, done, all)."""


@dataclass(frozen=True, slots=True)
class PreviousPass:
    """Knowledge of a pass before, so that this one need not read all of the folder again."""

    is_unchanged: Callable[[Path], bool] = lambda _: False
    """Reports whether a file was imported as it is now."""
    absent: frozenset[str] | None = None
    """Ids of notes whose files were not there last time: only those are removed, since many
    programs save a file by moving the old one away first. With None, all whose files are not there.
    """


NO_PASS_BEFORE = PreviousPass()


@dataclass(frozen=True, slots=True)
class Import:
    """One folder on its way into one vault."""

    destination: Destination
    root: Path
    vault: str
    choice: ImportChoice = UNDECIDED
    follows: bool = False
    """True if the folder must be known already: one that was forgotten stays forgotten."""

    @property
    def source(self) -> FolderSource:
        """Names the folder in the manifest."""
        return FolderSource(
            self.destination.name,
            self.vault,
            self.root.resolve(),
        )

    def manifest(self) -> Manifest:
        return Manifest.of(self.destination.home)

    def run(
        self,
        step: Step = lambda _what, _done, _all: None,
        previous: PreviousPass = NO_PASS_BEFORE,
        *,
        vectors: bool = True,
    ) -> ImportReport:
        """Imports the folder: first every note, so that words find it, then its vectors.

        If it is broken off among the vectors, only those are missing, and the next import goes on.
        Once everything was erased, nothing more is saved and the folder is forgotten.

        vectors: False if another process makes them.

        Raises OperatorError, StoreUnavailable; Erased, or Stopped where it follows; Stopped for a
        forgotten folder.
        """
        if not self.root.is_dir():
            raise NotFound(f"no folder {self.root}")
        task = replace(self, destination=self.destination.for_task())
        last_erasure = task.destination.last_erasure
        manifest = self.manifest()
        manifest.forget_erased(self.source, last_erasure)
        try:
            return task._run(step, previous, vectors=vectors)  # noqa: SLF001 - itself
        except Erased as erased:
            manifest.forget_entered(self.source, last_erasure)
            if self.follows:
                raise Stopped from erased
            raise

    def _run(self, step: Step, previous: PreviousPass, *, vectors: bool) -> ImportReport:
        started = time.perf_counter()
        report = ImportReport(self.vault, str(self.root))
        manifest = self.manifest()
        files, unread_paths = self._read_folder(report)
        with manifest.kept_open():
            merge, files_by_id = self._prepare(manifest, files, unread_paths)
            outcomes: Iterable[FileOutcome] = self._merge(
                merge,
                files_by_id,
                report,
                step,
                previous,
            )
            unfit = [outcome for outcome in outcomes if isinstance(outcome.file, Skipped)]
            manifest.end(self.source, skipped=len(report.skipped) + len(unfit))

        if vectors:
            outcomes = self._index(list(outcomes), step)
        for outcome in outcomes:
            report.add(outcome)
        report.seconds = time.perf_counter() - started
        return report

    def _read_folder(self, report: ImportReport) -> tuple[dict[str, Path], set[str]]:
        """Returns the files by their paths below the folder, and the paths of files that are not
        read any more. The report gets what is left out.
        """
        files: dict[str, Path] = {}
        unread_paths: set[str] = set()
        for entry in self._entries():
            if isinstance(entry, Path):
                path = relative(self.root, entry)
                if path in files:
                    report.skipped.append(Skipped(path, ALIKE, missed=True))
                else:
                    files[path] = entry
            elif entry.ignored:
                report.ignored[entry.reason] += 1
                if entry.reason != BY_RULE:
                    unread_paths.add(entry.path)
            else:
                report.skipped.append(entry)

        return files, unread_paths

    def _entries(self) -> Iterator[Path | Skipped]:
        """Yields files and what is left out. A folder inside that is indexed by itself is left out."""
        root = self.source.root
        inner_roots = []
        for folder in self.manifest().folders(self.destination.name):
            inner = folder.source.root
            if inner != root and inner.is_relative_to(root) and inner.is_dir():
                inner_roots.append(inner)

        reported: set[Path] = set()
        for entry in walk(self.root):
            if isinstance(entry, Skipped):
                place = root / entry.path
            else:
                place = root / relative(self.root, entry)
            owners = [inner for inner in inner_roots if place.is_relative_to(inner)]
            if not owners:
                yield entry
            elif owners[0] not in reported:
                reported.add(owners[0])
                path = owners[0].relative_to(root).as_posix()
                yield Skipped(path, "indexed as a folder of its own")

    def _prepare(
        self,
        manifest: Manifest,
        files: Mapping[str, Path],
        unread_paths: set[str],
    ) -> tuple[Merge, dict[str, Path]]:
        """Records the import's beginning. Returns what its files share, and the files by note id.

        files: path below the folder -> file.
        unread_paths: paths of files that are not read any more. Their notes stay as they are.
        """
        listed = self.destination.listed()
        ids = note_ids(
            self.vault,
            files,
            manifest.files(self.source),
            listed,
        )
        files_by_id = {ids[path]: file for path, file in files.items()}
        snapshot = manifest.begin(
            self.source,
            {note_id: path for path, note_id in ids.items()},
            self.destination.last_erasure,
            known_only=self.follows,
        )
        merge = Merge(
            destination=self.destination,
            source=self.source,
            root=self.root,
            choice=self.choice,
            manifest=manifest,
            snapshot=snapshot,
            listed=listed,
            replaced=self.destination.replaced() if self.choice.write_back else {},
        )
        merge = _with_moves(merge, files_by_id)
        has_new_files = not files_by_id.keys() <= merge.snapshot.synced.keys()
        if has_new_files:
            merge = replace(merge, added=_first_added(self.root))
        synced = {
            note_id: state
            for note_id, state in merge.snapshot.synced.items()
            if state.path not in unread_paths
        }
        merge = replace(merge, snapshot=replace(merge.snapshot, synced=synced))
        return merge, files_by_id

    def _merge(
        self,
        merge: Merge,
        files: Mapping[str, Path],
        report: ImportReport,
        step: Step,
        previous: PreviousPass,
    ) -> list[FileOutcome]:
        """Merges each file with its note, then removes the notes whose files are not there.

        files: note id -> file.
        """
        due = {
            note_id: file
            for note_id, file in files.items()
            if not (previous.is_unchanged(file) and merge.is_settled(note_id))
        }
        outcomes: list[FileOutcome] = []
        with _workers() as workers:
            for outcome in workers.map(merge.join, due, due.values()):
                outcomes.append(outcome)
                step(NOTES, len(outcomes), len(due))
            if _has_unread(report, outcomes):
                return outcomes  # a missing file may still be where nobody can look
            missing = frozenset(merge.snapshot.synced) - frozenset(files)
            gone = missing if previous.absent is None else missing & previous.absent
            report.absent = missing - gone
            gone -= self._doubtful_notes(merge, files, missing, gone, report)
            outcomes += workers.map(partial(merge.join, file=None), sorted(gone))

        return outcomes

    def _doubtful_notes(
        self,
        merge: Merge,
        files: Mapping[str, Path],
        missing: frozenset[str],
        gone: frozenset[str],
        report: ImportReport,
    ) -> frozenset[str]:
        """Returns the ids of missing notes that are not to be removed yet, since no person has said
        that their files are gone.

        Questions stay open from pass to pass until they are answered or the files are back.

        files: note id -> file.
        missing: ids of the notes whose files are not there.
        gone: ids of those whose files were not there in the previous pass either.
        """
        manifest = merge.manifest
        earlier = manifest.missing_files(self.source)
        confirmed = {note_id: file for note_id, file in earlier.items() if file.is_gone}
        lost = _lost_files(
            merge,
            files,
            missing - confirmed.keys(),
        )
        still_open = {note_id: file.path for note_id, file in earlier.items() if note_id in lost}

        # Files are doubtful if they have gone in numbers, or with a drive.
        present = [relative(self.root, file) for file in files.values()]
        folders: set[str] = set()
        for path in present:
            folders.update(folders_above(path))
        recorded_mounts = manifest.mounts(self.source)
        mounted = mount_points(self.source.root, folders | recorded_mounts)
        doubtful = doubtful_files(
            lost,
            present,
            unmounted=recorded_mounts - mounted,
        )
        doubtful |= still_open

        # No file is written into a folder whose drive may be away.
        expected = frozenset[str]()
        if doubtful:
            synced = merge.snapshot.synced
            expected = frozenset(note_id for note_id in missing if synced[note_id].had_no_file)

        # A person is asked about those that were not there twice.
        settled = gone | still_open.keys()
        questions = {note_id: path for note_id, path in doubtful.items() if note_id in settled}
        report.absent -= questions.keys()
        if self.choice.gone is GoneAnswer.REMOVE:
            questions = {}
            doubtful = {}
        elif self.choice.gone is GoneAnswer.KEEP:
            for note_id in questions:
                manifest.drop(self.source, note_id)
            questions = {}
        recorded_paths = [state.path for state in merge.snapshot.synced.values()]
        report.gone = gone_folders(questions, recorded_paths)

        # The next pass reads what is open, and where drives were.
        records = {note_id: MissingFile(path, is_gone=False) for note_id, path in questions.items()}
        records |= {note_id: file for note_id, file in confirmed.items() if note_id in missing}
        if records != earlier:
            manifest.record_missing_files(self.source, records)
        mounts_in_doubt = recorded_mounts & set(doubtful.values())
        mounts = mounted | mounts_in_doubt
        if mounts != recorded_mounts:
            manifest.record_mounts(self.source, mounts)
        return expected | doubtful.keys()

    def _index(self, outcomes: Sequence[FileOutcome], step: Step) -> Iterator[FileOutcome]:
        """Yields each file once the index has followed its note.

        If the model is unavailable, only the first few notes wait for it.
        """
        behind = sum(outcome.is_behind for outcome in outcomes)
        finished = 0
        failures: list[IndexProgress] = []
        if behind:
            step(VECTORS, finished, behind)

        def index(outcome: FileOutcome) -> FileOutcome:
            if outcome.note_id is None or not outcome.is_behind:
                return outcome
            progress = failures[0] if failures else self.destination.follow(outcome.note_id)
            if progress.model_is_away:
                failures.append(progress)
            changed = outcome.index.changed or progress.changed
            return replace(outcome, index=replace(progress, changed=changed))

        with _workers() as workers:
            for outcome, indexed in zip(outcomes, workers.map(index, outcomes), strict=True):
                if outcome.is_behind:
                    finished += 1
                    step(VECTORS, finished, behind)
                yield indexed


def _has_unread(report: ImportReport, outcomes: Iterable[FileOutcome]) -> bool:
    """Reports whether anything in the folder could not be looked at."""
    entries = [*report.skipped, *(outcome.file for outcome in outcomes)]
    return any(isinstance(entry, Skipped) and entry.unread for entry in entries)


def _lost_files(merge: Merge, files: Mapping[str, Path], missing: frozenset[str]) -> dict[str, str]:
    """Returns the paths of the missing files whose bytes are in no other file, by note id: these
    have not moved inside the folder.
    """
    synced = merge.snapshot.synced
    lost: dict[str, SyncedState] = {}
    for note_id in missing:
        state = synced[note_id]
        if state.file_digest and not (merge.root / state.path).exists():
            lost[note_id] = state

    if not lost:
        return {}
    digests: set[str | None] = set()
    for note_id, file in files.items():
        if note_id in synced:
            digests.add(synced[note_id].file_digest)
        else:
            digests.add(digest_of_file(file))

    return {
        note_id: state.path for note_id, state in lost.items() if state.file_digest not in digests
    }


def note_ids(
    vault: str,
    paths: Iterable[str],
    synced: Mapping[str, SyncedState],
    listed: Mapping[str, NoteVersion],
) -> dict[str, str]:
    """Returns the id of each file's note, by path: as it was last read, else that of the note at
    this path of the vault, else a new one.
    """
    # A note that waits for its file owns no file yet.
    synced = {note_id: state for note_id, state in synced.items() if not state.had_no_file}
    synced_ids = {state.path: note_id for note_id, state in synced.items()}
    listed_ids = {
        version.path: note_id
        for note_id, version in listed.items()
        if version.vault == vault and note_id not in synced
    }
    ids: dict[str, str] = {}
    for path in paths:
        note_id = synced_ids.get(path) or listed_ids.get(path)
        if not note_id:
            candidates = candidate_ids(vault, path)
            note_id = next(new for new in candidates if new not in synced and new not in listed)
        ids[path] = note_id

    return ids


def _with_moves(merge: Merge, files: Mapping[str, Path]) -> Merge:
    """Returns `merge` with files that were moved inside their folder while their notes were changed
    elsewhere, as if they had been read at their new places: their notes go with them.

    A note's id is made of its path, so that a moved file is another note. If somebody has changed or
    deleted the note that it was, that stays so under the new path, instead of a second note beside
    the first.

    files: note id -> file that is there.
    """
    synced = dict(merge.snapshot.synced)
    for new_id, old_id in _moved_files(merge, files).items():
        path = relative(merge.root, files[new_id])
        with suppress(Conflict):  # there is a note at the new path
            if _move_note(merge, old_id, new_id, path):
                synced[new_id] = replace(synced.pop(old_id), path=path, note_updated=None)

    return replace(merge, snapshot=replace(merge.snapshot, synced=synced))


def _moved_files(merge: Merge, files: Mapping[str, Path]) -> dict[str, str]:
    """Returns the old id of each moved file by its new id, for files that are unlike all others."""
    snapshot = merge.snapshot
    missing = {}
    for note_id, state in snapshot.synced.items():
        if note_id not in files and state.file_digest:
            missing[note_id] = state.file_digest
    if not missing:
        return {}

    recorded_ids = snapshot.synced.keys() | snapshot.foreign
    new = {}
    for note_id, file in files.items():
        if note_id not in recorded_ids:
            new[note_id] = digest_of_file(file)
    old_ids = _ids_by_unique_digest(missing)
    new_ids = _ids_by_unique_digest(new)
    return {new_id: old_ids[digest] for digest, new_id in new_ids.items() if digest in old_ids}


def _ids_by_unique_digest(digests: Mapping[str, str]) -> dict[str, str]:
    """Returns digest -> note id, without the digests that several notes have."""
    counts = Counter(digests.values())
    return {digest: note_id for note_id, digest in digests.items() if counts[digest] == 1}


def _move_note(
    merge: Merge,
    old_id: str,
    new_id: str,
    path: str,
) -> bool:
    """Moves the note of a moved file, if somebody has changed or deleted that note, and reports
    whether this was so. Raises Conflict.
    """
    last = merge.snapshot.synced[old_id]
    current = merge.destination.read(old_id)
    if current is not None:
        if note_digest(current.note) == last.note_digest:
            return False
        was_moved_elsewhere = current.note.path != last.path
        draft = NoteDraft.of(current.note)
        if not was_moved_elsewhere:
            draft = replace(draft, path=path)
        # Saved as if a file said what the note does.
        file = FileNote(
            note_id=new_id,
            draft=draft,
            modified=datetime.now(UTC),
            digest="",
            problem=None,
        )
        merge.destination.save(file, "")

    merge.manifest.record(
        merge.source,
        new_id,
        replace(last, path=path, note_updated=None),
    )
    if current is not None:
        with suppress(NotFound):
            merge.destination.remove(old_id, current.revision)

    merge.manifest.drop(merge.source, old_id)
    return True


def open_questions(manifest: Manifest, source: FolderSource) -> list[GoneFolder]:
    """Returns the folders about which a person is asked whether their files are gone."""
    missing = manifest.missing_files(source)
    if not missing:
        return []
    questions = {note_id: file.path for note_id, file in missing.items() if not file.is_gone}
    known_paths = (state.path for state in manifest.files(source).values())
    return gone_folders(questions, known_paths)


def answer_gone(task: Import, path: str, answer: GoneAnswer) -> ImportReport:
    """Imports the folder after a person said what becomes of the notes asked about at `path`.

    Raises NotFound if there is no such question, or the folder is not there.
    """
    manifest = task.manifest()
    open_paths = set()
    for file in manifest.missing_files(task.source).values():
        if not file.is_gone:
            open_paths.add(file.path)

    if path not in open_paths:
        raise NotFound(f"nothing is asked about {path or 'the folder itself'} of {task.root}")
    if answer is GoneAnswer.REMOVE:
        manifest.confirm_gone(task.source, path)
    else:
        manifest.drop_missing(task.source, path)

    return task.run(vectors=False)


@contextmanager
def _workers() -> Iterator[ThreadPoolExecutor]:
    """Yields threads that stop after the files at hand when the import is broken off."""
    pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="import")
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _first_added(root: Path) -> dict[str, datetime]:
    """Returns when git first knew each file below `root`, under whatever name, by POSIX path; empty
    without git. Copies have the dates of their copying.
    """
    command = ("git", "-C", str(root), *_SAFE, *_LOG, "--", ".")
    try:
        process = subprocess.run(
            command,
            capture_output=True,
            timeout=GIT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return {}

    added: dict[str, datetime] = {}
    commit_date: datetime | None = None
    for line in process.stdout.decode(errors="replace").splitlines():
        status, *names = line.split("\t")
        if line.startswith(_DATE):
            commit_date = datetime.fromisoformat(line.removeprefix(_DATE))
        elif commit_date is not None and names:
            is_renamed = status.startswith("R")
            new_name = names[-1]
            added[new_name] = added.get(names[0], commit_date) if is_renamed else commit_date

    return added

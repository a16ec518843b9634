"""Files that are gone all at once: a drive that is not mounted looks like a folder that was emptied.

1. Files that have moved, or whose bytes are in another file, are no missing files.
2. The missing files are counted by folder. All files of a folder, or most of many, are not believed to be deleted.
3. Their notes stay until a person says whether the files are gone. Files that come back end the question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

ALL_OF = 10
"""Least number of missing files for a person to be asked about a folder that has lost all of them."""
MOST_OF = 20
"""Least number of missing files for a person to be asked about a folder that has lost more than half."""
_OF_THE_SYSTEM = frozenset({"lost+found", "System Volume Information", "$RECYCLE.BIN"})
"""Folders that systems make at the top of a drive or leave in its mount point; hidden entries are such too."""


class GoneAnswer(StrEnum):
    """Answer to the question what becomes of notes whose files are gone."""

    REMOVE = "remove"
    """The files were deleted: the notes go into the trash."""
    KEEP = "keep"
    """The notes stay, and are no file's any more."""


@dataclass(frozen=True, slots=True)
class GoneFolder:
    """A folder whose files are gone, while its notes wait for an answer."""

    path: str
    """Path below the followed folder; empty for that folder itself."""
    files: int
    """Number of files that are gone."""
    known: int
    """Number of files that it had."""

    @property
    def loss(self) -> str:
        """Says how many of the files are gone."""
        if self.known == 1:
            return "the only file is gone"
        verb = "is" if self.files == 1 else "are"
        return f"{self.files:,} of {self.known:,} files {verb} gone"

    @property
    def reason(self) -> str:
        """Says what has happened and what a person can do."""
        notes = "Its note stays" if self.files == 1 else "Their notes stay"
        return (
            f"{self.loss}: is the drive there? {notes} until --gone remove or --gone keep decides"
        )


def doubtful_files(
    missing: Mapping[str, str],
    present: Iterable[str],
    *,
    unmounted: Collection[str],
) -> dict[str, str]:
    """Returns the folder that a person is asked about, by note id, for each missing file that is
    not believed to be deleted.

    missing: note id -> path.
    present: paths of the files that are there. Without any, all files of the followed folder are
    gone, however few they were.
    unmounted: folders that were mount points and are not any more.
    """
    present_in = _count_by_folder(present)
    missing_in = _count_by_folder(missing.values())
    emptied = set(unmounted)
    for folder, count in missing_in.items():
        if count >= ALL_OF and not present_in[folder]:
            emptied.add(folder)

    if not present_in[""]:
        emptied.add("")
    doubtful = _topmost_folders(missing, emptied)

    # A folder in which an emptied one lies has not lost those files itself.
    rest = {note_id: path for note_id, path in missing.items() if note_id not in doubtful}
    thinned = set()
    for folder, count in _count_by_folder(rest.values()).items():
        if count >= MOST_OF and count > present_in[folder]:
            thinned.add(folder)

    return doubtful | _topmost_folders(rest, thinned)


def _topmost_folders(missing: Mapping[str, str], folders: Collection[str]) -> dict[str, str]:
    """Returns the topmost of `folders` above each file, by note id, without files below none."""
    topmost: dict[str, str] = {}
    for note_id, path in missing.items():
        for folder in folders_above(path):
            if folder in folders:
                topmost[note_id] = folder
                break
    return topmost


def folders_above(path: str) -> list[str]:
    """Returns the folders above a file: for `a/b/c.md` the followed one (empty), `a` and `a/b`."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(len(parts) + 1)]


def _count_by_folder(paths: Iterable[str]) -> Counter[str]:
    """Counts the files at any depth below each folder."""
    counts: Counter[str] = Counter()
    for path in paths:
        counts.update(folders_above(path))
    return counts


def gone_folders(questions: Mapping[str, str], paths: Iterable[str]) -> list[GoneFolder]:
    """Returns the questions, by path.

    questions: note id -> folder that is asked about.
    paths: every known file, also those that are not there.
    """
    known = _count_by_folder(paths)
    missing = Counter(questions.values())
    return [
        GoneFolder(
            path=folder,
            files=missing[folder],
            known=known[folder],
        )
        for folder in sorted(missing)
    ]


def is_bare(root: Path) -> bool:
    """Reports whether a folder holds nothing but what systems and tools put there, as a mount point
    without its drive does.
    """
    try:
        names = [entry.name for entry in root.iterdir()]
    except OSError:
        return True
    return all(name.startswith(".") or name in _OF_THE_SYSTEM for name in names)


def mount_points(root: Path, folders: Iterable[str]) -> frozenset[str]:
    """Returns those of the folders below `root` at which another drive is mounted; an empty path is
    `root` itself.
    """
    return frozenset(folder for folder in folders if (root / folder).is_mount())

"""Which notes came from which folder, so that only those are removed when their files are gone.

One JSON file in the home folder, rewritten whole before and after each import, under a lock: several imports may run at
once. Losing it removes nothing: a later import begins a new one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from cli.locking import locked
from shared.errors import OperatorError


@dataclass(frozen=True, slots=True)
class Begun:
    """What an import needs to know of the notes there were before it."""

    before: frozenset[str]
    """Ids that came from this folder."""
    foreign: frozenset[str]
    """Ids that came from other folders."""


@dataclass(slots=True)
class _Content:
    """The file. `source` names store, tenant, vault and folder, as one text."""

    folders: dict[str, list[str]] = field(default_factory=dict)
    """Source -> ids of the notes that came from it."""
    unfinished: set[str] = field(default_factory=set)
    roots: dict[str, str] = field(default_factory=dict)
    """Source -> its folder's absolute path."""


class Manifest:
    """As the file was when it was last looked at, which is at every change."""

    def __init__(self, file: Path) -> None:
        """Raises OperatorError for a file that is not ours."""
        self._file = file
        self._content = _read(file)

    @classmethod
    def of(cls, home: Path) -> Manifest:
        return cls(home / "folders.json")

    def knows(self, source: str) -> bool:
        """Whether it was imported before, even if nothing is left of it."""
        return source in self._content.folders

    def finished(self, source: str) -> bool:
        """Whether its last import came to its end."""
        return self.knows(source) and source not in self._content.unfinished

    def folders(self, destination: str) -> tuple[tuple[Path, bool], ...]:
        """Each folder whose notes are there, and whether its last import came to its end."""
        sources = [source for source in self._content.roots if source.startswith(f"{destination} ")]
        return tuple((Path(self._content.roots[source]), self.finished(source)) for source in sources)

    def file_of(self, note_id: str, path: str) -> Path | None:
        """The file on this machine that the note at this path came from; None: there is none, or not any more."""
        for source, root in self._content.roots.items():
            if note_id in self._content.folders.get(source, ()) and (file := Path(root) / path).is_file():
                return file
        return None

    def begin(self, destination: str, source: str, root: Path, planned: Iterable[str]) -> Begun:
        """Write down what may be there from now on: an import that is broken off here leaves nothing unknown. What
        another folder has put there stays that folder's. The names of sources begin with that of their destination.
        """
        with self._changing() as content:
            before = frozenset(content.folders.get(source, ()))
            others = [other for other in content.folders if other != source and other.startswith(f"{destination} ")]
            foreign = frozenset(note_id for other in others for note_id in content.folders[other])
            content.unfinished.add(source)
            content.roots[source] = str(root)
            content.folders[source] = sorted(before | (set(planned) - foreign))
        return Begun(before, foreign)

    def keep(self, source: str, kept: Iterable[str], gone: Iterable[str]) -> None:
        """Write down what the folder holds now that its import has ended. What another import of the same folder has
        found in the meantime stays.
        """
        with self._changing() as content:
            content.unfinished.discard(source)
            content.folders[source] = sorted((set(content.folders.get(source, ())) - set(gone)) | set(kept))

    def forget(self, destination: str) -> None:
        """Nothing that came from any folder is there any more."""
        with self._changing() as content:
            for source in [source for source in content.folders if source.startswith(f"{destination} ")]:
                del content.folders[source]
                content.roots.pop(source, None)
                content.unfinished.discard(source)

    @contextmanager
    def _changing(self) -> Iterator[_Content]:
        """The content as it is now, written back afterwards; no other process comes between."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with locked(self._file.with_suffix(".lock")):
            self._content = _read(self._file)
            yield self._content
            _write(self._file, self._content)


def _read(file: Path) -> _Content:
    if not file.exists():
        return _Content()
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return _Content(content["folders"], set(content.get("unfinished", ())), content.get("roots", {}))
    except (ValueError, KeyError, TypeError) as error:
        raise OperatorError(f"{file} is damaged: move it away, nothing else depends on it") from error


def _write(file: Path, content: _Content) -> None:
    shown = {"folders": content.folders, "unfinished": sorted(content.unfinished), "roots": content.roots}
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps(shown, indent=1) + "\n", encoding="utf-8")
    os.replace(fresh, file)  # noqa: PTH105 - atomic: a reader sees the old file or the new one

"""Which notes came from which folder, so that only those are removed when their files are gone.

One JSON file in the home folder, rewritten whole before and after each import. Losing it removes nothing: a later
import begins a new one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from shared.errors import OperatorError


class Manifest:
    """`source` (store, tenant, vault and folder, as one text) -> ids of the notes that came from it."""

    def __init__(self, file: Path) -> None:
        """Raises OperatorError for a file that is not ours."""
        self._file = file
        self._ids: dict[str, list[str]] = {}
        self._unfinished: set[str] = set()
        if file.exists():
            try:
                content = json.loads(file.read_text(encoding="utf-8"))
                self._ids, self._unfinished = content["folders"], set(content.get("unfinished", ()))
            except (ValueError, KeyError, TypeError) as error:
                raise OperatorError(f"{file} is damaged: move it away, nothing else depends on it") from error

    def knows(self, source: str) -> bool:
        """Whether it was imported before, even if nothing is left of it."""
        return source in self._ids

    def finished(self, source: str) -> bool:
        """Whether its last import came to its end."""
        return source in self._ids and source not in self._unfinished

    def ids(self, source: str) -> frozenset[str]:
        return frozenset(self._ids.get(source, ()))

    def elsewhere(self, source: str) -> frozenset[str]:
        """Ids that came from other folders."""
        return frozenset(note_id for other, ids in self._ids.items() if other != source for note_id in ids)

    def begin(self, source: str, ids: Iterable[str]) -> None:
        """Write down what may be there from now on: an import that is broken off here leaves nothing unknown."""
        self._unfinished.add(source)
        self._write(source, ids)

    def keep(self, source: str, ids: Iterable[str]) -> None:
        """Write down what the folder holds now that its import has ended."""
        self._unfinished.discard(source)
        self._write(source, ids)

    def _write(self, source: str, ids: Iterable[str]) -> None:
        self._ids[source] = sorted(ids)
        content = {"folders": self._ids, "unfinished": sorted(self._unfinished)}
        self._file.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._file.with_suffix(".new")
        fresh.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        os.replace(fresh, self._file)  # noqa: PTH105 - atomic: a reader sees the old file or the new one

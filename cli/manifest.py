"""Which notes came from which folder, so that only those are removed when their files are gone.

One JSON file in the home folder, rewritten whole after each import. Losing it removes nothing: a later import
begins a new one.
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
        if file.exists():
            try:
                self._ids = json.loads(file.read_text(encoding="utf-8"))["folders"]
            except (ValueError, KeyError, TypeError) as error:
                raise OperatorError(f"{file} is damaged: move it away, nothing else depends on it") from error

    def knows(self, source: str) -> bool:
        """Whether it was imported before, even if nothing is left of it."""
        return source in self._ids

    def ids(self, source: str) -> frozenset[str]:
        return frozenset(self._ids.get(source, ()))

    def elsewhere(self, source: str) -> frozenset[str]:
        """Ids that came from other folders."""
        return frozenset(note_id for other, ids in self._ids.items() if other != source for note_id in ids)

    def keep(self, source: str, ids: Iterable[str]) -> None:
        """Write down what the folder holds now."""
        self._ids[source] = sorted(ids)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._file.with_suffix(".new")
        fresh.write_text(json.dumps({"folders": self._ids}, indent=1) + "\n", encoding="utf-8")
        os.replace(fresh, self._file)  # noqa: PTH105 - atomic: a reader sees the old file or the new one

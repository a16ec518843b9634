"""The files that notes on this machine came from, for whoever changes a note: the page, the API, a tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from cli.destinations import LocalDestination
from cli.folder import FileNote, read
from cli.joining import Choice, Joining
from cli.manifest import Begun, Known, Manifest, Read
from cli.standing import Standing, standing
from shared.app import App
from shared.errors import NotFound
from shared.ports.notes import Origin

_STATES: Mapping[Standing, Literal["same", "note", "file", "both"]] = {
    Standing.AGREED: "same",
    Standing.SETTLED: "same",
    Standing.FILE_NEWS: "file",
    Standing.NOTE_NEWS: "note",
    Standing.CONFLICT: "both",
}


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """`shared.ports.notes.NoteFiles` by what the imports of this home have written down."""

    app: App
    """Without these files: what is written here is not followed again."""

    @classmethod
    def added_to(cls, app: App) -> App:
        """The product that knows them."""
        return replace(app, files=cls(app))

    def origin(self, tenant_id: str, note_id: str) -> Origin | None:
        found = self._found(tenant_id, note_id)
        if found is None:
            return None
        known, last = found
        file = known.source.root / last.path
        there = read(known.source.root, file, known.source.vault) if file.exists() else None
        held = self._destination(tenant_id).read(note_id)
        how = standing(last, there if isinstance(there, FileNote) else None, held.note if held else None)
        return Origin(folder=str(known.source.root), path=last.path, write_back=known.write_back, state=_STATES[how])

    def pdf(self, tenant_id: str, note_id: str) -> Path | None:
        """The PDF that a note of today came from; None: it came from none, or its folder does not hold that any more,
        not even as a link that leads out of it.
        """
        found = self._found(tenant_id, note_id)
        if found is None or not self.app.store.live_records(tenant_id, [note_id]):
            return None
        root = found[0].source.root.resolve()
        file = (root / found[1].path).resolve()
        return file if file.suffix.lower() == ".pdf" and file.is_relative_to(root) and file.is_file() else None

    def decide(self, tenant_id: str, note_id: str, *, write: bool) -> None:
        found = self._found(tenant_id, note_id)
        if found is None:
            raise NotFound(f"note {note_id!r} came from no folder of this machine")
        self._manifest.write_back(found[0].source, wanted=write)

    def follow(self, tenant_id: str, note_id: str) -> None:
        found = self._found(tenant_id, note_id)
        if found is None or not found[0].write_back or not found[0].source.root.is_dir():
            return
        known, last = found
        file = known.source.root / last.path
        joining = Joining(
            destination=self._destination(tenant_id),
            source=known.source,
            root=known.source.root,
            choice=Choice(write_back=True),
            manifest=self._manifest,
            begun=Begun({note_id: last}, frozenset()),
            listed={},
        )
        joining.join(note_id, file if file.exists() else None)

    @property
    def _manifest(self) -> Manifest:
        return Manifest.of(self.app.settings.home)

    def _found(self, tenant_id: str, note_id: str) -> tuple[Known, Read] | None:
        """Of one that was read at least once."""
        found = self._manifest.origin(self._destination(tenant_id).name, note_id)
        return found if found and found[1].path and found[1].file else None

    def _destination(self, tenant_id: str) -> LocalDestination:
        return LocalDestination(self.app, tenant_id, indexes=False)

"""A folder and its notes, each of which somebody changes: here, and on a server."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.client.remote import HttpClient
from functions.client import Json
from shared.markdown.file import note_id_of
from tests.cli.conftest import Aurora


@dataclass
class Sides:
    """A folder and its notes, and the command between them."""

    aurora: Aurora
    folder: Path
    where: tuple[str, ...]
    """Options that say where the notes are."""
    client: HttpClient

    def index(self, *options: str, code: int = 0) -> Json:
        result = self.aurora("index", str(self.folder), *options, *self.where, "--json")
        assert result.exit_code == code, result.output
        return dict(json.loads(result.stdout))

    def write(self, path: str, content: str | bytes) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def file(self, path: str) -> str:
        return (self.folder / path).read_bytes().decode()

    def note(self, path: str) -> Json:
        return self.client.send("GET", f"/notes/{note_id_of('default', path)}")

    def has_note(self, path: str) -> bool:
        listed = self.client.send("GET", "/notes", query={"pageSize": "200"})["notes"]
        return note_id_of("default", path) in {note["noteId"] for note in listed}

    def edit(self, path: str, /, **fields: Any) -> None:  # noqa: ANN401 - JSON
        note = self.note(path)
        self.client.send("PUT", f"/notes/{note['noteId']}", {**note, **fields})

    def delete(self, path: str) -> None:
        self.client.send("DELETE", f"/notes/{note_id_of('default', path)}")

    def thrown_away(self, text: str) -> bool:
        """Tell whether the text is in the trash."""
        trashed_notes = (
            self.client.send("GET", f"/trash/{row['trashId']}") for row in self.trash()
        )
        return any(
            text in json.dumps(trashed, ensure_ascii=False).replace("\\n", "\n")
            for trashed in trashed_notes
        )

    def trash(self) -> list[Json]:
        return list(self.client.send("GET", "/trash", query={"pageSize": "200"})["trash"])


def named(places: list[Json]) -> list[str]:
    """The paths of a report's list."""
    return [place["path"] for place in places]

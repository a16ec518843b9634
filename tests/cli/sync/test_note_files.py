"""The files of notes that are changed through the API of the running product."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import functions_framework
import pytest
from werkzeug.test import Client

from cli.options import Place, close
from cli.product.store import ROOT
from cli.sync.destinations import LocalDestination
from cli.sync.importing import Import
from cli.sync.note_files import FolderFiles, with_note_files
from shared.bootstrap import build, use
from shared.markdown.file import note_id_of

BOAT = note_id_of("default", "boat.md")


@dataclass(frozen=True)
class Desk:
    folder: Path
    client: Client

    def call(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        reply = self.client.open(path, method=method, json=body)
        assert reply.status_code < 300, reply.text
        return reply.get_json(silent=True)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A folder of one note, whose files are written."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "boat.md").write_text("Blue.")
    settings = Place(tmp_path / "home", "local", as_json=False).settings(AUTH="none")
    app = replace(build(settings, tenant="local"), embedder=None)
    use(app)
    Import(LocalDestination(app, "local"), folder, "default").run()
    api = functions_framework.create_app("api", str(ROOT / "main.py"))  # type: ignore[no-untyped-call]
    desk = Desk(folder, Client(with_note_files(api, FolderFiles(app, "local"))))
    assert desk.call("PUT", f"/api/notes/{BOAT}:file", {"writeBack": True})["writeBack"] is True
    yield desk
    close(app)


def test_a_file_follows_its_note_through_every_change(desk: Desk) -> None:
    note = {"title": "Log", "text": "High water.", "path": "sea/log.md"}
    desk.call("PUT", "/api/notes/x%3Ay", note)
    assert "High water." in (desk.folder / "sea/log.md").read_text()
    assert desk.call("GET", "/api/notes/x%3Ay:file")["state"] == "same"
    desk.call("PUT", "/api/notes/x%3Ay", {**note, "path": "log.md"})
    assert not (desk.folder / "sea/log.md").exists()
    desk.call("DELETE", "/api/notes/x%3Ay")
    assert not (desk.folder / "log.md").exists()
    (deleted, *_) = desk.call("GET", "/api/trash")["trash"]
    desk.call("POST", f"/api/trash/{deleted['trashId']}:restore")
    assert "High water." in (desk.folder / "log.md").read_text()


def test_what_was_imported_in_its_place_is_not_written_and_neither_is_what_lies_outside(desk: Desk) -> None:
    desk.call("POST", "/api/notes:import", {"path": "boat.md", "text": "Another boat."})
    assert (desk.folder / "boat.md").read_text() == "Blue."
    assert desk.call("GET", f"/api/notes/{BOAT}:file")["state"] == "both"
    (desk.folder / "out").symlink_to(desk.folder.parent)
    desk.call("PUT", "/api/notes/n1", {"title": "N", "text": "x", "path": "out/n1.md"})
    assert not (desk.folder.parent / "n1.md").exists()
    assert "not written to a file" in desk.call("GET", "/api/notes/n1:file")["reason"]


def test_what_is_no_decision_is_refused_by_name(desk: Desk) -> None:
    for body in (None, {}, {"writeBack": "yes"}, [1], {"writeBack": True, "pad": "x" * 2000}):
        reply = desk.client.put(f"/api/notes/{BOAT}:file", json=body)
        assert (reply.status_code, "writeBack" in reply.text) == (400, True)
    assert desk.client.put("/api/notes/none:file", json={"writeBack": True}).status_code == 404

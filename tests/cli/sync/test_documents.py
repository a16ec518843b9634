"""PDFs that notes came from, as the loopback server gives them to its page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from werkzeug.test import Client, TestResponse
from werkzeug.wrappers import Response

from cli.options import Place
from cli.product.loopback import only_from_this_machine
from cli.sync.destinations import LocalDestination
from cli.sync.importing import Import
from cli.sync.note_files import FolderFiles, with_note_files
from shared.app import App
from shared.markdown.file import note_id_of
from tests.cli.sync.other_files import pdf

PDF = pdf(["The boiler is an Ofen 3000.", "The filter is changed every May."])


@dataclass(frozen=True)
class Desk:
    """A folder that was indexed, and the server beside it."""

    folder: Path
    app: App
    client: Client

    def get(self, path: str, host: str = "localhost:8080", **headers: str) -> TestResponse:
        return self.client.get(path, headers=headers, environ_overrides={"HTTP_HOST": host})


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "boiler #2.pdf").write_bytes(PDF)
    (folder / "note.md").write_text("The boat is blue.")
    (tmp_path / "secret.pdf").write_bytes(b"%PDF secret")
    with Place(tmp_path / "home", "local", as_json=False).app() as app:
        Import(LocalDestination(app, "local"), folder, "default").run()
        site = with_note_files(Response("the product"), FolderFiles(app, "local"))
        yield Desk(folder, app, Client(only_from_this_machine(site, ())))


BOILER = f"/documents/{note_id_of('default', 'boiler #2.pdf')}"


def test_the_pdf_of_a_note_is_given_as_it_is(desk: Desk) -> None:
    reply = desk.get(BOILER)
    assert (reply.status_code, reply.mimetype, reply.data) == (200, "application/pdf", PDF)
    assert reply.headers["Content-Disposition"].startswith("inline")
    assert reply.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert reply.headers["X-Frame-Options"] == "DENY"
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    reply.close()
    assert desk.get("/elsewhere").text == "the product"


@pytest.mark.parametrize(
    "path",
    [
        "/documents/",
        "/documents/nothing",
        "/documents/../secret.pdf",
        "/documents/..%2fsecret.pdf",
        "/documents/%2e%2e/secret.pdf",
        "/documents//etc/passwd",
        "/documents/boiler%20%232.pdf",
        f"/documents/{note_id_of('default', 'note.md')}",
        f"/documents/{note_id_of('default', '../secret.pdf')}",
    ],
)
def test_nothing_else_is_given(desk: Desk, path: str) -> None:
    reply = desk.get(path)
    assert (reply.status_code, reply.mimetype) == (404, "application/json")


def test_a_link_that_leads_out_of_the_folder_is_not_followed(desk: Desk) -> None:
    (desk.folder / "boiler #2.pdf").unlink()
    (desk.folder / "boiler #2.pdf").symlink_to(desk.folder.parent / "secret.pdf")
    assert desk.get(BOILER).status_code == 404


def test_a_file_that_is_gone_or_whose_note_was_deleted_is_not_given(desk: Desk) -> None:
    file = desk.folder / "boiler #2.pdf"
    file.rename(desk.folder / "elsewhere.pdf")
    assert desk.get(BOILER).status_code == 404
    (desk.folder / "elsewhere.pdf").rename(file)
    desk.app.notes.delete("local", BOILER.rpartition("/")[2])
    assert desk.get(BOILER).status_code == 404


def test_other_machines_and_pages_are_kept_out(desk: Desk) -> None:
    assert desk.get(BOILER, host="evil.example").status_code == 403
    assert desk.get(BOILER, Origin="https://evil.example").status_code == 403

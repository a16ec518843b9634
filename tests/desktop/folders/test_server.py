"""Notes on a server as the place of a folder: what is erased there meanwhile, and a server of the version before."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.client.pages import last_erasure
from desktop.client.remote import reaching
from desktop.folders.importing import Import
from desktop.folders.server import RemoteDestination
from functions.client import Json
from functions.http.errors import ERROR_FORMS, error_body
from shared.errors import Erased, NotFound
from tests.cli.conftest import Write
from tests.servers.scripted import Reply, Request, ScriptedServer
from tests.servers.served import Served, served

FILES = {f"{number}.md": f"Note {number} is here." for number in range(5)}


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "there", "--no-watch") as running:
        yield running


def test_an_import_ends_where_everything_is_erased_on_the_server_meanwhile(
    there: Served, notes: Write, tmp_path: Path
) -> None:
    folder = notes(FILES)
    with reaching(there.address, there.alice) as client:
        destination = RemoteDestination(client, there.address, tmp_path / "home")
        Import(destination, folder, "default").run()
        notes({f"new {name}": text for name, text in FILES.items()})
        client.send("DELETE", "/me", {"confirm": "erase everything"})
        with pytest.raises(Erased):
            Import(destination, folder, "default").run()
        assert client.send("GET", "/notes")["notes"] == []


def test_a_server_of_the_version_before_takes_what_names_no_erasure(
    notes: Write, tmp_path: Path
) -> None:
    row: Json = {
        "title": "0",
        "vault": "default",
        "path": "0.md",
        "tags": [],
        "lang": None,
        "createdAt": "2026-05-08T12:00:00Z",
        "updatedAt": "2026-05-08T12:00:00Z",
        "revision": "r1",
    }

    def answer(request: Request) -> Reply:
        if request.path.startswith("/api/notes/"):
            return Reply(404, error_body(ERROR_FORMS[NotFound], "no such note"))
        if request.method == "GET":
            return Reply(
                body={
                    "notes": [],
                    "trash": [],
                    "nextPageToken": None,
                }
            )
        body = request.json()
        if "erasure" in body:
            return Reply(400)
        note_id = f"id-{body['path']}"
        saved = {
            **row,
            "path": body["path"],
            "title": body["path"],
            "noteId": note_id,
        }
        return Reply(body={"note": saved, "problem": None})

    with ScriptedServer(answer) as server, reaching(server.url, None) as client:
        assert last_erasure(client) is None
        destination = RemoteDestination(client, server.url, tmp_path / "home")
        report = Import(destination, notes(FILES), "default").run(vectors=False)
        assert report.indexed == len(FILES)
        saves = [json.loads(request.body) for request in server.requests if request.body]
        assert len(saves) == len(FILES)

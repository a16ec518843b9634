"""The files of notes that are changed through the API of the running product, and the PDFs that it hands out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import functions_framework
import pytest
from werkzeug.test import Client, TestResponse
from werkzeug.wrappers import Response

from cli.options import CommandContext, close
from desktop.folders.destinations import LocalDestination
from desktop.folders.followed import FollowedFolders, with_folders
from desktop.folders.importing import Import
from desktop.folders.manifest import Manifest
from desktop.folders.merging import ImportChoice, Side
from desktop.folders.note_files import FolderFiles, with_note_files
from desktop.folders.report import ImportReport
from desktop.product.loopback import only_from_this_machine
from shared.app import App
from shared.bootstrap import assemble, build, use
from shared.markdown.file import note_id_of
from shared.model.notes import TrashReason
from shared.notes.service import NoteDraft
from shared.settings.shipped import ROOT
from tests.desktop.files.samples import pdf

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

BOAT = note_id_of("default", "boat.md")
PDF = pdf(["The boiler is an Ofen 3000.", "The filter is changed every May."])


@dataclass(frozen=True)
class Desk:
    folder: Path
    app: App
    client: Client

    def get(self, path: str, host: str = "localhost:8080", **headers: str) -> TestResponse:
        return self.client.get(path, headers=headers, environ_overrides={"HTTP_HOST": host})

    @property
    def destination(self) -> LocalDestination:
        return LocalDestination(self.app, "local", indexes=False)

    def pass_over(
        self, destination: LocalDestination | None = None, *, write_back: bool = True
    ) -> ImportReport:
        choice = ImportChoice(write_back=write_back)
        task = Import(destination or self.destination, self.folder, "default", choice)
        return task.run(vectors=False)

    def has_note(self) -> bool:
        return self.destination.read(BOAT) is not None

    def markdown_files(self) -> dict[str, str]:
        return {
            file.relative_to(self.folder).as_posix(): file.read_text()
            for file in self.folder.rglob("*.md")
        }

    def call(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        reply = self.client.open(path, method=method, json=body)
        assert reply.status_code < 300, reply.text
        return reply.get_json(silent=True)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A folder of a note and a PDF, whose files are written."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "boat.md").write_text("Blue.")
    (folder / "boiler #2.pdf").write_bytes(PDF)
    (tmp_path / "secret.pdf").write_bytes(b"%PDF secret")
    settings = CommandContext(tmp_path / "home", "local", as_json=False).settings(AUTH="none")
    app = assemble(replace(build(settings, tenant="local"), embedder=None))
    use(app)
    Import(LocalDestination(app, "local"), folder, "default").run()
    api = functions_framework.create_app("api", str(ROOT / "main.py"))  # type: ignore[no-untyped-call]
    site = only_from_this_machine(
        with_note_files(api, FolderFiles(LocalDestination(app, "local", indexes=False))), ()
    )
    desk = Desk(folder, app, Client(site))
    assert desk.call("PUT", f"/api/notes/{BOAT}:file", {"writeBack": True})["writeBack"] is True
    yield desk
    close(app)


def test_a_file_follows_its_note_through_every_change(desk: Desk) -> None:
    note = {
        "title": "Log",
        "text": "High water.",
        "path": "sea/log.md",
    }
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


def test_a_deleted_note_whose_file_says_the_same_is_in_the_trash_once(desk: Desk) -> None:
    desk.call("DELETE", f"/api/notes/{BOAT}")
    (entry,) = desk.call("GET", "/api/trash")["trash"]
    assert entry["reason"] == "deleted"
    desk.call("POST", f"/api/trash/{entry['trashId']}:restore")
    assert desk.call("GET", "/api/trash")["trash"] == []
    assert desk.markdown_files() == {"boat.md": "Blue."}


def test_a_deleted_note_whose_file_says_something_else_is_in_the_trash_with_the_file(
    desk: Desk,
) -> None:
    (desk.folder / "boat.md").write_text("Red.")
    desk.app.notes.delete("local", BOAT)
    choice = ImportChoice(write_back=True, take=Side.NOTE)
    Import(desk.destination, desk.folder, "default", choice).run(vectors=False)
    assert desk.markdown_files() == {}
    rows = desk.call("GET", "/api/trash")["trash"]
    versions = [desk.call("GET", f"/api/trash/{row['trashId']}") for row in rows]
    assert [(version["reason"], version["text"]) for version in versions] == [
        ("edited", "Red."),
        ("deleted", "Blue."),
    ]


class Killed(BaseException):
    """Ends a request as the end of its process does."""


def restore_and_die(desk: Desk, *, before_the_note: bool = False) -> None:
    """Deletes the note of boat.md and restores it, in a process that dies before it writes the file."""
    desk.call("DELETE", f"/api/notes/{BOAT}")
    assert not (desk.folder / "boat.md").exists()
    (deleted,) = (
        row for row in desk.call("GET", "/api/trash")["trash"] if row["reason"] == "deleted"
    )
    api = functions_framework.create_app("api", str(ROOT / "main.py"))  # type: ignore[no-untyped-call]

    def dies(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        del start_response
        if not before_the_note:
            assert Response.from_app(api, environ, buffered=True).status_code == 200
        raise Killed

    site = with_note_files(dies, FolderFiles(desk.destination))
    with pytest.raises(Killed):
        Client(site).post(f"/api/trash/{deleted['trashId']}:restore")
    assert not (desk.folder / "boat.md").exists()
    assert desk.has_note() is not before_the_note


def test_the_file_of_a_restored_note_is_written_by_the_next_pass_if_the_process_died(
    desk: Desk,
) -> None:
    restore_and_die(desk)
    reason = desk.call("GET", f"/api/notes/{BOAT}:file")["reason"]
    assert reason == f"{desk.folder / 'boat.md'} could not be written yet"
    assert desk.pass_over().written == 1
    assert "Blue." in (desk.folder / "boat.md").read_text()
    assert desk.call("GET", f"/api/notes/{BOAT}:file")["state"] == "same"
    assert desk.pass_over().written == 0


def test_a_pass_that_writes_no_files_says_that_the_file_is_still_to_be_written(desk: Desk) -> None:
    restore_and_die(desk)
    (kept,) = desk.pass_over(write_back=False).kept
    assert "--write-back writes the file" in kept.reason
    assert desk.pass_over().written == 1


def test_the_file_says_what_the_note_says_by_then_and_lies_where_it_is(desk: Desk) -> None:
    restore_and_die(desk)
    draft = NoteDraft(title="Boat", text="Red.", path="sea/boat.md")
    desk.app.notes.save("local", BOAT, draft)
    desk.pass_over()
    assert not (desk.folder / "boat.md").exists()
    assert "Red." in (desk.folder / "sea/boat.md").read_text()
    assert desk.pass_over().written == 0


def test_no_file_is_written_for_a_note_that_did_not_come_back(desk: Desk) -> None:
    restore_and_die(desk, before_the_note=True)
    desk.pass_over()
    assert not (desk.folder / "boat.md").exists()
    desk.app.notes.save("local", BOAT, NoteDraft(title="Boat", text="Blue.", path="boat.md"))
    desk.pass_over()
    assert not (desk.folder / "boat.md").exists()


def test_no_file_is_written_for_a_note_that_has_gone_again(desk: Desk) -> None:
    restore_and_die(desk)
    desk.app.notes.delete("local", BOAT)
    desk.pass_over()
    assert not (desk.folder / "boat.md").exists()
    assert not desk.has_note()


@pytest.mark.parametrize(("vault", "path"), [("sea", "boat.md"), ("default", "templates/boat.md")])
def test_no_file_is_written_for_a_note_that_was_moved_to_where_none_is(
    desk: Desk, vault: str, path: str
) -> None:
    restore_and_die(desk)
    draft = NoteDraft(title="Boat", text="Blue.", vault=vault, path=path)
    desk.app.notes.save("local", BOAT, draft)
    assert desk.pass_over().written == 0
    assert desk.markdown_files() == {}
    assert desk.has_note()


def test_a_file_that_a_person_has_written_meanwhile_stays_as_it_is(desk: Desk) -> None:
    restore_and_die(desk)
    (desk.folder / "boat.md").write_text("Mine.")
    report = desk.pass_over()
    assert [place.path for place in report.conflicts] == ["boat.md"]
    assert desk.markdown_files() == {"boat.md": "Mine."}
    assert desk.app.notes.get("local", BOAT).text == "Blue."

    (desk.folder / "boat.md").write_text("Blue.")
    assert desk.pass_over().conflicts == []
    assert desk.call("GET", f"/api/notes/{BOAT}:file")["state"] == "same"


def test_a_file_that_a_person_deletes_stays_away(desk: Desk) -> None:
    restore_and_die(desk)
    desk.pass_over()
    (desk.folder / "boat.md").unlink()
    desk.pass_over()
    desk.pass_over()
    assert desk.markdown_files() == {}
    assert not desk.has_note()


def test_no_file_is_written_where_the_drive_may_be_away(desk: Desk) -> None:
    restore_and_die(desk)
    away = desk.folder.rename(desk.folder.parent / "away")
    desk.folder.mkdir()
    assert desk.pass_over().gone
    assert desk.markdown_files() == {}
    desk.folder.rmdir()
    away.rename(desk.folder)
    desk.pass_over()
    assert list(desk.markdown_files()) == ["boat.md"]


def test_a_restoring_that_is_refused_brings_no_file_later(desk: Desk) -> None:
    desk.call("DELETE", f"/api/notes/{BOAT}")
    (deleted,) = (
        row for row in desk.call("GET", "/api/trash")["trash"] if row["reason"] == "deleted"
    )
    other = NoteDraft(title="Other", text="Other.", path="boat.md")
    desk.app.notes.save("local", "n2", other)
    refused = desk.client.post(f"/api/trash/{deleted['trashId']}:restore")
    assert refused.status_code == 409
    assert Manifest.of(desk.destination.home).origin(desk.destination.name, BOAT) is None


def test_a_note_that_is_restored_while_its_file_is_removed_keeps_a_file(desk: Desk) -> None:
    class Restoring(LocalDestination):
        def discard(self, note_id: str, draft: NoteDraft) -> None:
            super().discard(note_id, draft)
            (deleted,) = (
                version
                for version in self.app.notes.trash("local", limit=9, token=None).items
                if version.reason is TrashReason.DELETED
            )
            self.app.notes.restore("local", deleted.trash_id)

        def for_task(self) -> Restoring:
            return self

    desk.app.notes.delete("local", BOAT)
    desk.pass_over(Restoring(desk.app, "local", indexes=False))
    assert list(desk.markdown_files()) == ["boat.md"]
    assert desk.has_note()
    assert desk.call("GET", f"/api/notes/{BOAT}:file")["state"] == "same"


def test_what_was_imported_in_its_place_is_not_written_and_neither_is_what_lies_outside(
    desk: Desk,
) -> None:
    desk.call("POST", "/api/notes:import", {"path": "boat.md", "text": "Another boat."})
    assert (desk.folder / "boat.md").read_text() == "Blue."
    assert desk.call("GET", f"/api/notes/{BOAT}:file")["state"] == "both"
    (desk.folder / "out").symlink_to(desk.folder.parent)
    desk.call(
        "PUT",
        "/api/notes/n1",
        {
            "title": "N",
            "text": "x",
            "path": "out/n1.md",
        },
    )
    assert not (desk.folder.parent / "n1.md").exists()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("out/n1.md", "leads out of its folder"),
        (".obsidian/n1.md", "is hidden: .obsidian begins with a dot"),
        ("sea/.n1.md", "is hidden: .n1.md begins with a dot"),
        ("n1.pdf", "is none of a .md or .txt file"),
        ("templates/n1.md", "is left out: templates, or named in .auroraignore"),
        ("", "It has no path"),
    ],
)
def test_a_note_without_a_file_says_why(desk: Desk, path: str, reason: str) -> None:
    (desk.folder / "out").symlink_to(desk.folder.parent)
    desk.call(
        "PUT",
        "/api/notes/n1",
        {
            "title": "N",
            "text": "x",
            "path": path,
        },
    )
    reason_given = desk.call("GET", "/api/notes/n1:file")["reason"]
    assert reason.lower() in reason_given.lower()
    assert reason_given.endswith("so it is not written to a file") is True


def test_an_invalid_decision_is_refused_by_name(desk: Desk) -> None:
    for body in (None, {}, {"writeBack": "yes"}, [1], {"writeBack": True, "pad": "x" * 2000}):
        reply = desk.client.put(f"/api/notes/{BOAT}:file", json=body)
        assert reply.status_code == 400
        assert "writeBack" in reply.text
    assert desk.client.put("/api/notes/none:file", json={"writeBack": True}).status_code == 404


# -- PDFs

BOILER = f"/documents/{note_id_of('default', 'boiler #2.pdf')}"


def test_the_pdf_of_a_note_is_given_as_it_is(desk: Desk) -> None:
    reply = desk.get(BOILER)
    assert reply.status_code == 200
    assert reply.mimetype == "application/pdf"
    assert reply.data == PDF
    assert reply.headers["Content-Disposition"].startswith("inline")
    assert reply.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert reply.headers["X-Frame-Options"] == "DENY"
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    reply.close()


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
        f"/documents/{note_id_of('default', 'boat.md')}",
        f"/documents/{note_id_of('default', '../secret.pdf')}",
    ],
)
def test_nothing_else_is_given(desk: Desk, path: str) -> None:
    reply = desk.get(path)
    assert reply.status_code == 404
    assert reply.mimetype == "application/json"


def test_a_file_that_is_gone_or_leads_out_or_whose_note_was_deleted_is_not_given(
    desk: Desk,
) -> None:
    file = desk.folder / "boiler #2.pdf"
    file.rename(desk.folder / "elsewhere.pdf")
    assert desk.get(BOILER).status_code == 404
    file.symlink_to(desk.folder.parent / "secret.pdf")
    assert desk.get(BOILER).status_code == 404
    file.unlink()
    (desk.folder / "elsewhere.pdf").rename(file)
    desk.app.notes.delete("local", BOILER.rpartition("/")[2])
    assert desk.get(BOILER).status_code == 404


@pytest.mark.parametrize("name", ["%00.png", f"{'x' * 300}.png", f"{'x' * 300}/a.png"])
def test_a_name_that_no_image_can_have_is_not_found(desk: Desk, name: str) -> None:
    reply = desk.get(f"/documents/{BOAT}?image={name}")
    assert reply.status_code == 404
    assert reply.mimetype == "application/json"


def test_other_machines_and_pages_are_kept_out(desk: Desk) -> None:
    assert desk.get(BOILER, host="evil.example").status_code == 403
    assert desk.get(BOILER, Origin="https://evil.example").status_code == 403


def test_a_note_whose_id_ends_like_a_verb_is_saved_read_and_deleted(desk: Desk) -> None:
    note = {"title": "Odd", "text": "An id like a verb."}
    assert desk.call("PUT", "/api/notes/a%3Afile", note)["noteId"] == "a:file"
    assert desk.call("GET", "/api/notes/a%3Afile")["title"] == "Odd"
    assert desk.client.get("/api/notes/a%3Afile:file").status_code == 200
    assert desk.client.delete("/api/notes/a%3Afile").status_code == 204
    assert desk.client.get("/api/notes/a%3Afile").status_code == 404


@pytest.mark.parametrize("column", ["indexed_at", "root", "vault"])
@pytest.mark.parametrize("mask", [0x01, 0x40, 0x80])
def test_a_damaged_line_of_a_folder_stops_no_save(desk: Desk, column: str, mask: int) -> None:
    manifest = desk.folder.parent / "home" / "folders.db"
    with closing(sqlite3.connect(manifest, isolation_level=None)) as db:
        (value,) = db.execute(f"SELECT {column} FROM folders").fetchone()  # noqa: S608 - named above
        damaged = bytes([ord(value[0]) ^ mask]) + value[1:].encode()
        db.execute(f"UPDATE folders SET {column} = CAST(? AS TEXT)", (damaged,))  # noqa: S608 - named above
    saved = desk.call("PUT", f"/api/notes/{BOAT}", {"title": "Boat", "text": "Red."})
    assert saved["text"] == "Red."
    folders = FollowedFolders(LocalDestination(desk.app, "local"))
    site = with_folders(desk.client.application, folders)
    assert Client(site).get("/folders").status_code == 200
    if column == "indexed_at" and mask != 0x80:
        (folder,) = Manifest.of(manifest.parent).folders(LocalDestination(desk.app, "local").name)
        assert folder.notes == 2


def test_a_note_is_saved_whatever_is_wrong_with_its_file(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    class Failing(FolderFiles):
        def follow(self, note_id: str) -> None:
            raise ValueError(note_id)

    destination = LocalDestination(desk.app, "local", indexes=False)
    saved = Response('{"noteId": "n1"}', status=200)
    site = with_note_files(saved, Failing(destination))
    assert Client(site).put("/notes/n1", json={}).status_code == 200
    assert caplog.messages == ["the file of a note does not follow it: an unexpected ValueError"]

"""Where a note comes from, and what saving it does to the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Page, expect

from cli.main import main
from shared.markdown.file import note_id_of
from tests.cli.sync.other_files import pdf
from tests.servers.dev import Running, dev
from tests.web.conftest import SHOTS, OpenPage
from tests.web.moves import ask

FRONT = "---\naliases: [a,   b]\n---\n"
TEXT = f"{FRONT}# Boat\n\nThe boat is blue.\n"


@dataclass(frozen=True)
class Desk:
    """A product, and the folder that was indexed into its home."""

    running: Running
    home: Path
    folder: Path

    def index(self) -> None:
        assert CliRunner().invoke(main, ["--home", str(self.home), "index", str(self.folder)]).exit_code == 0

    def write_back(self) -> None:
        """From now on the files of the folder are written."""
        note_id = note_id_of("default", "boat.md")
        assert self.running.call("PUT", f"/notes/{note_id}:file", {"writeBack": True})[0] == 200

    def address(self, path: str, query: str = "") -> str:
        return f"{self.running.address}/#/notes/{note_id_of('default', path)}{query}"

    def file(self, path: str) -> str:
        return (self.folder / path).read_text()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("boat.md", "other.md", "third.md"):
        (folder / name).write_text(TEXT)
    (folder / "boiler #2.pdf").write_bytes(pdf(["The boiler is an Ofen 3000.", "The filter is changed every May."]))
    with dev(tmp_path / "home") as running:
        desk = Desk(running, tmp_path / "home", folder)
        desk.index()
        yield desk


def _edit(page: Page, desk: Desk, path: str, text: str) -> None:
    page.goto(desk.address(path, "?edit=1"))
    page.reload()
    page.get_by_label("Text").fill(text)
    page.get_by_role("button", name="Save").click()


def test_the_first_save_asks_and_its_answer_is_remembered_for_the_folder(page: Page, desk: Desk) -> None:
    page.goto(desk.address("boat.md"))
    expect(page.get_by_text(f"From {desk.folder}/boat.md")).to_be_visible()
    page.screenshot(path=SHOTS / "note-origin.png")
    _edit(page, desk, "boat.md", TEXT.replace("blue", "red"))
    question = page.get_by_role("dialog")
    expect(question).to_contain_text(f"This note came from {desk.folder}/boat.md")
    assert desk.file("boat.md") == TEXT
    page.screenshot(path=SHOTS / "note-file-question.png")
    question.get_by_role("button", name="Write the files").click()
    expect(page.get_by_text("Saved. Its file says the same.")).to_be_visible()
    assert desk.file("boat.md") == TEXT.replace("blue", "red")
    _edit(page, desk, "other.md", TEXT.replace("blue", "green"))
    expect(page.get_by_text("Saved. Its file says the same.")).to_be_visible()
    assert desk.file("other.md") == TEXT.replace("blue", "green")


def test_a_file_that_is_left_stays_and_so_does_the_note(page: Page, desk: Desk) -> None:
    _edit(page, desk, "boat.md", TEXT.replace("blue", "red"))
    page.get_by_role("dialog").get_by_role("button", name="Leave the files").click()
    expect(page.get_by_text("Saved. Its file stays as it is.")).to_be_visible()
    desk.index()
    assert desk.file("boat.md") == TEXT
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(desk.address("boat.md"))
    page.reload()
    expect(page.get_by_text("The boat is red.")).to_be_visible()
    expect(page.get_by_text("changed here since")).to_be_visible()
    page.screenshot(path=SHOTS / "note-origin-phone.png")
    page.get_by_role("button", name="Write the files of this folder").click()
    expect(page.get_by_role("button", name="Leave the files of this folder")).to_be_visible()
    assert desk.file("boat.md") == TEXT.replace("blue", "red")


def test_a_file_that_was_changed_too_is_not_written(page: Page, desk: Desk) -> None:
    desk.write_back()
    (desk.folder / "boat.md").write_text(TEXT.replace("blue", "green"))
    _edit(page, desk, "boat.md", TEXT.replace("blue", "red"))
    expect(page.get_by_text("Its file was changed too")).to_be_visible()
    assert desk.file("boat.md") == TEXT.replace("blue", "green")


def test_what_somebody_else_saved_meanwhile_is_not_overwritten_unasked(page: Page, desk: Desk) -> None:
    page.goto(desk.address("boat.md", "?edit=1"))
    page.get_by_label("Text").fill("Mine.")
    (desk.folder / "boat.md").write_text(TEXT.replace("blue", "green"))
    desk.index()
    page.get_by_role("button", name="Save").click()
    question = page.get_by_role("dialog")
    expect(question).to_contain_text("changed elsewhere while you wrote")
    question.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Not saved.")).to_be_visible()
    note = page.request.get(f"{desk.running.address}/api/notes/{note_id_of('default', 'boat.md')}").json()
    assert "green" in note["text"]


def test_a_citation_of_a_pdf_opens_the_page_it_is_on(open_page: OpenPage, desk: Desk) -> None:
    page = open_page(desk.running.address)
    ask(page, "When is the filter of the boiler changed?").locator(".answer .chip").first.click()
    link = page.get_by_role("link", name="Open page 2 of boiler #2.pdf")
    address = link.evaluate("(link) => link.href")
    page.screenshot(path=SHOTS / "pdf.png")
    assert address.endswith(f"/documents/{note_id_of('default', 'boiler #2.pdf')}#page=2")
    reply = page.request.get(address)
    assert (reply.status, reply.body()[:5]) == (200, b"%PDF-")

    phone = open_page(desk.running.address, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    ask(phone, "When is the filter of the boiler changed?").locator(".answer .chip").first.tap()
    sheet = phone.get_by_role("dialog")
    expect(sheet.get_by_role("link", name="Open page 2 of boiler #2.pdf")).to_have_attribute(
        "rel", "noopener noreferrer"
    )
    phone.screenshot(path=SHOTS / "pdf-phone.png")


def test_a_chosen_folder_does_not_replace_what_was_changed_here_unasked(page: Page, desk: Desk) -> None:
    note = f"{desk.running.address}/api/notes/{note_id_of('default', 'boat.md')}"
    page.request.put(note, data={"title": "Boat", "text": "The boat is mine.", "path": "boat.md"})
    page.goto(f"{desk.running.address}/#/notes")
    for action, kept in (("Skip", "The boat is mine."), ("Replace", TEXT)):
        page.reload()
        page.locator("input[webkitdirectory]").set_input_files(desk.folder)
        page.get_by_role("dialog").get_by_role("button", name="The same notes").click()
        question = page.get_by_role("dialog")
        expect(question.locator("li")).to_contain_text(["boat.md"])
        question.get_by_label("What becomes of boat.md").select_option(action)
        question.get_by_role("button", name="Go on").click()
        expect(page.get_by_text("imported into “default”")).to_be_visible()
        assert page.request.get(note).json()["text"] == kept


def test_with_files_being_written_a_new_note_and_a_changed_path_reach_the_disk(page: Page, desk: Desk) -> None:
    desk.write_back()
    page.goto(f"{desk.running.address}/#/notes")
    page.get_by_role("button", name="New note").click()
    page.get_by_label("Title").fill("Log")
    page.get_by_label("Text", exact=True).fill("High water.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".save-state")).to_have_text("Saved. It has no path, so it is not written to a file.")
    page.get_by_label("Path").fill("sea/log.md")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".save-state")).to_have_text("Saved. Its file says the same.")
    assert "High water." in desk.file("sea/log.md")
    page.get_by_label("Path").fill("sea/old/log.md")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".save-state")).to_have_text("Saved. Its file says the same.")
    assert "High water." in desk.file("sea/old/log.md")
    assert not (desk.folder / "sea/log.md").exists()
    page.get_by_label("Path").fill("boat.md")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".save-state")).to_contain_text("has the path 'boat.md' already")
    desk.index()
    listed = page.request.get(f"{desk.running.address}/api/notes").json()["notes"]
    assert sorted(note["path"] for note in listed if note["title"] == "Log") == ["sea/old/log.md"]


def test_what_is_imported_in_the_place_of_a_note_is_not_written_into_its_file_unasked(page: Page, desk: Desk) -> None:
    desk.write_back()
    address = f"{desk.running.address}/api/notes"
    reply = page.request.post(f"{address}:import", data={"path": "boat.md", "text": "Another boat."})
    assert reply.status == 200
    assert desk.file("boat.md") == TEXT
    page.goto(desk.address("boat.md"))
    expect(page.get_by_text("changed here and in the file")).to_be_visible()

"""The page tells where a note comes from, and what saving it does to the file."""

from __future__ import annotations

import base64
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
from click.testing import CliRunner
from playwright.sync_api import Page, expect

from cli.main import main
from shared.markdown.file import note_id_of
from tests.desktop.files.samples import pdf
from tests.servers.dev import Running, dev
from tests.web.conftest import SHOTS, OpenPage
from tests.web.moves import ask, follow

FRONT = "---\naliases: [a,   b]\n---\n"
TEXT = f"{FRONT}# Boat\n\nThe boat is blue.\n"


@dataclass(frozen=True)
class Desk:
    """A product, and the folder that was indexed into its home."""

    running: Running
    home: Path
    folder: Path

    def index(self) -> None:
        assert (
            CliRunner()
            .invoke(main, ["--home", str(self.home), "index", str(self.folder)])
            .exit_code
            == 0
        )

    def write_back(self) -> None:
        """From now on the files of the folder are written."""
        note_id = note_id_of("default", "boat.md")
        assert self.running.call("PUT", f"/notes/{note_id}:file", {"writeBack": True})[0] == 200

    def address(self, path: str, query: str = "") -> str:
        return f"{self.running.address}/#/notes/{note_id_of('default', path)}{query}"

    def file(self, path: str) -> str:
        return (self.folder / path).read_text()


@pytest.fixture(scope="module")
def product_of_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Running]]:
    home = tmp_path_factory.mktemp("files") / "home"
    with dev(home, "--no-watch") as running:  # a test decides when a file is read
        yield home, running


@pytest.fixture
def desk(product_of_files: tuple[Path, Running], tmp_path: Path) -> Desk:
    home, running = product_of_files
    status, _ = running.call("DELETE", "/me", {"confirm": "erase everything"})  # of the test before
    assert status == 200, running.errors()
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("boat.md", "other.md", "third.md"):
        (folder / name).write_text(TEXT)
    (folder / "boiler #2.pdf").write_bytes(
        pdf(["The boiler is an Ofen 3000.", "The filter is changed every May."])
    )
    desk = Desk(running, home, folder)
    desk.index()
    return desk


def _edit(page: Page, desk: Desk, path: str, text: str) -> None:
    page.goto(desk.address(path, "?edit=1"))
    page.reload()
    page.get_by_label("Text").fill(text)
    page.get_by_role("button", name="Save").click()


def test_the_first_save_asks_and_its_answer_is_remembered_for_the_folder(
    page: Page, desk: Desk
) -> None:
    page.goto(desk.address("boat.md"))
    expect(page.get_by_text(f"From {desk.folder}/boat.md")).to_be_visible()
    page.screenshot(path=SHOTS / "note-origin.png")
    _edit(page, desk, "boat.md", TEXT.replace("blue", "red"))
    question = page.get_by_role("dialog")
    expect(question).to_contain_text(f"This note came from {desk.folder}/boat.md")
    assert desk.file("boat.md") == TEXT
    page.screenshot(path=SHOTS / "note-file-question.png")
    question.get_by_role("button", name="Write the files").click()
    expect(page.get_by_text("Saved. The file is saved too.")).to_be_visible()
    assert desk.file("boat.md") == TEXT.replace("blue", "red")
    _edit(page, desk, "other.md", TEXT.replace("blue", "green"))
    expect(page.get_by_text("Saved. The file is saved too.")).to_be_visible()
    assert desk.file("other.md") == TEXT.replace("blue", "green")


def test_a_file_that_is_left_stays_and_so_does_the_note(page: Page, desk: Desk) -> None:
    _edit(page, desk, "boat.md", TEXT.replace("blue", "red"))
    page.get_by_role("dialog").get_by_role("button", name="Leave the files").click()
    expect(page.get_by_text("Saved. The file was not changed.")).to_be_visible()
    desk.index()
    assert desk.file("boat.md") == TEXT
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(desk.address("boat.md"))
    page.reload()
    expect(page.get_by_text("The boat is red.")).to_be_visible()
    expect(page.get_by_text("changed here since")).to_be_visible()
    page.screenshot(path=SHOTS / "note-origin-phone.png")
    expect(page.get_by_text("Saving here leaves the file as it is")).to_be_visible()
    page.get_by_role("button", name="Change…").click()
    expect(page.get_by_role("dialog")).to_contain_text(
        f"Write the files of {desk.folder} from now on?"
    )
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Change…").click()
    page.get_by_role("dialog").get_by_role("button", name="Write the files").click()
    expect(page.get_by_text("Saving here writes the file too")).to_be_visible()
    assert desk.file("boat.md") == TEXT.replace("blue", "red")


def test_a_file_that_was_changed_too_is_not_written(page: Page, desk: Desk) -> None:
    desk.write_back()
    (desk.folder / "boat.md").write_text(TEXT.replace("blue", "green"))
    _edit(page, desk, "boat.md", TEXT.replace("blue", "red"))
    expect(page.get_by_text("The file was changed too")).to_be_visible()
    assert desk.file("boat.md") == TEXT.replace("blue", "green")


def test_what_somebody_else_saved_meanwhile_is_not_overwritten_unasked(
    page: Page, desk: Desk
) -> None:
    page.goto(desk.address("boat.md", "?edit=1"))
    page.get_by_label("Text").fill("Mine.")
    (desk.folder / "boat.md").write_text(TEXT.replace("blue", "green"))
    desk.index()
    page.get_by_role("button", name="Save").click()
    question = page.get_by_role("dialog")
    expect(question).to_contain_text("changed elsewhere while you wrote")
    expect(question.locator("section pre").first).to_have_text("Mine.")
    expect(question.locator("section pre").last).to_contain_text("The boat is green.")
    question.get_by_role("button", name="Not now").click()
    expect(page.get_by_text("Not saved.")).to_be_visible()
    note = page.request.get(
        f"{desk.running.address}/api/notes/{note_id_of('default', 'boat.md')}"
    ).json()
    assert "green" in note["text"]


@pytest.mark.nightly
def test_a_citation_of_a_pdf_opens_the_page_it_is_on(open_page: OpenPage, desk: Desk) -> None:
    page = open_page(desk.running.address)
    ask(page, "When is the filter of the boiler changed?").locator(".answer .chip").first.click()
    link = page.get_by_role("link", name="Open page 2 of boiler #2.pdf")
    address = link.evaluate("(link) => link.href")
    page.screenshot(path=SHOTS / "pdf.png")
    assert address.endswith(f"/documents/{note_id_of('default', 'boiler #2.pdf')}#page=2")
    reply = page.request.get(address)
    assert reply.status == 200
    assert reply.body()[:5] == b"%PDF-"

    phone = open_page(
        desk.running.address, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    ask(phone, "When is the filter of the boiler changed?").locator(".answer .chip").first.tap()
    sheet = phone.get_by_role("dialog")
    expect(sheet.get_by_role("link", name="Open page 2 of boiler #2.pdf")).to_have_attribute(
        "rel", "noopener noreferrer"
    )
    phone.screenshot(path=SHOTS / "pdf-phone.png")


PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
)


def test_images_of_the_folder_are_shown_and_nothing_else_of_it(page: Page, desk: Desk) -> None:
    (desk.folder / "pictures").mkdir()
    (desk.folder / ".obsidian").mkdir()
    for name in ("pictures/bow.png", "stern.png"):
        (desk.folder / name).write_bytes(PIXEL)
    (desk.folder.parent / "secret.png").write_bytes(PIXEL)
    (desk.folder / "seen.md").write_text(
        "![Bow](pictures/bow.png) ![[stern.png]] ![[bow.png|again]] ![No](../secret.png)"
    )
    desk.index()
    page.goto(desk.address("seen.md"))
    page.reload()
    images = page.locator(".note .prose img")
    expect(images).to_have_count(3)
    for image in images.all():
        image.scroll_into_view_if_needed()
        expect(image).to_have_js_property("naturalWidth", 1)
    expect(page.locator(".note .prose em")).to_have_text("No")
    note_id = note_id_of("default", "seen.md")
    for outside in (
        "../secret.png",
        str(desk.folder.parent / "secret.png"),
        "boat.md",
        "other.png",
    ):
        reply = page.request.get(
            f"{desk.running.address}/documents/{note_id}", params={"image": outside}
        )
        assert reply.status == 404, outside
    reply = page.request.get(
        f"{desk.running.address}/documents/{note_id}", params={"image": "bow.png"}
    )
    assert "sandbox" in reply.headers["content-security-policy"]
    link = page.get_by_role("link", name="Open in Obsidian")
    expect(link).to_have_attribute(
        "href", f"obsidian://open?path={quote(f'{desk.folder}/seen.md', safe='')}"
    )


@pytest.mark.nightly
def test_a_folder_that_is_added_by_its_path_is_indexed_and_says_what_it_left_out(
    page: Page, desk: Desk
) -> None:
    second_folder = desk.folder.parent / "more"
    second_folder.mkdir()
    (second_folder / "pier.md").write_text("The pier is closed.")
    (second_folder / "old.bin").write_bytes(b"\0")
    page.goto(f"{desk.running.address}/#/notes")
    follow(page, second_folder)
    added = page.locator(".followed li").filter(has_text=str(second_folder))
    expect(added).to_contain_text("1 note read.")
    expect(added).to_contain_text("Left out:")
    expect(page.locator("#side-notes .list-title").filter(has_text="pier")).to_be_visible()
    assert desk.running.answered("What about the pier?", "The pier is closed.", within=20)
    assert str(second_folder) in [
        folder["folder"] for folder in desk.running.call("GET", "/folders")[1]["folders"]
    ]


@pytest.mark.nightly
def test_a_wrong_path_says_what_is_wrong_with_it(page: Page, desk: Desk) -> None:
    inside = desk.folder / "inside"
    inside.mkdir()
    page.goto(f"{desk.running.address}/#/notes")
    for path, problem in (
        ("no/such/folder", "“no/such/folder” is not a whole path"),
        (desk.folder.parent / "nothing", f"There is no folder at {desk.folder.parent}/nothing."),
        (desk.folder / "boat.md", f"{desk.folder}/boat.md is a file."),
        (inside, f"{inside} is followed already, as a part of {desk.folder}."),
    ):
        follow(page, path)
        dialog = page.get_by_role("dialog", name="Follow a folder of this machine")
        expect(dialog.get_by_role("alert")).to_contain_text(problem)
        dialog.get_by_role("button", name="Cancel").click()


@pytest.mark.nightly
def test_a_folder_is_chosen_by_walking_there(page: Page, desk: Desk) -> None:
    (desk.folder.parent / "more" / "deep").mkdir(parents=True)
    (desk.folder.parent / "more" / "deep" / "pier.md").write_text("The pier is closed.")
    page.goto(f"{desk.running.address}/#/notes")
    page.get_by_role("button", name="Add a folder").click()
    page.get_by_role("dialog").get_by_role("button", name="Follow this folder").click()
    dialog = page.get_by_role("dialog", name="Follow a folder of this machine")
    expect(dialog.get_by_label("Path")).to_have_value(str(Path.home()))
    dialog.get_by_label("Path").fill(f"{desk.folder.parent}/more")
    dialog.get_by_role("button", name="Look there").click()
    dialog.get_by_role("button", name="The folder above").click()
    dialog.get_by_role("button", name="more").click()
    dialog.get_by_role("button", name="deep").click()
    expect(dialog.get_by_role("status")).to_contain_text("1 file of text here")
    page.screenshot(path=SHOTS / "folder-browse.png")
    dialog.get_by_role("button", name="Follow this folder").click()
    expect(page.locator(".followed li").filter(has_text="more/deep")).to_contain_text("1 note read")


@pytest.mark.nightly
def test_reading_a_folder_shows_how_far_it_is_and_can_be_stopped(
    open_page: OpenPage, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(400):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nMatter number {number}.\n")
    with dev(tmp_path / "home") as running:
        page = open_page(f"{running.address}/#/notes")
        follow(page, folder)
        expect(page.get_by_role("progressbar", name=f"Reading {folder}")).to_be_visible()
        expect(page.locator(".followed li")).to_contain_text(re.compile(r"\d+ of 400 files read"))
        expect(page.locator(".coverage")).to_contain_text(re.compile(r"Indexed: \d+ of [1-9]"))
        page.screenshot(path=SHOTS / "folder-reading.png")
        expect(page.locator(".followed li")).to_contain_text("400 notes read.")
        page.get_by_role("button", name=f"Stop following {folder}").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove its notes").click()
        expect(page.get_by_role("heading", name="Folders of this machine")).to_have_count(0)
        deadline = time.monotonic() + 30
        while running.call("GET", "/notes")[1]["notes"] and time.monotonic() < deadline:
            time.sleep(0.2)  # the folder is forgotten first, then its notes go
        assert running.call("GET", "/notes")[1]["notes"] == []
        assert running.call("GET", "/folders")[1]["folders"] == []
        assert len(list(folder.iterdir())) == 400


@pytest.mark.nightly
def test_a_folder_that_is_added_on_the_page_is_followed(
    open_page: OpenPage, tmp_path: Path
) -> None:
    (folder := tmp_path / "notes").mkdir()
    (folder / "pier.md").write_text("The pier is closed.")
    with dev(tmp_path / "home") as running:
        page = open_page(f"{running.address}/#/notes")
        follow(page, folder)
        page.locator("#side-notes .list-title").filter(has_text="pier").click()
        expect(page.get_by_text("The pier is closed.")).to_be_visible()
        (folder / "pier.md").write_text("The pier is open again.")
        assert running.answered("What about the pier?", "The pier is open again.", within=20)
        page.reload()
        expect(page.get_by_text("The pier is open again.")).to_be_visible()


@pytest.mark.nightly
def test_files_that_are_gone_all_at_once_are_asked_about(
    open_page: OpenPage, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    (folder / "archive").mkdir(parents=True)
    (folder / "pier.md").write_text("The pier is closed.")
    for number in range(12):
        (folder / f"archive/old{number}.md").write_text(f"Old matter {number}.")
    with dev(tmp_path / "home") as running:
        page = open_page(f"{running.address}/#/notes")
        follow(page, folder)
        expect(page.locator(".landing .good")).to_contain_text("13 notes")

        away = folder.rename(tmp_path / "away")  # as if its drive were not mounted
        folder.mkdir()
        (folder / ".DS_Store").write_bytes(b"\0")
        running.await_questions("gone", 1)
        page.reload()
        expect(page.get_by_text("13 of 13 files of")).to_be_visible()
        expect(page.locator("#side-notes .list-title").filter(has_text="pier")).to_be_visible()
        folder.joinpath(".DS_Store").unlink()
        folder.rmdir()
        away.rename(folder)
        running.await_questions("gone", 0)
        page.reload()
        expect(page.get_by_role("heading", name="Folders of this machine")).to_be_visible()
        expect(page.get_by_text("Are these files gone?")).to_have_count(0)

        shutil.rmtree(folder / "archive")
        running.await_questions("gone", 1)
        page.reload()
        expect(page.get_by_text(f"12 of 12 files of {folder}/archive")).to_be_visible()
        page.screenshot(path=SHOTS / "files-gone.png")
        page.get_by_role("button", name="They are gone: remove the notes").click()
        expect(page.get_by_text("Are these files gone?")).to_have_count(0)
        listed = running.call("GET", "/notes")[1]["notes"]
        assert [note["path"] for note in listed] == ["pier.md"]


@pytest.mark.nightly
def test_the_only_file_of_a_folder_is_missed_in_the_singular(
    open_page: OpenPage, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "pier.md").write_text("The pier is long.")
    with dev(tmp_path / "home") as running:
        page = open_page(f"{running.address}/#/notes")
        follow(page, folder)
        expect(page.locator(".landing .good")).to_contain_text("1 note")
        (folder / "pier.md").unlink()
        running.await_questions("gone", 1)
        page.reload()
        told = f"1 of 1 file of {folder} is not there any more. If a drive is missing, connect it."
        expect(page.get_by_text(f"{told} Its note stays until you decide.")).to_be_visible()


def test_both_sides_of_a_conflict_are_shown_and_one_is_chosen(page: Page, desk: Desk) -> None:
    for keep, note_colour, there in (
        ("Keep the note", "red", "green"),
        ("Keep the file", "grey", "pink"),
    ):
        note_id = note_id_of("default", "boat.md")
        note = page.request.get(f"{desk.running.address}/api/notes/{note_id}").json()
        changed = {name: note[name] for name in ("title", "path", "vault")} | {
            "text": TEXT.replace("blue", note_colour)
        }
        page.request.put(f"{desk.running.address}/api/notes/{note_id}", data=changed)
        (desk.folder / "boat.md").write_text(TEXT.replace("blue", there))
        page.goto(desk.address("boat.md"))
        page.reload()
        page.get_by_role("link", name="Notes", exact=True).click()
        page.get_by_role("link", name="boat.md").click()
        page.get_by_role("button", name="Compare and decide").click()
        sides = page.get_by_role("dialog").locator("section mark")
        expect(sides).to_have_text([f"The boat is {note_colour}.", f"The boat is {there}."])
        page.screenshot(path=SHOTS / "conflict.png")
        page.get_by_role("button", name=keep).click()
        expect(page.get_by_role("button", name="Compare and decide")).to_have_count(0)
        sentence = f"The boat is {note_colour if keep == 'Keep the note' else there}."
        expect(page.get_by_text(sentence)).to_be_visible()
        assert sentence in desk.file("boat.md")


@pytest.mark.nightly
def test_lines_of_either_side_can_stay(page: Page, desk: Desk) -> None:
    desk.write_back()
    lines = ["# Boat", "", "The hull is blue.", "", "It has two oars.", "", "The mast is new.", ""]
    (desk.folder / "boat.md").write_text("\n".join(lines))
    desk.index()
    note_id = note_id_of("default", "boat.md")
    address = f"{desk.running.address}/api/notes/{note_id}"
    note = page.request.get(address).json()
    theirs = "\n".join(lines).replace("blue", "green").replace("new", "old")
    (desk.folder / "boat.md").write_text(theirs)
    mine = "\n".join(lines).replace("blue", "red").replace("new", "short")
    page.request.put(address, data={**note, "text": mine})
    page.goto(desk.address("boat.md"))
    page.reload()
    page.get_by_role("button", name="Compare and decide").click()
    dialog = page.get_by_role("dialog")
    page.screenshot(path=SHOTS / "conflict-lines.png")
    dialog.get_by_label("Difference 1").get_by_role("radio", name="The file").check()
    dialog.get_by_label("Difference 2").get_by_role("radio", name="Both").check()
    dialog.get_by_role("button", name="Keep what is chosen").click()
    expect(page.get_by_role("button", name="Compare and decide")).to_have_count(0)
    expected = ["The hull is green.", "It has two oars.", "The mast is short.", "The mast is old."]
    sentences = [line for line in desk.file("boat.md").splitlines() if line.endswith(".")]
    assert sentences == expected
    assert page.request.get(address).json()["text"] == desk.file("boat.md")


@pytest.mark.nightly
def test_what_was_typed_and_what_was_saved_meanwhile_are_put_together(
    page: Page, desk: Desk
) -> None:
    page.goto(desk.address("boat.md", "?edit=1"))
    page.get_by_label("Text").fill(f"{TEXT}It is mine.\n")
    (desk.folder / "boat.md").write_text(TEXT.replace("blue", "green"))
    desk.index()
    page.get_by_role("button", name="Save").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Keep the other").click()
    expect(page.get_by_label("Text")).to_have_value(re.compile("green"))
    page.get_by_role("button", name="Bring mine back").click()
    expect(page.get_by_label("Text")).to_have_value(re.compile("It is mine"))


def test_a_chosen_folder_does_not_replace_what_was_changed_here_unasked(
    page: Page, desk: Desk
) -> None:
    note = f"{desk.running.address}/api/notes/{note_id_of('default', 'boat.md')}"
    page.request.put(
        note,
        data={
            "title": "Boat",
            "text": "The boat is mine.",
            "path": "boat.md",
        },
    )
    page.goto(f"{desk.running.address}/#/notes")
    for action, expected_text in (
        ("Skip", "The boat is mine."),
        ("Replace", TEXT),
    ):
        page.reload()
        page.locator("input[webkitdirectory]").set_input_files(desk.folder)
        page.get_by_role("dialog").get_by_role("button", name="The same notes").click()
        question = page.get_by_role("dialog")
        expect(question.locator("li")).to_contain_text(["boat.md"])
        question.get_by_label("What to do with boat.md").select_option(action)
        question.get_by_role("button", name="Go on").click()
        expect(page.get_by_text("imported into “default”")).to_be_visible()
        assert page.request.get(note).json()["text"] == expected_text


@pytest.mark.nightly
def test_with_files_being_written_a_new_note_and_a_changed_path_reach_the_disk(
    page: Page, desk: Desk
) -> None:
    desk.write_back()
    page.goto(f"{desk.running.address}/#/notes")
    page.get_by_role("button", name="New note").click()
    page.get_by_label("Title").fill("Log")
    page.get_by_label("Text", exact=True).fill("High water.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".save-state")).to_have_text(
        "Saved. It has no path, so it is not written to a file."
    )
    page.get_by_label("Path").fill("sea/log.md")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".save-state")).to_have_text("Saved. The file is saved too.")
    assert "High water." in desk.file("sea/log.md")
    page.get_by_label("Path").fill("sea/old/log.md")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".save-state")).to_have_text("Saved. The file is saved too.")
    assert "High water." in desk.file("sea/old/log.md")
    assert not (desk.folder / "sea/log.md").exists()
    page.get_by_label("Path").fill("boat.md")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".save-state")).to_contain_text("has the path 'boat.md' already")
    desk.index()
    listed = page.request.get(f"{desk.running.address}/api/notes").json()["notes"]
    assert sorted(note["path"] for note in listed if note["title"] == "Log") == ["sea/old/log.md"]


def test_what_is_imported_in_the_place_of_a_note_is_not_written_into_its_file_unasked(
    page: Page, desk: Desk
) -> None:
    desk.write_back()
    address = f"{desk.running.address}/api/notes"
    reply = page.request.post(
        f"{address}:import", data={"path": "boat.md", "text": "Another boat."}
    )
    assert reply.status == 200
    assert desk.file("boat.md") == TEXT
    page.goto(desk.address("boat.md"))
    expect(page.get_by_text("changed here and in the file")).to_be_visible()

"""Folders and files brought in, and everything taken out and brought back."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Page, Route, expect

from shared.markdown.file import fields_of, note_id_of
from tests.servers.dev import Running, dev
from tests.web.conftest import OpenPage
from tests.web.moves import ask, open_notes, write_note

Shot = Callable[[Page, str], None]


VAULT = {
    "vault/alps/plan.md": "---\ntitle: Crossing the Alps\ntags: [travel, hut]\ncreated: 2024-05-08\n---\nTwelve days.",
    "vault/alps/2023-07-01 packing.md": "# Packing\n\nA light tent.",
    "vault/broken.md": "---\ntags: [\n---\nText.",
    "vault/.obsidian/app.md": "hidden",
    "vault/picture.png": "no note",
}


def decide(page: Page, action: str) -> None:
    """Choose once for everything that is here already."""
    dialog = page.get_by_role("dialog", name="here already")
    dialog.get_by_label("For all", exact=True).last.select_option(action)
    dialog.get_by_role("button", name="Go on").click()


def test_folders_with_the_same_paths_replace_nothing_of_each_other(
    page: Page, product: Running, tmp_path: Path, shot: Shot
) -> None:
    for folder, text in (
        ("Kayak", "The kayak leaks."),
        ("Canoe", "The canoe is dry."),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "README.md").write_text(text)
        (tmp_path / folder / "todo.md").write_text(f"Paint the {folder}.")
        open_notes(page)
        drop(page, tmp_path / folder)
        expect(page.locator(".landing .good")).to_contain_text(f"2 notes imported into “{folder}”.")

    def text_of(path: str) -> str:
        return str(product.call("GET", f"/notes/{note_id_of('Kayak', path)}")[1]["text"])

    assert text_of("README.md") == "The kayak leaks."
    for name in ("README.md", "todo.md"):
        (tmp_path / "Kayak" / name).write_text("Sold.")
    drop(page, tmp_path / "Kayak")
    dialog = page.get_by_role("dialog", name="here already")
    expect(dialog.locator("li")).to_contain_text(
        [re.compile("README.md.*here: .*to import: "), "todo.md"]
    )
    dialog.get_by_label("What to do with README.md").select_option("Keep both")
    dialog.get_by_label("What to do with todo.md").select_option("Replace")
    shot(page, "import-choice")
    dialog.get_by_role("button", name="Go on").click()
    expect(page.locator(".landing")).to_contain_text("1 replaced: what was there is in the trash.")
    texts = [text_of(path) for path in ("README.md", "README (2).md", "todo.md")]
    assert texts == ["The kayak leaks.", "Sold.", "Sold."]
    page.get_by_role("button", name="Show the trash").click()
    thrown = page.locator(".thrown > li").filter(has_text="todo.md")
    expect(thrown).to_have_count(1)
    expect(thrown).to_contain_text(re.compile(r"replaced \d+ \w+ \d{4}, \d+:\d\d"))
    thrown.get_by_role("button", name="Preview todo.md").first.click()
    expect(thrown.locator(".prose").first).to_have_text("Paint the Kayak.")
    shot(page, "trash")
    page.get_by_role("button", name="Restore todo.md").first.click()
    expect(page.locator(".toast")).to_contain_text("Restored todo.md.")
    assert text_of("todo.md") == "Paint the Kayak."


def drop(page: Page, folder: Path) -> None:
    """Add files as by the folder chooser; Chromium gives no way to drop a real folder by script."""
    page.get_by_role("button", name="Add a folder").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("dialog").get_by_role("button", name="Copy it in once").click()
    chooser.value.set_files(folder)


def test_a_folder_comes_in_with_titles_tags_and_dates_and_again_as_the_same_notes(
    page: Page, product: Running, tmp_path: Path, shot: Shot
) -> None:
    for name, text in VAULT.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    open_notes(page)
    drop(page, tmp_path / "vault")
    expect(page.locator(".landing .good")).to_have_text(
        "3 notes imported into “vault”. The index follows by itself."
    )
    expect(page.locator(".landing")).to_contain_text("broken.md: indexed without its frontmatter")
    left_out = page.locator(".landing .notice").filter(has_text="Left out:")
    expect(left_out.locator("li")).to_have_text(
        ["hidden: .obsidian/app.md", "not Markdown (.png): picture.png"]
    )
    shot(page, "import")
    note = product.call("GET", f"/notes/{note_id_of('vault', 'alps/plan.md')}")[1]
    assert note["title"] == "Crossing the Alps"
    assert note["tags"] == ["travel", "hut"]
    assert note["createdAt"] == "2024-05-08T12:00:00.000Z"
    packing = product.call("GET", f"/notes/{note_id_of('vault', 'alps/2023-07-01 packing.md')}")[1]
    assert packing["title"] == "Packing"
    assert packing["createdAt"][:10] == "2023-07-01"

    (tmp_path / "vault/alps/plan.md").write_text("Thirteen days.")
    drop(page, tmp_path / "vault")
    decide(page, "Replace")
    expect(page.locator("#side-notes .list-title", has_text=re.compile("^plan$"))).to_be_visible()
    note_after = product.call("GET", f"/notes/{note['noteId']}")[1]
    assert note_after["text"] == "Thirteen days."
    assert note_after["title"] == "plan"


def test_a_folder_that_is_coming_in_while_everything_is_erased_stays_erased(
    open_page: OpenPage, tmp_path: Path
) -> None:
    (tmp_path / "vault").mkdir()
    for number in range(40):
        (tmp_path / f"vault/{number}.md").write_text(f"Note {number}.")
    with dev(tmp_path / "home") as running:
        page = open_page(f"{running.address}/#/notes")
        saves = itertools.count()

        def erase_meanwhile(route: Route) -> None:
            """Erase as from another window, or from a phone."""
            if next(saves) == 20:
                assert running.call("DELETE", "/me", {"confirm": "erase everything"})[0] == 200
            route.continue_()

        page.route("**/notes:import", erase_meanwhile)
        drop(page, tmp_path / "vault")
        expect(page.locator(".toast")).to_contain_text("erased")
        expect(page.get_by_label("Import", exact=True)).to_be_hidden()
        assert running.call("GET", "/notes")[1]["notes"] == []
        assert next(saves) < 30


@pytest.mark.nightly
def test_files_that_are_dropped_come_in_too(page: Page, product: Running) -> None:
    open_notes(page)  # the page is listening
    page.evaluate(
        """() => {
          const transfer = new DataTransfer();
          transfer.items.add(new File(["Salt the water."], "pasta.md", {lastModified: Date.UTC(2022, 3, 5)}));
          document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: transfer, bubbles: true, cancelable: true}));
        }"""
    )
    expect(page.locator(".landing .good")).to_have_text(
        "1 note imported into “default”. The index follows by itself."
    )
    note = product.call("GET", f"/notes/{note_id_of('default', 'pasta.md')}")[1]
    assert note["title"] == "pasta"
    assert note["createdAt"] == "2022-04-05T00:00:00.000Z"


def from_menu(page: Page, action: str) -> None:
    page.get_by_text("Export", exact=True).click()
    page.get_by_role("button", name=action).click()


@pytest.mark.nightly
def test_a_folder_without_markdown_says_that_nothing_came_in_and_why(
    page: Page, tmp_path: Path
) -> None:
    (tmp_path / "holiday").mkdir()
    for count in range(5):
        (tmp_path / f"holiday/{count}.jpg").write_bytes(b"")
    open_notes(page)
    drop(page, tmp_path / "holiday")
    landing = page.locator(".landing")
    expect(landing).to_contain_text(
        "Nothing was imported: there is no Markdown file (.md, .markdown) in it."
    )
    expect(landing).to_contain_text(
        re.compile(r"not Markdown \(.jpg\): (\d.jpg, ){2}\d.jpg and 2 more")
    )
    expect(landing.locator(".good")).to_have_count(0)


def test_everything_can_be_taken_out(page: Page) -> None:
    open_notes(page)
    with page.expect_download() as download:
        from_menu(page, "Export everything")
    assert re.fullmatch(r"aurora-notes-\d{4}-\d\d-\d\d\.ndjson", download.value.suggested_filename)
    lines = [json.loads(line) for line in Path(download.value.path()).read_text().splitlines()]
    assert "Sourdough bread" in json.dumps(lines)
    page.route("**/me:export", lambda route: route.fulfill(body=b'{"type": "note", "te'))
    from_menu(page, "Export everything")
    expect(page.locator(".toast")).to_have_text("The export broke off.")


@pytest.mark.nightly
def test_notes_are_taken_out_as_markdown_that_comes_in_again(page: Page, tmp_path: Path) -> None:
    open_notes(page)
    with page.expect_download() as download:
        from_menu(page, "Export as Markdown")
    assert re.fullmatch(r"aurora-notes-\d{4}-\d\d-\d\d\.zip", download.value.suggested_filename)
    ZipFile(download.value.path()).extractall(tmp_path / "out")
    bread = (tmp_path / "out/recipes/sourdough.md").read_text()
    assert fields_of(bread, "sourdough.md").title == "Sourdough bread"
    page.route("**/me:export**", lambda route: route.fulfill(body=b"PK\x03\x04 and no more"))
    from_menu(page, "Export as Markdown")
    expect(page.locator(".toast")).to_have_text("The export broke off.")


def test_an_export_is_brought_back_and_replaces_nothing_unasked(
    page: Page, product: Running, open_page: OpenPage, tmp_path: Path, shot: Shot
) -> None:
    product.call("PUT", "/templates/mine", {"name": "Mine", "content": "1. Think."})
    write_note(page, "Brought back", "Said once.")
    page.get_by_role("link", name="Chat").click()
    question = "What was said once?"
    ask(page, question)
    open_notes(page)
    with page.expect_download() as download:
        from_menu(page, "Export everything")
    with dev(tmp_path) as fresh:
        other_page = open_page(f"{fresh.address}/#/notes")
        _bring_back(other_page, download.value.path())
        expect(other_page.locator(".landing .good")).to_contain_text("entries imported")
        expect(other_page.locator(".landing")).not_to_contain_text("conversations")
        rows = [json.loads(line) for line in Path(download.value.path()).read_text().splitlines()]
        session = next(row for row in rows if row["type"] == "session" and row["title"] == question)
        texts = [
            row["text"]
            for row in rows
            if row["type"] == "message" and row["sessionId"] == session["sessionId"]
        ]
        brought = fresh.call("GET", f"/sessions/{session['sessionId']}/messages")[1]["messages"]
        assert [message["text"] for message in brought] == texts
        other_page.get_by_role("link", name="Chat").click()
        expect(
            other_page.locator("#side-chat .list-row a").filter(has_text=question).first
        ).to_be_visible()
        other_page.get_by_role("link", name="Notes", exact=True).click()
        shot(other_page, "restored")
        assert (
            product.call("GET", "/notes")[1]["notes"][0]["title"]
            in other_page.locator("#side-notes .list").inner_text()
        )
        note_id = page.evaluate(
            "[...document.querySelectorAll('#side-notes a')].at(0).hash.split('/')[2]"
        )
        restored = fresh.call("GET", f"/notes/{note_id}")[1]
        assert restored["createdAt"] == product.call("GET", f"/notes/{note_id}")[1]["createdAt"]
        assert fresh.call("GET", "/templates/mine")[1]["content"] == "1. Think."

        fresh.call("PUT", f"/notes/{note_id}", {"title": "Mine", "text": "Said here."})
        _bring_back(other_page, download.value.path())
        other_page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        expect(other_page.locator(".landing")).to_contain_text(
            "Skipped, your notes stay as they were: Brought back"
        )
        assert fresh.call("GET", f"/notes/{note_id}")[1]["text"] == "Said here."

        (tmp_path / "picture.ndjson").write_bytes(b"\x89PNG\n")
        _bring_back(other_page, tmp_path / "picture.ndjson")
        expect(other_page.locator(".toast")).to_contain_text(
            "This is not an export of Aurora Notes: line 1"
        )


def _bring_back(page: Page, file: Path) -> None:
    with page.expect_file_chooser() as chooser:
        from_menu(page, "Import an export")
    chooser.value.set_files(file)

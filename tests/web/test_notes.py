"""Notes: the list, the editor, the index that follows, folders brought in and everything taken out."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from shared.markdown.file import fields_of, note_id_of
from tests.servers.dev import Running, dev
from tests.web.conftest import OpenPage
from tests.web.moves import ask, hold, open_notes, until, write_note

Shot = Callable[[Page, str], None]


def test_a_note_that_was_edited_answers_differently(page: Page, shot: Shot) -> None:
    write_note(page, "Harbour", "The mooring at Zeebrugge costs 40 euros a night.")
    shot(page, "editor")
    page.get_by_role("link", name="Chat").click()
    exchange = ask(page, "What does the mooring at Zeebrugge cost?")
    expect(exchange.locator(".answer")).to_contain_text("40 euros")
    exchange.locator(".answer .chip").first.click()
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Text", exact=True).fill("The mooring at Zeebrugge costs 55 euros a night.")
    page.keyboard.press("Control+s")
    expect(page.locator(".save-state")).to_have_text("Saved.")
    expect(page.locator(".index-state")).to_have_text("indexed")
    page.get_by_role("link", name="Chat").click()
    expect(
        ask(page, "What is the price of the mooring at Zeebrugge?").locator(".answer")
    ).to_contain_text("55 euros")


@pytest.mark.nightly
def test_what_was_edited_before_is_not_there_while_a_note_is_fetched_again(page: Page) -> None:
    write_note(page, "Quay", "The quay at Nieuwpoort is closed in winter.")
    page.get_by_role("link", name="Chat").click()
    let_go = hold(page, "**/notes/*")
    page.go_back()
    expect(page.locator(".note-page")).to_contain_text("Opening")
    expect(page.get_by_label("Text", exact=True)).to_have_count(0)
    let_go()
    expect(page.get_by_label("Text", exact=True)).to_have_value(
        "The quay at Nieuwpoort is closed in winter."
    )


def test_a_passage_that_is_gone_is_told_and_one_that_moved_is_found(
    page: Page, product: Running
) -> None:
    note = {"title": "Tides", "text": "High water at Ostend comes at 14:20."}
    product.call("PUT", "/notes/tides", note)
    assert product.answered("When is high water at Ostend?", "14:20", within=60)
    exchange = ask(page, "When is high water at Ostend?")
    product.call("PUT", "/notes/tides", {**note, "text": f"Checked twice.\n\n{note['text']}"})
    exchange.locator(".answer .chip").first.click()
    expect(page.locator(".pane mark")).to_have_text(note["text"])
    page.keyboard.press("Escape")
    product.call("PUT", "/notes/tides", {**note, "text": "Nobody knows."})
    exchange.locator(".answer .chip").first.click()
    expect(page.locator(".pane .notice")).to_contain_text("no longer in it")


@pytest.mark.nightly
def test_the_list_is_searched_by_title_and_by_text_and_kept_to_a_folder(
    page: Page, shot: Shot
) -> None:
    open_notes(page)
    rows = page.locator("#side-notes .list-row a")
    expect(rows).not_to_have_count(0)
    page.get_by_label("Search notes").fill("sourdough")
    expect(rows.first).to_contain_text("Sourdough bread")
    page.get_by_label("Search notes").fill("runner's knee")
    expect(page.locator("#side-notes .list")).to_contain_text(
        "Dr. Hoffmann says that it is runner's knee"
    )
    page.get_by_label("Search notes").fill("")
    page.get_by_label("Folder", exact=True).select_option("projects/garden")
    expect(rows).to_have_count(3)
    page.get_by_label("Tag").select_option("vegetables")
    expect(rows).to_have_count(2)
    page.get_by_label("Tag").select_option("")
    rows.first.click()
    expect(page.locator(".note .index-state")).to_have_text("indexed")
    shot(page, "note")


@pytest.mark.nightly
def test_folders_are_a_tree_that_stays_open(page: Page, shot: Shot) -> None:
    open_notes(page)
    page.get_by_label("Order").select_option("By folder")
    page.get_by_role("button", name="projects, 9 notes").click()
    page.get_by_role("button", name="projects/garden, 3 notes").press("Enter")
    row = page.locator(".folder .folder .list-row a").first
    expect(row).to_contain_text("Harvest 2026")
    page.reload()
    expect(row).to_be_visible()
    shot(page, "tree")
    page.get_by_role("button", name="projects, 9 notes").click()
    expect(row).to_have_count(0)
    page.get_by_label("Order").select_option("Newest first")


RICH = """# Rich

==Marked== first line
second line %%hidden%% with a footnote[^a].

> [!warning] Mind the gap
> It is wide.

> [!tip]- Folded
> Inside.

%%
hidden too
%%

| sign | meaning |
|---|---|
| `a|b` | either |
| `c\\|d` | escaped |

[^a]: Said at the bottom.
"""


@pytest.mark.nightly
def test_a_note_reads_as_in_the_editors_that_people_use(
    page: Page, product: Running, shot: Shot
) -> None:
    product.call("PUT", "/notes/rich", {"title": "Rich", "text": RICH, "createdAt": "2020-01-01"})
    page.goto(f"{page.url.split('#')[0]}#/notes/rich")
    note = page.locator(".note")
    expect(note.get_by_role("heading")).to_have_text(["Rich"])
    expect(note.locator("mark.own")).to_have_text("Marked")
    expect(note.locator(".prose > p").first).to_have_js_property(
        "innerText", "Marked first line\nsecond line with a footnote1."
    )
    expect(note).not_to_contain_text("hidden")
    expect(note.locator("div.callout[data-kind=warning] .callout-title")).to_have_text(
        "Mind the gap"
    )
    expect(note.locator("details.callout")).not_to_contain_text("[!tip]")
    expect(note.get_by_text("Inside.")).to_be_hidden()
    note.locator("summary").click()
    expect(note.get_by_text("Inside.")).to_be_visible()
    expect(note.locator("td")).to_have_text(["a|b", "either", "c|d", "escaped"])
    note.get_by_role("button", name="Footnote 1").click()
    expect(note.locator(".footnotes li")).to_be_focused()
    expect(note.locator(".footnotes li")).to_have_text("Said at the bottom.")
    shot(page, "note-rich")
    product.call("DELETE", "/notes/rich")


HTML = """# R&amp;D

AT&amp;T &mdash; &eacute; &#8364; &nope; a & b.<br>H<sub>2</sub>O, <small>small</small> <b onclick="x">bold</b>

<details><summary>More</summary>It was hidden</details>

1 < 2, List<String>, a<b and <em>open. <a href="https://example.com/a">There</a> `&amp; <b>code</b>`
"""


@pytest.mark.nightly
def test_entities_and_tags_that_form_text_read_as_in_a_browser(
    page: Page, product: Running
) -> None:
    product.call("PUT", "/notes/html", {"title": "R&D", "text": HTML, "createdAt": "2020-01-01"})
    page.goto(f"{page.url.split('#')[0]}#/notes/html")
    body = page.locator(".note .prose")
    expect(page.locator(".note h2").first).to_have_text("R&D")
    for place, text in enumerate(
        (
            "AT&T — é € &nope; a & b.\nH2O, small bold",
            "More\nIt was hidden",
            "1 < 2, List<String>, a<b and <em>open. There &amp; <b>code</b>",
        )
    ):
        expect(body.locator("p").nth(place)).to_have_js_property("innerText", text)
    expect(body.locator("sub")).to_have_text("2")
    expect(body.locator("strong")).to_have_text("bold")
    expect(body.locator("[onclick], em")).to_have_count(0)
    expect(body.locator("a")).to_have_attribute("href", "https://example.com/a")
    product.call("DELETE", "/notes/html")


WRAPPED = """The quick brown fox jumps over the lazy dog and then it runs
back to where it came from, because the dog has woken up and
is not amused.

Roses are red, and so is the wine of the year before last;
violets are blue,
and so is the boat.
"""


@pytest.mark.nightly
def test_lines_that_an_editor_wrapped_flow_and_those_of_a_poem_stay(
    page: Page, product: Running
) -> None:
    product.call(
        "PUT", "/notes/wrapped", {"title": "Lines", "text": WRAPPED, "createdAt": "2020-01-01"}
    )
    page.goto(f"{page.url.split('#')[0]}#/notes/wrapped")
    paragraphs = page.locator(".note .prose > p")
    expect(paragraphs.first).to_contain_text("then it runs back to where")
    expect(paragraphs.first.locator("br")).to_have_count(0)
    expect(paragraphs.last.locator("br")).to_have_count(2)
    product.call("DELETE", "/notes/wrapped")


@pytest.mark.nightly
def test_notes_are_listed_newest_first_or_by_name_as_people_count(
    page: Page, product: Running
) -> None:
    for day, version in (("2019-03-01", "1.9.10"), ("2019-01-01", "1.9.9"), ("2019-02-01", "1.10")):
        note = {
            "title": f"Release {version}",
            "text": "Out.",
            "createdAt": day,
            "path": f"r/{version}.md",
        }
        product.call("PUT", f"/notes/release-{version}", note)
    page.reload()
    open_notes(page)
    page.get_by_label("Folder", exact=True).select_option("r")
    titles = page.locator("#side-notes .list-title")
    expect(titles).to_have_text(["Release 1.9.10", "Release 1.10", "Release 1.9.9"])
    page.get_by_label("Order").select_option("By name")
    expect(titles).to_have_text(["Release 1.9.9", "Release 1.9.10", "Release 1.10"])
    page.reload()
    expect(page.get_by_label("Order")).to_have_value("name")
    page.get_by_label("Order").select_option("Oldest first")
    page.get_by_label("Folder", exact=True).select_option("r")
    expect(titles).to_have_text(["Release 1.9.9", "Release 1.10", "Release 1.9.10"])


@pytest.mark.nightly
def test_a_note_that_is_saved_while_the_list_is_read_stays_in_it(page: Page) -> None:
    read: list[tuple[Route, APIResponse]] = []
    page.route(
        "**/notes?pageSize=200*", lambda route: read.append((route, route.fetch()))
    )  # as it is before the save
    page.reload()
    page.get_by_role("link", name="Notes", exact=True).click()
    while not read:
        page.wait_for_timeout(20)
    page.get_by_role("button", name="New note").click()
    page.get_by_label("Title").fill("Meanwhile")
    page.get_by_label("Text", exact=True).fill("Saved while the list was on its way.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".save-state")).to_have_text("Saved.")
    page.go_back()
    expect(page.get_by_role("link", name=re.compile("Meanwhile")).first).to_be_visible()
    for route, reply in read:
        route.fulfill(response=reply)
    expect(
        page.get_by_role("link", name=re.compile("Sourdough")).first
    ).to_be_visible()  # the list has come
    expect(page.get_by_role("link", name=re.compile("Meanwhile")).first).to_be_visible()


def test_what_is_not_saved_survives_a_reload(page: Page) -> None:
    open_notes(page)
    page.get_by_role("button", name="New note").click()
    page.get_by_label("Text", exact=True).fill("Half a thought")
    until(page, "Object.keys(localStorage).some((key) => key.includes('note:'))")
    page.reload()
    expect(page.get_by_label("Text", exact=True)).to_have_value("Half a thought")
    expect(page.locator(".save-state")).to_have_text("Restored what you had not saved.")


def test_a_note_that_changed_elsewhere_is_not_overwritten_unasked(
    page: Page, product: Running
) -> None:
    write_note(page, "Shared list", "Milk.")
    note_id = page.url.split("/notes/")[1].split("?")[0]
    product.call("PUT", f"/notes/{note_id}", {"title": "Shared list", "text": "Milk and bread."})
    page.get_by_label("Text", exact=True).fill("Milk and eggs.")
    page.get_by_role("button", name="Save").click()
    sides = page.get_by_role("dialog").locator("section mark")
    expect(sides).to_have_text(["Milk and eggs.", "Milk and bread."])
    page.get_by_role("button", name="Not now").click()
    expect(page.locator(".save-state")).to_have_text("Not saved.")
    assert product.call("GET", f"/notes/{note_id}")[1]["text"] == "Milk and bread."
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Keep mine").click()
    expect(page.locator(".save-state")).to_have_text("Saved.")
    assert product.call("GET", f"/notes/{note_id}")[1]["text"] == "Milk and eggs."


def test_a_note_is_deleted_only_after_asking(page: Page) -> None:
    write_note(page, "Passing thought", "Gone tomorrow.")
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator(".landing")).to_be_visible()
    page.get_by_label("Search notes").fill("Passing thought")
    expect(page.locator("#side-notes .list")).to_contain_text("No note matches.")
    page.get_by_label("Search notes").fill("")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".note h2")).to_have_text("Passing thought")
    expect(page.locator(".note .prose")).to_contain_text("Gone tomorrow.")


def test_a_note_comes_back_from_the_trash_with_its_earlier_text(page: Page, shot: Shot) -> None:
    write_note(page, "Harbour dues", "Forty euros.")
    page.get_by_label("Text", exact=True).fill("Fifty euros.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".save-state")).to_have_text("Saved.")
    open_notes(page)
    page.get_by_role("link", name="Notes", exact=True).click()
    page.goto(f"{page.url.split('#')[0]}#/notes")
    page.get_by_role("button", name="Show the trash").click()
    shot(page, "trash")
    row = page.locator(".landing .decisions li").filter(has_text="Harbour dues").first
    expect(row).to_contain_text("edited")
    row.get_by_role("button", name="Restore").click()
    expect(page.locator(".toast")).to_contain_text("Restored Harbour dues.")
    page.get_by_role("link", name=re.compile("Harbour dues")).first.click()
    expect(page.locator(".note .prose")).to_contain_text("Forty euros.")


VAULT = {
    "vault/alps/plan.md": "---\ntitle: Crossing the Alps\ntags: [travel, hut]\ncreated: 2024-05-08\n---\nTwelve days.",
    "vault/alps/2023-07-01 packing.md": "# Packing\n\nA light tent.",
    "vault/broken.md": "---\ntags: [\n---\nText.",
    "vault/.obsidian/app.md": "hidden",
    "vault/picture.png": "no note",
}


def decide(page: Page, action: str) -> None:
    """The same for everything that is here already."""
    dialog = page.get_by_role("dialog", name="What is here already")
    dialog.get_by_label("For all", exact=True).last.select_option(action)
    dialog.get_by_role("button", name="Go on").click()


def test_folders_with_the_same_paths_replace_nothing_of_each_other(
    page: Page, product: Running, tmp_path: Path, shot: Shot
) -> None:
    for folder, text in (("Kayak", "The kayak leaks."), ("Canoe", "The canoe is dry.")):
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
    dialog = page.get_by_role("dialog", name="What is here already")
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
    expect(thrown).to_contain_text(re.compile(r"replaced by an import \d+ \w+ \d{4}, \d+:\d\d"))
    thrown.get_by_role("button", name="Preview todo.md").first.click()
    expect(thrown.locator(".prose").first).to_have_text("Paint the Kayak.")
    shot(page, "trash")
    page.get_by_role("button", name="Restore todo.md").first.click()
    expect(page.locator(".toast")).to_contain_text("Restored todo.md.")
    assert text_of("todo.md") == "Paint the Kayak."


def drop(page: Page, folder: Path) -> None:
    """As by the folder chooser; Chromium gives no way to drop a real folder by script."""
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
    assert (note["title"], note["tags"]) == ("Crossing the Alps", ["travel", "hut"])
    assert note["createdAt"] == "2024-05-08T12:00:00.000Z"
    packing = product.call("GET", f"/notes/{note_id_of('vault', 'alps/2023-07-01 packing.md')}")[1]
    assert (packing["title"], packing["createdAt"][:10]) == ("Packing", "2023-07-01")

    (tmp_path / "vault/alps/plan.md").write_text("Thirteen days.")
    drop(page, tmp_path / "vault")
    decide(page, "Replace")
    expect(page.locator("#side-notes .list-title", has_text=re.compile("^plan$"))).to_be_visible()
    again = product.call("GET", f"/notes/{note['noteId']}")[1]
    assert (again["text"], again["title"]) == ("Thirteen days.", "plan")


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
            """As from another window, or from a phone."""
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
    assert (note["title"], note["createdAt"]) == ("pasta", "2022-04-05T00:00:00.000Z")


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
    asked = "What was said once?"
    ask(page, asked)
    open_notes(page)
    with page.expect_download() as download:
        from_menu(page, "Export everything")
    with dev(tmp_path) as fresh:
        other = open_page(f"{fresh.address}/#/notes")
        _bring_back(other, download.value.path())
        expect(other.locator(".landing .good")).to_contain_text("entries imported")
        expect(other.locator(".landing")).not_to_contain_text("conversations")
        rows = [json.loads(line) for line in Path(download.value.path()).read_text().splitlines()]
        session = next(row for row in rows if row["type"] == "session" and row["title"] == asked)
        said = [
            row["text"]
            for row in rows
            if row["type"] == "message" and row["sessionId"] == session["sessionId"]
        ]
        brought = fresh.call("GET", f"/sessions/{session['sessionId']}/messages")[1]["messages"]
        assert [message["text"] for message in brought] == said
        other.get_by_role("link", name="Chat").click()
        expect(other.locator("#side-chat .list-row a").filter(has_text=asked).first).to_be_visible()
        other.get_by_role("link", name="Notes", exact=True).click()
        shot(other, "restored")
        assert (
            product.call("GET", "/notes")[1]["notes"][0]["title"]
            in other.locator("#side-notes .list").inner_text()
        )
        note_id = page.evaluate(
            "[...document.querySelectorAll('#side-notes a')].at(0).hash.split('/')[2]"
        )
        restored = fresh.call("GET", f"/notes/{note_id}")[1]
        assert restored["createdAt"] == product.call("GET", f"/notes/{note_id}")[1]["createdAt"]
        assert fresh.call("GET", "/templates/mine")[1]["content"] == "1. Think."

        fresh.call("PUT", f"/notes/{note_id}", {"title": "Mine", "text": "Said here."})
        _bring_back(other, download.value.path())
        other.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        expect(other.locator(".landing")).to_contain_text(
            "Skipped, your notes stay as they were: Brought back"
        )
        assert fresh.call("GET", f"/notes/{note_id}")[1]["text"] == "Said here."

        (tmp_path / "picture.ndjson").write_bytes(b"\x89PNG\n")
        _bring_back(other, tmp_path / "picture.ndjson")
        expect(other.locator(".toast")).to_contain_text("This is no export of Aurora Notes: line 1")


def _bring_back(page: Page, file: Path) -> None:
    with page.expect_file_chooser() as chooser:
        from_menu(page, "Import an export")
    chooser.value.set_files(file)


@pytest.mark.nightly
def test_a_wrong_field_is_told_beside_the_note_that_has_it(page: Page) -> None:
    open_notes(page)
    page.get_by_role("button", name="New note").click()
    page.get_by_label("Title").fill("Odd")
    page.get_by_label("Path").fill("../up.md")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".save-state")).to_contain_text("Not saved: path")


@pytest.mark.nightly
def test_notes_that_could_not_be_embedded_say_so(open_page: OpenPage, product: Running) -> None:
    page = open_page(product.address)
    page.route(
        "**/api/notes/*:indexStatus",
        lambda route: route.fulfill(
            json={"status": "failed", "current": True, "error": "the model refused it"}
        ),
    )
    open_notes(page)
    page.locator("#side-notes .list-row a").first.click()
    expect(page.locator(".note .index-state")).to_have_text("failed: the model refused it")


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("current", "text"),
    [
        (False, "waits to be indexed: today's 100 writes of the index are used up"),
        (True, "found by words; vectors wait: today's 100 writes of the index are used up"),
    ],
)
def test_a_note_that_waits_says_what_for(
    open_page: OpenPage, product: Running, *, current: bool, text: str
) -> None:
    page = open_page(product.address)
    error = "today's 100 writes of the index are used up"
    status = {"status": "pending_embeddings", "current": current, "error": error}
    page.route("**/api/notes/*:indexStatus", lambda route: route.fulfill(json=status))
    open_notes(page)
    page.locator("#side-notes .list-row a").first.click()
    expect(page.locator(".note .index-state")).to_have_text(text)


@pytest.mark.nightly
def test_links_between_notes_are_followed_there_and_back(
    page: Page, product: Running, shot: Shot
) -> None:
    text = "Moored beside [[Lighthouse keeper#Winter|the keeper]], <b onclick=alert(1)>not</b> [[Nowhere]].\n\n"
    table = "| who |\n| - |\n| [[Lighthouse keeper\\|K]], [file](keeper.md) |"
    product.call(
        "PUT", "/notes/pier", {"title": "Pier log", "text": text + table, "path": "sea/log.md"}
    )
    keeper = {"title": "Lighthouse keeper", "text": "Lives alone.", "path": "sea/keeper.md"}
    product.call("PUT", "/notes/keeper", keeper)
    for note, known in (
        ("keeper", "backlinks.length"),
        ("pier", "links[0].noteId"),
    ):  # the index follows by itself
        until(
            page,
            f"fetch('/api/notes/{note}:links').then((reply) => reply.json()).then((found) => found.{known})",
        )
    page.goto(f"{page.url.split('#')[0]}#/notes/pier")
    links = page.locator(".note .prose a")
    expect(links).to_have_text(["the keeper", "K", "file"])
    expect(page.locator(".note .prose em")).to_have_text("Nowhere")
    expect(page.locator(".note .prose b")).to_have_count(0)
    shot(page, "note-links")
    links.first.click()
    expect(page.locator(".note h2")).to_have_text("Lighthouse keeper")
    back = page.get_by_role("region", name="Linked from").get_by_role("link")
    expect(back).to_have_text("Pier log")
    shot(page, "backlinks")
    back.click()
    expect(page.locator(".note h2")).to_have_text("Pier log")


FORMULAS = """# Waves

The speed is $c*f*t$ and costs $5 or $6.

$$
\\sum_{n=1}^{\\infty} \\frac{a_1}{\\sqrt{b}} * c_3^{2}
$$

Not known: $\\begin{matrix}a*b*c\\end{matrix}$ and $x_1_2$, $\\mathbf{v}$, $\\mathcal{L}$, $\\mathbb{x}$.

Half open: $\\left. \\mathbb{R} \\right| . 2$

| Abbreviation | Explanation of it | Responsible department |
|---|---|---|
| Interoperability | Communication between incompatible systems | Telecommunications administration |
"""


@pytest.mark.nightly
def test_formulas_are_set_and_tables_do_not_break_inside_words(
    page: Page, product: Running, shot: Shot
) -> None:
    product.call("PUT", "/notes/waves", {"title": "Waves", "text": FORMULAS})
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(f"{product.address}/#/notes/waves")
    prose = page.locator(".note .prose")
    expect(prose.locator("math").first).to_have_text("c*f*t")
    expect(prose).to_contain_text("costs $5 or $6.")
    sum_of_all = prose.locator("math[display=block]")
    expect(sum_of_all.locator("munderover")).to_have_text("∑n=1∞")
    expect(sum_of_all.locator("mfrac msub")).to_have_text("a1")
    expect(sum_of_all.locator("mfrac msqrt")).to_have_text("b")
    expect(sum_of_all.locator("msubsup")).to_have_text("c32")
    expect(prose.locator("math").last).to_have_text("ℝ|.2")
    as_written = [
        "\\begin{matrix}a*b*c\\end{matrix}",
        "x_1_2",
        "\\mathbf{v}",
        "\\mathcal{L}",
        "\\mathbb{x}",
    ]
    expect(prose.locator("code.math")).to_have_text(as_written)
    expect(prose.locator("em")).to_have_count(0)
    shot(page, "formulas-phone")
    heights = prose.locator("td").first.evaluate(
        "(cell) => { const text = document.createRange(); text.selectNodeContents(cell); return text.getClientRects().length; }"
    )
    assert heights == 1
    product.call("DELETE", "/notes/waves")


@pytest.mark.nightly
def test_words_are_marked_only_where_they_tell_something(page: Page) -> None:
    open_notes(page)
    page.get_by_label("Search notes").fill("e")
    expect(page.locator("#side-notes .list-row").first).to_be_visible()
    expect(page.locator("#side-notes mark")).to_have_count(0)
    page.get_by_label("Search notes").fill("a sourdough")
    expect(page.locator("#side-notes mark").first).to_have_text("Sourdough")
    marked = set(page.locator("#side-notes mark").all_inner_texts())
    assert {word.lower() for word in marked} == {"sourdough"}


PROPERTIES = """---
author: "Dörte Hansen"  # as on the cover
rating: 5
genres: [novel, "North Sea"]
read:
  - 2026-01-02
---
# Mittagsstunde

A village changes.
"""


@pytest.mark.nightly
def test_properties_are_shown_and_edited_line_by_line(
    page: Page, product: Running, shot: Shot
) -> None:
    product.call("PUT", "/notes/novel", {"title": "Mittagsstunde", "text": PROPERTIES})
    page.goto(f"{product.address}/#/notes/novel")
    shown = page.locator(".properties")
    expect(shown.locator("dt")).to_have_text(["author", "rating", "genres", "read"])
    expect(shown.locator("dd").first).to_have_text("Dörte Hansen")
    expect(shown.locator("dd").nth(2)).to_have_text("novel, North Sea")
    shot(page, "properties")
    page.get_by_role("button", name="Edit").click()
    page.get_by_text("4 properties").click()
    page.get_by_label("rating", exact=True).fill("4: good")
    page.get_by_label("genres", exact=True).fill("novel, village")
    page.get_by_role("button", name="Remove read").click()
    page.get_by_role("button", name="Add a property").click()
    page.get_by_label("Name of the property").fill("pages")
    page.keyboard.press("Enter")
    page.get_by_label("pages", exact=True).fill("320")
    shot(page, "properties-edited")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".index-state")).to_have_text("indexed")
    expected = PROPERTIES.replace("rating: 5", 'rating: "4: good"')
    expected = expected.replace(
        '[novel, "North Sea"]\nread:\n  - 2026-01-02', "[novel, village]\npages: 320"
    )
    assert product.call("GET", "/notes/novel")[1]["text"] == expected
    product.call("DELETE", "/notes/novel")


@pytest.mark.nightly
def test_related_notes_stand_beside_the_open_note(page: Page) -> None:
    open_notes(page)
    page.locator("#side-notes .list-row a").filter(has_text="Harvest 2026").click()
    related = page.get_by_role("region", name="Related notes")
    text = page.locator(".note .prose")
    expect(related.get_by_role("link", name="Tomatoes")).to_be_visible()
    beside = related.bounding_box()
    prose = text.bounding_box()
    assert beside is not None
    assert prose is not None
    assert beside["x"] > prose["x"] + prose["width"]
    related.get_by_role("link", name="Tomatoes").click()
    expect(page.locator(".note h2")).to_have_text("Tomatoes")

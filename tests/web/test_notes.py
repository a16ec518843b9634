"""Notes: the list, the editor, the trash."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from tests.servers.dev import Running
from tests.web.moves import ask, await_route, hold, open_notes, until, write_note

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
def test_a_reader_that_was_left_is_not_there_while_its_note_is_fetched_again(page: Page) -> None:
    write_note(page, "Quay", "The quay at Nieuwpoort is closed in winter.")
    page.get_by_role("button", name="Close").click()
    expect(page.locator(".note .prose")).to_be_visible()
    page.get_by_role("link", name="Chat").click()
    let_go = hold(page, "**/notes/*")
    page.go_back()
    expect(page.locator(".note-page")).to_contain_text("Opening")
    expect(page.locator(".note .prose")).to_have_count(0)
    let_go()
    expect(page.locator(".note .prose")).to_have_text("The quay at Nieuwpoort is closed in winter.")


def test_the_editor_of_a_note_that_is_read_opens_without_waiting_and_keeps_what_is_typed(
    page: Page,
) -> None:
    write_note(page, "Locks", "The locks open at six.")
    page.get_by_role("button", name="Close").click()
    expect(page.locator(".note .prose")).to_have_text("The locks open at six.")
    let_go = hold(page, "**/notes/*")
    page.get_by_role("button", name="Edit").click()
    text = page.get_by_label("Text", exact=True)
    expect(text).to_have_value("The locks open at six.")
    text.fill("The locks open at seven.")
    page.evaluate("dispatchEvent(new HashChangeEvent('hashchange'))")
    with page.expect_response("**/notes/*"):
        let_go()
    expect(text).to_have_value("The locks open at seven.")
    expect(page.locator(".save-state")).to_have_text("Not saved yet.")


@pytest.mark.nightly
def test_an_editor_shows_the_note_as_it_is_now_until_somebody_types(
    page: Page, product: Running
) -> None:
    write_note(page, "Ferry", "The ferry leaves at eight.")
    note_id = page.url.split("/notes/")[1].split("?")[0]
    page.get_by_role("button", name="Close").click()
    expect(page.locator(".note .prose")).to_have_text("The ferry leaves at eight.")
    product.call("PUT", f"/notes/{note_id}", {"title": "Ferry", "text": "It leaves at nine."})
    page.get_by_role("button", name="Edit").click()
    text = page.get_by_label("Text", exact=True)
    expect(text).to_have_value("It leaves at nine.")
    text.fill("It leaves at ten.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".save-state")).to_have_text("Saved.")


def test_an_answer_that_comes_while_a_note_is_edited_leaves_the_editor_open(
    page: Page, product: Running
) -> None:
    product.call("PUT", "/notes/slipway", {"title": "Slipway", "text": "The slipway is steep."})
    page.get_by_label("Your question").fill("How is the slipway at Wemeldinge?")
    let_go = hold(page, "**/chat")
    page.keyboard.press("Enter")
    page.evaluate("location.hash = '#/notes/slipway?edit=1'")
    text = page.get_by_label("Text", exact=True)
    text.fill("The slipway is steep and wet.")
    let_go()
    chat = page.get_by_role("link", name="Chat", exact=True)
    expect(chat).to_have_attribute("href", re.compile("#/c/."))
    expect(text).to_have_value("The slipway is steep and wet.")
    assert page.url.endswith("#/notes/slipway?edit=1")
    chat.click()
    expect(page.locator(".exchange .question")).to_have_text("How is the slipway at Wemeldinge?")
    product.call("DELETE", "/notes/slipway")


@pytest.mark.nightly
def test_two_saves_one_after_the_other_are_no_conflict(page: Page) -> None:
    write_note(page, "Buoys", "Red to port.")
    text = page.get_by_label("Text", exact=True)
    text.fill("Red to port, green to starboard.")
    let_go = hold(page, "**/notes/*")
    page.keyboard.press("Control+s")
    text.fill("Red to port, green to starboard, at night too.")
    page.keyboard.press("Control+s")
    let_go()
    expect(page.locator(".save-state")).to_have_text("Saved.")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_reply_that_cannot_be_read_does_not_end_saving(page: Page) -> None:
    write_note(page, "Fairway", "The fairway is dredged.")
    page.get_by_label("Text", exact=True).fill("The fairway is dredged in March.")
    page.evaluate("addEventListener('unhandledrejection', (event) => event.preventDefault())")
    page.route("**/notes/*", lambda route: route.fulfill(body="<p>Log in to this network</p>"))
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".save-state")).to_have_text("Not saved.")
    page.unroute("**/notes/*")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".save-state")).to_have_text("Saved.")


def test_a_note_that_was_deleted_is_not_edited_and_saved_back_unasked(
    page: Page, product: Running
) -> None:
    write_note(page, "Weir", "The weir is open.")
    note_id = page.url.split("/notes/")[1].split("?")[0]
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator(".landing")).to_be_visible()
    page.evaluate(f"location.hash = '#/notes/{note_id}?edit=1'")
    expect(page.get_by_role("alert")).to_contain_text("There is no such note any more.")
    expect(page.locator(".editor")).to_have_count(0)
    assert product.call("GET", f"/notes/{note_id}")[0] == 404


def test_an_open_editor_says_that_its_note_was_deleted_and_asks_before_saving_it_again(
    page: Page, product: Running
) -> None:
    write_note(page, "Sluice", "The sluice is shut.")
    address = f"/notes/{page.url.split('/notes/')[1].split('?')[0]}"
    page.get_by_role("button", name="Close").click()
    expect(page.locator(".note .prose")).to_be_visible()
    product.call("DELETE", address)
    page.get_by_role("button", name="Edit").click()
    gone = page.locator(".editor").get_by_role("alert")
    expect(gone).to_contain_text("There is no such note any more.")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("dialog").get_by_role("button", name="Not now").click()
    expect(page.locator(".save-state")).to_have_text("Not saved.")
    assert product.call("GET", address)[0] == 404
    page.get_by_role("button", name="Save").click()
    page.get_by_role("dialog").get_by_role("button", name="Save it again").click()
    expect(page.locator(".save-state")).to_have_text("Saved.")
    expect(gone).to_be_hidden()
    assert product.call("GET", address)[1]["text"] == "The sluice is shut."


@pytest.mark.nightly
def test_an_editor_that_opens_without_a_connection_has_what_was_saved_last(page: Page) -> None:
    write_note(page, "Dyke", "The dyke is wet.")
    page.get_by_role("button", name="Close").click()
    expect(page.locator(".note .prose")).to_be_visible()
    page.get_by_role("button", name="Edit").click()
    text = page.get_by_label("Text", exact=True)
    text.fill("The dyke is dry.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".save-state")).to_have_text("Saved.")
    address = page.url
    page.evaluate("location.hash = '#/notes'")
    expect(page.locator(".landing")).to_be_visible()
    page.route("**/notes/*", lambda route: route.abort())
    page.evaluate(f"location.href = '{address}'")
    expect(text).to_have_value("The dyke is dry.")


@pytest.mark.nightly
def test_a_draft_that_is_restored_does_not_overwrite_what_was_saved_elsewhere_since(
    page: Page, product: Running
) -> None:
    write_note(page, "Groyne", "Oak.")
    note_id = page.url.split("/notes/")[1].split("?")[0]
    page.get_by_label("Text", exact=True).fill("Oak and willow.")
    until(page, "Object.keys(localStorage).some((key) => key.includes('note:'))")
    product.call("PUT", f"/notes/{note_id}", {"title": "Groyne", "text": "Oak and stone."})
    page.reload()
    expect(page.get_by_label("Text", exact=True)).to_have_value("Oak and willow.")
    page.get_by_role("button", name="Save").click()
    sides = page.get_by_role("dialog").locator("section mark")
    expect(sides).to_have_text(["Oak and willow.", "Oak and stone."])
    page.get_by_role("button", name="Not now").click()
    assert product.call("GET", f"/notes/{note_id}")[1]["text"] == "Oak and stone."


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


@pytest.mark.nightly
def test_notes_are_listed_newest_first_or_by_name_as_people_count(
    page: Page, product: Running
) -> None:
    for day, version in (
        ("2019-03-01", "1.9.10"),
        ("2019-01-01", "1.9.9"),
        ("2019-02-01", "1.10"),
    ):
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
    await_route(page, read)
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


def test_unsaved_text_survives_a_reload(page: Page) -> None:
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


def delete(page: Page, product: Running, note_id: str) -> None:
    """Deletes a new note on the page, which goes back to the list."""
    product.call("PUT", f"/notes/{note_id}", {"title": note_id, "text": f"The {note_id}."})
    page.goto(f"{page.url.split('#')[0]}#/notes/{note_id}")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator(".landing")).to_be_visible()
    expect(page.locator(".toast.shown")).to_have_text("Deleted.Undo")


def test_undo_without_a_connection_is_offered_again_until_it_is_done(
    page: Page, product: Running
) -> None:
    delete(page, product, "bollard")
    toast = page.locator(".toast.shown")
    page.context.set_offline(True)
    for _ in range(2):
        toast.get_by_role("button", name="Undo").click()
        expect(toast).to_have_text("The server cannot be reached.Undo")
    page.context.set_offline(False)
    expect(toast).to_have_text("Connected again.Undo")
    toast.get_by_role("button", name="Undo").click()
    expect(page.locator(".note .prose")).to_have_text("The bollard.")
    expect(toast).to_have_count(0)
    product.call("DELETE", "/notes/bollard")


def test_undo_of_a_note_that_the_trash_does_not_hold_any_more_says_so_and_stays(
    page: Page, product: Running
) -> None:
    delete(page, product, "fender")
    entry = product.call("GET", "/trash")[1]["trash"][0]
    assert entry["noteId"] == "fender"
    product.call("DELETE", f"/trash/{entry['trashId']}")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast.shown")).to_have_text("The note is not in the trash any more.")
    assert page.evaluate("location.hash") == "#/notes"
    expect(page.locator(".landing")).to_be_visible()


def test_undo_replaces_no_text_that_somebody_has_written_since(
    page: Page, product: Running
) -> None:
    delete(page, product, "cleat")
    product.call("PUT", "/notes/cleat", {"title": "cleat", "text": "Another cleat."})
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".toast.shown")).to_have_text(
        "Somebody has written this note anew. What you deleted stays in the trash."
    )
    expect(page.locator(".note .prose")).to_have_text("Another cleat.")
    entry = product.call("GET", "/trash")[1]["trash"][0]
    assert (entry["noteId"], entry["reason"]) == ("cleat", "deleted")
    product.call("DELETE", "/notes/cleat")


def test_undo_of_a_note_that_was_restored_elsewhere_shows_it(page: Page, product: Running) -> None:
    delete(page, product, "hawser")
    entry = product.call("GET", "/trash")[1]["trash"][0]
    product.call("POST", f"/trash/{entry['trashId']}:restore")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".note .prose")).to_have_text("The hawser.")
    product.call("DELETE", "/notes/hawser")


def test_undo_reads_no_more_of_the_trash_than_it_needs(page: Page, product: Running) -> None:
    delete(page, product, "painter")
    read: list[str] = []

    def with_more(route: Route) -> None:
        read.append(route.request.url)
        reply = route.fetch()
        route.fulfill(response=reply, json={**reply.json(), "nextPageToken": "more"})

    page.route("**/trash?**", with_more)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".note .prose")).to_have_text("The painter.")
    assert len(read) == 1
    product.call("DELETE", "/notes/painter")


def test_who_goes_on_while_a_note_is_deleted_or_brought_back_stays_there(
    page: Page, product: Running
) -> None:
    for note_id in ("pontoon", "winch"):
        product.call("PUT", f"/notes/{note_id}", {"title": note_id, "text": f"The {note_id}."})
    page.goto(f"{page.url.split('#')[0]}#/notes/pontoon")
    page.get_by_role("button", name="Delete").click()
    let_go = hold(page, "**/notes/pontoon")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.evaluate("location.hash = '#/notes/winch'")
    expect(page.locator(".note .prose")).to_have_text("The winch.")
    let_go()
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_visible()
    assert page.evaluate("location.hash") == "#/notes/winch"
    let_go = hold(page, "**/trash/*")
    undo.click()
    page.evaluate("location.hash = '#/notes'")
    let_go()
    expect(page.get_by_role("link", name=re.compile("pontoon")).first).to_be_visible()
    assert page.evaluate("location.hash") == "#/notes"
    for note_id in ("pontoon", "winch"):
        product.call("DELETE", f"/notes/{note_id}")


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


@pytest.mark.nightly
def test_a_wrong_field_is_told_beside_the_note_that_has_it(page: Page) -> None:
    open_notes(page)
    page.get_by_role("button", name="New note").click()
    page.get_by_label("Title").fill("Odd")
    page.get_by_label("Path").fill("../up.md")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".save-state")).to_contain_text("Not saved: path")


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

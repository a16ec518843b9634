"""A click counts, though its row is drawn again while the button of the mouse is down."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.servers.dev import Running
from tests.web.moves import QUESTION, ask, await_route, hold, open_notes

FOLDER = {
    "folder": "/home/me/notes",
    "vault": "notes",
    "there": True,
    "notes": 3,
    "reading": {"running": True, "done": 3, "of": 9, "seconds": 1},
}


def _press(page: Page, row: Locator) -> None:
    row.hover()
    page.mouse.down()


def _comes(page: Page, address: str, let_go: Callable[[], None]) -> None:
    """Let a reply come, and the page draw it."""
    with page.expect_response(address) as reply:
        let_go()
    reply.value.finished()
    page.wait_for_timeout(100)


def test_a_note_opens_though_the_list_hears_from_the_index_meanwhile(
    page: Page, product: Running
) -> None:
    product.call("PUT", "/notes/jetty", {"title": "Jetty", "text": "The jetty is slippery."})
    open_notes(page)
    let_go = hold(page, "**/index:coverage")
    page.reload()
    _press(page, page.locator("#side-notes .list-row a").filter(has_text="Jetty"))
    let_go()
    expect(page.locator(".coverage")).to_contain_text("Indexed")
    page.mouse.up()
    expect(page.locator(".note .prose")).to_have_text("The jetty is slippery.")
    product.call("DELETE", "/notes/jetty")


def test_a_note_opens_though_others_come_into_the_list_above_it(
    page: Page, product: Running
) -> None:
    open_notes(page)  # what it has asked for by now would be held too
    older, newer = product.call("GET", "/notes?pageSize=2")[1]["notes"]
    older["createdAt"], newer["createdAt"] = "2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"
    page.route(
        re.compile(r"/notes\?pageSize=200$"),
        lambda route: route.fulfill(json={"notes": [older], "nextPageToken": "more"}),
    )
    held: list[Route] = []

    def keep(route: Route) -> None:
        held.append(route)

    page.route(re.compile("pageToken=more"), keep)
    page.reload()
    rows = page.locator("#side-notes .list-row a")
    expect(rows).to_have_count(1)
    _press(page, rows)
    await_route(page, held)
    held[0].fulfill(json={"notes": [newer], "nextPageToken": ""})
    expect(page.locator(".coverage")).to_contain_text("Indexed")
    page.mouse.up()
    expect(page.locator(".note h2")).to_have_text(older["title"])
    expect(rows).to_have_count(2)


def test_a_conversation_opens_though_the_list_is_read_again_meanwhile(page: Page) -> None:
    ask(page, "How wide is the gangway?")
    page.get_by_role("button", name="New conversation").click()
    let_go = hold(page, "**/sessions?*")
    ask(page, "How deep is the dock?")
    row = page.locator("#side-chat .list-row a").filter(has_text="How wide is the gangway?")
    _press(page, row)
    _comes(page, "**/sessions?*", let_go)
    page.mouse.up()
    expect(page.locator(".exchange .question")).to_have_text("How wide is the gangway?")


def test_the_next_conversation_can_be_renamed_while_one_is_renamed(page: Page) -> None:
    """The press takes the focus from the field, which ends renaming and draws the list again."""
    ask(page, "How heavy is the crane?")
    page.get_by_role("button", name="New conversation").click()
    ask(page, "How fast is the hoist?")
    page.get_by_role("button", name="Rename “How fast is the hoist?”").click()
    field = page.get_by_label("Title", exact=True)
    expect(field).to_have_value("How fast is the hoist?")
    page.get_by_role("button", name="Rename “How heavy is the crane?”").click()
    expect(field).to_have_value("How heavy is the crane?")


def test_a_source_opens_though_another_answer_ends_meanwhile(page: Page) -> None:
    ask(page, QUESTION)
    let_go = hold(page, "**/chat")
    page.get_by_label("Your question").fill("How tall is the breakwater?")
    page.keyboard.press("Enter")
    exchanges = page.locator(".exchange")
    expect(exchanges).to_have_count(2)
    _press(page, exchanges.first.locator(".source-title").first)
    let_go()
    expect(exchanges.last).to_have_attribute("aria-busy", "false")
    page.mouse.up()
    expect(page.locator(".pane .note")).to_be_visible()


@pytest.mark.nightly
def test_a_folder_can_be_followed_no_more_while_it_is_read(page: Page) -> None:
    def reading(route: Route) -> None:
        route.fulfill(json={"folders": [FOLDER], "conflicts": [], "gone": []})

    page.route(re.compile("/folders"), reading)
    open_notes(page)
    stop = page.get_by_role("button", name="Stop following /home/me/notes")
    _press(page, stop)
    for _ in range(2):
        with page.expect_response("**/folders?progress"):
            pass
    page.mouse.up()
    expect(page.get_by_role("dialog")).to_contain_text("Stop following /home/me/notes?")

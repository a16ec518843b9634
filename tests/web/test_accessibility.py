"""Keyboard, screen readers, colours, small screens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.servers.dev import Running
from tests.web.conftest import OpenPage
from tests.web.moves import QUESTION, ask, open_notes, until

Shot = Callable[[Page, str], None]
PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 740},
    "has_touch": True,
    "is_mobile": True,
}


def findings(page: Page) -> list[str]:
    """List the serious and critical findings of axe-core."""
    until(page, "document.getAnimations().every((each) => each.playState !== 'running')")
    violations = Axe().run(page).response["violations"]
    return [
        f"{violation['id']}: {node['html'][:200]} {node['failureSummary']}"
        for violation in violations
        if violation["impact"] in {"serious", "critical"}
        for node in violation["nodes"]
    ]


@pytest.mark.nightly
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
def test_axe_finds_nothing_serious(
    open_page: OpenPage, product: Running, theme: str, shot: Shot
) -> None:
    page = open_page(product.address, color_scheme=theme)
    assert findings(page) == []
    ask(page, "What is the wifi password?")
    exchange = ask(page, "Which quota do we take for rate limits?")
    exchange.locator(".answer .chip").first.hover()
    expect(page.get_by_role("tooltip")).to_be_visible()
    assert findings(page) == []
    exchange.locator(".answer .chip").first.click()
    expect(page.locator(".pane mark").first).to_be_visible()
    shot(page, f"reading-{theme}")
    assert findings(page) == []
    exchange.get_by_role("button", name="Why this answer").click()
    expect(page.locator(".bars")).to_be_visible()
    shot(page, f"why-{theme}")
    assert findings(page) == []
    page.get_by_role("button", name="Settings (s)").click()
    expect(page.get_by_role("dialog")).to_contain_text("Relevance threshold")
    shot(page, f"settings-{theme}")
    assert findings(page) == []
    page.keyboard.press("Escape")
    open_notes(page)
    assert findings(page) == []
    page.locator("#side-notes .list-row a").first.click()
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_label("Text", exact=True)).to_be_visible()
    shot(page, f"editor-{theme}")
    assert findings(page) == []


def test_everything_is_done_by_keyboard(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("Aurora")
    expect(page.locator(".welcome")).to_be_visible()
    expect(page.get_by_label("Your question")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_contain_text("Write a question")
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator(".sources")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("w")
    expect(page.locator(".bars")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".pane")).to_be_hidden()
    page.keyboard.press("2")
    expect(page.locator(".landing")).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_label("Search notes")).to_be_focused()
    page.keyboard.type("sourdough")
    expect(page.locator("#side-notes .list-row")).to_have_count(1)
    expect(page.locator("#side-notes .list-row mark")).to_have_text("Sourdough")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#side-notes .list-row a")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.get_by_label("Search notes")).to_have_value("")
    page.keyboard.type("sourdough")
    page.keyboard.press("Enter")
    expect(page.locator(".note h2")).to_have_text("Sourdough bread")
    page.keyboard.press("e")
    expect(page.get_by_label("Text", exact=True)).to_be_focused()


@pytest.mark.nightly
def test_single_keys_can_be_switched_off(page: Page) -> None:
    page.get_by_role("button", name="Settings (s)").click()
    page.get_by_label("Single-key shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.get_by_label("Your question").press("Escape")
    page.keyboard.press("2")
    expect(page.locator(".welcome")).to_be_visible()


def assert_no_sideways_scroll(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.nightly
def test_a_phone_has_all_of_it_without_sideways_scroll(
    open_page: OpenPage, product: Running, shot: Shot
) -> None:
    page = open_page(product.address, **PHONE)
    assert_no_sideways_scroll(page)
    tops = "[...document.querySelectorAll('.top a, .top button')].map((each) => each.getBoundingClientRect())"
    assert page.evaluate(
        f"{tops}.every((box) => box.top >= 0 && box.bottom <= 52 && box.right <= 360)"
    )
    exchange = ask(page, QUESTION)
    assert_no_sideways_scroll(page)
    shot(page, "phone-answer")
    exchange.locator(".answer .chip").first.tap()
    sheet = page.get_by_role("dialog", name="Source")
    expect(sheet).to_contain_text("We use Cloud Run for the API.")
    shot(page, "phone-sheet")
    assert findings(page) == []
    page.go_back()
    expect(sheet).to_be_hidden()
    expect(exchange).to_be_visible()
    exchange.locator(".answer .chip").first.tap()
    sheet.get_by_role("button", name="Open the note").tap()
    expect(page.locator(".pane mark").first).to_be_in_viewport()
    assert_no_sideways_scroll(page)
    shot(page, "phone-note")
    page.go_back()
    expect(page.locator(".pane")).to_be_hidden()
    expect(sheet).to_be_hidden()
    page.get_by_role("button", name="Menu").tap()
    expect(page.get_by_role("button", name="New conversation")).to_be_visible()
    shot(page, "phone-menu")
    page.go_back()
    expect(page.get_by_role("button", name="New conversation")).to_be_hidden()
    exchange.get_by_role("button", name="Why this answer").tap()
    expect(page.locator(".bars")).to_be_visible()
    page.get_by_role("button", name="Settings (s)").tap()
    page.go_back()
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator(".bars")).to_be_visible()
    page.go_back()
    expect(page.locator(".pane")).to_be_hidden()
    page.get_by_role("button", name="Menu").tap()
    page.locator("#side-chat .list-row a").first.tap()
    expect(exchange).to_be_visible()
    expect(page.locator("#side-chat")).to_be_hidden()
    open_notes(page)
    assert_no_sideways_scroll(page)
    shot(page, "phone-notes")
    page.locator("#side-notes .list-row a").first.tap()
    expect(page.locator(".note")).to_be_visible()
    expect(page.locator("#side-notes")).to_be_hidden()
    page.get_by_role("button", name="Edit").tap()
    assert_no_sideways_scroll(page)
    shot(page, "phone-editor")
    page.get_by_role("link", name="All notes").tap()
    expect(page.locator("#side-notes")).to_be_visible()


SMALL = """() => [...document.querySelectorAll("button, select, summary, .list-row > a, .tab, .back")]
  .filter((each) => each.checkVisibility() && !each.matches(".link"))
  .filter((each) => Math.round(each.getBoundingClientRect().height) < 44)
  .map((each) => each.outerHTML.slice(0, 120))"""


@pytest.mark.nightly
def test_touch_targets_are_44_px_high(open_page: OpenPage, product: Running) -> None:
    page = open_page(product.address, **PHONE)
    ask(page, QUESTION)
    assert page.evaluate(SMALL) == []
    open_notes(page)
    page.get_by_label("Order").select_option("By folder")
    assert page.evaluate(SMALL) == []
    page.get_by_role("button", name="Settings (s)").tap()
    assert page.evaluate(SMALL) == []


ROWS_SEEN = """() => {
  const list = document.querySelector("#side-notes .list").getBoundingClientRect();
  const rows = [...document.querySelectorAll("#side-notes .list-row")].map((each) => each.getBoundingClientRect());
  return rows.filter((row) => row.top >= list.top && row.bottom <= list.bottom).length;
}"""


def test_a_phone_shows_the_list_of_notes_before_all_else(
    open_page: OpenPage, product: Running
) -> None:
    page = open_page(product.address, **PHONE)
    open_notes(page)
    assert page.evaluate(ROWS_SEEN) >= 8
    trash = page.get_by_role("button", name="Show the trash")
    expect(trash).to_be_hidden()
    more = page.get_by_role("button", name="Folders, trash")
    controlled = page.locator("#known, #trash")
    expect(more).to_have_attribute("aria-controls", "known trash")
    expect(controlled).to_have_count(2)
    more.tap()
    expect(more).to_have_attribute("aria-expanded", "true")
    expect(trash).to_be_visible()
    expect(page.get_by_role("heading", name="Folders of this machine")).to_be_visible()
    expect(controlled.first).to_contain_text("Folders of this machine")
    expect(controlled.last).to_contain_text("Show the trash")
    assert_no_sideways_scroll(page)


LINES = """(element) => {
  const text = document.createRange();
  text.selectNodeContents(element);
  return [...text.getClientRects()].map((line) => line.width);
}"""


@pytest.mark.nightly
def test_no_word_is_left_alone_on_a_line(open_page: OpenPage, product: Running) -> None:
    page = open_page(product.address, viewport={"width": 820, "height": 800})
    widths = page.locator(".welcome p").evaluate(LINES)
    assert min(widths) > max(widths) / 2
    ask(page, QUESTION).locator(".answer .chip").first.click()
    expect(page.locator(".pane .note")).to_be_visible()
    foot = "[...document.querySelectorAll('.composer-foot select, .composer-foot button')]"
    tops = page.evaluate(f"{foot}.map((each) => each.getBoundingClientRect().top)")
    assert max(tops) - min(tops) < 10


@pytest.mark.nightly
def test_a_dialog_after_a_dialog_stays_and_back_closes_it(
    open_page: OpenPage, product: Running
) -> None:
    page = open_page(f"{product.address}/#/notes", **PHONE)
    page.get_by_role("button", name="Add a folder").tap()
    page.get_by_role("dialog").get_by_role("button", name="Follow this folder").tap()
    dialog = page.get_by_role("dialog", name="Follow a folder of this machine")
    expect(dialog.get_by_role("status")).to_contain_text("of text here")
    assert_no_sideways_scroll(page)
    page.go_back()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Add a folder")).to_be_visible()
    page.goto(f"{product.address}/#/notes/no-such-note")
    expect(page.get_by_role("alert")).to_contain_text("There is no such note any more.")
    page.get_by_role("link", name="All notes").tap()
    expect(page.get_by_role("button", name="Add a folder")).to_be_visible()

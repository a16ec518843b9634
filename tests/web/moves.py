"""Actions of people on the page."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sized
from pathlib import Path

from playwright.sync_api import Locator, Page, Route, expect

QUESTION = "Do we use Cloud Run for the API?"


def ask(page: Page, question: str) -> Locator:
    """Type a question and send it. The exchange, once it is complete."""
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    exchange = page.locator(".exchange").last
    expect(exchange.get_by_role("heading", level=2)).to_have_text(question)
    expect(exchange).to_have_attribute("aria-busy", "false")
    return exchange


def open_notes(page: Page) -> None:
    page.get_by_role("link", name="Notes", exact=True).click()
    loaded = re.compile("Indexed:|No notes yet")
    expect(page.locator("#side-notes").get_by_text(loaded)).to_be_visible()


def write_note(page: Page, title: str, text: str) -> None:
    """A new note, saved and indexed."""
    open_notes(page)
    page.get_by_role("button", name="New note").click()
    page.get_by_label("Title").fill(title)
    page.get_by_label("Text", exact=True).fill(text)
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".index-state")).to_have_text("indexed")


def follow(page: Page, folder: str | Path) -> None:
    """Asks for a folder to be followed, by its path."""
    page.get_by_role("button", name="Add a folder").click()
    page.get_by_role("dialog").get_by_role("button", name="Follow this folder").click()
    dialog = page.get_by_role("dialog", name="Follow a folder of this machine")
    expect(dialog.get_by_role("status")).to_contain_text("of text here")
    dialog.get_by_label("Path").fill(str(folder))
    dialog.get_by_role("button", name="Follow this folder").click()


def hold(page: Page, address: str) -> Callable[[], None]:
    """Requests to it wait until this is called."""
    waiting: list[Route] = []

    def keep(route: Route) -> None:
        waiting.append(route)

    def let_go() -> None:
        await_route(page, waiting)
        # Before they go on: a request that came between would wait forever. The route of `open_page` keeps them waiting.
        page.unroute(address, keep)
        for route in waiting:
            route.continue_()

    page.route(address, keep)
    return let_go


def await_route(page: Page, routes: Sized, within: float = 40) -> None:
    """Wait until a list into which a handler puts what it holds has something in it.

    A failure shows the requests that the page has made instead.
    """
    deadline = time.monotonic() + within
    while not routes:
        assert time.monotonic() < deadline, [request.url for request in page.requests()]
        page.wait_for_timeout(20)


def until(page: Page, expression: str, argument: object = None, within: float = 40) -> None:
    """Wait until an expression is true. Playwright's own waiting would `eval` in the page, which its policy forbids."""
    deadline = time.monotonic() + within
    while not page.evaluate(expression, argument):
        assert time.monotonic() < deadline, expression
        page.wait_for_timeout(50)

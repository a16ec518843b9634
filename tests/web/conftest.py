"""A real Chromium on a real `aurora dev` with the sample notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Playwright,
    sync_playwright,
)

from tests.quick import starts_a_process
from tests.servers.dev import ROOT, Running, dev
from tests.web.browser import PATIENCE, PERSON, launched

SHOTS = Path(__file__).parent / "out"
"""Screenshots to look at; CI keeps them."""

EXPECTED = re.compile(r"Failed to load resource|requires 'TrustedHTML' assignment")
"""A reply that is an error is told by the browser on its console too; the page shows it to people. And only a test
tries to set HTML: the page itself would throw.
"""

NOWHERE = "https://nowhere.invalid/"
"""An address that no page asks for."""


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """Start Playwright. Its event loop counts as running in this thread, so it ends before tests that run one of their own."""
    starts_a_process()
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with launched(playwright) as running:
        yield running


@pytest.fixture(scope="package")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Shared by all tests: each writes notes of its own only. Its sample notes have their vectors."""
    with dev(tmp_path_factory.mktemp("web"), "--sample", str(ROOT / "examples/notes")) as running:
        running.await_vectors()
        yield running


OpenPage = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """`open_page(address, **options of a context)`. A test fails by what went wrong inside its pages."""
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def note_message(message: ConsoleMessage) -> None:
        if message.type == "error" and not EXPECTED.search(message.text):
            problems.append(message.text)

    def opened(address: str, **options: Any) -> Page:  # noqa: ANN401 - a context's own
        settings = {**PERSON, **options}
        context = browser.new_context(**settings)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("console", note_message)
        page.on("pageerror", lambda error: problems.append(str(error)))
        # Chromium confirms the first route before the open document knows of it, so the next request may slip past.
        # A document that is loaded while there is a route knows from the beginning; later routes hold at once.
        page.route(NOWHERE, lambda route: route.abort())
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture
def page(open_page: OpenPage, product: Running) -> Page:
    """The page of a person who has never been there."""
    return open_page(product.address)


@pytest.fixture
def shot() -> Callable[[Page, str], None]:
    """`shot(page, name)` keeps a picture of what is seen."""
    SHOTS.mkdir(exist_ok=True)

    def keep(page: Page, name: str) -> None:
        page.screenshot(path=SHOTS / f"{name}.png")

    return keep

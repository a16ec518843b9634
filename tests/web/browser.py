"""The browser of the tests and of the documentation's pictures."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Playwright, expect

from tests.missing import missing

ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE = 40_000
"""Milliseconds until something that should be on the page is missed."""

PERSON: dict[str, Any] = {
    "locale": "en-GB",
    "timezone_id": "UTC",
    "viewport": {"width": 1280, "height": 800},
    "service_workers": "block",  # only those who go offline need one
}
"""How a browser is set up, unless a test says otherwise."""


@contextmanager
def launched(playwright: Playwright) -> Iterator[Browser]:
    """The Chromium of this machine."""
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        missing("Chromium is not installed (Debian: chromium)")
    expect.set_options(timeout=PATIENCE)
    browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
    yield browser
    browser.close()

"""The browser of the tests and of the documentation's pictures."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Playwright, expect

from tests.missing import missing

SHELL = "chromium-headless-shell"
"""Chromium without its own windows: a page costs a third of the processor time."""

ARGUMENTS = [
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
"""Options of a browser, unless a test says otherwise."""


@contextmanager
def launched(playwright: Playwright) -> Iterator[Browser]:
    """The Chromium of this machine."""
    shell = shutil.which(SHELL)
    executable = shell or shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        missing(f"Chromium is not installed (Debian: {SHELL} or chromium)")
    arguments = ARGUMENTS if shell else [*ARGUMENTS, "--headless=new"]
    expect.set_options(timeout=PATIENCE)
    browser = playwright.chromium.launch(executable_path=executable, args=arguments)
    yield browser
    browser.close()

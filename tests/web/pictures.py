"""Make the pictures of the documentation from the sample notes: python -m tests.web.pictures docs

A real browser on a real `aurora dev`. The written answer is a fixed text, sent by a local server that speaks the OpenAI
protocol; its citations are checked, judged and shown by the product as those of any model.
"""

from __future__ import annotations

import base64
import re
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from tests.servers.dev import ROOT, dev
from tests.servers.openai import OpenAIServer, chunked
from tests.servers.scripted import Reply, Request
from tests.web.browser import PERSON, launched
from tests.web.moves import ask

QUESTION = "What did we decide at the API meeting?"
WRITTEN = (
    ("The API runs on **Cloud Run**", "We use Cloud Run for the API"),
    ("Firestore stays the database", "Firestore stays our database"),
    ("Priya looks into rate limits by 29 January", "Priya looks into rate limits"),
)
"""A sentence of the answer, and words of the passage that it cites."""
SOURCE = re.compile(r"^\[(?P<label>N\d+)\](?P<text>.*?)(?=^\[N\d+\]|\Z)", re.MULTILINE | re.DOTALL)
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}


class Writer(OpenAIServer):
    """A model that answers every question with `WRITTEN`, each sentence citing the source that holds its words."""

    def _route(self, request: Request) -> Reply:
        if not request.path.endswith("/chat/completions"):
            return super()._route(request)
        prompt = "\n".join(message["content"] for message in request.json()["messages"])
        sources = [(source["label"], source["text"]) for source in SOURCE.finditer(prompt)]
        cited = (
            (sentence, next((label for label, text in sources if words in text), None))
            for sentence, words in WRITTEN
        )
        answer = " ".join(f"{sentence} [{label}]." for sentence, label in cited if label)
        return chunked(*re.findall(r"\S+\s*", f"ANSWER: yes\n{answer}"))


def make(folder: Path, browser: Browser) -> None:
    """Write `answer.webp`, `chat.webp`, `why.webp` and `phone.webp` into the folder."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        model = stack.enter_context(Writer())
        written = {
            "OPENAI_BASE_URL": model.base_url,
            "CHAT_MODEL": "a-model",
            "CHAT_TIMEOUT_MS": "60000",
        }

        def opened(name: str, env: dict[str, str], **options: Any) -> Page:  # noqa: ANN401 - a context's own
            sample = str(ROOT / "examples/notes")
            running = stack.enter_context(dev(home / name, "--sample", sample, env=env))
            running.await_vectors()
            page = browser.new_context(**{**PERSON, **options}).new_page()
            page.goto(running.address)
            return page

        page = opened("written", written)
        _open_first_citation(page, ask(page, QUESTION))
        _keep(page, folder / "answer.webp")
        page = opened("quoted", {})
        exchange = ask(page, QUESTION)
        _open_first_citation(page, exchange)
        _keep(page, folder / "chat.webp")
        page.mouse.move(0, 0)
        exchange.get_by_role("button", name="Why this answer").click()
        expect(page.locator(".bars li").first).to_be_visible()
        _keep(page, folder / "why.webp")
        page = opened("phone", {}, **PHONE)
        ask(page, QUESTION)
        _keep(page, folder / "phone.webp")


def _open_first_citation(page: Page, exchange: Locator) -> None:
    exchange.locator("a.chip").first.hover()
    expect(page.get_by_role("tooltip")).to_be_visible()


def _keep(page: Page, path: Path) -> None:
    picture = page.context.new_cdp_session(page).send(
        "Page.captureScreenshot", {"format": "webp", "quality": 85}
    )
    path.write_bytes(base64.b64decode(picture["data"]))


if __name__ == "__main__":
    with sync_playwright() as playwright, launched(playwright) as running:
        make(Path(sys.argv[1]), running)

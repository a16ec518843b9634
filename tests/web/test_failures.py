"""When things go wrong: the page says so, keeps what was written, and goes on by itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.servers.dev import Running, dev
from tests.web.conftest import OpenPage
from tests.web.moves import QUESTION, ask, open_notes, until

NOTES = {
    "api": "We decided to run the API on Cloud Run.",
    "sleep": "Falling asleep took 18 minutes.",
}


def _write_notes(running: Running) -> None:
    for note_id, text in NOTES.items():
        assert running.call("PUT", f"/notes/{note_id}", {"title": note_id, "text": text})[0] == 200
    running.await_vectors()


@pytest.mark.nightly
def test_a_server_that_goes_and_comes_back_loses_nothing(
    open_page: OpenPage, tmp_path: Path
) -> None:
    with dev(tmp_path) as running:
        _write_notes(running)
        port = int(running.address.rpartition(":")[2])
        page = open_page(running.address, service_workers="allow")
        ask(page, QUESTION)
        until(page, "navigator.serviceWorker.controller !== null")

    page.get_by_label("Your question").fill("How long did falling asleep take?")
    page.keyboard.press("Enter")
    expect(page.locator(".banner")).to_contain_text("No connection to the server")
    expect(page.locator(".exchange").last.get_by_role("alert")).to_have_text(
        "The server cannot be reached."
    )
    page.reload()
    expect(page.locator(".exchange").first.locator(".answer")).to_contain_text("Cloud Run")
    expect(page.locator(".exchange").last.get_by_role("alert")).to_be_visible()
    expect(page.locator(".banner")).to_be_visible()

    with dev(tmp_path, port=port):
        expect(page.locator(".banner")).to_be_hidden(timeout=60_000)
        page.locator(".exchange").last.get_by_role("button", name="Try again").click()
        expect(page.locator(".exchange").last.locator(".answer")).to_contain_text("18 minutes")
        expect(page.locator(".exchange")).to_have_count(2)


@pytest.mark.nightly
def test_a_reply_that_breaks_off_is_a_server_that_cannot_be_reached(page: Page) -> None:
    message = page.evaluate(
        """async () => {
          const { Api } = await import("/app/api.js");
          const { fetch } = globalThis;
          const broken = new ReadableStream({ start: (control) => control.error(new TypeError("network error")) });
          globalThis.fetch = async () => new Response(broken);
          const api = new Api({ apiBase: "" }, { token: async () => null }, { found() {}, lost() {} });
          const told = await api.get("/notes").catch((error) => [error.status, error.message]);
          globalThis.fetch = fetch;
          return told;
        }"""
    )
    assert message == [0, "The server cannot be reached."]


def test_a_note_is_kept_while_the_server_is_away(open_page: OpenPage, tmp_path: Path) -> None:
    with dev(tmp_path) as running:
        page = open_page(running.address)
        open_notes(page)
        page.get_by_role("button", name="New note").click()
        page.get_by_label("Title").fill("Written in a tunnel")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".save-state")).to_contain_text("No connection: kept in this browser")


@pytest.mark.nightly
def test_a_note_that_could_not_be_fetched_is_shown_as_soon_as_it_can_be(
    page: Page, product: Running
) -> None:
    product.call("PUT", "/notes/tunnel", {"title": "Tunnel", "text": "It is long."})
    page.route("**/notes/tunnel", lambda route: route.abort())
    page.goto(f"{product.address}/#/notes/tunnel")
    expect(page.get_by_role("alert").filter(has_text="cannot be reached")).to_be_visible()
    page.unroute("**/notes/tunnel")
    expect(page.locator(".note .prose")).to_have_text("It is long.")

    page.route("**/notes/tunnel", lambda route: route.fulfill(status=503, json={}))
    page.reload()
    again = page.get_by_role("button", name="Try again")
    expect(again).to_be_visible()
    page.unroute("**/notes/tunnel")
    again.click()
    expect(page.locator(".note .prose")).to_have_text("It is long.")
    product.call("DELETE", "/notes/tunnel")


def test_erasing_everything_leaves_nothing_here_or_there(
    open_page: OpenPage, tmp_path: Path
) -> None:
    with dev(tmp_path) as running:
        _write_notes(running)
        page = open_page(running.address)
        ask(page, QUESTION)
        page.get_by_role("button", name="Settings (s)").click()
        page.get_by_role("button", name="Erase everything").click()
        question = page.get_by_role("dialog", name="Erase every note")
        button = question.get_by_role("button", name="Erase everything")
        expect(button).to_be_disabled()
        question.get_by_label("Type “erase” to go on").fill("eras")
        page.keyboard.press("Enter")
        expect(button).to_be_disabled()
        page.keyboard.type("e")
        expect(button).to_be_enabled()
        page.keyboard.press("Enter")
        expect(page.locator(".welcome")).to_be_visible()
        expect(page.locator("#side-chat .list-row")).to_have_count(0)
        assert running.call("GET", "/notes")[1]["notes"] == []
        assert "Cloud Run" not in page.evaluate("JSON.stringify(localStorage)")

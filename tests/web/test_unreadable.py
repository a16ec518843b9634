"""A note that an app wrote so that nobody can read it: the page has it, and says why."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, expect

from desktop.product.emulator import Emulator
from tests.servers.dev import dev
from tests.web.conftest import OpenPage
from tests.web.moves import open_notes

FIELDS = {
    "without-text": {
        "title": {"stringValue": "Mooring"},
        "content": {"stringValue": "It costs 40 euros."},
    },
    "string-time": {
        "title": {"stringValue": "Tides"},
        "text": {"stringValue": "x"},
        "createdAt": {"stringValue": "May"},
    },
}


def _written_by_an_app(host: str, project: str, note_id: str, fields: object) -> None:
    """Write as the Admin SDK does, which no rules check."""
    address = f"http://{host}/v1/projects/{project}/databases/(default)/documents/tenants/local/notes/{note_id}"
    owner = {"Authorization": "Bearer owner", "Content-Type": "application/json"}
    with urlopen(
        Request(address, json.dumps({"fields": fields}).encode(), owner, method="PATCH")
    ) as reply:
        assert reply.status == 200


@pytest.mark.nightly
def test_it_is_listed_as_failed_with_its_reason_and_can_be_deleted(
    open_page: OpenPage,
    tmp_path: Path,
    shot: Callable[[Page, str], None],
    emulator: Emulator,
    firestore_project: str,
) -> None:
    env = {"FIRESTORE_EMULATOR_HOST": emulator.host, "GOOGLE_CLOUD_PROJECT": firestore_project}
    with dev(tmp_path, "--store", "emulator", env=env) as running:
        running.call("PUT", "/notes/good", {"title": "Boat", "text": "The boat is blue."})
        for note_id, fields in FIELDS.items():
            _written_by_an_app(emulator.host, firestore_project, note_id, fields)
        page = open_page(running.address)
        open_notes(page)
        expect(page.locator(".coverage")).to_contain_text("2 failed")
        page.reload()
        rows = page.locator("#side-notes .list-row")
        expect(rows.filter(has_text="Boat").locator(".failed")).to_have_count(0)
        expect(rows.filter(has_text="Mooring").locator(".failed")).to_contain_text(
            "Failed: text: expected a string"
        )
        tides = rows.filter(has_text="Tides")
        expect(tides.locator(".failed")).to_have_text(
            "Failed: createdAt: expected a timestamp, found str"
        )
        tides.get_by_role("link").click()
        expect(page.get_by_role("alert")).to_contain_text("createdAt: expected a timestamp")
        shot(page, "unreadable")
        page.set_viewport_size({"width": 390, "height": 844})
        shot(page, "unreadable-phone")
        page.get_by_role("link", name="Notes", exact=True).click()
        shot(page, "unreadable-list-phone")
        tides.get_by_role("link").click()
        page.get_by_role("button", name="Delete").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(tides).to_have_count(0)

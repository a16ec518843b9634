"""A first hour on the page: a folder is followed, asked, changed on both sides, and an answer is saved as a note."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.servers.dev import Running, dev
from tests.web.conftest import SHOTS, OpenPage
from tests.web.first_hour import write_notes
from tests.web.moves import ask, follow

Look = Callable[[Page, str], None]

ANSWERED = (
    ("What is the phone number of Ines Costa?", "0171 2037"),
    ("How do I make smoked trout?", "Salt the trout"),
    ("What did we decide on 6 January 2025?", "order is placed in week 2"),
    ("How much money is there for project Kestrel?", "12,400 euros"),
)
"""Questions, each with what its answer says."""
UNANSWERED = "Who won the chess match in Reykjavik?"
NOTHING = re.compile("Nothing (about “Reykjavik”|in your notes)")
"""Beginning of its answer, which may go on with the nearest quotes."""
PLAN = "projects/Kestrel/plan.md"
FEW = 60
MANY = 500
WIDTHS = (360, 820, 1280)


@pytest.mark.timeout(600)  # 500 notes take their time on a busy machine
@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.nightly)])
def test_from_an_empty_home_to_an_answer_that_is_a_note(
    open_page: OpenPage, tmp_path: Path, count: int
) -> None:
    folder = tmp_path / "notes"
    write_notes(folder, count)
    with dev(tmp_path / "home") as running:
        page = open_page(running.address)
        look = _look if count == MANY else _glance
        look(page, "1-empty")
        page.get_by_role("link", name="Notes", exact=True).click()
        follow(page, folder)
        if count == MANY:
            _watch_the_index(page, folder)
        expect(page.locator(".followed li")).to_contain_text(f"{count} notes read.")
        expect(page.locator(".coverage")).to_have_text(f"Indexed: {count} of {count}")
        look(page, "3-indexed")
        page.get_by_role("link", name="Chat", exact=True).click()
        expect(page.locator(".welcome .example").first).to_be_visible()
        look(page, "4-welcome")
        _ask_five_questions(page, look)
        _settle_a_conflict(page, running, folder, look)
        _save_an_answer(page, look)


def _watch_the_index(page: Page, folder: Path) -> None:
    """The count and the bar move while the folder is read and its vectors are made."""
    row = page.locator(".followed li")
    expect(page.get_by_role("progressbar", name=f"Reading {folder}")).to_be_visible()
    expect(row).to_contain_text(re.compile(rf"\d+ of {MANY} files read"))
    _look(page, "2-reading")
    expect(row).to_contain_text(f"{MANY} notes read.")
    bar = page.get_by_role("progressbar", name="Indexing")
    expect(page.locator(".coverage")).to_contain_text(re.compile(rf"Indexed: \d+ of {MANY}"))
    expect(bar).to_be_visible()
    notes_seen = set()
    while bar.is_visible():
        notes_seen.add(page.locator(".indexing").inner_text())
        page.wait_for_timeout(200)
    assert len(notes_seen) > 1, notes_seen  # a fast machine is done after few looks


def _ask_five_questions(page: Page, look: Look) -> None:
    for number, (question, expected_text) in enumerate(ANSWERED):
        exchange = ask(page, question)
        expect(exchange.locator(".answer")).to_contain_text(expected_text)
        expect(exchange.locator(".sources li").first).to_be_visible()
        look(page, f"5-answer-{number + 1}")
    unanswered = ask(page, UNANSWERED)
    expect(unanswered).to_contain_text(NOTHING)
    look(page, "6-refusal")


def _settle_a_conflict(page: Page, running: Running, folder: Path, look: Look) -> None:
    """The note is changed here and its file elsewhere; of one difference the note's lines stay, of the other the file's."""
    page.get_by_role("link", name="Notes", exact=True).click()
    page.get_by_label("Search notes").fill("Project Kestrel")
    page.locator("#side-notes .list-title").filter(has_text="Project Kestrel").first.click()
    look(page, "7-note")
    page.get_by_role("button", name="Edit").click()
    text = page.get_by_label("Text", exact=True)
    changed_text = text.input_value().replace("12,400 euros", "13,000 euros")
    text.fill(changed_text)
    look(page, "8-editing")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("dialog").get_by_role("button", name="Leave the files").click()
    expect(page.locator(".save-state")).to_have_text("Saved. The file was not changed.")
    page.get_by_role("button", name="Close").click()

    file = folder / PLAN
    there = file.read_text(encoding="utf-8").replace("berth 1", "berth 77")
    file.write_text(
        there.replace("Ask for a second offer", "Ask for a third offer"), encoding="utf-8"
    )
    running.await_questions("conflicts", 1)
    page.reload()
    compare = page.get_by_role("button", name="Compare and decide")
    compare.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("3 differences")
    for number, side in (
        (1, "The note here"),
        (2, "The file"),
        (3, "The file"),
    ):
        dialog.get_by_label(f"Difference {number}").get_by_role("radio", name=side).check()
    look(page, "9-conflict")
    dialog.get_by_role("button", name="Keep what is chosen").click()
    expect(compare).to_have_count(0)
    body = page.locator(".note .prose")
    for line in ("13,000 euros", "berth 77", "Ask for a third offer"):
        expect(body).to_contain_text(line)
        assert line in file.read_text(encoding="utf-8")
    look(page, "10-settled")


def _save_an_answer(page: Page, look: Look) -> None:
    page.get_by_role("link", name="Chat", exact=True).click()
    exchange = ask(page, ANSWERED[0][0])
    source = exchange.locator(".source-title").first.inner_text()
    exchange.get_by_role("button", name="Save as a note").click()
    expect(page.get_by_label("Title")).to_have_value(ANSWERED[0][0])
    look(page, "11-saving")
    page.get_by_role("button", name="Close").click()
    note = page.locator(".note")
    expect(note.locator("h2").first).to_have_text(ANSWERED[0][0])
    expect(note.locator("ol a").first).to_have_text(source)
    look(page, "12-saved")
    note.locator("ol a").first.click()
    expect(note.locator("h2").first).to_have_text(source)


def _look(page: Page, name: str) -> None:
    """Keeps pictures of the page as a phone, a tablet and a desktop show it, by day and by night."""
    SHOTS.mkdir(exist_ok=True)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=SHOTS / f"hour-{name}-{width}-{scheme}.png")
        _assert_no_sideways_scroll(page, name)


def _glance(page: Page, name: str) -> None:
    """Makes the page as narrow and as wide as `_look` does, without pictures."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        _assert_no_sideways_scroll(page, name)


def _assert_no_sideways_scroll(page: Page, name: str) -> None:
    fits = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert fits, (name, page.viewport_size)

"""Settings: what is set is sent, kept and shown."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.web.moves import QUESTION, ask


def test_settings_go_into_the_request_and_survive_a_reload(page: Page) -> None:
    page.get_by_role("button", name="Settings (s)").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Passages to read").fill("3")
    dialog.get_by_label("Relevance threshold").fill("0.6")
    dialog.get_by_label("Ranking").select_option("reciprocal rank fusion")
    dialog.get_by_label("Template").select_option("Decision record")
    page.keyboard.press("Escape")
    page.get_by_label("Notes of").select_option("Last 90 days")
    page.reload()
    expect(page.locator(".summary")).to_have_text(
        "3 passages · relevance over 0.60 · rank fusion · template: decision-record"
    )
    expect(page.get_by_label("Notes of")).to_have_value("90")
    with page.expect_request("**/chat") as sent:
        ask(page, QUESTION)
    body: Any = sent.value.post_data_json
    assert (body["topK"], body["threshold"], body["strategy"]) == (3, 0.6, "rrf")
    assert (body["filters"], body["template"], body["timeZone"]) == ({"windowDays": 90}, "decision-record", "UTC")


def test_an_answer_without_notes_and_without_sources(page: Page) -> None:
    page.get_by_role("button", name="Settings (s)").click()
    page.get_by_label("Show sources").uncheck()
    page.keyboard.press("Escape")
    exchange = ask(page, QUESTION)
    expect(exchange.locator(".answer")).to_contain_text("Cloud Run")
    expect(exchange.locator(".chip")).to_have_count(0)


def test_a_threshold_that_refuses_can_be_lifted_at_once(page: Page) -> None:
    page.get_by_role("button", name="Settings (s)").click()
    page.get_by_label("Relevance threshold").fill("0.95")
    page.keyboard.press("Escape")
    exchange = ask(page, QUESTION)
    exchange.get_by_role("button", name="Ask again without a relevance threshold").click()
    expect(page.locator(".exchange").nth(1).locator(".answer")).to_contain_text("Cloud Run")


def test_every_setting_says_what_it_does(page: Page) -> None:
    page.get_by_role("button", name="Settings (s)").click()
    controls = page.get_by_role("dialog").locator("input, select")
    expect(controls).not_to_have_count(0)
    for control in controls.all():
        expect(control).to_have_accessible_description(re.compile(r"\w+ \w+.*\."))


def test_colours_are_chosen_and_kept(page: Page) -> None:
    page.get_by_role("button", name="Settings (s)").click()
    page.get_by_label("Colours").select_option("dark")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(ground) == "rgb(21, 24, 27)"
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")

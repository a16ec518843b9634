"""Settings: what is set is sent, kept and shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.servers.dev import ROOT, Running, dev
from tests.servers.openai import OpenAIServer, error
from tests.web.conftest import OpenPage
from tests.web.moves import QUESTION, ask, hold

Shot = Callable[[Page, str], None]


def test_settings_go_into_the_request_and_survive_a_reload(page: Page) -> None:
    page.get_by_role("button", name="Settings (s)").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Advanced").click()
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
    assert body["topK"] == 3
    assert body["threshold"] == 0.6
    assert body["strategy"] == "rrf"
    assert body["filters"] == {"windowDays": 90}
    assert body["template"] == "decision-record"
    assert body["timeZone"] == "UTC"


@pytest.mark.nightly
def test_an_answer_without_notes_and_without_sources(page: Page) -> None:
    page.get_by_role("button", name="Settings (s)").click()
    page.get_by_label("Show sources").uncheck()
    page.keyboard.press("Escape")
    expect(page.locator(".summary")).to_contain_text("sources off")
    exchange = ask(page, QUESTION)
    expect(exchange.locator(".answer")).to_contain_text("Cloud Run")
    expect(exchange.locator(".chip")).to_have_count(0)


@pytest.mark.nightly
def test_a_threshold_that_refuses_can_be_lifted_at_once(page: Page) -> None:
    page.get_by_role("button", name="Settings (s)").click()
    page.get_by_text("Advanced").click()
    page.get_by_label("Relevance threshold").fill("0.95")
    page.keyboard.press("Escape")
    exchange = ask(page, QUESTION)
    exchange.get_by_role("button", name="Ask again without a relevance threshold").click()
    expect(page.locator(".exchange").nth(1).locator(".answer")).to_contain_text("Cloud Run")


@pytest.mark.nightly
def test_nothing_in_the_settings_moves_when_it_is_known_that_no_model_writes(page: Page) -> None:
    _open_settings_that_stay_in_place(page)


@pytest.mark.nightly
def test_nothing_in_the_settings_moves_when_a_model_writes_as_it_did_last_time(
    open_page: OpenPage, tmp_path: Path
) -> None:
    with OpenAIServer() as model:
        env = {"OPENAI_BASE_URL": model.base_url, "CHAT_MODEL": "llama"}
        (tmp_path / ".env").write_text("".join(f"{name}={value}\n" for name, value in env.items()))
        with dev(tmp_path, "--sample", str(ROOT / "examples/notes")) as running:
            page = open_page(running.address)
            page.get_by_role("button", name="Settings (s)").click()
            expect(page.get_by_label("Address")).to_have_value(model.base_url)
            page.reload()
            _open_settings_that_stay_in_place(page)


def _open_settings_that_stay_in_place(page: Page) -> None:
    """Open the settings before it is known what writes, and assert that nothing moves when it is."""
    let_go = hold(page, "**/settings:model")
    page.get_by_role("button", name="Settings (s)").click()
    use_notes = page.get_by_label("Use my notes")
    place_before = use_notes.bounding_box()
    with page.expect_response("**/settings:model"):
        let_go()
    page.wait_for_timeout(100)
    assert use_notes.bounding_box() == place_before


@pytest.mark.nightly
def test_templates_that_come_later_leave_the_settings_as_somebody_has_them(page: Page) -> None:
    let_go = hold(page, "**/templates")
    page.get_by_role("button", name="Settings (s)").click()
    page.get_by_text("Advanced").click()
    instructions = page.get_by_label("Instructions")
    instructions.type("Answer in a whisper")
    template = page.get_by_label("Template")
    count_before = template.locator("option").count()
    expect(template.locator("option").first).to_be_attached()
    let_go()
    expect(template.locator("option")).not_to_have_count(count_before)
    expect(instructions).to_have_value("Answer in a whisper")
    expect(instructions).to_be_focused()
    expect(page.get_by_label("Relevance threshold")).to_be_visible()


@pytest.mark.nightly
def test_only_what_was_changed_is_sent_so_that_the_servers_own_settings_hold(
    open_page: OpenPage, tmp_path: Path
) -> None:
    env = {
        "SESSION_DEFAULTS": "topK=3,strategy=rrf,windowDays=365,template=decision-record,maxHistory=6"
    }
    with dev(tmp_path, "--sample", str(ROOT / "examples/notes"), env=env) as running:
        page = open_page(running.address)
        summary = page.locator(".summary")
        expect(summary).to_have_text("3 passages · rank fusion · template: decision-record")
        expect(page.get_by_label("Notes of")).to_have_value("365")
        with page.expect_request("**/chat") as sent:
            ask(page, QUESTION)
        body: Any = sent.value.post_data_json
        assert body.keys() == {"message", "requestId", "timeZone", "filters", "sessionId"}
        session = f"/sessions/{page.url.rpartition('/c/')[2]}"
        settings = running.call("GET", session)[1]["settings"]
        assert settings["topK"] == 3
        assert settings["strategy"] == "rrf"
        assert settings["windowDays"] == 365
        assert settings["template"] == "decision-record"

        page.get_by_role("button", name="Settings (s)").click()
        expect(page.get_by_label("Earlier messages")).to_have_value("6")
        page.get_by_label("Use my notes").uncheck()
        page.keyboard.press("Escape")
        expect(page.locator("#side-chat .list-row").first).to_contain_text("without notes")
        running.call("PATCH", session, {"settings": {"topK": 6, "useNotes": True}})
        page.reload()
        expect(summary).to_have_text("6 passages · rank fusion · template: decision-record")
        with page.expect_request("**/chat") as sent:
            ask(page, "What did Jonas measure about cold starts?")
        body = sent.value.post_data_json
        assert not body.keys() & {"topK", "strategy", "template", "useNotes", "threshold"}


@pytest.mark.nightly
def test_a_conversation_has_settings_of_its_own(page: Page, product: Running, shot: Shot) -> None:
    ask(page, QUESTION)
    page.get_by_role("button", name="Settings (s)").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Instructions").fill("Answer in one sentence.")
    dialog.get_by_label("General knowledge too").check()
    dialog.get_by_label("Earlier messages").fill("10")
    dialog.get_by_label("Template").select_option("Decision record")
    shot(page, "settings-conversation")
    page.keyboard.press("Escape")
    row = page.locator("#side-chat .list-row").filter(has=page.locator("[aria-current]"))
    expect(row).to_contain_text(
        "template: decision-record · own instructions · general knowledge too"
    )
    settings = product.call("GET", f"/sessions/{page.url.rpartition('/c/')[2]}")[1]["settings"]
    assert settings["systemPrompt"] == "Answer in one sentence."
    assert settings["whenNotInNotes"] == "general"
    assert settings["maxHistory"] == 10
    assert settings["template"] == "decision-record"
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator(".summary")).not_to_contain_text("instructions")


def test_of_two_settings_set_at_once_neither_is_lost(page: Page) -> None:
    """The reply to the first comes late, and must not hide what the second one said."""
    ask(page, QUESTION)
    page.get_by_role("button", name="Settings (s)").click()
    template = page.get_by_role("dialog").get_by_label("Template")
    expect(template.locator("option", has_text="Decision record")).to_be_attached()
    page.evaluate(
        """() => {
          const { fetch } = window;
          let changes = 0;
          window.fetch = async (address, options) => {
            const isFirst = options?.method === "PATCH" && changes++ === 0;
            const reply = await fetch(address, options);
            if (isFirst) await new Promise((resolve) => setTimeout(resolve, 1000));
            return reply;
          };
          for (const [name, value] of [["systemPrompt", "Be brief."], ["template", "decision-record"]]) {
            const field = document.querySelector(`#set-${name}`);
            field.value = value;
            field.dispatchEvent(new Event("change"));
          }
        }"""
    )
    page.wait_for_timeout(1500)
    row = page.locator("#side-chat .list-row").filter(has=page.locator("[aria-current]"))
    expect(row).to_contain_text("template: decision-record · own instructions")


@pytest.mark.nightly
def test_every_setting_says_what_it_does(page: Page) -> None:
    page.get_by_role("button", name="Settings (s)").click()
    controls = page.get_by_role("dialog").locator("input, select")
    expect(controls).not_to_have_count(0)
    for control in controls.all():
        expect(control).to_have_accessible_description(re.compile(r"\w+ \w+.*\."))


@pytest.mark.nightly
def test_colours_are_chosen_and_kept(page: Page) -> None:
    page.get_by_role("button", name="Settings (s)").click()
    page.get_by_label("Colours").select_option("dark")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(ground) == "rgb(21, 24, 27)"
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_model_is_chosen_tried_and_kept_for_its_owner_alone(
    open_page: OpenPage, tmp_path: Path, shot: Shot
) -> None:
    with (
        OpenAIServer() as model,
        dev(tmp_path, "--sample", str(ROOT / "examples/notes")) as running,
    ):
        page = open_page(running.address)
        expect(page.locator(".welcome")).to_contain_text("the closest passages of your notes")
        ask(page, QUESTION).get_by_role("button", name="Choose a model").click()
        settings = page.get_by_role("dialog")
        expect(settings).to_contain_text("nothing of them leaves this machine")
        expect(settings.get_by_role("button", name="Use no model")).to_be_hidden()
        settings.get_by_label("Written by").select_option("Gemini")
        expect(settings).to_contain_text("the passages of a question go to the model")
        settings.get_by_role("button", name="Try and use it").click()
        expect(settings).to_contain_text("Not changed. The API key is missing.")
        settings.get_by_label("Written by").select_option("another server")
        settings.get_by_label("Address").fill(model.base_url)
        settings.get_by_label("Key", exact=True).fill("secret")
        settings.get_by_label("Model", exact=True).fill("llama")
        expect(settings).to_contain_text("This server has llama, qwen.")
        model_options = settings.locator("datalist option")
        expect(model_options).to_have_count(2)
        model.failure = error(401, "invalid_api_key")
        settings.get_by_role("button", name="Try and use it").click()
        expect(settings).to_contain_text("Not changed. llama: 401 (the key is not valid)")
        assert not (tmp_path / ".env").exists()
        model.failure = None
        settings.get_by_role("button", name="Try and use it").click()
        expect(settings).to_contain_text(re.compile(r"llama works, \d+(\.\d)? s\."))
        shot(page, "model")
        file = tmp_path / ".env"
        assert file.stat().st_mode & 0o777 == 0o600
        assert "secret" in file.read_text()
        assert "secret" not in json.dumps(running.call("GET", "/settings:model"))
        page.keyboard.press("Escape")
        model.answer_text = "We use Cloud Run for the API [N1]."
        expect(ask(page, QUESTION).locator(".answer")).to_have_text(
            "We use Cloud Run for the API1."
        )
        model.script(
            error(401, "gone"), error(401, "gone")
        )  # of who makes the question stand alone, and of the writer
        refused = ask(page, "What about the API and Cloud Run?")
        expect(refused.locator(".aside")).to_contain_text("llama: 401 (the key is not valid)")
        page.reload()
        expect(page.locator(".aside").last).to_contain_text("the model did not write an answer")

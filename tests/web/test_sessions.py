"""Conversations: begun, found again, renamed, deleted; their settings stay with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.servers.dev import Running
from tests.web.conftest import OpenPage
from tests.web.moves import QUESTION, ask, hold, until

Shot = Callable[[Page, str], None]


def test_conversations_are_kept_searched_renamed_and_deleted(page: Page, shot: Shot) -> None:
    ask(page, "How long were the cold starts that Jonas measured?")
    page.get_by_role("button", name="New conversation").click()
    ask(page, "Which film was it that Hélène recommended?")
    rows = page.locator("#side-chat .list-row a")
    film = rows.filter(has_text="that Hélène")
    starts = rows.filter(has_text="that Jonas measured")
    expect(film).to_have_attribute("aria-current", "page")
    starts.click()
    expect(page.locator(".exchange")).to_have_count(1)
    expect(page.locator(".answer")).to_contain_text("400 ms")
    shot(page, "sessions")

    page.get_by_label("Search conversations").fill("400 ms")  # what was answered
    expect(film).to_have_count(0)
    expect(starts).to_be_visible()
    page.get_by_label("Search conversations").fill("helene")
    expect(starts).to_have_count(0)
    expect(film).to_be_visible()
    page.get_by_role("button", name="Rename “Which film was it that Hélène recommended?”").click()
    page.get_by_label("Title", exact=True).fill("Helene's film")
    page.keyboard.press("Enter")
    expect(rows.filter(has_text="Helene's film")).to_be_visible()
    page.get_by_role("button", name="Delete “Helene's film”").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(rows.filter(has_text="Helene's film")).to_have_count(0)


@pytest.mark.nightly
def test_a_conversation_in_which_nothing_was_said_is_not_listed(
    page: Page, product: Running
) -> None:
    """A server that was killed while it answered the first question leaves one."""
    product.call("POST", "/sessions")
    product.call("POST", "/sessions", {"title": "Named by somebody"})
    page.reload()
    rows = page.locator("#side-chat .list-row a")
    expect(rows.filter(has_text="Named by somebody")).to_have_count(1)
    expect(rows.filter(has_text="New conversation")).to_have_count(0)


@pytest.mark.nightly
def test_answers_stand_below_their_questions_when_two_windows_asked_at_once(page: Page) -> None:
    first = (
        ask(page, "What did Jonas measure about cold starts?").locator(".answer").text_content()
        or ""
    )
    second = (
        ask(page, "Which film was it that Hélène recommended?").locator(".answer").text_content()
        or ""
    )

    def mingled(route: Route) -> None:
        reply = route.fetch()
        body = reply.json()
        first_question, its_answer, two, other_answer = body["messages"]
        route.fulfill(
            response=reply,
            json={**body, "messages": [first_question, two, other_answer, its_answer]},
        )

    page.route("**/api/sessions/*/messages**", mingled)
    page.reload()
    expect(page.locator(".answer")).to_have_text([first, second])


@pytest.mark.nightly
def test_a_conversation_that_is_gone_is_told_to_be(page: Page, product: Running) -> None:
    page.goto(f"{product.address}/#/c/0123456789abcdef")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("This conversation does not exist any more.")
    alert.get_by_role("button", name="New conversation").click()
    expect(page.locator(".welcome")).to_be_visible()


@pytest.mark.nightly
def test_messages_of_an_older_server_are_answers_to_the_question_before(page: Page) -> None:
    first = (
        ask(page, "What did Jonas measure about cold starts?").locator(".answer").text_content()
        or ""
    )
    second = (
        ask(page, "Which film was it that Hélène recommended?").locator(".answer").text_content()
        or ""
    )

    def older(route: Route) -> None:
        reply = route.fetch()
        body = reply.json()
        messages = [{**message, "requestId": None} for message in body["messages"]]
        route.fulfill(response=reply, json={**body, "messages": messages})

    page.route("**/api/sessions/*/messages**", older)
    page.reload()
    expect(page.locator(".answer")).to_have_text([first, second])


def test_after_a_reload_each_sentence_is_marked_by_the_verdict_kept_with_it(page: Page) -> None:
    ask(page, "Which film was it that Hélène recommended?")

    def unsupported(route: Route) -> None:
        reply = route.fetch()
        body = reply.json()
        for claim in body["messages"][1]["claims"]:
            claim["support"] = {"state": "unsupported", "score": 0}
        route.fulfill(response=reply, json=body)

    page.route("**/api/sessions/*/messages**", unsupported)
    page.reload()
    expect(page.locator(".answer .chip").first).to_have_attribute("data-support", "unsupported")


def test_a_citation_is_stale_when_its_note_has_changed(page: Page, product: Running) -> None:
    product.call(
        "PUT",
        "/notes/lighthouse",
        {"title": "Lighthouse", "text": "The lighthouse of Skagen has 210 steps."},
    )
    assert product.answered("How many steps has the lighthouse of Skagen?", "210", within=60)
    ask(page, "How many steps has the lighthouse of Skagen?")
    product.call(
        "PUT", "/notes/lighthouse", {"title": "Lighthouse", "text": "The lighthouse has 211 steps."}
    )
    page.reload()
    expect(page.locator(".answer .chip").first).to_have_attribute("data-support", "stale")
    expect(page.locator(".exchange .notice").last).to_contain_text("has changed since")


@pytest.mark.nightly
def test_a_follow_up_is_understood_within_its_conversation(page: Page) -> None:
    ask(page, "What did Jonas measure about cold starts?")
    ask(page, "And what did Priya compare?")
    expect(page.locator(".exchange")).to_have_count(2)


@pytest.mark.nightly
def test_settings_stay_with_the_conversation(page: Page, product: Running) -> None:
    ask(page, QUESTION)
    page.get_by_role("button", name="Settings (s)").click()
    page.get_by_text("Advanced").click()
    page.get_by_label("Passages to read").fill("4")
    page.keyboard.press("Escape")
    expect(page.locator(".summary")).to_contain_text("4 passages")
    session_id = page.url.rpartition("/c/")[2]
    until(
        page,
        "(id) => fetch(`/api/sessions/${id}`).then((reply) => reply.json()).then((each) => each.settings.topK === 4)",
        session_id,
    )
    assert product.call("GET", f"/sessions/{session_id}")[1]["settings"]["topK"] == 4


@pytest.mark.nightly
def test_what_is_chosen_while_a_conversation_begins_is_kept_too(
    page: Page, product: Running
) -> None:
    let_go = hold(page, "**/api/sessions/*")  # the settings of when it began
    ask(page, QUESTION)
    page.get_by_label("Notes of").select_option("Last year")
    let_go()
    page.unroute("**/api/sessions/*")
    session_id = page.url.rpartition("/c/")[2]
    until(
        page,
        "(id) => fetch(`/api/sessions/${id}`).then((it) => it.json()).then((it) => it.settings.windowDays === 365)",
        session_id,
    )
    assert product.call("GET", f"/sessions/{session_id}")[1]["settings"]["windowDays"] == 365


@pytest.mark.nightly
def test_a_server_without_sessions_leaves_one_conversation(page: Page) -> None:
    missing = {
        "error": {
            "code": 404,
            "status": "NOT_FOUND",
            "message": "no route",
            "details": [{"reason": "NO_SUCH_ROUTE"}],
        }
    }
    page.route("**/api/sessions**", lambda route: route.fulfill(status=404, json=missing))
    page.reload()
    expect(page.locator("#side-chat")).to_contain_text("This server keeps no conversations")
    ask(page, QUESTION)
    page.reload()
    expect(page.locator(".answer")).to_contain_text("Cloud Run")
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator(".welcome")).to_be_visible()


@pytest.mark.nightly
def test_where_a_conversation_looks_stays_with_it_in_every_browser(
    page: Page, open_page: OpenPage, product: Running, shot: Shot
) -> None:
    note = {
        "title": "Berths",
        "text": "A berth in Marseille costs 31 euros.",
        "path": "harbours/sea/berths.md",
    }
    product.call("PUT", "/notes/berths", {**note, "vault": "boats"})
    assert product.answered("What does a berth in Marseille cost?", "31 euros", within=60)
    page.reload()
    place = page.get_by_label("Look in")
    place.select_option("projects/garden")
    question = "What does a berth in Marseille cost?"
    exchange = ask(page, question)
    expect(exchange.locator(".answer")).not_to_contain_text("31 euros")
    place.select_option("harbours")
    shot(page, "scope")
    with page.expect_request("**/chat") as sent:
        exchange = ask(page, f"{question} Tell me again.")
    body: Any = sent.value.post_data_json
    assert body["filters"] == {"vaults": ["boats"], "folders": ["harbours"]}
    expect(exchange.locator(".answer")).to_contain_text("31 euros")
    address = page.url
    page.get_by_role("button", name="New conversation").click()
    expect(place).to_have_value("")
    page.goto(address)
    page.reload()
    expect(place.locator("option:checked")).to_have_text("harbours")
    elsewhere = open_page(address)
    expect(elsewhere.get_by_label("Look in").locator("option:checked")).to_have_text("harbours")
    elsewhere.get_by_label("Notes of").select_option("Last 30 days")
    until(
        page,
        "(id) => fetch(`/api/sessions/${id}`).then((it) => it.json()).then((it) => it.settings.windowDays === 30)",
        address.rpartition("/c/")[2],
    )
    page.reload()
    expect(page.get_by_label("Notes of")).to_have_value("30")
    expect(place.locator("option:checked")).to_have_text("harbours")
    page.get_by_label("Notes of").select_option("Any time")
    place.select_option("All of boats")
    with page.expect_request("**/chat") as sent:
        ask(page, question)
    body = sent.value.post_data_json
    assert body["filters"] == {"vaults": ["boats"]}
    product.call("DELETE", "/notes/berths")


@pytest.mark.nightly
def test_the_notes_in_no_folder_can_be_looked_in(page: Page, product: Running) -> None:
    text = "The spare key lies under the third flowerpot."
    product.call(
        "PUT",
        "/notes/key",
        {
            "title": "Key",
            "text": text,
            "path": "key.md",
        },
    )
    in_folder_called_as_the_vault = {
        "title": "Boat key",
        "text": "The spare key of the boat lies in the tackle box.",
        "path": "default/boat-key.md",
        "vault": "jetty",
    }
    product.call("PUT", "/notes/boat-key", in_folder_called_as_the_vault)
    assert product.answered("Where does the spare key lie?", "flowerpot", within=60)
    assert product.answered("Where does the spare key of the boat lie?", "tackle", within=60)
    page.reload()
    place = page.get_by_label("Look in")
    place.select_option("Not in a folder")
    with page.expect_request("**/chat") as sent:
        exchange = ask(page, "Where does the spare key lie?")
    body: Any = sent.value.post_data_json
    assert body["filters"] == {"vaults": ["default"], "folders": ["/"]}
    expect(exchange.locator(".sources li")).to_have_count(1)
    expect(exchange.locator(".answer")).to_contain_text("flowerpot")
    until(
        page,
        "(id) => fetch(`/api/sessions/${id}`).then((it) => it.json()).then((it) => it.settings.lookIn === 'default//')",
        page.url.rpartition("/c/")[2],
    )
    page.reload()
    expect(place.locator("option:checked")).to_have_text("Not in a folder")
    with page.expect_request("**/chat") as sent:
        ask(page, "Where is the spare key?")
    body = sent.value.post_data_json
    assert body["filters"] == {"vaults": ["default"], "folders": ["/"]}
    product.call("DELETE", "/notes/key")
    product.call("DELETE", "/notes/boat-key")


def _streams_end_by(page: Page, ending: str) -> None:
    """Passes on what the server streams whole, and runs a script in the place of the stream's end."""
    page.evaluate(
        f"""() => {{
            const ask = window.fetch;
            window.fetch = async (...request) => {{
                const reply = await ask(...request);
                if (!reply.headers.get("Content-Type").startsWith("text/event-stream")) return reply;
                const {{ readable, writable }} = new TransformStream();
                void reply.body.pipeTo(writable, {{ preventClose: true }}).then(() => {ending});
                return new Response(readable, reply);
            }};
        }}"""
    )


def test_a_conversation_has_its_address_before_its_stream_is_closed(page: Page) -> None:
    _streams_end_by(page, ending="null")
    ask(page, QUESTION)
    assert "/c/" in page.url
    page.reload()
    expect(page.locator(".answer")).to_contain_text("Cloud Run")


def test_an_answer_that_is_there_whole_stays_when_its_stream_breaks(page: Page) -> None:
    _streams_end_by(page, ending="writable.abort('cut')")
    exchange = ask(page, QUESTION)
    page.wait_for_timeout(300)
    expect(exchange.locator(".answer")).to_contain_text("Cloud Run")
    expect(exchange).not_to_contain_text("The connection broke")
    assert "/c/" in page.url

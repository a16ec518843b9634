"""Answers of a model that takes its time, breaks off or makes citations up."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.servers.dev import ROOT, dev
from tests.servers.openai import OpenAIServer, chunked
from tests.web.conftest import OpenPage
from tests.web.moves import QUESTION, ask, until

Shot = Callable[[Page, str], None]


@pytest.fixture(scope="module")
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture(scope="module")
def address(model: OpenAIServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    env = {
        "OPENAI_BASE_URL": model.base_url,
        "CHAT_MODEL": "slow",
        "CHAT_TIMEOUT_MS": "60000",
    }
    with dev(
        tmp_path_factory.mktemp("slow"), "--sample", str(ROOT / "examples/notes"), env=env
    ) as running:
        yield running.address


def begin(page: Page, question: str) -> None:
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")


def test_words_are_shown_as_they_come_and_stop_stops(
    open_page: OpenPage, address: str, model: OpenAIServer, shot: Shot
) -> None:
    page = open_page(address)
    text = (
        "We use **Cloud Run** for the API [N1]. "
        + "And then we **talked about it for a long time**. " * 20
    )
    model.script(replace(chunked(text[:130], text[130:]), hang_after=500))
    begin(page, QUESTION)
    exchange = page.locator(".exchange")
    expect(exchange.locator(".answer strong")).to_have_text("Cloud Run")
    expect(exchange).to_have_attribute("aria-busy", "true")
    expect(exchange.locator("a.chip")).to_have_text("1")
    expect(exchange.locator(".answer")).not_to_contain_text("**")  # of what is still being written
    shot(page, "streaming")
    page.get_by_role("button", name="Stop").click()
    expect(exchange).to_have_attribute("aria-busy", "false")
    expect(exchange).to_contain_text("You stopped this answer.")
    expect(exchange.locator(".answer strong")).to_have_text("Cloud Run")
    page.wait_for_url("**#/c/**")
    stored_messages = "() => fetch(`/api/sessions/${location.hash.split('/')[2]}/messages`).then((it) => it.json())"
    until(page, f"() => ({stored_messages})().then((it) => it.messages.length === 2)")
    page.reload()
    expect(exchange.get_by_role("heading", level=2)).to_have_text(QUESTION)
    expect(exchange.locator(".answer strong")).to_have_text("Cloud Run")
    page.get_by_role("button", name="New conversation").click()
    model.script(replace(chunked(text[:130], text[130:]), hang_after=500))
    begin(page, QUESTION)
    expect(exchange.locator(".answer strong")).to_have_text("Cloud Run")
    page.get_by_role("button", name="Stop").click()
    model.answer_text = "We use Cloud Run for the API [N1]."
    exchange.get_by_role("button", name="Ask again").click()
    expect(exchange.locator(".sources li")).to_have_count(1)
    expect(page.locator(".exchange")).to_have_count(1)


def test_a_citation_that_leads_nowhere_is_told(
    open_page: OpenPage, address: str, model: OpenAIServer
) -> None:
    model.answer_text = "We use Cloud Run for the API [N1]. The moon is made of cheese [N77]."
    exchange = ask(open_page(address), QUESTION)
    expect(exchange.locator(".answer")).not_to_contain_text("N77")
    expect(exchange.locator(".notice")).to_have_text(
        ["1 sentence here cites no note.", "1 citation that led nowhere was removed."]
    )


def test_a_draft_that_cannot_stand_is_taken_back(
    open_page: OpenPage, address: str, model: OpenAIServer
) -> None:
    model.answer_text = "The moon is made of green cheese, as everybody knows."
    exchange = ask(open_page(address), QUESTION)
    expect(exchange.locator(".refusal")).to_be_visible()
    expect(exchange.locator(".answer")).to_be_empty()


def test_general_knowledge_is_shown_as_such(
    open_page: OpenPage, address: str, model: OpenAIServer
) -> None:
    page = open_page(address)
    page.route(
        "**/chat",
        lambda route: route.continue_(
            post_data=json.dumps({**route.request.post_data_json, "whenNotInNotes": "general"})
        ),
    )
    model.script(chunked("ANSWER: no\n"), chunked("The moon is made of rock."))
    exchange = ask(page, QUESTION)
    expect(exchange.locator(".answer")).to_contain_text("From general knowledge:")
    expect(exchange.locator(".aside")).to_have_text(
        "General knowledge of a model: nothing here comes from your notes."
    )
    expect(exchange.locator(".sources li")).to_have_count(0)


def test_a_model_that_breaks_off_gives_way_to_another_writer(
    open_page: OpenPage, address: str, model: OpenAIServer
) -> None:
    model.script(replace(chunked("We use Cloud Run ", "for the API [N1]."), cut_after=180))
    exchange = ask(open_page(address), QUESTION)
    expect(exchange.locator(".sources li").first).to_be_visible()


@pytest.mark.nightly
def test_a_stream_that_ends_early_is_an_error_that_can_be_tried_again(
    open_page: OpenPage, address: str
) -> None:
    page = open_page(address)
    cut = 'event: start\ndata: {"requestId": "r", "sessionId": null}\n\nevent: token\ndata: {"text": "Half of"}\n\n'
    page.route(
        "**/chat", lambda route: route.fulfill(content_type="text/event-stream", body=cut), times=1
    )
    begin(page, QUESTION)
    exchange = page.locator(".exchange")
    expect(exchange.get_by_role("alert")).to_contain_text(
        "The connection broke before the answer was complete."
    )
    expect(exchange.locator(".answer")).to_contain_text("Half of")
    exchange.get_by_role("button", name="Try again").click()
    expect(exchange.locator(".answer")).not_to_contain_text("Half of")
    expect(exchange).to_have_attribute("aria-busy", "false")


@pytest.mark.nightly
def test_an_error_in_the_stream_is_told_in_its_words(open_page: OpenPage, address: str) -> None:
    page = open_page(address)
    error = '{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Enough for today.", "details": []}}'
    page.route(
        "**/chat",
        lambda route: route.fulfill(
            content_type="text/event-stream", body=f"event: error\ndata: {error}\n\n"
        ),
    )
    begin(page, QUESTION)
    expect(page.locator(".exchange").get_by_role("alert")).to_have_text("Enough for today.")


LINKED = (
    "The ferry key hangs in [[Boathouse|the boathouse]], see [the plan](plan.md), [the port](https://port.example/a), "
    "https://tides.example/b and [this](javascript:alert(1))."
)


@pytest.mark.nightly
def test_links_in_what_is_cited_lead_to_notes_and_to_the_web(
    open_page: OpenPage, address: str, model: OpenAIServer, shot: Shot
) -> None:
    texts = {
        "boathouse": "The boathouse is green.",
        "plan": "Draw the plan first.",
        "ferry": LINKED,
    }
    page = open_page(address)
    for note_id, text in texts.items():
        page.request.put(
            f"{address}/api/notes/{note_id}",
            data={
                "title": note_id.capitalize(),
                "text": text,
                "path": f"ferry/{note_id}.md",
            },
        )
    status = "(ids) => Promise.all(ids.map((id) => fetch(`/api/notes/${id}:indexStatus`).then((it) => it.json())))"
    until(
        page,
        f"(ids) => ({status})(ids).then((all) => all.every((it) => it.status === 'indexed'))",
        list(texts),
    )
    model.answer_text = "The ferry key hangs in [[Boathouse|the boathouse]] [N1]."
    exchange = ask(page, "Where does the ferry key hang?")
    exchange.locator(".answer .chip").hover()
    card = page.get_by_role("tooltip")
    expect(card.get_by_role("link", name="the plan")).to_have_attribute(
        "href", re.compile("note=plan")
    )
    expect(card).not_to_contain_text("[")
    web = card.locator("a[target=_blank]")
    assert [link.get_attribute("href") for link in web.all()] == [
        "https://port.example/a",
        "https://tides.example/b",
    ]
    assert {link.get_attribute("rel") for link in web.all()} == {"noopener noreferrer nofollow"}
    assert card.locator("a[href*=javascript]").count() == 0
    shot(page, "links-in-quote")
    link = exchange.locator(".answer").get_by_role("link", name="the boathouse", exact=True)
    link.click()
    expect(page.locator(".pane .note")).to_contain_text("The boathouse is green.")

    phone = open_page(
        page.url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    phone.get_by_role("button", name="Close the note (Esc)").tap()
    phone.locator(".answer .chip").tap()
    sheet = phone.get_by_role("dialog")
    plan = sheet.get_by_role("link", name="the plan")
    expect(plan).to_be_visible()
    shot(phone, "links-in-sheet-phone")
    plan.tap()
    expect(sheet).to_be_hidden()
    expect(phone.locator(".pane .note")).to_contain_text("Draw the plan first.")


def judged(answer: str, states: Mapping[str, str]) -> dict[str, Any]:
    """A reply whose citations have these states."""
    citations = [
        {
            "cid": label,
            "noteId": f"n{label}",
            "chunkId": f"n{label}_000",
            "createdAt": "2026-01-15T10:30:00.000Z",
            "title": f"Note {label}",
            "folder": "work",
            "headingPath": "",
            "span": {"start": 0, "end": 5},
            "quote": "Quote",
            "support": {"state": state, "score": 0.5},
        }
        for label, state in states.items()
    ]
    return {
        "answer": answer,
        "citations": citations,
        "meta": {
            "requestId": "r",
            "query": {"keywords": [], "timeRange": None},
            "refusal": None,
        },
    }


def test_support_is_shown_as_it_was_judged(open_page: OpenPage, address: str, shot: Shot) -> None:
    page = open_page(address)
    states = {
        "N1": "supported",
        "N2": "partial",
        "N3": "unsupported",
        "N4": "none",
    }
    result = judged("One [N1]. Two [N2]. Three [N3]. Four [N4].", states)
    result["citations"][3]["support"] = None
    page.route("**/chat", lambda route: route.fulfill(json=result))
    exchange = ask(page, QUESTION)
    chips = exchange.locator(".answer .chip")
    expect(exchange.locator(".answer")).to_have_text("One1. Two2. Three3. Four4.")
    assert [chip.get_attribute("data-support") for chip in chips.all()] == list(states.values())
    colour = "(chip) => getComputedStyle(chip).color"
    assert len({chip.evaluate(colour) for chip in chips.all()}) == len(
        states
    )  # neutral where nobody has judged
    expect(chips.nth(2)).to_have_attribute("aria-label", "Source 3: Note N3, not supported")
    expect(exchange.locator(".notice")).to_contain_text("Source 3 does not back what is said there")
    chips.nth(2).hover()
    expect(page.get_by_role("tooltip")).to_contain_text("The passage does not back what is said.")
    shot(page, "support")


def test_each_sentence_is_marked_by_its_own_support(open_page: OpenPage, address: str) -> None:
    page = open_page(address)
    result = judged("One 🚤 [N1]. Two [N1]. Three is so.", {"N1": "unsupported"})
    quotes = [
        {
            "cid": "N1",
            "span": {"start": start, "end": start + 3},
            "quote": text,
        }
        for start, text in ((0, "First"), (9, "Other"))
    ]
    result["claims"] = [
        {
            "span": {"start": 0, "end": 12},
            "cids": ["N1"],
            "support": {"state": "supported", "score": 1},
            "quotes": quotes[:1],
        },
        {
            "span": {"start": 13, "end": 22},
            "cids": ["N1"],
            "support": {"state": "unsupported", "score": 0},
            "quotes": quotes[1:],
        },
        {
            "span": {"start": 23, "end": 35},
            "cids": [],
            "support": None,
            "quotes": [],
        },
    ]
    page.route("**/chat", lambda route: route.fulfill(json=result))
    exchange = ask(page, QUESTION)
    chips = exchange.locator(".answer .chip")
    assert [chip.get_attribute("data-support") for chip in chips.all()] == [
        "supported",
        "unsupported",
    ]
    expect(exchange.locator(".notice").filter(has_text="cites no note")).to_have_text(
        "1 sentence here cites no note."
    )
    chips.nth(1).hover()
    expect(page.get_by_role("tooltip")).to_contain_text("Other")


def test_an_unbacked_claim_among_several_is_marked(
    open_page: OpenPage, address: str, shot: Shot
) -> None:
    page = open_page(address)
    result = judged("One [N1]. Two [N1, N2]. Three [N2].", {"N1": "unsupported", "N2": "partial"})
    page.route("**/chat", lambda route: route.fulfill(json=result))
    exchange = ask(page, QUESTION)
    chips = exchange.locator(".answer .chip")
    expect(chips.first).to_have_attribute(
        "aria-label", "Source 1: Note N1, one claim not supported"
    )
    expect(exchange.locator(".notice")).to_have_text(
        "Source 1 does not back every claim that cites it: read the passage before you rely on it."
    )
    chips.first.hover()
    card = page.get_by_role("tooltip")
    expect(card).to_contain_text("One of the claims that cite this is not backed by it.")
    expect(card).to_contain_text("The quote is for the one it backs best.")
    shot(page, "support-of-several")

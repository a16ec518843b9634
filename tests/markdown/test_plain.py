from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.api.values import snippet
from shared.markdown.frontmatter import split
from shared.markdown.hidden import without_hidden
from shared.markdown.plain import plain, plain_title
from tests.markdown.rendered import STRANGERS, letters, visible_text, without_comments


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        (
            "see [the *plan*](plan.md) and <https://a.example/p>.",
            "see the plan and https://a.example/p.",
        ),
        ("Email <admin@net.example>, or call.", "Email admin@net.example, or call."),
        ("Use `<T>` in `a | b` and `*x*`.", "Use <T> in a | b and *x*."),
        ('<script>alert("compost")</script>\n\n<p>The heap.</p>', "The heap."),
        ("<style>p { color: red }</style> The heap.", "The heap."),
        ("one\n\n***\n\ntwo\n\n* * *\n\nthree\n\n___\n\nfour\n\n- - -\n", "one two three four"),
        ("Piano\n=====\n\nIt is in tune.", "Piano It is in tune."),
        ("a = b\n\n=== c", "a = b === c"),
        ("| USB-C \\| T | `a\\|b` |\n|---|---|\n| c | d |", "USB-C | T, a|b c, d"),
        ("H<sub>2</sub>O<br>is wet", "H2O is wet"),
        ("\\*so\\* 2\\. \\[x\\](y) &#42;z&#42;", "*so* 2. [x](y) *z*"),
        ('```html\n<div class="x"># y</div>\n```\n# t', '<div class="x"># y</div> t'),
        ("> ~~~\n> *a*\n> ~~~\n> *b*", "*a* b"),
        ("<?php echo 1 ?>a <![CDATA[ data ]]>b <!DOCTYPE x>c", "a b c"),
        ("[a](<b c.md>), [d](e 'f g') and [h][i]\n\n[i]: <https://a.example>", "a, d and h"),
        ("_It goes\non_ and *on\nso*, 2 * 3\n* 4", "It goes on and on so, 2 * 3 4"),
        ("## 1. Keys\n\n1. one", "1. Keys one"),
        ("3 < 4 and <3, x <- y", "3 < 4 and <3, x <- y"),
    ],
)
def test_a_snippet_reads_as_a_renderer_shows_the_passage(markdown: str, shown: str) -> None:
    assert snippet(markdown) == shown
    assert letters(visible_text(markdown)) == letters(shown)


_LINES = [
    "# H",
    "Text <b>one</b>. More",
    "goes *on*:",
    "- item <br> x",
    "- `code <i>`",
    "2. two",
    "> q `a | *b*` \\*c\\*",
    "> - in q",
    "",
    "",
    "<!-- x -->",
    "😀 x. <https://a.example/b>",
    "[a *b*](https://a.example/b) <me@a.example>",
    "AT&amp;T &lt;3 &copy;&nbsp;x &#955; &#42;",
    "```\n*a* <b> &amp; # c\n```",
    "| a | `b` |\n|---|---|\n| <small>c</small> | d \\| e |",
    "[What? `c` d](https://a.example/b)",
    "* * *",
    "<?php echo 1 ?> z",
]


@given(st.lists(st.sampled_from(_LINES), max_size=12))
def test_no_letter_that_a_renderer_shows_is_lost(lines: list[str]) -> None:
    """The oracle is a CommonMark renderer. Blank lines part the blocks."""
    text = "\n\n".join(lines)
    assert letters(plain(without_hidden(text))) == letters(visible_text(text))


_TEMPLATE_TAG = re.compile(r"\{[{%:][^{}]*\}")


@pytest.mark.slow
def test_notes_of_strangers_read_as_a_renderer_shows_them() -> None:
    files = sorted(STRANGERS.rglob("*.md"))
    assert len(files) > 40
    for file in files:
        text = file.read_text(encoding="utf-8")
        body = without_comments(text[split(text).body_start :])
        markdown = _TEMPLATE_TAG.sub("", body)
        footless = re.sub(r"\[\^\w+\]:?", "", markdown)
        assert letters(plain(without_hidden(markdown))) == letters(visible_text(footless)), file


@pytest.mark.parametrize(
    "part",
    [
        "<",
        "[",
        "`a` ",
        "\\*",
        "*a ",
        "_a\n",
        "<?",
        "<![CDATA[",
        "```\n",
        "* ",
        "=\n",
        "[a](<",
        "[a](b '",
        "[a]: b\n",
        "a|\n",
    ],
)
def test_odd_text_takes_no_time_to_read(part: str) -> None:
    text = part * (200_000 // len(part))
    start = time.perf_counter()
    snippet(text)
    assert time.perf_counter() - start < 5


def test_an_excerpt_that_begins_in_code_has_no_code_behind_its_end() -> None:
    assert plain("x = 1\n```\nSee **bold** [docs](https://a.example)") == "x = 1 See bold docs"
    assert plain("So:\n```py\nx[1](2) * **3**") == "So: x[1](2) * **3**"


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("1. Januar *2026*", "1. Januar 2026"),
        ("- `<T>` & [Tools](a.md)", "- <T> & Tools"),
        ("> 3 | 4", "> 3 | 4"),
    ],
)
def test_a_title_keeps_what_would_begin_a_list(title: str, shown: str) -> None:
    assert plain_title(title) == shown

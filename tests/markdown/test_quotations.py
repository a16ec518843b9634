from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.markdown.frontmatter import split
from shared.markdown.hidden import with_characters, without_hidden, without_marks
from shared.markdown.outline import Outline
from shared.markdown.plain import plain
from shared.markdown.quotable import PieceKind, are_neighbours, quotable
from shared.markdown.quotations import NARROWEST, joined_lines, quotation
from shared.markdown.sanitize import sanitize
from tests.markdown.rendered import RENDERER, STRANGERS, letters, visible_text, without_comments
from tests.servers.dev import ROOT


def quoted(text: str, around: str, *, longest: int = 700) -> list[str] | None:
    """Returns the lines of what is quoted whole around a string, or None if it is too long."""
    start = text.index(around)
    block = Outline(text).whole((start, start + len(around)), longest=longest)
    if block is None:
        return None
    return list(quotation(text, [block], longest=900)[2])


@pytest.mark.parametrize(
    ("markdown", "lines"),
    [
        ("We chose *it*. It scales.", ["We chose *it*. It scales."]),
        (
            "Do this:\n\n- [ ] one\n  goes on\n- two",
            ["Do this:", "", "- [ ] one\\", "  goes on", "- two"],
        ),
        (
            "```sh\nmake *run*\n\n  make test\n```",
            ["```sh", "make *run*", "", "  make test", "```"],
        ),
        ("> It is **hot**.\n> - so", ["It is **hot**.", "- so"]),
        (
            "| Leave | Days |\n|---|---|\n| Sick | 10 |",
            ["| Leave | Days |", "|---|---|", "| Sick | 10 |"],
        ),
        ("Oracle [N2].", ["Oracle (N2)."]),
    ],
)
def test_a_quote_is_the_notes_own_words_in_their_own_form(markdown: str, lines: list[str]) -> None:
    quotable_pieces = quotable(markdown)
    assert all(are_neighbours(markdown, *pair) for pair in pairwise(quotable_pieces))
    span = (quotable_pieces[0].line, quotable_pieces[-1].end)
    start, end, quote = quotation(markdown, [span], first=quotable_pieces[0], longest=900)
    assert list(quote) == lines
    assert markdown[start:end].rsplit("\n", maxsplit=1)[-1].strip(" >") in markdown


@pytest.mark.parametrize(
    ("markdown", "lines"),
    [
        (
            "The pier\nis wet\ntoday.\n\nA gull\ncries.",
            ["The pier\\", "is wet\\", "today.", "", "A gull\\", "cries."],
        ),
        ("Ebb  \nand flood\\\nand ebb\nagain", ["Ebb\\", "and flood\\", "and ebb\\", "again"]),
        ("Rose Street 5  \nLeeds  \n\nEnd.", ["Rose Street 5\\", "Leeds", "", "End."]),
        ("> Rose Street 5  \n> Leeds", ["Rose Street 5\\", "Leeds"]),
        ("A claim[^1] that\nstands.", ["A claim that\\", "stands."]),
        ("> It is\n> hot.\n> - so\n>   so", ["It is\\", "hot.", "- so\\", "  so"]),
        ("Says:\n> it is\n> wet", ["Says:", "> it is\\", "> wet"]),
        ("A:\n\n    one\n    two", ["A:", "", "    one", "    two"]),
        ("    make build\n    make test", ["    make build", "    make test"]),
        ("\tmake build\n\tmake test", ["\tmake build", "\tmake test"]),
        ("    - run: a\n      b", ["- run: a\\", "  b"]),
        ("    x:\n    - run: a\n      b", ["    x:", "    - run: a", "      b"]),
        (
            "- item\n\n      make build\n      make test\n\n  so\n  it is",
            ["- item", "", "      make build", "      make test", "", "  so\\", "  it is"],
        ),
        ("- item\n    goes\n  on", ["- item\\", "    goes\\", "  on"]),
        ("- a\n\n# So\n\n    b\n    c", ["- a", "", "# So", "", "    b", "    c"]),
        ("```\na\nb\n```\nand\nso", ["```", "a", "b", "```", "and\\", "so"]),
        ("Harbour\n===\nIt is\nwet.", ["Harbour", "===", "It is\\", "wet."]),
    ],
)
def test_the_lines_of_a_paragraph_are_quoted_with_hard_breaks(
    markdown: str, lines: list[str]
) -> None:
    _, _, quote = quotation(markdown, [(0, len(markdown))], longest=900)
    assert list(quote) == lines


WRAPPED = """\
The harbour master keeps the key of the north gate in his office
and lends it to anybody who signs the book, between sunrise and
the last ferry; ask for Berta if he is out."""
ON_ONE_LINE = WRAPPED.replace("\n", " ")


@pytest.mark.parametrize(
    ("markdown", "lines"),
    [
        (WRAPPED, [ON_ONE_LINE]),
        (
            f"Short.\n\n{WRAPPED}\n\nTel. 12\nTel. 13",
            ["Short.", "", ON_ONE_LINE, "", "Tel. 12\\", "Tel. 13"],
        ),
        ("- " + WRAPPED.replace("\n", "\n  "), [f"- {ON_ONE_LINE}"]),
        ("> " + WRAPPED.replace("\n", "\n> "), [ON_ONE_LINE]),
        ("Gate:\n\n> " + WRAPPED.replace("\n", "\n> "), ["Gate:", "", f"> {ON_ONE_LINE}"]),
        (
            WRAPPED.replace("in his office\n", "in his office  \n"),
            [f"{ON_ONE_LINE[:64]}\\", ON_ONE_LINE[65:]],
        ),
    ],
)
def test_the_lines_of_a_paragraph_that_an_editor_wrapped_are_one(
    markdown: str, lines: list[str]
) -> None:
    _, _, quote = quotation(markdown, [(0, len(markdown))], longest=900)
    assert list(quote) == lines


UNEVEN = """All candidates receive the questions before the interview. Sharing them in
advance helps to create a better interview, and is one of the ways in which we build a fair
process.

See [our
guide](guide.md) and the
[list of questions](list.md)."""
TASKS = """go to the post office
[ ] call mum
the interval [0, 1) is half open
next week
My links
[one](one.md)
[two](two.md)"""
CHAT = "Ann: Shall we meet tomorrow at nine at the station then?\nBen: Yes, gladly."
VERSES = """seagulls above the harbour that call as the boats come in slowly
and the lamps go out at the end of the pier
while the keeper is counting the steps that he climbed in the morning
and forgets them again"""
UNEVEN_SENTENCES = UNEVEN.partition("\n\n")[0].replace("\n", " ")
JOTTED = """**Price:** 489 € for each child, without skis (85 € a week)
**Bus:** at seven
babysitter: Fleur (16)
wifi for guests: on the router in the hall, below the coats
- milk"""


@pytest.mark.parametrize(
    ("markdown", "lines"),
    [
        (
            UNEVEN,
            [
                UNEVEN_SENTENCES,
                "",
                "See our guide and the list of questions.",
            ],
        ),
        (
            JOTTED,
            [
                "**Price:** 489 € for each child, without skis (85 € a week)\\",
                "**Bus:** at seven\\",
                "babysitter: Fleur (16)\\",
                "wifi for guests: on the router in the hall, below the coats",
                "- milk",
            ],
        ),
        (
            TASKS,
            [
                "go to the post office\\",
                "[ ] call mum\\",
                "the interval [0, 1) is half open\\",
                "next week\\",
                "My links\\",
                "one\\",
                "two",
            ],
        ),
        (CHAT, CHAT.replace("\n", "\\\n").split("\n")),
        (VERSES, VERSES.replace("\n", "\\\n").split("\n")),
    ],
    ids=["edited after it was wrapped", "jotted", "tasks and links", "chat", "verses"],
)
def test_a_sentence_that_plainly_goes_on_is_on_one_line(markdown: str, lines: list[str]) -> None:
    _, _, quote = quotation(markdown, [(0, len(markdown))], longest=900)
    assert list(quote) == lines


@pytest.mark.parametrize("begin", ["To switch", "Settings"])
def test_a_sign_in_the_midst_of_a_quotation_is_no_mark_of_it(begin: str) -> None:
    text = "> To switch it off open Settings > Network > Wifi and wait."
    start = text.index(begin)
    _, _, lines = quotation(text, [(start, len(text))], longest=900)
    assert lines == (text[start:],)


def test_the_page_joins_lines_from_the_same_width_on() -> None:
    script = (ROOT / "web/app/markdown.js").read_text()
    (narrowest,) = re.findall(r"^const NARROWEST = (\d+);", script, re.MULTILINE)
    assert int(narrowest) == NARROWEST


def test_a_part_of_a_wrapped_paragraph_is_one_line_wherever_it_begins() -> None:
    begin = WRAPPED.index("lends it")
    _, _, quote = quotation(WRAPPED, [(begin, len(WRAPPED))], longest=900)
    assert quote == (ON_ONE_LINE[begin:],)


@pytest.mark.parametrize(
    "markdown",
    [
        "geb. 3. Juli 1990\nSchuhgröße 41\nmag keine Oliven, aber Kapern und den Käse aus dem Laden an der Ecke",
        "código 4471\nllave: con Inés, la vecina del tercero izquierda, o debajo de la maceta\nvuelve el martes",
        "https://example.org/a/very/long/address/that/no/editor/wraps/at/any/column\nand-another",
        "wifi: Seagull7\nbins on Friday",
    ],
)
def test_lines_that_their_author_ended_stay_lines(markdown: str) -> None:
    _, _, quote = quotation(markdown, [(0, len(markdown))], longest=900)
    assert list(quote) == markdown.replace("\n", "\\\n").split("\n")
    assert visible_text("\n".join(quote)).split("\n")[:-1] == markdown.split("\n")


@pytest.mark.parametrize(
    ("markdown", "begin", "lines"),
    [
        (
            "So. Run this:\n\n    make build\n    make test",
            "Run",
            ["Run this:", "", "    make build", "    make test"],
        ),
        (
            "- So. Run this:\n\n      make build\n      make test",
            "Run",
            ["Run this:", "", "    make build", "    make test"],
        ),
        (
            "- Run this:\n\n      make build\n      make test",
            "      make",
            ["    make build", "    make test"],
        ),
        ("- Run this\n      and that\n      too", "      and", ["and that\\", "too"]),
        ("1. So it\n   is.\n\n   A\n   gull.", "So", ["So it\\", "is.", "", "A\\", "gull."]),
    ],
)
def test_code_keeps_its_lines_wherever_a_quote_begins(
    markdown: str, begin: str, lines: list[str]
) -> None:
    _, _, quote = quotation(markdown, [(markdown.index(begin), len(markdown))], longest=900)
    assert list(quote) == lines


def test_a_quote_has_an_end() -> None:
    text = "word " * 100
    start, end, lines = quotation(text, [(0, len(text))], longest=50)
    assert start == 0
    assert lines == (text[:end] + " …",)
    assert end <= 50


LIST = "Intro.\n\nBring:\n\n- a tent\n- a lamp\n  with oil\n\nThe end."
TABLE = "Words.\n\n| Leave | Days |\n|---|---|\n| Sick | 10 |\n| Annual | 20 |\n\nThe end."


def test_a_passage_that_fits_is_quoted_whole() -> None:
    assert quoted(LIST, "a lamp") == LIST.replace("a lamp", "a lamp\\").split("\n")


@pytest.mark.parametrize(
    ("text", "around", "longest", "lines"),
    [
        (LIST, "a lamp", 40, ["Bring:", "", "- a tent", "- a lamp\\", "  with oil"]),
        (LIST, "a lamp", 30, ["- a tent", "- a lamp\\", "  with oil"]),
        (LIST, "a lamp", 20, None),
        (LIST, "Intro.", 10, ["Intro."]),
        (
            TABLE,
            "Annual",
            60,
            ["| Leave | Days |", "|---|---|", "| Sick | 10 |", "| Annual | 20 |"],
        ),
        ("A.\n\n> [!tip] Frost\n> Cover it.\n\nB.", "Cover", 30, ["> [!tip] Frost", "> Cover it."]),
        (
            "Run:\n\n```sh\nmake\n\ntest\n```\nB.",
            "make",
            27,
            ["Run:", "", "```sh", "make", "", "test", "```"],
        ),
        ("A.\n\n```sh\nmake\n", "make", 12, ["```sh", "make", "```"]),
        ("# A\n\nB.\n\n> C.", "B.", 30, ["# A", "", "B.", "", "> C."]),
    ],
)
def test_of_a_longer_passage_the_block_that_fits_is_quoted_with_what_leads_to_it(
    text: str, around: str, longest: int, lines: list[str] | None
) -> None:
    assert quoted(text, around, longest=longest) == lines


@pytest.mark.parametrize(
    ("text", "parts", "lines"),
    [
        ("- a\n- b\n- c", ["- a", "- c"], ["- a", "", "…", "", "- c"]),
        ("1. a\n2. b", ["1. a", "2. b"], ["1. a", "2. b"]),
        (
            TABLE.replace("| Annual", "| Care | 5 |\n| Annual"),
            ["| Sick | 10 |", "| Annual | 20 |"],
            ["| Leave | Days |", "|---|---|", "| Sick | 10 |", "| … |", "| Annual | 20 |"],
        ),
    ],
)
def test_an_omission_between_two_parts_is_marked(
    text: str, parts: list[str], lines: list[str]
) -> None:
    spans = [(text.index(part), text.index(part) + len(part)) for part in parts]
    first = next(piece for piece in quotable(text) if piece.line == spans[0][0])
    start, end, quote = quotation(text, spans, first=first, longest=900)
    assert start == spans[0][0]
    assert end == spans[-1][1]
    assert list(quote) == lines


def test_the_rest_of_a_row_does_not_stand_above_its_table() -> None:
    text = "in its midst |\n| Sick | 10 |"
    outline = Outline(text, begins_in_table=True)
    assert outline.whole((16, 20), longest=700) == (15, len(text))


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("<small>Released in *May*</small>", "Released in *May*"),
        ("H<sub>2</sub>O<br>is <div class='a b' id=x>wet</div>", "H2O is  wet "),
        ("<style>p { color: red }</style>a", "a"),
        ("a < b, 3 <4, x<y and <3", "a < b, 3 <4, x<y and <3"),
        ("run `echo <b>` and <b>this</b>", "run `echo <b>` and this"),
        ("```\n<b>x</b>\n```\n<b>y</b>", "```\n<b>x</b>\n```\ny"),
        ("see <https://a.example/b> or <me@a.example>", "see https://a.example/b or me@a.example"),
        ("<b unclosed", "<b unclosed"),
        ("see [the page][p] and [p][]\n\n[p]: https://a.example", "see the page and p\n\n"),
        ("a note[^1]\n\n[^1]: below `[^1]`", "a note\n\nbelow `[^1]`"),
        (
            "a[^1]\n\n[^1]:\n    below\n    it\n\n    and [b][]\n\nc\n    d",
            "a\n\nbelow\nit\n\nand b\n\nc\n    d",
        ),
        ("> [^1]: below\n[^b]: or\n\n        code", "> below\nor\n\n    code"),
        ("**so[^1]**, is it[^2]? [^a-claim] _b_[^b].", "**so**, is it?  _b_."),
        ("主張[^1]は[^注]。", "主張は。"),
        ("[^a-z]+ or [^a-z] or [^A-Za-z0-9_]", "[^a-z]+ or [^a-z] or [^A-Za-z0-9_]"),
        ('[^"]* or [^/]+ or [^x]* or [^1]{2}', '[^"]* or [^/]+ or [^x]* or [^1]{2}'),
        ("x[^2]y is a power", "x[^2]y is a power"),
        ('Is it so[^note]? "Yes."[^note]?', 'Is it so? "Yes."?'),
        ("*A claim[^note]*, **another.[^b]** (so[^c]?)", "*A claim*, **another.** (so?)"),
        ("**主張[^注]**は", "**主張**は"),
        (
            "a [^abc]* b, x[^abc]*y, x[^ab]?$ or x[^a-z]? or [^ab]?",
            "a [^abc]* b, x[^abc]*y, x[^ab]?$ or x[^a-z]? or [^ab]?",
        ),
        (
            "[run `a [b]` now](https://a.example/b) and [x [y] z](c.md)",
            "run `a [b]` now and x [y] z",
        ),
        ("[![a sail](https://a.example/b.png)](https://a.example)", "a sail"),
        ('[p]:\n  https://a.example "P"\nq', "q"),
        ("[a](https://a.example/?b\\&c)", "a"),
        ("[a\nb](https://a.example/b) c", "[a b](https://a.example/b) c"),
        ("[What: why?](https://a.example) [here](#there)", "What: why? here"),
        ("a[i][j] = `x`", "a[i][j] = `x`"),
        ('use [our\nZoom]({% page "tools/zoom" %}#start) or call', "use our Zoom or call"),
        ("see [it]({{ site.url }}/x)", "see it"),
        ("no \\[link](c.md)", "no \\[link](c.md)"),
    ],
)
def test_html_that_a_renderer_drops_is_dropped_and_what_it_shows_stays(
    markdown: str, shown: str
) -> None:
    assert without_marks(markdown) == shown


def test_comments_and_tags_that_go_on_in_the_next_line_are_hidden_in_their_place() -> None:
    text = "<!-- a\n-->b <p\nid='x'>c `<i\n>` <i>d</i>\n```\n<!-- e -->\n```"
    hidden = without_hidden(text)
    assert len(hidden) == len(text)
    assert hidden.count("\n") == text.count("\n")
    assert "".join(hidden.split()) == "bc`<i>`<i>d</i>```<!--e-->```"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It is 333. %%It was *555*%% So.", "It is 333. So."),
        ("%%\nHidden.\n\nToo.\n%%\nSeen.", "Seen."),
        ("for %%i in (*) do echo %%i; `%%x%%`", ""),
        ("5%% to 6%%, %% so\n\nand %% so.", ""),
        ("Write `<!-- so -->` in it.", ""),
        ("Old.\n{% endcomment %}\nNew.", "New."),
        ("New.\n{% comment %}\n## Old\n\nOlder.", "New."),
        ("Close it with `{% endcomment %}` or {% comment %} in it.", ""),
        ("```\n{% comment %}\n```\nSeen.\n", ""),
        ("```\nSeen.\n```\n{% endcomment %}\n", ""),
    ],
)
def test_what_an_author_or_a_site_hides_is_hidden_beyond_the_ends_of_a_passage_too(
    text: str, shown: str
) -> None:
    """Where `shown` is empty all is."""
    hidden = without_hidden(text)
    assert len(hidden) == len(text)
    assert hidden.split() == (shown or text).split()
    assert hidden.count("\n") == text.count("\n")


_LINES = [
    "# H",
    "Text <b>one</b>. More",
    "goes on:",
    "- item <br> x",
    "- `code <i>`",
    "2. two",
    "| a | b |",
    "|---|---|",
    "| <small>c</small> | d |",
    "```",
    "> q",
    "> - in q",
    "",
    "",
    "<!-- x -->",
    "  deep",
    "😀 x.",
    "[a](https://a.example/b)",
    "AT&amp;T &lt;3 &copy;&nbsp;x &#955; &#42;",
    "`&amp;`",
    "[^1]: foot note",
    "A claim[^1].  ",
    "[What? `c` d](https://a.example/b)",
    "c | d",
    "--- | ---",
]


@given(st.lists(st.sampled_from(_LINES), max_size=12), st.integers(5, 120))
def test_a_quote_shows_what_the_note_shows_there(lines: list[str], longest: int) -> None:
    """The oracle is a CommonMark renderer: letters of a part alone are those of its quote."""
    text = "\n".join(lines)
    outline = Outline(text)
    for piece in quotable(text):
        block = outline.whole((piece.line, piece.end), longest=longest)
        if block is None:
            continue
        start, end, quoted = quotation(text, [block], first=piece, longest=900)
        assert (start, end) == block
        assert start <= piece.start < piece.end <= end
        assert end - start <= longest
        quote = sanitize("\n".join(quoted), [text])
        quote = _without_footnotes(quote)  # code keeps them
        part = _without_footnotes(without_hidden(text)[start:end])
        head = "" if piece.head and piece.head[0] in part else "".join(piece.head)
        assert letters(visible_text(quote)) in (
            letters(visible_text(part)),
            letters(visible_text(head)) + letters(visible_text(part)),
        )


def _without_footnotes(markdown: str) -> str:
    return re.sub(r"\[\^1\](?:: )?", "", markdown)


@pytest.mark.parametrize(
    "part",
    [
        "<a ",
        "<a b='",
        "<style>",
        "`",
        "```\n",
        "[",
        "[a](",
        "[a][",
        "<!",
        "[a]: b\n",
        "- a\n\n",
        "> ",
        "%% ",
        "{% comment %}\n",
        "{% endcomment %} ",
    ],
)
def test_odd_text_takes_no_time_to_quote(part: str) -> None:
    text = part * (12_000 // len(part))
    started = time.thread_time()
    Outline(text).whole((0, 1), longest=700)
    quotation(text, [(0, len(text))], longest=20_000)
    assert time.thread_time() - started < 2.0


PIPELESS = "Name | Port\n:--- | ---\nmail | 25\nweb | 80\n"


@pytest.mark.parametrize("lead", ["", "All services:\n\n", "All services:\n"])
@pytest.mark.parametrize(
    "table", [PIPELESS, "| Name | Port |\n|---|---|\n| mail | 25 |\n| web | 80 |"]
)
def test_a_row_behind_the_line_that_leads_to_its_table_stands_below_its_head(
    lead: str, table: str
) -> None:
    text = lead + table
    row = quotable(text)[-1]
    assert row.kind == PieceKind.ROW
    assert row.plain == "Name: web; Port: 80"
    parts = [(row.line, row.end)]
    if lead:
        parts.insert(0, (0, len(lead.strip())))
    _, _, lines = quotation(text, parts, first=row, longest=900)
    name_line, rule, last_line = lines[-3:]
    assert name_line == "| Name | Port |"
    assert last_line == "| web | 80 |"
    assert "<th" in RENDERER.render("\n".join(lines))
    assert "80" in visible_text("\n".join(lines))
    assert lines[:-3] == (("All services:", "") if lead else ())
    assert rule.startswith("|")


def test_a_table_without_outer_pipes_is_a_table_to_us_where_it_is_one_to_a_renderer() -> None:
    assert plain(PIPELESS) == "Name, Port mail, 25 web, 80"
    for text in ("a | b\n\n--- | ---", "a | b\n---\nc | d", "a | b\n--- | --- | ---\nc | d"):
        assert "<table" not in RENDERER.render(text)
        assert all(piece.kind is not PieceKind.ROW for piece in quotable(text))
    goes_on = f"We have:\n{PIPELESS}last\n\nText | more."
    assert ">last</td>" in RENDERER.render(goes_on)
    kinds = [piece.kind for piece in quotable(goes_on)]
    assert kinds == [PieceKind.SENTENCE, *[PieceKind.ROW] * 3, PieceKind.SENTENCE]
    _, _, lines = quotation(goes_on, [(0, len(goes_on))], longest=900)
    assert lines[1:6] == (
        "| Name | Port |",
        "| :--- | --- |",
        "| mail | 25 |",
        "| web | 80 |",
        "| last |",
    )


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("AT&amp;T&nbsp;&copy; &Auml;rger &#955; &#x3bb;", "AT&T © Ärger λ λ"),
        ("3 &lt; 4, &lt;3, 5 &gt; 4, -&gt;, &quot;so&#39;", "3 < 4, <3, 5 > 4, ->, \"so'"),
        ("&lt;b&gt;, &lt;/b&gt; and &lt;b", "‹b›, ‹/b› and ‹b"),
        ("&gt; no quotation\n&#42;x&#42; &#35;", "› no quotation\n\\*x\\* \\#"),
        ("&#91;N1&#93; [&#78;1] &amp;lt; &amp;#78;", "&#91;N1&#93; [&#78;1] &amp;lt; &amp;#78;"),
        ("`&amp;` and\n```\n&lt;\n```\n", "`&amp;` and\n```\n&lt;\n```\n"),
        ("A&B, &nosuch; &; &#8203;", "A&B, &nosuch; &; &#8203;"),
    ],
)
def test_an_entity_becomes_its_character_unless_that_could_act(markdown: str, shown: str) -> None:
    assert with_characters(markdown) == shown


def test_a_quote_has_characters_for_entities_and_no_citation_made_of_them() -> None:
    assert quoted("AT&amp;T &#91;N1&#93;", "AT") == ["AT&T (N1)"]


@pytest.mark.parametrize("written", ["[N<b></b>1]", "<i>[</i>N1]", "[N<i>1</i>]", "[<?x?>N1]"])
def test_a_tag_that_goes_leaves_no_citation(written: str) -> None:
    assert "[N1]" not in "".join(quoted(f"So it is {written}.", "So") or [])


def test_a_pattern_in_running_text_is_no_footnote_in_what_is_listed_either() -> None:
    assert plain("Letters[^1] by [^a-z]+ go.") == "Letters by [^a-z]+ go."


def test_what_is_searched_and_listed_has_characters_for_entities() -> None:
    assert plain("**AT&amp;T**&nbsp;&lt;b&gt; `&amp;`") == "AT&T ‹b› &amp;"
    (piece,) = quotable("Müller &amp; S&ouml;hne")
    assert piece.plain == "Müller & Söhne"


@pytest.mark.parametrize(
    ("markdown", "begin", "lines"),
    [
        (
            "> So. It is\n> hot.\n\nThen:\n\n> wet",
            "It",
            ["> It is\\", "> hot.", "", "Then:", "", "> wet"],
        ),
        ("> > So. It is\n> > hot.\n\nThen.", "It", ["> > It is\\", "> > hot.", "", "Then."]),
        ("> - It is\n>   hot.\n\nThen.", "- It", ["> - It is\\", ">   hot.", "", "Then."]),
        ("> So. It is\n> hot.", "It", ["It is\\", "hot."]),
        (
            "> [!tip] Frost\n> Cover it.\n> > Or not.\n> > So.\n> It is.",
            ">",
            ["> [!tip] Frost", "> Cover it.", "> > Or not.\\", "> > So.\\", "> It is."],
        ),
        ("> [!tip]- Frost\n> Cover it.", ">", ["> [!tip] Frost", "> Cover it."]),
        ("> [!tip]- Frost\n> Cover it.", "[", ["> [!tip] Frost", "> Cover it."]),
        ("A.\n\n> [!tip]- Frost\n> Ice.", "A", ["A.", "", "> [!tip] Frost", "> Ice."]),
        ("1. So. It is.\n2. Hot.\n3. Wet.", "It", ["It is.", "", "2. Hot.", "3. Wet."]),
        ("2. It is.\n3. Hot.", "2.", ["2. It is.", "3. Hot."]),
    ],
)
def test_a_quote_that_begins_in_a_quotation_or_an_item_shows_what_follows_in_its_form(
    markdown: str, begin: str, lines: list[str]
) -> None:
    _, _, quote = quotation(markdown, [(markdown.index(begin), len(markdown))], longest=900)
    assert list(quote) == lines


@pytest.mark.parametrize("target", ["https://a.example/b", '{% page "/b? It c" %}#d'])
def test_no_sentence_ends_in_the_midst_of_a_link(target: str) -> None:
    text = f"See [What? Extolling it]({target}) first. Then go."
    assert [text[piece.start : piece.end] for piece in quotable(text)] == [
        f"See [What? Extolling it]({target}) first.",
        "Then go.",
    ]


_TAG_OF_LINK = re.compile(r"(?<!\\)(\[[^\[\]<>]*\]\()\{[{%][^{}%\n]*[%}]\}")
"""Becomes an address on the site from which the notes are."""


@pytest.mark.slow
def test_every_quote_of_notes_of_strangers_is_text_that_a_renderer_shows() -> None:
    files = sorted(STRANGERS.rglob("*.md"))
    assert len(files) > 40
    for file in files:
        text = file.read_text(encoding="utf-8")
        body = text[split(text).body_start :]
        shown = without_comments(body)
        filled_in = _TAG_OF_LINK.sub(r"\1/page", shown)
        # A quote that is cut within a link shows the tag.
        pages = [letters(visible_text(filled_in)), letters(visible_text(shown))]
        outline = Outline(body)
        spans = set()
        for piece in quotable(body):
            span = outline.whole((piece.line, piece.end), longest=700) or (piece.line, piece.end)
            if span in spans:
                continue
            spans.add(span)
            _, _, lines = quotation(body, [span], first=piece, longest=900)
            visible_letters = letters(visible_text(sanitize("\n".join(lines), [body])))
            head = letters(visible_text("\n".join(piece.head)))
            without_head = visible_letters.removeprefix(head)
            is_shown = any(visible_letters in page or without_head in page for page in pages)
            assert is_shown, (file.name, lines)


@pytest.mark.parametrize(
    ("text", "part", "lines"),
    [
        ("All:\n\n- a\n- b\n- c", "- b", ["…", "", "- b", "", "…"]),
        ("All:\n\n- a\n- b\n- c", "All:\n\n- a\n- b", ["All:", "", "- a", "- b", "", "…"]),
        ("  - a\n  - b", "- a\n  - b", ["- a", "- b"]),
        ("- a\n- b\n\nEnd.", "- b\n\nEnd.", ["…", "", "- b", "", "End."]),
        ("It is so. It is wet. It ends.", "It is wet.", ["It is wet."]),
        (
            TABLE,
            "| Annual | 20 |",
            ["| Leave | Days |", "|---|---|", "| … |", "| Annual | 20 |"],
        ),
        (TABLE, TABLE, TABLE.split("\n")),
    ],
)
def test_items_and_rows_that_are_left_out_around_a_quote_are_marked(
    text: str, part: str, lines: list[str]
) -> None:
    start = text.index(part)
    span = (start, start + len(part))
    first = next(piece for piece in quotable(text) if piece.end > start)
    _, _, quote = quotation(text, [span], first=first, longest=900, outline=Outline(text))
    assert list(quote) == lines


def test_a_list_or_table_may_begin_or_end_in_another_passage() -> None:
    items = "- a\n- b"
    within = Outline(items, begins_in_list=True, goes_on=True)
    whole = (0, len(items))
    _, _, lines = quotation(items, [whole], longest=900, outline=within)
    assert lines == ("…", "", "- a", "- b", "", "…")
    assert within.is_cut(whole)
    assert not Outline("# So it", begins_in_list=True, goes_on=True).is_cut((0, 7))


def test_quotes_that_touch_have_no_sign_between_them() -> None:
    first = ("All:", "", "- a", "", "…")
    second = ("…", "", "- b")
    assert joined_lines([first, second], [False, True]) == ("All:", "", "- a", "- b")
    assert joined_lines([first, second], [False, False]) == (
        *("All:", "", "- a", "", "…", ""),
        "- b",
    )
    head = ("| A | B |", "|---|---|")
    rows = [(*head, "| 1 | 2 |", "| … |"), (*head, "| … |", "| 3 | 4 |")]
    assert joined_lines(rows, [False, True]) == (*head, "| 1 | 2 |", "| 3 | 4 |")
    assert joined_lines(rows, [False, False]) == (*head, "| 1 | 2 |", "| … |", "| 3 | 4 |")


def test_a_table_in_a_callout_is_marked_where_rows_are_left_out() -> None:
    rows = "\n".join([f"> | {number} | so |" for number in range(4)])
    text = f"> [!info] Ports\n> | Port | Use |\n> |---|---|\n{rows}"
    row = "| 2 | so |"
    first = next(piece for piece in quotable(text) if "2" in piece.plain)
    span = (first.line, first.end)
    _, _, quote = quotation(text, [span], first=first, longest=900, outline=Outline(text))
    assert [line.strip("> ") for line in quote] == [
        *("| Port | Use |", "|---|---|"),
        *("| … |", row, "| … |"),
    ]


def test_an_omission_between_an_item_and_one_below_it_is_below_it_too() -> None:
    text = "- A\n    - a\n    - b\n- B"
    spans = [(0, 3), (text.index("- b"), text.index("- b") + 3)]
    _, _, quote = quotation(text, spans, longest=900)
    assert quote == ("- A", "", "    …", "", "    - b")


def test_a_paragraph_of_a_loose_item_stands_apart_from_the_next_item() -> None:
    text = "1. Boil it.\n\n   Do not stir.\n2. Drain it."
    start = text.index("Do not")
    _, _, lines = quotation(text, [(start, len(text))], longest=900)
    assert lines == ("Do not stir.", "", "2. Drain it.")
    behind = "1. Boil it.\n\nDo not stir.\n\n2. Drain it."
    start = behind.index("Do not")
    _, _, lines = quotation(behind, [(start, len(behind))], longest=900)
    assert lines == ("Do not stir.", "", "2. Drain it.")


def test_a_comment_between_two_parts_is_nothing_that_is_left_out() -> None:
    text = "We need:\n\n<!-- until June -->\n\n- tape\n- glue"
    parts = [(0, 8), (text.index("- tape"), len(text))]
    _, _, lines = quotation(text, parts, longest=900, outline=Outline(text))
    assert lines == ("We need:", "", "- tape", "- glue")


CODE = "Run this:\n\n```sh\none\ntwo\nthree\n```"


@pytest.mark.parametrize(
    ("text", "start", "end", "lines"),
    [
        (CODE, "Run", "two", ("Run this:", "", "```sh", "one", "two", "```", "", "…")),
        (CODE, "two", "two", ("…", "", "```sh", "two", "```", "", "…")),
        (CODE, "three", "three", ("…", "", "```sh", "three", "```")),
        (CODE, "Run", "three", ("Run this:", "", "```sh", "one", "two", "three", "```")),
        (
            CODE.removesuffix("\n```"),
            "one",
            "three",
            ("```sh", "one", "two", "three", "```", "", "…"),
        ),
        (f"{CODE}\n\nSo it is.", "one", "three", ("```sh", "one", "two", "three", "```")),
    ],
)
def test_lines_of_code_that_are_left_out_have_a_sign_outside_of_the_code(
    text: str, start: str, end: str, lines: tuple[str, ...]
) -> None:
    span = (text.index(start), text.index(end) + len(end))
    pieces = [piece for piece in quotable(text) if span[0] <= piece.start < span[1]]
    outline = Outline(text)
    _, _, shown = quotation(text, [span], first=pieces[0], longest=900, outline=outline)
    assert shown == lines

"""The page's rendering of Markdown, formulas, hostile text and events, run by Node without a page."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.missing import missing
from tests.servers.dev import ROOT


def computed(folder: Path, module: str, name: str, expression: str) -> Any:  # noqa: ANN401 - JSON
    """The value of an expression in which `name` stands for what that module of the page exports."""
    if shutil.which("node") is None:
        missing("Node is not installed")
    app = shutil.copytree(ROOT / "web/app", folder / "app")
    (app / "package.json").write_text('{"type": "module"}')
    script = folder / "script.mjs"
    script.write_text(
        f"import {{ {name} }} from './app/{module}';\nconsole.log(JSON.stringify({expression}));\n"
    )
    completed = subprocess.run(
        ["node", script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    return json.loads(completed.stdout)


@pytest.mark.parametrize(
    "tex",
    [
        '"\\\\hat".repeat(3000) + "x"',
        '"\\\\hat".repeat(300) + "x"',
        '"\\\\sqrt" + "\\\\,".repeat(20_000) + "x"',
        '"\\\\text{a}".repeat(8000)',
        '"x".repeat(1501)',
    ],
)
def test_a_formula_that_is_too_long_or_too_deep_is_left_as_it_was_written(
    tmp_path: Path, tex: str
) -> None:
    assert computed(tmp_path, "math.js", "formula", f"formula({tex}, true)") is None


@pytest.mark.parametrize(
    "text",
    [
        '"<b>x ".repeat(40_000) + " ".repeat(4000) + "x</b>"',
        '("<b" + " ".repeat(9000)).repeat(200)',
    ],
)
def test_many_tags_that_nothing_ends_nearby_are_read_in_no_time(tmp_path: Path, text: str) -> None:
    milliseconds = f"""((text) => {{
      const run = {{ text, at: Array.from(text, (_, place) => place) }};
      const before = process.cpuUsage();
      inlines(run);
      return process.cpuUsage(before).user / 1000;
    }})({text})"""
    assert computed(tmp_path, "inline.js", "inlines", milliseconds) < 1000


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("<B>x</b>", ["strong:x"]),
        ('<a name="x"></a>Top', ["text:Top"]),
        ('<a id="x">Top</a> of it', ["text:Top", "text: of it"]),
        ('<a href="https://a.example/">x</A>', ["link:x"]),
    ],
)
def test_a_tag_is_one_however_it_is_written_and_an_anchor_is_no_link(
    tmp_path: Path, text: str, tree: list[str]
) -> None:
    nodes = f"""inlines({{ text: {json.dumps(text)}, at: [] }})
      .map((node) => `${{node.type}}:${{node.text ?? node.children[0]?.text}}`)"""
    assert computed(tmp_path, "inline.js", "inlines", nodes) == tree


def test_a_link_that_a_site_generator_fills_in_is_its_words(tmp_path: Path) -> None:
    text = 'See [the guide]({% page "/travel/guide" %}#vouchers) first'
    nodes = f"""inlines({{ text: {json.dumps(text)}, at: [] }})
      .map((node) => `${{node.type}}:${{node.text ?? node.children[0]?.text}}`)"""
    assert computed(tmp_path, "inline.js", "inlines", nodes) == [
        "text:See ",
        "note:the guide",
        "text: first",
    ]


@pytest.mark.parametrize(
    ("source", "end"),
    [
        ("short", 5),
        ("a\n\n" * 150_000, 50_000),
        ("x" * 200_000, 50_000),
    ],
)
def test_a_preview_ends_before_a_long_text_holds_the_page_up(
    tmp_path: Path, source: str, end: int
) -> None:
    places = f"previewEnd({json.dumps(source)}, 0)"
    assert computed(tmp_path, "render.js", "previewEnd", places) == end


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("Can I book outside of Concur?", "Can I book outside of Concur?"),
        ("How to book a hotel", "How do I book a hotel?"),
        ("What went well", "Retro: what went well?"),
        ("Still have questions?", ""),
        ("Why should we do this", ""),
        ("Who should we ask about it?", ""),
        ("Who do I call at IT?", "Who do I call at IT?"),
        ("It is broken: who helps?", ""),
        ("Who we are", ""),
        ("How the team decides", ""),
    ],
)
def test_a_heading_is_suggested_as_a_question_that_says_what_it_is_about(
    tmp_path: Path, heading: str, question: str
) -> None:
    said = f"questionOf({json.dumps(heading)}, 'Retro')"
    assert computed(tmp_path, "suggestions.js", "questionOf", said) == question


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        ({}, ["The pier", None, "is wet", None, "today."]),
        ({"flows": True}, ["The pier is wet", None, "today."]),
    ],
    ids=["a note", "a quote"],
)
def test_the_lines_of_a_quote_flow_up_to_a_hard_break(
    tmp_path: Path, options: object, texts: list[str | None]
) -> None:
    said = f"blocks('The pier\\nis wet  \\ntoday.', {json.dumps(options)})[0].children"
    shown = f"{said}.map(({{ text }}) => text?.trim() ?? null)"
    assert computed(tmp_path, "markdown.js", "blocks", shown) == texts


def test_the_name_of_a_block_is_not_shown(tmp_path: Path) -> None:
    source = "The pier is wet. ^block1\n\n- 2 ^12 is many\n- x ^a-b\n\n`^no` it is ^x"
    said = f"""blocks({json.dumps(source)}).flatMap((block) => block.items?.map((item) => item.blocks[0]) ?? [block])
      .map((block) => block.children.map(({{ text }}) => text).join(""))"""
    assert computed(tmp_path, "markdown.js", "blocks", said) == [
        "The pier is wet.",
        "2 ^12 is many",
        "x",
        "^no it is ^x",
    ]


@pytest.mark.parametrize(
    ("days", "question"),
    [
        (["2026-11-28", "2026-11-28"], None),
        (
            ["2026-11-28", "2026-11-28", "2026-10-09", "2026-10-02"],
            "What happened in October 2026?",
        ),
    ],
    ids=["one day", "several days"],
)
def test_a_month_is_suggested_where_notes_were_written_on_several_of_its_days(
    tmp_path: Path, days: list[str], question: str | None
) -> None:
    notes = json.dumps([{"createdAt": f"{day}T08:00:00Z"} for day in days])
    assert computed(tmp_path, "suggestions.js", "monthly", f"monthly({notes})") == question


ADDRESSES = [f"https://github.com/example/{name}/pull/{'1' * 16}" for name in ("abcd", "ab", "abc")]
IDEOGRAPHS = ["一" * 55, "二" * 55, "三" * 55]
WRAPPED = [
    "The quick brown fox jumps over the lazy dog and then it runs",
    "back to where it came from, because the dog has woken up and",
    "barks.",
]


@pytest.mark.parametrize(
    ("lines", "breaks"),
    [
        (ADDRESSES, 2),
        (IDEOGRAPHS, 2),
        (WRAPPED, 0),
        (["a"] * 130_000, 129_999),
    ],
    ids=["addresses", "ideographs", "wrapped", "many"],
)
def test_lines_of_one_word_stay_lines_however_many_they_are(
    tmp_path: Path, lines: list[str], breaks: int
) -> None:
    source = json.dumps("\n".join(lines))
    counted = f"blocks({source})[0].children.filter(({{ type }}) => type === 'break').length"
    assert computed(tmp_path, "markdown.js", "blocks", counted) == breaks


@pytest.mark.parametrize(
    ("events", "text"),
    [
        (
            [
                {"type": "token", "text": "A 🚤 b"},
                {"type": "retract", "from": 0},
                {"type": "token", "text": "C"},
            ],
            "C",
        ),
        (
            [
                {"type": "start"},
                {"type": "token", "text": "One"},
                {"type": "token", "text": " two"},
            ],
            "One two",
        ),
    ],
)
def test_events_become_text(tmp_path: Path, events: list[object], text: str) -> None:
    answer = (
        f"{json.dumps(events)}.reduce((answer, event) => after(answer, event.type, event), empty())"
    )
    assert computed(tmp_path, "answer.js", "after, empty", f"({answer}).text") == text


def test_events_are_read_however_they_are_cut(tmp_path: Path) -> None:
    wire = ': heartbeat\n\nevent: token\r\ndata: {"text":\r\ndata:"é🚤"}\r\n\r\ndata: x\n\n'
    events = f"""await (async (wire) => {{
      const body = new ReadableStream({{
        start(control) {{
          for (const byte of new TextEncoder().encode(wire)) control.enqueue(new Uint8Array([byte]));
          control.close();
        }},
      }});
      const events = [];
      for await (const {{ event, data }} of eventsOf(body)) events.push([event, data]);
      return events;
    }})({json.dumps(wire)})"""
    expected = [["token", '{"text":\n"é🚤"}'], ["message", "x"]]
    assert computed(tmp_path, "sse.js", "eventsOf", events) == expected

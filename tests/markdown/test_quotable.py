from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.markdown.plain import plain
from shared.markdown.quotable import PieceKind, are_neighbours, lead_behind, quotable


def shown(text: str) -> list[str]:
    return [piece.plain for piece in quotable(text)]


@pytest.mark.parametrize(
    ("markdown", "read"),
    [
        ("We chose *Firestore*. It scales.", ["We chose Firestore.", "It scales."]),
        ("# Decision\n\nWe chose it.", ["We chose it."]),
        ("> [!NOTE] Careful\n> It is **hot**.", ["It is hot."]),
        (":::tip\nIt is hot.\n:::", ["It is hot."]),
        (
            "| Leave | Days |\n|---|---|\n| Sick | 10 |\n| **Annual** | 20 |",
            ["Leave: Sick; Days: 10", "Leave: Annual; Days: 20"],
        ),
        ("| Sick | 10 |", ["Sick; 10"]),
        ("- [x] first\n  goes on\n- second", ["first goes on", "second"]),
        (
            "- Do I have time? (Allow 20 days.)\n- Am I?",
            ["Do I have time? (Allow 20 days.)", "Am I?"],
        ),
        (f"- {'A' * 200}. {'B' * 200}.", [f"{'A' * 200}.", f"{'B' * 200}."]),
        ("```sh\nmake run\n\n  make test\n```", ["make run", "make test"]),
        ("<!-- not\nthis -->\nThis.", ["This."]),
        ("{% comment %}\nnot this\n{% endcomment %}\nThis.", ["This."]),
        (
            'Ask in {% channel "travel" %}, or [here]({% page "a b" %}).',
            ["Ask in travel, or here."],
        ),
        ("See [the *page*][ref] and [^1].", ["See the page and ."]),
        ("It is **three. Four** of it.", ["It is three.", "Four of it."]),
        ("---\n***\n| |\n", []),
    ],
)
def test_a_passage_is_read_as_what_can_be_quoted(markdown: str, read: list[str]) -> None:
    assert shown(markdown) == read


def test_a_break_for_the_width_alone_ends_no_sentence_and_one_in_a_chat_does() -> None:
    wrapped = (
        "The leave is for all who work in the office of\nWashington and need time for\nthemselves."
    )
    assert shown(wrapped) == [
        "The leave is for all who work in the office of Washington and need time for themselves."
    ]
    assert shown("Ann: Hello, how have you been all these days?\nBob: Fine\nAnn: Good") == [
        "Ann: Hello, how have you been all these days?",
        "Bob: Fine",
        "Ann: Good",
    ]


KIDS = """\
school: Ashgrove Primary, office 01432 555 010
swimming: Tuesdays 16:30, bring 1 eur for the locker
babysitter: Fleur (16), 7 eur an hour, at number 12, not on a Sunday
dentist: Dr. Hale"""
RAGGED = """\
Mural is for all who draw together in this office and in others; we ask you to request
guest access: it costs nothing, and the team that sits at present in the office of
Washington lends it to anybody."""


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (KIDS, KIDS.split("\n")),
        (KIDS.replace("\n", "\n> "), KIDS.split("\n")),
        ("**wifi name**: Heron\n**Password:** tall", ["wifi name: Heron", "Password: tall"]),
        ("clave del wifi: Heron\ny otra\nred: Casa", ["clave del wifi: Heron y otra", "red: Casa"]),
        ("door: it is to be\nbell:\nkey: Ann", ["door: it is to be", "bell:", "key: Ann"]),
        (
            "Caution: the varnish is toxic, so please\nair well. Note: it smells\nand dries slowly.",
            [
                "Caution: the varnish is toxic, so please air well.",
                "Note: it smells and dries slowly.",
            ],
        ),
        (RAGGED, [RAGGED.replace("\n", " ")]),
        (
            "see https://a.example/b\nor https://c.example/d",
            ["see https://a.example/b or https://c.example/d"],
        ),
    ],
)
def test_lines_with_labels_are_pieces_of_their_own_where_a_paragraph_has_several(
    text: str, read: list[str]
) -> None:
    assert shown(text) == read


def test_turns_of_a_chat_whose_labels_repeat_are_no_facts_of_their_own() -> None:
    photo = "Ann: Look at this\n[shared: a photo of a stained glass window]\nBob: I like it"
    facts = shown(f"{photo}\nkey: by the door")
    assert "Bob: I like it" in facts
    chat = shown(f"{photo}\nAnn: So do I")
    assert "[shared: a photo of a stained glass window] Bob: I like it" in chat


def test_a_note_that_looks_like_a_citation_is_quoted_without_it() -> None:
    assert shown("The database is Oracle [N2].") == ["The database is Oracle (N2)."]


@pytest.mark.parametrize(
    "text",
    [
        "One.\n\n## Next\n\nTwo.",
        "One.\n{% page %}\nTwo.",
        "One.\n```\nmake run\n```",
        "Do:\n\n| Sick | 10 |",
    ],
)
def test_what_other_things_part_stands_in_no_quote_together(text: str) -> None:
    first, second = quotable(text)
    assert not are_neighbours(text, first, second)


_LINES = [
    "# H",
    "Text. More",
    "- item",
    "| a | b |",
    "|---|---|",
    "```",
    "> q",
    "",
    "<!--",
    "-->",
    "  deep",
    "😀 x.",
]


@given(st.lists(st.sampled_from(_LINES), max_size=15))
def test_pieces_are_slices_in_order_apart_from_each_other(lines: list[str]) -> None:
    text = "\n".join(lines)
    end = 0
    for piece in quotable(text):
        assert end <= piece.start < piece.end <= len(text)
        assert text[piece.start : piece.end] == text[piece.start : piece.end].strip()
        assert piece.kind in PieceKind
        end = piece.end


@pytest.mark.parametrize(
    "part",
    [
        "| ",
        "<!--",
        "{% comment",
        "- ",
        "> ",
        "`",
        "a\n",
        "[x](",
        "{{",
        "**",
        "[",
        "*a ",
        "<a ",
        "_a",
        "[[",
        "|-",
        "# {.a ",
        "[x](y){.a ",
    ],
)
def test_odd_text_takes_no_time(part: str) -> None:
    started = time.thread_time()
    plain(part * (12_000 // len(part)))
    quotable(part * (12_000 // len(part)))
    assert time.thread_time() - started < 2.0


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("## Decision", "Decision"),
        ("- We chose *Firestore*.", "We chose Firestore."),
        ("* [x] done", "done"),
        ("12. Mix **flour** and ~~milk~~ __water__.", "Mix flour and milk water."),
        ("> > quoted _words_", "quoted words"),
        (
            'see [the page](https://example.org "Title") and ![a plan](plan.png)',
            "see the page and a plan",
        ),
        ("see [[projects/api|the API]] and [[Elena]]", "see the API and Elena"),
        (
            "see [[projects/api.md]], [[api#Limits]] and [[#Below|this]]",
            "see api, api > Limits and this",
        ),
        ("![[api#^quota-1]] and [[api#^quota-1]]", "api and api"),
        ("| [[api\\|the API]] | yes |", "the API, yes"),
        ("![[plan.png|300]] as drawn", "as drawn"),
        ("Six tomatoes. ^bed-1", "Six tomatoes."),
        ("Six tomatoes. ^bed-1\n^bed-2\nx ^ y", "Six tomatoes. x ^ y"),
        ("Written <% tp.date.now() %> by <%* tR %>me {{title}}", "Written by me"),
        ("> [!warning]- Frost\n> Cover the beds.", "Frost Cover the beds."),
        ("run `make setup` now", "run make setup now"),
        ("| Way | Cost |", "Way, Cost"),
        ("|---|:--:|", ""),
        ("|---|---| |**To:**|The board| |---|:-:|", "To:, The board"),
        ("| API gateway | yes | 3 dollars |", "API gateway, yes, 3 dollars"),
        ("```python", ""),
        ("```\nsystemctl restart api\n```", "systemctl restart api"),
        ("a<br>b <b>bold</b><!-- hidden -->", "a b bold"),
        ("soft\nwrapped  line", "soft wrapped line"),
        ("hard\\\nended\\\n> line", "hard ended line"),
        ("**soft\nwrapped**, line", "soft wrapped, line"),
        ("![Sea](a.png){: .left}\n{: .wide}\nThe sea.", "Sea The sea."),
        ('![Sea](a.png){.left width=300 title="At Ostend"} at dawn', "Sea at dawn"),
        ("[the page](b.html){target=_blank}.", "the page."),
        ("## Decision {#decision .wide}\n{.note}\nFirestore.", "Decision Firestore."),
    ],
)
def test_marks_of_markdown_go_and_words_stay(markdown: str, text: str) -> None:
    assert plain(markdown) == text


@pytest.mark.parametrize(
    "text",
    [
        "2 * 3 * 4 = 24",
        "snake_case_name and __init__.py",
        "a < b and c > d",
        "pool_size is 5",
        "x | y",
        "5 - 3",
        "C# and F#",
        "in C:\\",
        "the set {.5, .7} and {x=1}",
        "call(){.x} and {.a} here",
        "{#if open}",
    ],
)
def test_signs_that_mark_nothing_stay(text: str) -> None:
    assert plain(text) == text


def test_items_know_the_line_that_leads_to_their_list() -> None:
    text = "What to bring:\n\n- a tent\n- a lamp\n\nNothing else.\n\n- no lead"
    assert [piece.lead for piece in quotable(text)] == [
        *("", "What to bring:", "What to bring:"),
        *("", ""),
    ]
    begins = quotable("What to bring:")
    assert lead_behind(begins) == "What to bring:"
    (goes_on, _) = quotable("- a rope\n\nNothing.", lead=lead_behind(begins))
    assert goes_on.lead == "What to bring:"
    assert lead_behind([goes_on]) == "What to bring:"
    assert lead_behind(()) == ""

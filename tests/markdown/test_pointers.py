"""Links of a note, as people write them, and the terms by which the index finds them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.language.terms import stems
from shared.markdown.pointers import MAX_POINTERS, index_term, link_terms, pointers
from shared.model.notes import Note

START = datetime(2026, 11, 21, tzinfo=UTC)


def note(text: str, *, title: str = "", path: str = "", vault: str = "default") -> Note:
    return Note(
        note_id="n",
        title=title,
        text=text,
        created_at=START,
        updated_at=START,
        vault=vault,
        path=path,
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See [[Boat]].", ("Boat", "Boat", "", "")),
        (
            "[[a/Boat.md#Hull#Paint|the hull]]",
            ("a/Boat.md#Hull#Paint", "a/Boat", "Hull#Paint", "the hull"),
        ),
        ("[[Boat#^4f2a|paint]]", ("Boat#^4f2a", "Boat", "", "paint")),
        ("![[Boat#Hull]]", ("Boat#Hull", "Boat", "Hull", "")),
        ("| [[Boat\\|hers]] | 2 |", ("Boat", "Boat", "", "hers")),
        (
            "[her boat](../my%20boat.md#Hull%20paint)",
            ("../my%20boat.md#Hull%20paint", "../my boat", "Hull paint", "her boat"),
        ),
        ("[boat](<my boat.md>)", ("my boat.md", "my boat", "", "boat")),
        ("[[Release 1.9.10]]", ("Release 1.9.10", "Release 1.9.10", "", "")),
    ],
)
def test_a_link_is_read_as_it_is_written(text: str, found: tuple[str, ...]) -> None:
    (pointer,) = pointers(text)
    assert (pointer.target, pointer.name, pointer.heading, pointer.label) == found


@pytest.mark.parametrize(
    "text",
    [
        "`[[Boat]]`",
        "```\n[[Boat]]\n```",
        "---\nup: '[[Boat]]'\n---\n",
        "[[#Hull]] and [up](#hull)",
        "![[boat.png]] ![boat](boat.md)",
        "[web](https://x.example/boat.md) [mail](mailto:a@b.md) [cdn](//x.example/boat.md) [js](javascript:boat.md)",
        "[file](boat.pdf)",
        "[[]] [[ ]] [[..]]",
    ],
)
def test_text_without_a_link_to_a_note_has_no_pointers(text: str) -> None:
    assert pointers(text) == ()


def test_each_target_is_read_once_and_only_so_many() -> None:
    assert [pointer.label for pointer in pointers("[[a|one]] [[a|two]] [[b]]")] == ["one", ""]
    assert (
        len(pointers("".join(f"[[{number}]]\n" for number in range(MAX_POINTERS + 9))))
        == MAX_POINTERS
    )


def test_a_note_is_found_by_file_title_and_alias_and_by_what_it_points_at() -> None:
    terms = link_terms(
        note(
            "---\naliases: [Dinghy]\n---\n[[Old/Oar]]",
            title="My  Boat",
            path="toys/Boat.md",
            vault="v",
        )
    )
    names = [index_term("name", "v", name) for name in ("boat", "my boat", "dinghy")]
    assert terms == (*names, index_term("link", "v", "old/oar"), index_term("link", "v", "oar"))


@given(st.text())
def test_any_text_is_read_and_no_word_of_it_is_a_term_of_links(text: str) -> None:
    assert all(pointer.names and pointer.target in text for pointer in pointers(text))
    terms = link_terms(note(text, title=text[:50]))
    assert not set(stems("\n".join((text, *terms)), "en")) & set(terms)

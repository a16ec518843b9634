"""YAML at the start of a note."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.markdown.frontmatter import MAX_YAML, split, with_fields


def test_fields_are_read_and_the_body_begins_after_the_closing_line() -> None:
    text = "---\ntitle: Launch\ntags: [api, web]\ncreated: 2024-05-08\n---\nBody\n---\nnot again"
    note_parts = split(text)
    assert note_parts.fields == {
        "title": "Launch",
        "tags": ["api", "web"],
        "created": dt.date(2024, 5, 8),
    }
    assert text[note_parts.body_start :] == "Body\n---\nnot again"
    assert note_parts.problem is None


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("body", ["", "x", " x", "é😀"])
def test_the_offset_is_exact_for_every_kind_of_line_break(newline: str, body: str) -> None:
    text = newline.join(["---", "a: 1", "---", body])
    note_parts = split(text)
    assert note_parts.fields == {"a": 1}
    assert text[note_parts.body_start :] == body


@pytest.mark.parametrize("text", ["\ufeff---\na: 1\n---\nbody", "---  \na: 1\n---\t\nbody"])
def test_a_byte_order_mark_and_trailing_blanks_do_not_matter(text: str) -> None:
    note_parts = split(text)
    assert note_parts.fields == {"a": 1}
    assert text[note_parts.body_start :] == "body"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text",
        "\n---\na: 1\n---\n",
        "----\na: 1\n----\n",
        "---\na: 1\nno end",
        "--- a: 1\n---\n",
        "---",
        "---\n",
    ],
)
def test_frontmatter_that_does_not_open_the_note_is_text(text: str) -> None:
    note_parts = split(text)
    assert dict(note_parts.fields) == {}
    assert note_parts.body_start == 0
    assert note_parts.problem is None


def test_empty_frontmatter_has_no_fields_and_is_no_text() -> None:
    assert dict(split("---\n---\nx").fields) == {}
    assert split("---\n---\nx").body_start == 8


@pytest.mark.parametrize(
    ("yaml", "problem"),
    [
        ("a: [1", "expected"),
        ("title: it's: bad", "mapping values are not allowed here (line 2)"),
        ("Just a sentence.", "not a list of `name: value` lines"),
        ("- a\n- b", "not a list of `name: value` lines"),
        ("a: &x [1]\nb: *x", "aliases are not allowed"),
        ("a: 2024-13-45", "a value is not what its type says"),
        ("a: !!int ''", "a value is not what its type says"),
        ("a: !!timestamp never", "a value is not what its type says"),
        ("a: " + "9" * 5000, "a value is not what its type says"),
        ("a: 0x" + "f" * 4000, "a value is not what its type says"),
        ("? 0x" + "f" * 4000 + "\n: b", "a value is not what its type says"),
        ("numbers: [0b" + "1" * 20_000 + "]", "a value is not what its type says"),
        ("a: 1" + ":1" * 4000, "a value is not what its type says"),
        ("a: 1" + ":1" * 4000 + ".5", "a value is not what its type says"),
        ("a: !!python/object/apply:os.getcwd []", "could not determine a constructor"),
        ("? [a]\n: b", "unhashable"),
        ("a: \x00", "unacceptable character"),
        ("a: " + "[" * 20_000, "nested too deeply"),
        ("a: b\n" * MAX_YAML, "longer than"),
    ],
)
def test_yaml_that_cannot_be_read_is_text_and_says_why_in_one_line(yaml: str, problem: str) -> None:
    note_parts = split(f"---\n{yaml}\n---\nbody")
    assert {**note_parts.fields, "title": ""} == {"title": ""}
    assert note_parts.body_start == 0
    assert note_parts.problem is not None
    assert problem in note_parts.problem
    assert "\n" not in note_parts.problem


@pytest.mark.parametrize(
    ("yaml", "title"),
    [
        ("title: Boat: the leak\ntags: [toys", "Boat: the leak"),
        ("tags: [toys\n  - a\n# why\nlast name: x: y", None),
        ('title: "Boat\n', "Boat"),
        ("title: [Boat", None),
    ],
)
def test_lines_that_are_meant_as_frontmatter_are_not_shown_and_keep_their_title(
    yaml: str, title: str | None
) -> None:
    note_parts = split(f"---\n{yaml}\n---\nbody")
    assert note_parts.problem
    assert note_parts.fields.get("title") == title
    assert note_parts.shown_from == len(f"---\n{yaml}\n---\n")


@pytest.mark.parametrize(
    "text", ["We met there. [Below", "- a: [\n- b", "name: [\nWe met there.", "a: b\n" * 9000]
)
def test_text_between_two_rules_is_shown_whatever_it_looks_like(text: str) -> None:
    note_parts = split(f"---\n{text}\n---\nbody")
    assert bool(note_parts.problem) is True
    assert note_parts.shown_from == 0


def test_numbers_of_up_to_256_characters_are_read_and_can_be_written_again() -> None:
    longest = {
        "a": "0x" + "f" * 254,
        "b": "9" * 256,
        "c": "1" + ":1" * 127 + ".",
        "d": "1" + ":59" * 85,
    }
    note_parts = split(
        "".join(["---\n", *(f"{name}: {number}\n" for name, number in longest.items()), "---\n"])
    )
    assert note_parts.problem is None
    assert str(note_parts.fields["a"]) == str(16**254 - 1)
    assert all(str(value) for value in note_parts.fields.values())


def test_keys_are_text() -> None:
    assert dict(split("---\n1: a\n2024-05-08: b\n---\n").fields) == {"1": "a", "2024-05-08": "b"}


@given(st.text(), st.text(alphabet="ab:-[]{}&*!'\"#|>? \n\r\t0123%@", max_size=60))
def test_no_text_breaks_it(body: str, yaml: str) -> None:
    text = f"---\n{yaml}\n---\n{body}"
    note_parts = split(text)
    assert 0 <= note_parts.body_start <= len(text)
    assert not (
        note_parts.problem and (note_parts.fields.keys() - {"title"} or note_parts.body_start)
    )


def test_the_fields_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        split("---\na: 1\n---\n").fields["a"] = 2  # type: ignore[index]


ODD_LINES = st.sampled_from(
    [
        *(
            "title: Boat",
            "title: 'it''s",
            'title: "a\\',
            "title: |",
            "  block",
            "",
            "title: >-",
            "\tx: 1",
            "tags:",
            "- a",
            "  - b",
        ),
        *(
            "tags: [a,",
            "b]",
            "tags: &t [a]",
            "more: *t",
            "# a comment",
            "title: a # behind",
            "  # within",
            "x: a---b",
        ),
        *(
            "--- y",
            "? title",
            ": split",
            "{title: flow,",
            "a: 1}",
            "{title: flow}",
            "title:",
            "title : spaced",
            "'title': q",
        ),
        *(
            "created: 2024-05-08",
            "lang: !!str de",
            "---",
            "...",
            "%YAML 1.2",
            "\ufeffx: 1",
            "\x85",
            "\u2028z: 1",
            "é: 😀",
            "a: ---",
        ),
    ]
)
WANTED = {
    "title": st.one_of(
        st.text(max_size=12),
        st.sampled_from(["---", "a: b", "# c", "a\n---\nb", "*x", "'", "\x85", "yes"]),
    ),
    "tags": st.lists(st.sampled_from(["a", "b c", "---", "true", "[", "1"]), max_size=3),
    "created": st.dates(),
}


@given(
    st.lists(ODD_LINES, max_size=7),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["", "body", "\n---\nbody ---"]),
    st.fixed_dictionaries({}, optional=WANTED),
)
def test_a_field_written_into_odd_frontmatter_is_read_back_and_everything_else_stays(
    lines: list[str], newline: str, mark: str, body: str, wanted: dict[str, object]
) -> None:
    text = mark + newline.join(["---", *lines, "---", body])
    parts_before = split(text)
    written = with_fields(text, wanted)
    if written != text:
        after = split(written)
        assert after.problem is None
        assert after.fields == {**parts_before.fields, **wanted}
        assert written[after.body_start :] == text[parts_before.body_start :]

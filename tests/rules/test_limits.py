"""Rules and HTTP API take the same values: values on both sides of each limit, given to both."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from cli.commands.notes import problem_of
from desktop.product.emulator import Emulator
from shared.model.limits import (
    MAX_ID_BYTES,
    MAX_NAME,
    MAX_PATH,
    MAX_TAGS,
    MAX_TEXT_BYTES,
    MAX_TITLE,
)
from shared.templates import files as of_templates
from tests.functions.world import World
from tests.rules.apps import SERVER_TIME, App

ROOT = Path(__file__).parents[2]
RULES = (ROOT / "firestore.rules").read_text(encoding="utf-8")
ROCKET = "\U0001f680"
"""One character, two in UTF-16, four in UTF-8."""

NOTE: dict[str, object] = {"title": "Plan", "text": "# Plan\n"}
CREATED = "2026-05-08T12:30:00Z"
TEMPLATE: dict[str, object] = {"name": "Boat repair", "content": "1. Find the leak."}
TAGS = [f"{n:03}{'x' * (MAX_NAME // 2 - 3)}" for n in range(MAX_TAGS + 1)]

Fields = dict[str, object]
Values = tuple[Sequence[Any], Sequence[Any]]
"""(Accepted values, refused values)."""
Written = Callable[[str, Fields], tuple[bool, bool]]


@pytest.fixture
def app(firestore_project: str, emulator: Emulator) -> App:
    emulator.upload_rules(firestore_project, RULES)
    return App(emulator.host, firestore_project, "ann", {})


@pytest.fixture
def note_written(app: App, world: World) -> Written:
    """Id and fields -> whether an app may write the note, whether the API takes it.

    `aurora notes check` must say of the fields what the rules do.
    """

    def both(note_id: str, fields: Fields) -> tuple[bool, bool]:
        as_app = {"createdAt": CREATED, **NOTE, **fields}
        created = {"createdAt": ("time", as_app["createdAt"]), "updatedAt": SERVER_TIME}
        reply = world.call(
            "api", "PUT", f"/notes/{quote(note_id, safe='')}", _json({**NOTE, **fields})
        )
        assert reply.status_code in (200, 400, 404, 413), reply.get_json()
        is_taken = app.write(f"tenants/ann/notes/{note_id}", {**as_app, **created})
        if fields:
            problem = problem_of(_json({**as_app, "updatedAt": CREATED}))
            assert (problem is None) == is_taken, problem
        return is_taken, reply.status_code == 200

    return both


@pytest.fixture
def template_written(app: App, world: World) -> Written:
    """Id and fields -> whether an app may write the template, whether the API takes it."""

    def both(template_id: str, fields: Fields) -> tuple[bool, bool]:
        template = {**TEMPLATE, **fields}
        reply = world.call(
            "api", "PUT", f"/templates/{quote(template_id, safe='')}", _json(template)
        )
        assert reply.status_code in (200, 400, 404), reply.get_json()
        return app.write(f"tenants/ann/templates/{template_id}", template), reply.status_code == 200

    return both


def _json(fields: Fields) -> bytes:
    """With the characters themselves, so that it stays below the limit of bodies."""
    return json.dumps(fields, ensure_ascii=False).encode()


IDS: Values = (
    [
        "x" * MAX_ID_BYTES,
        ROCKET * (MAX_ID_BYTES // 4),
        "a b:c",
        "x:links",
        "x:",
        ":indexStatus",
        "50%",
        "auth0|5f7c",
        "_x",
    ],
    ["x" * (MAX_ID_BYTES + 1), ROCKET * (MAX_ID_BYTES // 4) + "x", "a\x7fb", "a\nb", "a\ufffdb"],
)

NOTES: dict[str, Values] = {
    "title": ([ROCKET * MAX_TITLE, "a\nb"], ["x" * (MAX_TITLE + 1), "a\0b", 5]),
    "text": (["é" * (MAX_TEXT_BYTES // 2)], ["x" * (MAX_TEXT_BYTES + 1), "a\0b", 5]),
    "createdAt": (
        ["1900-01-01T00:00:00Z", "2199-12-31T23:59:59Z"],
        ["1899-12-31T23:59:59Z", "2200-01-01T00:00:00Z"],
    ),
    "vault": ([ROCKET * MAX_NAME, "a\\b"], ["x" * (MAX_NAME + 1), "", "a/b", "a\x7fb", "a\tb", 5]),
    "path": (
        [ROCKET * MAX_PATH, "", ".a/..b/c..md", "a b/ü/日本.md", "a/...", "v1.2/x.md"],
        ["x" * (MAX_PATH + 1), "a\\b.md", "a\x7fb", ".", "..", "../a.md", "a/..", "/a.md", "a/", 5],
    ),
    "tags": (
        [
            [],
            [ROCKET * MAX_NAME],
            ["a/b", "to do"],
            *(TAGS[:count] for count in (10, 11, 35, MAX_TAGS)),
        ],
        [
            TAGS,
            ["x" * (MAX_NAME + 1)],
            [""],
            ["a", ""],
            ["a\x7fb"],
            "a",
            *([*TAGS[:count], 7] for count in (0, 9, 10, 34, 49)),
        ],
    ),
    "lang": (["en", "yue"], ["e", "engl", "EN", "en\n", "", 5]),
}

BLANKS = [char for char in map(chr, range(1, 0x10000)) if char.isspace()]
"""The server calls a text of them alone blank."""
WORDS: Values = (
    [ROCKET * of_templates.MAX_NAME, "a b", "\u200b", *(f"{char}a" for char in BLANKS)],
    ["x" * (of_templates.MAX_NAME + 1), "", " \t", "a\0b", 5, *BLANKS],
)
TEMPLATES: dict[str, Values] = {
    "name": WORDS,
    "domain": WORDS,
    "complexity": WORDS,
    "methodology": WORDS,
    "content": (
        [ROCKET * of_templates.MAX_CONTENT, "a\n\n\tb"],
        ["x" * (of_templates.MAX_CONTENT + 1), " \n", "a\0b", 5],
    ),
    "description": (
        [ROCKET * of_templates.MAX_DESCRIPTION, ""],
        ["x" * (of_templates.MAX_DESCRIPTION + 1), "a\0b", 5],
    ),
    "keywords": (
        [[], [ROCKET * of_templates.MAX_KEYWORD_LENGTH], TAGS[: of_templates.MAX_KEYWORDS]],
        [
            ["x" * (of_templates.MAX_KEYWORD_LENGTH + 1)],
            TAGS[: of_templates.MAX_KEYWORDS + 1],
            [""],
            ["a\nb"],
            [7],
        ],
    ),
}


def _wrong(
    values: Values, written: Callable[[Any], tuple[bool, bool]]
) -> list[tuple[str, bool, bool]]:
    """List the values on which the two disagree, or both are wrong: (the value, taken from an app, taken by the API)."""
    accepted, refused = values
    outcomes = [(value, written(value), (True, True)) for value in accepted]
    outcomes += [(value, written(value), (False, False)) for value in refused]
    return [(repr(value)[:60], *both) for value, both, expected in outcomes if both != expected]


@pytest.mark.parametrize("field", NOTES)
def test_a_field_of_a_note_is_taken_by_both_or_by_neither(
    note_written: Written, field: str
) -> None:
    assert _wrong(NOTES[field], lambda value: note_written("n1", {field: value})) == []


@pytest.mark.parametrize("field", TEMPLATES)
def test_a_field_of_a_template_is_taken_by_both_or_by_neither(
    template_written: Written, field: str
) -> None:
    assert _wrong(TEMPLATES[field], lambda value: template_written("t1", {field: value})) == []


def test_an_id_of_a_note_is_taken_by_both_or_by_neither(note_written: Written) -> None:
    assert _wrong(IDS, lambda note_id: note_written(note_id, {})) == []


def test_an_id_of_a_template_is_taken_by_both_or_by_neither(template_written: Written) -> None:
    accepted, refused = IDS
    assert (
        _wrong(
            (accepted, [*refused, "auto", "none"]),
            lambda template_id: template_written(template_id, {}),
        )
        == []
    )


def test_the_largest_note_there_can_be_is_taken_by_both(note_written: Written) -> None:
    largest: Fields = {
        "title": "x" * MAX_TITLE,
        "text": "x" * MAX_TEXT_BYTES,
        "vault": "x" * MAX_NAME,
        "path": "x" * MAX_PATH,
        "tags": [f"{n:03}{ROCKET * (MAX_NAME - 3)}" for n in range(MAX_TAGS)],
        "lang": "yue",
    }
    assert note_written("x" * MAX_ID_BYTES, largest) == (True, True)


def test_a_note_without_any_text_is_an_apps_to_write_alone(note_written: Written) -> None:
    assert note_written("n1", {"title": "", "text": " \n"}) == (True, False)


def test_the_page_knows_how_much_text_a_note_holds() -> None:
    script = (ROOT / "web" / "app" / "import.js").read_text(encoding="utf-8")
    assert f"const MOST_BYTES = {MAX_TEXT_BYTES:_};" in script

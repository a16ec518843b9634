"""A note's revision changes exactly with what the index takes from the note."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from shared.indexing.state import note_revision
from shared.model.notes import Note
from tests.contracts.samples import note

CHANGES: dict[str, Any] = {
    "title": "Other",
    "text": "Alpha beta!",
    "created_at": datetime(2020, 1, 1, tzinfo=UTC),
    "vault": "work",
    "path": "elsewhere/n.md",
    "tags": ("red",),
    "lang": "de",
}


@pytest.mark.parametrize("field", CHANGES)
def test_each_field_the_index_uses_makes_a_new_revision(field: str) -> None:
    assert note_revision(replace(note("n"), **{field: CHANGES[field]})) != note_revision(note("n"))


def test_every_field_of_a_note_was_thought_of() -> None:
    assert {field.name for field in fields(Note)} == {*CHANGES, "note_id", "updated_at"}


def test_saving_the_same_content_later_is_the_same_revision() -> None:
    later = replace(note("n"), updated_at=note("n").updated_at + timedelta(days=1))
    assert note_revision(later) == note_revision(note("n"))


def test_the_same_instant_in_another_zone_is_the_same_revision() -> None:
    moved = replace(
        note("n"), created_at=note("n").created_at.astimezone(timezone(timedelta(hours=5)))
    )
    assert note_revision(moved) == note_revision(note("n"))


def test_text_cannot_pass_from_one_field_to_the_next() -> None:
    first = replace(note("n"), title="a", text="bc", tags=("x", "y"))
    second = replace(note("n"), title="ab", text="c", tags=("x,y",))
    assert note_revision(first) != note_revision(second)

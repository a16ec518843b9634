"""The embedded store beyond the contract of notes: the local trigger, refused fields, exact coverage."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from shared.adapters.embedded import EmbeddedStore
from shared.errors import InvalidArgument
from shared.model.index import Coverage, IndexChange
from shared.model.notes import Note, NoteKey
from tests.contracts.samples import TENANT, note, record


def test_on_write_is_called_after_the_commit(tmp_path: Path) -> None:
    other_store = EmbeddedStore(tmp_path)
    events: list[tuple[NoteKey, Note | None]] = []

    def look(key: NoteKey) -> None:
        events.append((key, other_store.get_note(key.tenant_id, key.note_id)))

    store = EmbeddedStore(tmp_path, on_write=look)
    store.put_note(TENANT, note("n1"))
    store.put_note(TENANT, note("n1", text="again"))
    store.delete_note(TENANT, "n1")
    store.delete_note(TENANT, "n1")
    key = NoteKey(TENANT, "n1")
    assert events == [
        (key, note("n1")),
        (key, note("n1", text="again")),
        (key, None),
    ]
    store.close()
    other_store.close()


def test_on_write_may_write(tmp_path: Path) -> None:
    def index(key: NoteKey) -> None:
        store.apply(key.tenant_id, IndexChange(key.note_id, None, record(count=0)))

    store = EmbeddedStore(tmp_path, on_write=index)
    store.put_note(TENANT, note("n1"))
    assert store.read_record(TENANT, "n1").record == record(count=0)
    store.close()


def test_a_refused_note_triggers_nothing(tmp_path: Path) -> None:
    keys: list[NoteKey] = []
    store = EmbeddedStore(tmp_path, on_write=keys.append)
    with pytest.raises(InvalidArgument):
        store.put_note(TENANT, note("n1", text="\x00"))
    assert keys == []


@pytest.mark.parametrize(
    ("broken", "field"),
    [
        (replace(note("n1"), title="\ud800"), "title"),
        (replace(note("n1"), path="a\x00b"), "path"),
        (replace(note("n1"), vault="\x00"), "vault"),
        (replace(note("n1"), tags=("fine", "\udfff")), "tags[1]"),
        (replace(note("n1"), note_id="n\x00"), "id"),
    ],
)
def test_fields_that_cannot_be_kept_are_refused_by_name(
    embedded_store: EmbeddedStore, broken: Note, field: str
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        embedded_store.put_note(TENANT, broken)
    assert caught.value.field == field


def test_a_record_without_a_note_is_covered_nowhere(embedded_store: EmbeddedStore) -> None:
    embedded_store.apply(TENANT, IndexChange("gone", None, record()))
    embedded_store.put_note(TENANT, note("n1"))
    assert embedded_store.coverage(TENANT) == Coverage(
        notes=1, indexed=0, pending_embeddings=0, failed=0, missing=1
    )


def test_bookmarks_of_any_name_are_kept(embedded_store: EmbeddedStore) -> None:
    for name in ("../up", "a/b", "x" * 60, "Ü"):
        embedded_store.write_bookmark(name, name)
    assert [embedded_store.read_bookmark(name) for name in ("../up", "a/b", "Ü")] == [
        "../up",
        "a/b",
        "Ü",
    ]

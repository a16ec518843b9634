"""Values in and out of Firestore documents: types, defaults, stems that make awkward keys."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from shared.adapters.firestore import FirestoreStore
from shared.adapters.firestore.documents import (
    MAX_COUNT,
    MAX_STEM_BYTES,
    day,
    note_of,
    posting,
    posting_key,
)
from shared.adapters.firestore.protocol import fill, plain, protocol
from shared.errors import InvalidArgument, NoteUnreadable, TooLarge
from shared.model.index import ChunkPut, IndexChange
from shared.model.notes import Note
from tests.contracts.samples import DAY, FREE, TENANT, chunk, note, record, save, unit

WRONG = [
    ("title", 7), ("title", ["a"]), ("text", True), ("text", {"a": 1}), ("createdAt", "2026-05-08"),
    ("updatedAt", 1_770_000_000), ("vault", 1.5), ("path", ["a"]), ("tags", "red"), ("tags", ["red", 3]), ("lang", 0),
]  # fmt: skip


def _document(**fields: object) -> Any:  # noqa: ANN401 - a protobuf message
    document = protocol().Document(name="notes/n1")
    document.create_time.seconds = 100
    document.update_time.seconds = 200
    for name, value in fields.items():
        fill(document.fields[name], value)
    return document


@pytest.mark.parametrize(("field", "value"), WRONG)
def test_a_field_of_a_wrong_type_is_named(field: str, value: object) -> None:
    with pytest.raises(InvalidArgument) as caught:
        note_of(_document(**{"title": "t", "text": "x", field: value}))
    assert caught.value.field == field


@pytest.mark.parametrize(
    "fields",
    [
        {"content": "The boat is blue."},
        {"text": None},
        {},
    ],
)
def test_a_note_without_a_text_cannot_be_read(fields: dict[str, object]) -> None:
    with pytest.raises(NoteUnreadable, match=r"^text: expected a string, found none; "):
        note_of(_document(title="t", **fields))


@pytest.mark.parametrize(
    "absent",
    [
        {},
        dict.fromkeys(("title", "createdAt", "updatedAt", "vault", "tags", "lang")),
    ],
)
def test_fields_that_an_app_left_out_or_set_to_null_get_their_defaults(
    absent: dict[str, object],
) -> None:
    created = datetime.fromtimestamp(100, UTC)
    updated = datetime.fromtimestamp(200, UTC)
    assert note_of(_document(text="x", **absent)) == Note("n1", "", "x", created, updated)


def test_an_unreadable_note_is_listed_with_what_can_be_said_of_it(
    firestore_store: FirestoreStore,
) -> None:
    for note_id in ("n1", "n2", "n3"):
        firestore_store.put_note(TENANT, note(note_id))
    write = protocol().Write()
    write.update.name = firestore_store._db.name(TENANT, "notes", "n2")
    for name, value in {"title": 7, "path": "work/n2.md", "tags": "red"}.items():
        fill(write.update.fields[name], value)
    firestore_store._db.commit([write])
    with pytest.raises(InvalidArgument, match="title"):
        firestore_store.get_note(TENANT, "n2")
    good, bad, third = firestore_store.list_notes(TENANT, limit=3).items
    assert [good.error, third.error] == [None, None]
    assert bad.note_id == "n2"
    assert bad.title == ""
    assert bad.path == "work/n2.md"
    assert bad.tags == ()
    assert bad.error == "title: expected a string, found int"


def test_a_note_without_vault_is_listed_in_the_default_one(firestore_store: FirestoreStore) -> None:
    write = protocol().Write()
    write.update.name = firestore_store._db.name(TENANT, "notes", "n1")
    fill(write.update.fields["text"], "x")
    firestore_store._db.commit([write])
    firestore_store.put_note(TENANT, note("n2", vault="work"))
    firestore_store.put_note(TENANT, note("n3"))
    listed = firestore_store.list_notes(TENANT, limit=5, vault="default").items
    assert [entry.note_id for entry in listed] == ["n1", "n3"]


def test_a_note_that_no_document_holds_is_too_large(firestore_store: FirestoreStore) -> None:
    firestore_store.put_note(TENANT, note("n1", text="ü" * 450_000))
    with pytest.raises(TooLarge):
        firestore_store.put_note(TENANT, note("n1", text="ü" * 520_000))


@pytest.mark.parametrize("note_id", ["", ".", "..", "__x__", "a/b", "a\x00b", "\ud800", "x" * 1501])
def test_an_id_that_firestore_cannot_hold_is_refused(
    firestore_store: FirestoreStore, note_id: str
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        firestore_store.get_note(TENANT, note_id)
    assert caught.value.field == "noteId"
    with pytest.raises(InvalidArgument):
        firestore_store.put_note(TENANT, note(note_id))


def test_reserved_and_endless_stems_do_not_spoil_a_chunk(firestore_store: FirestoreStore) -> None:
    endless = "x" * (MAX_STEM_BYTES + 1)
    terms = {
        "__init__": 2,
        "__": 1,
        " __init__": 3,
        "a.b": 4,
        endless: 5,
    }
    save(firestore_store, chunk("n1", terms=terms))
    indexable_terms = {stem: count for stem, count in terms.items() if stem != endless}
    for stem, count in indexable_terms.items():
        (posting,) = firestore_store.postings(
            TENANT, stem, limit=2, stems=[*terms, "gone"], restriction=FREE
        )
        assert posting.terms == indexable_terms
        assert posting.terms[stem] == count
    assert firestore_store.postings(TENANT, endless, limit=2, stems=[], restriction=FREE) == ()
    assert set(firestore_store.document_frequencies(TENANT, list(terms)).items()) >= {
        (endless, 0),
        ("__init__", 1),
    }


@given(some.text(min_size=1), some.text(min_size=1))
def test_no_two_stems_share_a_key(one: str, other: str) -> None:
    assert (posting_key(one) == posting_key(other)) == (one == other)


times = some.datetimes(
    min_value=datetime(1700, 1, 1),  # noqa: DTZ001 - hypothesis wants them naive
    max_value=datetime(2250, 1, 1),  # noqa: DTZ001 - hypothesis wants them naive
    timezones=some.just(UTC),
)


@given(times, times, some.integers(1, 5000), some.integers(1, 5000))
def test_postings_are_ordered_by_time_and_tell_their_count(
    one: datetime, other: datetime, count: int, another: int
) -> None:
    if one != other:
        assert (posting(one, count) < posting(other, another)) == (one < other)
    assert posting(one, count) % MAX_COUNT == min(count, MAX_COUNT - 1)
    assert -(2**63) <= posting(one, count) < 2**63


@pytest.mark.parametrize(
    "when",
    [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, tzinfo=UTC),
    ],
)
def test_postings_of_any_time_fit(when: datetime) -> None:
    assert -(2**63) <= posting(when, 5000) < 2**63


def test_days_are_those_of_utc() -> None:
    assert day(datetime.fromisoformat("2026-12-31T23:30:00-05:00")) == "2027-01-01"
    assert day(datetime(7, 3, 1, tzinfo=UTC)) == "0007-03-01"


def test_a_chunk_document_has_the_fields_of_the_data_model(firestore_store: FirestoreStore) -> None:
    full_chunk = replace(chunk("abc123", 1, terms={"api": 2}), created_at=DAY + timedelta(days=31))
    change = IndexChange("abc123", None, record(), put=(ChunkPut(full_chunk, unit(1, 0, 0, 0)),))
    firestore_store.apply(TENANT, change)
    name = f"{firestore_store._db.root}/tenants/{TENANT}/chunks/abc123_001"
    fields = {
        key: plain(value) for key, value in firestore_store._db.lookup([name])[name].fields.items()
    }
    assert fields["embedding"] == unit(1, 0, 0, 0)
    assert fields["month"] == "2026-06"
    assert fields["terms"] == ["api"]
    assert {
        "chunkId": "abc123_001", "tenantId": TENANT, "noteId": "abc123", "position": 1, "folder": "work",
        "headingPath": "# Plan > ## Next", "length": 2,
        "scopes": ["f:default/work", "t:red", "v:default"], "day": "2026-06-08", "tags": ["red"],
    }.items() <= fields.items()  # fmt: skip

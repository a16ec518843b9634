"""A codec reads what it wrote, and names by its key what others wrote."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from shared.adapters.embedded import documents as embedded
from shared.adapters.firestore import documents as firestore
from shared.errors import InvalidArgument
from shared.model.account import AnsweredRequest, Feedback, Rating
from shared.model.codec import Codec
from shared.model.index import IndexRecord, IndexStatus
from shared.model.notes import Note, TrashedNote, TrashReason
from shared.model.sessions import Message, Role, Session, SessionSettings, StoredCitation
from shared.model.templates import Template

NOW = datetime(2026, 5, 8, 12, 30, 15, 123456, tzinfo=UTC)
CITED = StoredCitation("n1", "r1", {"cid": "N1", "span": {"start": 1, "end": 2}})
MESSAGE = Message(
    message_id="m1",
    role=Role.USER,
    text="Why?",
    created_at=NOW,
    as_of=NOW,
    citations=(CITED,),
    meta={},
)
ENTITIES = [
    Note("n1", "Title", "Text", NOW, NOW, tags=("red", "blue"), lang="de"),
    Note("n1", "Title", "Text", NOW, NOW),
    IndexRecord(
        "r1",
        IndexStatus.FAILED,
        3,
        "v",
        NOW,
        error="away",
        attempts=2,
        lease_until=NOW,
    ),
    Session(
        session_id="s1",
        created_at=NOW,
        updated_at=NOW,
        settings=SessionSettings(top_k=7, threshold=0.5),
    ),
    MESSAGE,
    Template("t1", "Boat", "1. Look.", keywords=("leak",)),
    Feedback("f1", "q1", NOW, rating=Rating.UP),
    AnsweredRequest("r", "f", NOW, None, notes={"n1": "r1"}),
]


TRASHED = TrashedNote(
    trash_id="t1",
    note=ENTITIES[0],  # type: ignore[arg-type]
    reason=TrashReason.EDITED,
    trashed_at=NOW,
    expires_at=NOW,
)


@pytest.mark.parametrize("codec", [firestore.CODEC, embedded.CODEC])
@pytest.mark.parametrize("entity", ENTITIES)
def test_an_entity_comes_back_as_it_was(entity: object, codec: Codec) -> None:
    assert codec.load(type(entity), codec.dump(entity)) == entity


def test_the_embedded_store_writes_json_and_firestore_objects_as_text() -> None:
    assert (
        json.loads(json.dumps(embedded.CODEC.dump(MESSAGE)))["citations"][0]["shown"] == CITED.shown
    )
    written = firestore.CODEC.dump(MESSAGE, "message_id")
    assert written["citations"][0]["shown"] == json.dumps(CITED.shown)
    assert written["createdAt"] == NOW
    assert "messageId" not in written


def test_citations_that_were_kept_by_position_are_read() -> None:
    old_row = {**embedded.CODEC.dump(MESSAGE), "citations": [["n1", "r1", CITED.shown]]}
    assert embedded.CODEC.load(Message, old_row) == MESSAGE


def test_a_missing_or_null_field_gets_its_default_if_it_has_one() -> None:
    plain: dict[str, Any] = {
        **firestore.CODEC.dump(ENTITIES[3]),
        "title": None,
        "settings": {"topK": 3},
    }
    read = firestore.CODEC.load(Session, plain)
    assert read == replace(read, title="", settings=SessionSettings(top_k=3))
    with pytest.raises(InvalidArgument, match="updatedAt: expected a timestamp, found none"):
        firestore.CODEC.load(Session, {**plain, "updatedAt": None})


@pytest.mark.parametrize("codec", [firestore.CODEC, embedded.CODEC])
@pytest.mark.parametrize(
    ("entity", "field", "read"),
    [
        (ENTITIES[2], "status", IndexStatus.PENDING),
        (MESSAGE, "role", Role.ASSISTANT),
        (ENTITIES[6], "rating", None),
        (SessionSettings(), "strategy", "weighted"),
        (SessionSettings(), "when_not_in_notes", "refuse"),
        (TRASHED, "reason", TrashReason.DELETED),
    ],
)
def test_a_choice_that_a_newer_release_wrote_stops_nothing_after_a_rollback(
    entity: object, field: str, read: object, codec: Codec
) -> None:
    (key,) = (
        codec_field.key for codec_field in codec.fields(type(entity)) if codec_field.name == field
    )
    loaded = codec.load(type(entity), {**codec.dump(entity), key: "of-tomorrow"})
    assert loaded == replace(entity, **{field: read})  # type: ignore[type-var]


def test_the_embedded_store_reads_a_status_of_a_newer_release() -> None:
    row = embedded.RECORDS.row(ENTITIES[2])  # type: ignore[arg-type]
    loaded = embedded.RECORDS.load(tuple({**row, "status": "of-tomorrow"}.values()))
    assert loaded.status is IndexStatus.PENDING


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("role", 7, "one of user, assistant, found int"),
        ("text", 7, "a string, found int"),
        ("createdAt", "2026", "a timestamp, found str"),
        ("citations", "x", "a list, found str"),
        ("meta", "{", "a JSON object as text, found str"),
    ],
)
def test_a_value_that_cannot_be_read_is_named_with_what_was_expected(
    field: str, value: object, said: str
) -> None:
    with pytest.raises(InvalidArgument, match=f"{field}: expected {said}"):
        firestore.CODEC.load(Message, {**firestore.CODEC.dump(MESSAGE), field: value})


@pytest.mark.parametrize("codec", [firestore.CODEC, embedded.CODEC])
def test_a_field_that_was_renamed_keeps_its_name_in_stored_data(codec: Codec) -> None:
    record = IndexRecord("r1", IndexStatus.INDEXED, 3, "v", NOW, second_version="w")
    stored = codec.dump(record)
    assert stored["kept"] == "w"
    assert codec.load(IndexRecord, stored) == record

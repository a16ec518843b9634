"""Documents in SQLite: what expires, what the disk has changed, and rows of earlier releases."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from shared.adapters.embedded import EmbeddedStore
from shared.adapters.embedded.documents import to_micros
from shared.errors import InvalidArgument
from shared.model.account import AnsweredRequest, Feedback, Person
from shared.model.documents import FEEDBACK, REQUESTS, TRASH
from tests.contracts.samples import DAY, OTHER, PERSON, TENANT, note, trashed

LATER = DAY + timedelta(days=1)
OTHERS = Person(OTHER, OTHER)


def test_expired_documents_are_removed_by_the_next_sweep(embedded_store: EmbeddedStore) -> None:
    request = AnsweredRequest("r-1", "print", LATER, None, "{}")
    for person in (PERSON, OTHERS):  # the file of a person in a tenant, and one of a tenant
        embedded_store.put(person, REQUESTS, request)
        embedded_store.put(
            person, REQUESTS, replace(request, request_id="r-2", expires_at=LATER + timedelta(1))
        )
    entry = trashed("t", note("n1"))
    embedded_store.put(TENANT, TRASH, entry)
    embedded_store.expire(LATER)
    for person in (PERSON, OTHERS):
        assert embedded_store.get(person, REQUESTS, "r-1").value is None
        assert embedded_store.get(person, REQUESTS, "r-2").value is not None
    assert embedded_store.get(TENANT, TRASH, "t").value == entry
    embedded_store.expire(entry.expires_at)
    assert embedded_store.get(TENANT, TRASH, "t").value is None


def test_a_damaged_document_is_left_out_of_listings(
    embedded_store: EmbeddedStore, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(3):
        embedded_store.put(PERSON, FEEDBACK, Feedback(f"f{number}", "r", DAY))
    with embedded_store._files.of(PERSON.space).writing() as db:
        db.execute("UPDATE feedback SET body = '{' WHERE feedback_id = 'f1'")
    listing = embedded_store.listing(PERSON, FEEDBACK, limit=2)
    assert [feedback.feedback_id for feedback in listing.items] == ["f0"]
    listing = embedded_store.listing(PERSON, FEEDBACK, limit=2, after=listing.next)
    assert [feedback.feedback_id for feedback in listing.items] == ["f2"]
    assert "a document of feedback is left out" in caplog.text
    with pytest.raises(InvalidArgument, match="the disk has changed"):
        embedded_store.get(PERSON, FEEDBACK, "f1")


def test_rows_of_earlier_releases_are_read(embedded_store: EmbeddedStore) -> None:
    body = {
        "feedback_id": "f1",
        "request_id": "r",
        "created_at": to_micros(DAY),
    }
    with embedded_store._files.of(PERSON.space).writing() as db:
        db.execute("INSERT INTO feedback VALUES ('f1', ?, NULL)", (json.dumps(body),))
        db.execute(
            "INSERT INTO requests VALUES ('r1', 7, ?, NULL, 'print', ?, '{}', NULL)",
            (to_micros(LATER), json.dumps({"n1": "v1"})),
        )
    assert embedded_store.get(PERSON, FEEDBACK, "f1").value == Feedback("f1", "r", DAY)
    answered = AnsweredRequest("r1", "print", LATER, None, "{}", {"n1": "v1"})
    assert embedded_store.get(PERSON, REQUESTS, "r1").value == answered

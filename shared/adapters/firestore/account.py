"""What else a person owns: `feedback/{id}` and `auroraRequests/{requestId}`; and the end of a person or a tenant: every
document below, whatever its collection, and all below those.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from shared.adapters.firestore.connection import Connection, pool
from shared.adapters.firestore.corpus import Corpus
from shared.adapters.firestore.documents import CODEC
from shared.adapters.firestore.notes import TRASH
from shared.adapters.firestore.protocol import KEY, Query, Reference, delete, expect, id_of, put, token_of, values_of
from shared.errors import TooLarge
from shared.model.account import AnsweredRequest, Feedback, Person, StoredRequest
from shared.ports.pages import Page

REQUESTS = "auroraRequests"
"""A name that no other app of the project has: documents of all such collections are dropped when they expire."""
MAX_ANSWER = 900_000
"""Bytes of a kept reply: Firestore's documents end at 1 MiB."""
AT_ONCE = 2000
"""Names read together, ..."""
BATCH = 500
"""... and documents deleted by one request, each for itself: the index entries that go with some dozen chunks are all
that one commit takes.
"""
SETTLING_SECONDS = 0.5
"""After which it is looked once more: a worker that had read a note before it went may write what it made of it."""
_KINDS = {TRASH: "trash", REQUESTS: "requests"}
"""Collections whose documents are called otherwise in a receipt."""
ERASED = "auroraErased"
"""`{day}:{tenantId}` for each tenant whose erasure has kept what was used that day; without a field."""
FORGOTTEN_AT_ONCE = 100
EVERYTHING = ""
"""In place of a collection: all of them, with what lies below their documents."""


class Account:
    """`shared.ports.tenants.FeedbackStore` and `RequestStore` on Firestore."""

    _db: Connection

    # -- feedback

    def put_feedback(self, person: Person, feedback: Feedback) -> None:
        name = self._db.name(person, "feedback", feedback.feedback_id)
        self._db.commit([put(name, CODEC.dump(feedback, "feedback_id"))])

    def get_feedback(self, person: Person, feedback_id: str) -> Feedback | None:
        return self._db.get(self._db.name(person, "feedback", feedback_id), _feedback)

    def list_feedback(self, person: Person, *, limit: int, token: str | None = None) -> Page[Feedback]:
        return self._db.page(self._db.parent(person), "feedback", _feedback, limit=limit, token=token)

    # -- requests

    def read_request(self, person: Person, request_id: str) -> StoredRequest:
        document = self._db.read(self._db.name(person, REQUESTS, request_id))
        if document is None:
            return StoredRequest(None, None)
        fields = values_of(document)
        notes = dict(zip(fields["noteIds"], fields["noteRevisions"], strict=True))
        return StoredRequest(CODEC.load(AnsweredRequest, fields, notes=notes), token_of(document.update_time))

    def write_request(
        self,
        person: Person,
        request_id: str,
        record: AnsweredRequest | None,
        *,
        expected: str | None,
        now: datetime,  # noqa: ARG002 - a time-to-live policy on `expiresAt` drops what has expired
    ) -> str | None:
        name = self._db.name(person, REQUESTS, request_id)
        if record is not None and record.answer is not None and len(record.answer.encode()) > MAX_ANSWER:
            raise TooLarge(f"answer: at most {MAX_ANSWER} bytes can be kept")
        write = delete(name)
        if record is not None:
            # Ids of notes may be what keys of maps may not.
            notes = {"noteIds": tuple(record.notes), "noteRevisions": tuple(record.notes.values())}
            write = put(name, {**CODEC.dump(record, "notes"), **notes})
        reply = self._db.commit([expect(write, expected)])
        return None if record is None else token_of(reply.write_results[0].update_time)


class Erasure(Corpus):
    """`shared.ports.tenants.ErasureStore` on Firestore."""

    def erase(self, tenant_id: str, *, keep_usage_of: date | None = None) -> Mapping[str, int]:
        """Some 8,000 documents a second on the emulator; a read and a delete each."""
        parent, day = self._db.parent(tenant_id), "" if keep_usage_of is None else keep_usage_of.isoformat()
        erased: Counter[str] = Counter()
        kept = f"{parent}/usage/{day}" if day else ""
        if kept and self._db.read(kept, ()):  # first, so that it is forgotten also after a death
            self._db.commit([put(f"{self._db.root}/{ERASED}/{day}:{tenant_id}", {})])
        try:
            self._clear(parent, "notes", erased)
            self._clear_all(parent, erased, kept)
        finally:
            self._forget(tenant_id)
            self._db.ensured.clear()
        return dict(erased)

    def erase_person(self, person: Person) -> Mapping[str, int]:
        erased: Counter[str] = Counter()
        self._clear_all(self._db.parent(person), erased)
        return dict(erased)

    def forget_erased(self, before: date) -> None:
        query = Query(collection=ERASED, order=(KEY,), limit=FORGOTTEN_AT_ONCE, fields=())
        for marker in self._db.query(self._db.root, query):
            day, _, tenant_id = id_of(marker).partition(":")
            if day >= before.isoformat():
                return
            usage = self._db.name(tenant_id, "usage", day)
            self._clear_all(usage, Counter())
            self._db.commit([delete(usage), delete(marker.name)])

    def _clear_all(self, parent: str, erased: Counter[str], kept: str = "") -> None:
        while self._clear(parent, EVERYTHING, erased, kept):
            time.sleep(SETTLING_SECONDS)

    def _clear(self, parent: str, collection: str, erased: Counter[str], kept: str = "") -> bool:
        """Whether there was anything but `kept` and what lies below it. Going on by name: a query from the start would
        wade through what is deleted.
        """
        query = Query(
            collection=collection, everywhere=collection == EVERYTHING, order=(KEY,), limit=AT_ONCE, fields=()
        )
        before = erased.total()
        while found := [each.name for each in self._db.query(parent, query)]:
            going = [name for name in found if not kept or (name != kept and not name.startswith(f"{kept}/"))]
            batches = [going[start : start + BATCH] for start in range(0, len(going), BATCH)]
            for _ in pool().map(self._db.write_each, [[delete(name) for name in batch] for batch in batches]):
                pass
            collections = (name.split("/")[-2] for name in going)
            erased.update(_KINDS.get(each, each) for each in collections)
            query = replace(query, after=(Reference(found[-1]),))
        return erased.total() > before


def _feedback(document: Any) -> Feedback:  # noqa: ANN401
    given = {name: value for name, value in values_of(document).items() if value not in (None, "")}
    return CODEC.load(Feedback, given, feedback_id=id_of(document))

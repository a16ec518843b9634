"""What else a person owns: `feedback/{id}` and `auroraRequests/{requestId}`; what a tenant has used; and the end of a
person or a tenant: every document below, whatever its collection, and all below those.

`usage/{day}` of a tenant counts answers and searches, `usage/{day}/embedded/{00 to ff}` tokens;
`auroraUsage/{day}/spent/{00 to ff}` counts what the whole project has spent. People ask a question in seconds, so one
document counts theirs. Notes are embedded by many workers at once, and all tenants spend at once, more often than one
document takes writes: each spending goes to one of 256, and an aggregation adds them up.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from functools import partial
from typing import Any

from shared.adapters.firestore.client import pool
from shared.adapters.firestore.corpus import Corpus
from shared.adapters.firestore.documents import CODEC
from shared.adapters.firestore.notes import TRASH
from shared.adapters.firestore.protocol import KEY, Query, change, delete, expect, id_of, put, token_of, values_of
from shared.errors import TooLarge
from shared.model.account import PROJECT, AnsweredRequest, DayUsage, Feedback, Person, Spending, StoredRequest
from shared.ports.pages import Page

REQUESTS = "auroraRequests"
"""A name that no other app of the project has: documents of all such collections are dropped when they expire."""
MAX_ANSWER = 900_000
"""Bytes of a kept reply: Firestore's documents end at 1 MiB."""
AT_ONCE = 2000
"""Names read together, ..."""
BATCH = 500
"""... and documents deleted by one request, each for itself: one commit takes index entries of some dozen chunks."""
SETTLING_SECONDS = 0.5
"""After which it is looked once more: a worker that had read a note before it went may write what it made of it."""
_KINDS = {TRASH: "trash", REQUESTS: "requests"}
"""Collections whose documents are called otherwise in a receipt."""
PROJECT_USAGE = "auroraUsage"
SHARDED = {Spending.EMBEDDED_TOKENS: ("embedded", "tokens"), Spending.MICRO_USD: ("spent", Spending.MICRO_USD.value)}
"""Kind -> the collection of its shards, and their field."""
USAGE_SHARDS = 256
ERASED = "auroraErased"
"""`{day}:{tenantId}` for each tenant whose erasure has kept what was used that day; without a field."""
FORGOTTEN_AT_ONCE = 100
EVERYTHING = ""
"""In place of a collection: all of them, with what lies below their documents."""


class Account(Corpus):
    """Feedback, usage, kept answers and erasure of `shared.ports.stores.Store` on Firestore."""

    # -- feedback

    def put_feedback(self, person: Person, feedback: Feedback) -> None:
        name = self._db.name(person, "feedback", feedback.feedback_id)
        self._db.commit([put(name, CODEC.dump(feedback, "feedback_id"))])

    def get_feedback(self, person: Person, feedback_id: str) -> Feedback | None:
        return self._db.get(self._db.name(person, "feedback", feedback_id), _feedback)

    def list_feedback(self, person: Person, *, limit: int, token: str | None = None) -> Page[Feedback]:
        return self._db.page(person, Query(collection="feedback"), _feedback, limit=limit, token=token)

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

    # -- usage

    def spend(self, tenant_id: str, day: date, kind: Spending, amount: int, *, limit: int | None = None) -> bool:
        """One increment, and one back where it went over the limit. An increment whose reply is lost counts twice.

        With a limit it is looked first: refusing then costs a read, and not two writes.
        """
        if limit is not None and self.spent(tenant_id, day, kind) + amount > limit:
            return False
        name = self._day(tenant_id, day)
        if kind in SHARDED:
            if tenant_id != PROJECT and name not in self._db.ensured:
                self._db.ensure([put(name, {})])  # so that the day is listed
            name = f"{name}/{SHARDED[kind][0]}/{random.randrange(USAGE_SHARDS):02x}"  # noqa: S311 - spreads writes, no secret
        total = self._add(name, kind, amount)
        # Several may spend at once on different documents: the last to look sees what all of them have added.
        if limit is None or (self.spent(tenant_id, day, kind) if kind in SHARDED else total) <= limit:
            return True
        self._add(name, kind, -amount)
        return False

    def list_usage(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[DayUsage]:
        shown = self._db.page(tenant_id, Query(collection="usage"), lambda day: day, limit=limit, token=token)
        embedded = pool().map(partial(self._sum, kind=Spending.EMBEDDED_TOKENS), [each.name for each in shown.items])
        items = tuple(
            CODEC.load(DayUsage, values_of(each), day=date.fromisoformat(id_of(each)), embedded_tokens=tokens)
            for each, tokens in zip(shown.items, embedded, strict=True)
        )
        return Page(items, shown.next_token)

    def spent(self, tenant_id: str, day: date, kind: Spending) -> int:
        name = self._day(tenant_id, day)
        if kind in SHARDED:
            return self._sum(name, kind)
        found = self._db.read(name, (kind.value,))
        counted: int = 0 if found is None else found.fields[kind.value].integer_value
        return counted

    def _sum(self, name: str, kind: Spending) -> int:
        collection, field = SHARDED[kind]
        return self._db.count(name, Query(collection=collection), total=field)

    def _add(self, name: str, kind: Spending, amount: int) -> int:
        """The document's count after it."""
        write = change(name, {}, existing=False)
        field = SHARDED[kind][1] if kind in SHARDED else kind.value
        write.update_transforms.add(field_path=field).increment.integer_value = amount
        reply = self._db.commit([write])
        total: int = reply.write_results[0].transform_results[0].integer_value
        return total

    def _day(self, tenant_id: str, day: date) -> str:
        if tenant_id == PROJECT:
            return f"{self._db.root}/{PROJECT_USAGE}/{day.isoformat()}"
        return self._db.name(tenant_id, "usage", day.isoformat())

    # -- erasure

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
        """Whether there was anything but `kept` and below. By name: a query anew would wade through what is gone."""
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
            query = replace(query, after=(found[-1],))
        return erased.total() > before


def _feedback(document: Any) -> Feedback:  # noqa: ANN401
    given = {name: value for name, value in values_of(document).items() if value not in (None, "")}
    return CODEC.load(Feedback, given, feedback_id=id_of(document))

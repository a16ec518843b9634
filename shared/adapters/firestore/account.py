"""Usage of tenants, and the erasure of a tenant or a person: of every document below it, in any collection.

`usage/{day}` of a tenant counts answers and searches, `usage/{day}/embedded/{00 to ff}` tokens,
`usage/{day}/indexed/{00 to ff}` documents that the index has written;
`auroraUsage/{day}/spent/{00 to ff}` counts what the whole project has spent. A tenant asks a question in seconds, so
one document counts its questions. Notes are embedded by many workers at once, and all tenants spend at once, more often
than one document takes writes: each addition goes to one of 256 documents, and an aggregation adds them up.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

from shared.adapters.firestore.client import pool
from shared.adapters.firestore.corpus import Corpus
from shared.adapters.firestore.documents import CODEC
from shared.adapters.firestore.protocol import (
    KEY,
    Query,
    change,
    delete,
    id_of,
    put,
    token_of,
    values_of,
)
from shared.adapters.firestore.roots import ERASED, ERASURES, PROJECT_USAGE, REQUESTS, TRASH
from shared.model.account import PROJECT, DayUsage, Person, Spending
from shared.ports.pages import Page

AT_ONCE = 2000
"""Names that are read together."""
BATCH = 500
"""Documents deleted by one request, each for itself: one commit takes index entries of some dozen chunks."""
SETTLING_SECONDS = 0.5
"""Time until the next look: a request that is being answered, or an app, may have written something meanwhile."""
MAX_LOOKS = 20
"""Looks of one erasure: an app may go on writing for ever."""
_KINDS = {TRASH: "trash", REQUESTS: "requests"}
"""Names in a receipt for the documents of collections; those of others are the collections' names."""
SHARDED = {
    Spending.EMBEDDED_TOKENS: ("embedded", "tokens"),
    Spending.INDEX_WRITES: ("indexed", "writes"),
    Spending.MICRO_USD: ("spent", Spending.MICRO_USD.value),
}
"""Kind -> the collection of its shards, and their field."""
USAGE_SHARDS = 256
"""Documents among which the additions of a day and kind are spread."""
FORGOTTEN_AT_ONCE = 100
"""Tenants whose usage one sweep forgets."""
EVERYTHING = ""
"""Stands for all collections, with what lies below their documents."""


class FirestoreAccount(Corpus):
    """Usage, erasure and expiry of `shared.ports.stores.Store` on Firestore."""

    # -- usage

    def spend(
        self,
        tenant_id: str,
        day: date,
        kind: Spending,
        amount: int,
        *,
        limit: int | None = None,
    ) -> bool:
        """Increments, and takes that back if it went over the limit. An increment whose reply is lost counts twice.

        With a limit the count is read first: a refusal then costs a read instead of two writes.
        """
        if limit is not None:
            already_spent = self.spent(tenant_id, day, kind)
            if already_spent + amount > limit:
                return False
        is_sharded = kind in SHARDED
        name = self._day(tenant_id, day)
        if is_sharded:
            if tenant_id != PROJECT and name not in self._db.ensured:
                self._db.ensure([put(name, {})])  # so that the day is listed
            shards = SHARDED[kind][0]
            shard = random.randrange(USAGE_SHARDS)  # noqa: S311 - spreads writes, no secret
            name = f"{name}/{shards}/{shard:02x}"
        total = self._add(name, kind, amount)
        if limit is None:
            return True
        if is_sharded:
            # Several may spend at once on different documents: the last to read sees what all of them have added.
            total = self.spent(tenant_id, day, kind)
        is_within = total <= limit
        if not is_within:
            self._add(name, kind, -amount)
        return is_within

    def list_usage(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[DayUsage]:
        page: Page[Any] = self._db.page(
            tenant_id,
            Query(collection="usage"),
            lambda document: document,
            limit=limit,
            token=token,
        )
        names = [document.name for document in page.items]
        embedded = pool().map(partial(self._sum, kind=Spending.EMBEDDED_TOKENS), names)
        indexed = pool().map(partial(self._sum, kind=Spending.INDEX_WRITES), names)
        items = []
        for document, tokens, writes in zip(page.items, embedded, indexed, strict=True):
            usage = CODEC.load(
                DayUsage,
                values_of(document),
                day=date.fromisoformat(id_of(document)),
                embedded_tokens=tokens,
                index_writes=writes,
            )
            items.append(usage)
        return Page(tuple(items), page.next_token)

    def spent(self, tenant_id: str, day: date, kind: Spending) -> int:
        name = self._day(tenant_id, day)
        if kind in SHARDED:
            return self._sum(name, kind)
        document = self._db.read(name, (kind.value,))
        if document is None:
            return 0
        return int(document.fields[kind.value].integer_value)

    def _sum(self, name: str, kind: Spending) -> int:
        collection, field = SHARDED[kind]
        shards = Query(collection=collection)
        return self._db.count(name, shards, total=field)

    def _add(self, name: str, kind: Spending, amount: int) -> int:
        """Returns the document's count after the addition."""
        write = change(name, {}, existing=False)
        field = kind.value
        if kind in SHARDED:
            _, field = SHARDED[kind]
        _increment(write, field, amount)
        reply = self._db.commit([write])
        result = reply.write_results[0]
        count = result.transform_results[0]
        total: int = count.integer_value
        return total

    def _day(self, tenant_id: str, day: date) -> str:
        day_id = day.isoformat()
        if tenant_id == PROJECT:
            return f"{self._db.root}/{PROJECT_USAGE}/{day_id}"
        return self._db.name(tenant_id, "usage", day_id)

    # -- erasure

    def last_erasure(self, tenant_id: str) -> str:
        document = self._db.read(self._erasure(tenant_id), ())
        if document is None:
            return ""
        return token_of(document.update_time)

    def erase(self, owner: str | Person, *, keep_usage_of: date | None = None) -> Mapping[str, int]:
        """Reads and deletes each document, some 8,000 a second on the emulator.

        Documents that an app writes during the erasure are removed too, and not counted.
        """
        parent = self._db.parent(owner)
        if isinstance(owner, Person):
            erased = self._clear(parent, EVERYTHING)
            self._settle(parent)
            return dict(erased)
        return self._erase_tenant(owner, parent, keep_usage_of)

    def _erase_tenant(
        self,
        tenant_id: str,
        parent: str,
        keep_usage_of: date | None,
    ) -> Mapping[str, int]:
        kept = ""
        if keep_usage_of is not None:
            day = keep_usage_of.isoformat()
            kept = f"{parent}/usage/{day}"
            # The marker comes first, so that the usage is forgotten even if this process dies.
            if self._db.read(kept, ()):
                self._db.commit([put(f"{self._db.root}/{ERASED}/{day}:{tenant_id}", {})])
        self._number_erasure(tenant_id)
        try:
            erased = self._clear(parent, "notes")
            rest = self._clear(parent, EVERYTHING, kept)
            del rest["notes"]  # written after the notes were read
            self._settle(parent, kept)
        finally:
            self._forget(tenant_id)
            self._db.ensured.clear()
        self._number_erasure(tenant_id)  # work that began meanwhile has lost what it had saved
        return dict(erased + rest)

    def _erasure(self, tenant_id: str) -> str:
        """Returns the name of the document that each erasure of the tenant changes."""
        name = tenant_id.encode()
        digest = hashlib.sha256(name).hexdigest()
        return f"{self._db.root}/{ERASURES}/{digest}"

    def _number_erasure(self, tenant_id: str) -> None:
        name = self._erasure(tenant_id)
        write = change(name, {}, existing=False)
        _increment(write, "number", 1)
        self._db.commit([write])

    def mark_damaged(self) -> None:
        """Does nothing: Firestore returns what was written."""

    def expire(self, now: datetime) -> None:
        """Forgets usage alone: time-to-live policies on `expiresAt` drop documents."""
        today = now.astimezone(UTC).date().isoformat()
        query = Query(
            collection=ERASED,
            order=(KEY,),
            limit=FORGOTTEN_AT_ONCE,
            fields=(),
        )
        for marker in self._db.query(self._db.root, query):
            day, _, tenant_id = id_of(marker).partition(":")
            if day >= today:
                return
            usage = self._db.name(tenant_id, "usage", day)
            self._clear(usage, EVERYTHING)
            self._db.commit([delete(usage), delete(marker.name)])

    def _settle(self, parent: str, kept: str = "") -> None:
        """Deletes what was written since the first look, until a look finds nothing."""
        for _ in range(MAX_LOOKS):
            time.sleep(SETTLING_SECONDS)
            if not self._clear(parent, EVERYTHING, kept):
                return

    def _clear(self, parent: str, collection: str, kept: str = "") -> Counter[str]:
        """Deletes all documents but `kept` and those below it; returns kind -> number of documents.

        Goes on behind the last name: a query from the beginning would read past all that was deleted.
        """
        erased: Counter[str] = Counter()
        query = Query(
            collection=collection,
            everywhere=collection == EVERYTHING,
            order=(KEY,),
            limit=AT_ONCE,
            fields=(),
        )
        while documents := self._db.query(parent, query):
            deletes = []
            for document in documents:
                name = document.name
                is_kept = kept and f"{name}/".startswith(f"{kept}/")
                if is_kept:
                    continue
                deletes.append(delete(name))
                *_, collection_name, _ = name.split("/")
                kind = _KINDS.get(collection_name, collection_name)
                erased[kind] += 1

            batches = []
            for start in range(0, len(deletes), BATCH):
                end = start + BATCH
                batches.append(deletes[start:end])
            results = pool().map(self._db.write_each, batches)
            list(results)  # raises what a batch raises
            last_name = documents[-1].name
            query = replace(query, after=(last_name,))
        return erased


def _increment(write: Any, field: str, amount: int) -> None:  # noqa: ANN401
    """Has the write add `amount` to a field."""
    transform = write.update_transforms.add(field_path=field)
    transform.increment.integer_value = amount

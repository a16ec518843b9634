"""Counters by day: `usage/{day}` of a tenant counts answers and searches, `usage/{day}/embedded/{00 to ff}` tokens;
`auroraUsage/{day}/spent/{00 to ff}` counts what the whole project has spent.

People ask a question in seconds, so one document counts theirs. Notes are embedded by many workers at once, and all
tenants spend at once, more often than one document takes writes: each spending goes to one of 256, and an aggregation
adds them up.
"""

from __future__ import annotations

import random
from datetime import date
from functools import partial

from shared.adapters.firestore.connection import Connection, pool
from shared.adapters.firestore.protocol import Query, id_of, put, transform
from shared.model.account import PROJECT, DayUsage, Spending
from shared.ports.pages import Page

PROJECT_USAGE = "auroraUsage"
SHARDED = {Spending.EMBEDDED_TOKENS: ("embedded", "tokens"), Spending.MICRO_USD: ("spent", Spending.MICRO_USD.value)}
"""Kind -> the collection of its shards, and their field."""
SHARDS = 256


class Usage:
    """`shared.ports.tenants.UsageStore` on Firestore. An increment whose reply is lost counts twice."""

    _db: Connection

    def spend(self, tenant_id: str, day: date, kind: Spending, amount: int, *, limit: int | None = None) -> bool:
        """One increment, and one back where it went over the limit.

        With a limit it is looked first: refusing then costs a read, and not two writes.
        """
        if limit is not None and self.spent(tenant_id, day, kind) + amount > limit:
            return False
        name = self._day(tenant_id, day)
        if kind in SHARDED:
            if tenant_id != PROJECT and name not in self._db.ensured:
                self._db.ensure([put(name, {})])  # so that the day is listed
            name = f"{name}/{SHARDED[kind][0]}/{random.randrange(SHARDS):02x}"  # noqa: S311 - spreads writes, no secret
        total = self._add(name, kind, amount)
        if limit is None:
            return True
        # Several may spend at once on different documents: the last to look sees what all of them have added.
        if (self.spent(tenant_id, day, kind) if kind in SHARDED else total) <= limit:
            return True
        self._add(name, kind, -amount)
        return False

    def list_usage(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[DayUsage]:
        parent = self._db.parent(tenant_id)
        shown = self._db.page(parent, "usage", lambda day: day, limit=limit, token=token)
        embedded = pool().map(partial(self._sum, kind=Spending.EMBEDDED_TOKENS), [each.name for each in shown.items])
        items = tuple(
            DayUsage(
                day=date.fromisoformat(id_of(each)),
                answers=each.fields[Spending.ANSWERS.value].integer_value,
                searches=each.fields[Spending.SEARCHES.value].integer_value,
                embedded_tokens=tokens,
            )
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
        return self._db.total(name, Query(collection=collection), field)

    def _add(self, name: str, kind: Spending, amount: int) -> int:
        """The document's count after it."""
        write = transform(name)
        field = SHARDED[kind][1] if kind in SHARDED else kind.value
        write.update_transforms.add(field_path=field).increment.integer_value = amount
        reply = self._db.commit([write])
        total: int = reply.write_results[0].transform_results[0].integer_value
        return total

    def _day(self, tenant_id: str, day: date) -> str:
        if tenant_id == PROJECT:
            return f"{self._db.root}/{PROJECT_USAGE}/{day.isoformat()}"
        return self._db.name(tenant_id, "usage", day.isoformat())

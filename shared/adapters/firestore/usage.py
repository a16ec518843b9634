"""What a tenant has spent, by day: `usage/{day}` counts answers, `usage/{day}/embedded/{00 to ff}` what is embedded.

People ask a question in seconds, so one document counts their answers. Notes are embedded by many workers at once, more
often than one document takes writes: each spending goes to one of 256, and an aggregation adds them up.
"""

from __future__ import annotations

import random
from datetime import date

from shared.adapters.firestore.connection import Connection, last, pool
from shared.adapters.firestore.protocol import Query, protocol, put
from shared.model.account import DayUsage, Spending
from shared.ports.pages import Page

TOKENS = "tokens"
SHARDS = 256
MAX_DAYS = 1000
"""Days of tenants that are remembered to have a document."""


class Usage:
    """`shared.ports.tenants.UsageStore` on Firestore. An increment whose reply is lost counts twice."""

    _connection: Connection
    _days: set[str]

    def spend(self, tenant_id: str, day: date, kind: Spending, amount: int, *, limit: int | None = None) -> bool:
        """One increment, and one back where it went over the limit.

        With a limit it is looked first: refusing then costs a read, and not two writes.
        """
        if limit is not None and self._spent(tenant_id, day, kind) + amount > limit:
            return False
        name = self._counter(tenant_id, day, kind)
        total = self._add(name, kind, amount)
        if limit is None:
            return True
        # Of those that spend at once on different documents, whoever looks last sees what all of them have added.
        if (total if kind is Spending.ANSWERS else self._spent(tenant_id, day, kind)) <= limit:
            return True
        self._add(name, kind, -amount)
        return False

    def list_usage(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[DayUsage]:
        shown, next_token = self._connection.listed(
            self._connection.tenant(tenant_id), "usage", limit=limit, token=token
        )
        embedded = pool().map(self._embedded, [each.name for each in shown])
        items = tuple(
            DayUsage(date.fromisoformat(last(each.name)), each.fields[Spending.ANSWERS.value].integer_value, tokens)
            for each, tokens in zip(shown, embedded, strict=True)
        )
        return Page(items, next_token)

    def _spent(self, tenant_id: str, day: date, kind: Spending) -> int:
        name = self._connection.name(tenant_id, "usage", day.isoformat())
        if kind is Spending.EMBEDDED_TOKENS:
            return self._embedded(name)
        found = self._connection.read(name, (kind.value,))
        answers: int = 0 if found is None else found.fields[kind.value].integer_value
        return answers

    def _embedded(self, name: str) -> int:
        every = self._connection.aggregate(name, Query(collection="embedded"), total=TOKENS)
        tokens: int = every["total"].integer_value
        return tokens

    def _add(self, name: str, kind: Spending, amount: int) -> int:
        """The document's count after it."""
        write = protocol().Write()
        write.update.name = name
        write.update_mask.SetInParent()  # an empty mask: no field but those that are transformed
        field = kind.value if kind is Spending.ANSWERS else TOKENS
        write.update_transforms.add(field_path=field).increment.integer_value = amount
        reply = self._connection.commit([write])
        total: int = reply.write_results[0].transform_results[0].integer_value
        return total

    def _counter(self, tenant_id: str, day: date, kind: Spending) -> str:
        name = self._connection.name(tenant_id, "usage", day.isoformat())
        if kind is Spending.ANSWERS:
            return name
        self._open(name)
        return f"{name}/embedded/{random.randrange(SHARDS):02x}"  # noqa: S311 - spreads writes, no secret

    def _open(self, name: str) -> None:
        """So that the day is listed. A read, the first time."""
        if name in self._days:
            return
        self._connection.ensure([put(name, {})])
        if len(self._days) >= MAX_DAYS:
            self._days.clear()
        self._days.add(name)

"""Rule of the proxy: a document that is written too often refuses.

One document takes about one write a second for long, and more for a moment
(https://firebase.google.com/docs/firestore/quotas#writes_and_transactions); beyond, commits end as ABORTED.
"""

from __future__ import annotations

import threading
import time
from collections import Counter

import grpc  # type: ignore[import-untyped]

from tests.servers.firestore_proxy import Answer, Call, Refuse

BURST = 5
"""Writes of a document that need not wait."""


class Contention:
    """A rule: each document has BURST writes, and gets so many more every second."""

    def __init__(self, *, writes_a_second: float = 1.0) -> None:
        self.refused = 0
        self.writes: Counter[str] = Counter()
        """Full name -> writes that went through."""
        self._rate = writes_a_second
        self._left: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def __call__(self, call: Call) -> Answer | None:
        if call.method != "Commit":
            return None
        names = {write.update.name or write.delete for write in call.request.writes}
        names.discard("")  # a document that is verified is not written
        now = time.monotonic()
        with self._lock:
            remaining = {name: self._at(name, now) for name in names}
            if min(remaining.values(), default=1.0) < 1.0:
                self.refused += 1
                return Refuse(
                    grpc.StatusCode.ABORTED,
                    "Too much contention on these documents. Please try again.",
                )
            self._left.update({name: (count - 1.0, now) for name, count in remaining.items()})
            self.writes.update(names)
        return None

    def _at(self, name: str, now: float) -> float:
        count, since = self._left.get(name, (float(BURST), now))
        return min(float(BURST), count + self._rate * (now - since))

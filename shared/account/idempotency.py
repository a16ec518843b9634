"""Idempotency: a request's `requestId` -> the answer it already has, or the lock under which to answer it.

1. The first request takes the lock of its id, with a lease, and its answer is kept for a day.
2. A repeat that comes meanwhile waits a little for that answer, and is then asked to come back (503).
3. A request whose worker died is answered anew when the lease has run out, one that failed or was abandoned at once.
4. The same id with another body is a conflict.

A kept answer is given again only while every note whose text may be in it exists: where one was deleted since, the
question is answered anew. A note that was only edited leaves the answer as it was; its citations are stale.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from shared.errors import Conflict, RequestBusy, TooLarge, Unavailable
from shared.model.account import AnsweredRequest, Person, StoredRequest
from shared.ports.stores import Store

KEPT = timedelta(hours=24)
PATIENCE = 10.0
"""Seconds a repeat waits for the first one's answer."""
FIRST_PAUSE, MAX_PAUSE = 0.1, 1.0
"""Between two looks, in seconds."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RequestKey:
    """Which request: `fingerprint` says what was asked."""

    person: Person
    request_id: str
    fingerprint: str


@dataclass(slots=True)
class IdempotencyLock:
    """A request that is the holder's to answer, or was answered before."""

    key: RequestKey
    owner: Idempotency
    record: AnsweredRequest
    """With the earlier answer; without one the holder must answer, and `keep` the answer."""
    token: str | None
    changed: frozenset[str] = frozenset()
    """Notes that were edited since the answer was given."""

    def keep(self, answer: str, notes: Mapping[str, str]) -> str:
        """The answer to give: this one, unless another worker has taken the request over and answered it.

        One that the store cannot keep is given all the same; a repeat is then answered anew. `notes`: id -> revision
        of those that were read for it.
        """
        kept = replace(self.record, answer=answer, notes=notes, lease_until=None)
        try:
            self.token = self.owner.write(self.key, kept, self.token)
        except Conflict:
            other = self.owner.read(self.key).record
            if other is not None and other.answer is not None and other.fingerprint == self.key.fingerprint:
                kept = other
        except TooLarge:
            logger.warning("an answer was too long to be kept for a repeat")
            self.release()
        except Unavailable as problem:
            logger.warning("an answer was not kept for a repeat (%s)", type(problem).__name__)
        self.record = kept
        return kept.answer or answer

    def release(self) -> None:
        """Let the next one answer at once. Who has been overtaken has nothing to release; while the store is away, the
        next one answers when the lease has run out.
        """
        with suppress(Conflict, Unavailable):
            self.owner.write(self.key, None, self.token)


@dataclass(frozen=True, slots=True, kw_only=True)
class Idempotency:
    """Locks requests in a store."""

    store: Store
    clock: Callable[[], datetime]
    lease: timedelta
    """Longer than any answer takes."""
    patience: float = PATIENCE
    """Seconds."""

    @contextmanager
    def locked(self, key: RequestKey | None) -> Iterator[IdempotencyLock | None]:
        """Around answering; what was not kept by its end is released. None: the request names no id.

        Raises Conflict for an id that was used for something else, RequestBusy while another worker is answering it.
        """
        if key is None:
            yield None
            return
        lock = self._acquire(key)
        try:
            yield lock
        finally:
            if lock.record.answer is None:
                lock.release()

    def _acquire(self, key: RequestKey) -> IdempotencyLock:
        until, pause = time.monotonic() + self.patience, FIRST_PAUSE
        while True:
            held, now = self.read(key), self.clock()
            record = held.record if held.record and now < held.record.expires_at else None
            if record and record.fingerprint != key.fingerprint:
                raise Conflict("requestId: it was used for another request within the last 24 hours")
            answered = record is not None and record.answer is not None
            changed = self._changed(key.person.tenant_id, record.notes) if record and answered else None
            if record and changed is not None:
                return IdempotencyLock(key=key, owner=self, record=record, token=held.token, changed=changed)
            if record is None or record.lease_until is None or record.lease_until <= now:
                claimed = AnsweredRequest(key.fingerprint, now + KEPT, now + self.lease)
                try:
                    token = self.write(key, claimed, held.token)
                except Conflict:
                    continue  # another worker was faster: read its record
                return IdempotencyLock(key=key, owner=self, record=claimed, token=token)
            if time.monotonic() + pause > until:
                message = "a request with this requestId is being answered; ask again for its answer"
                raise RequestBusy(message, retry_after=max(1.0, (record.lease_until - now).total_seconds()))
            time.sleep(pause)
            pause = min(2 * pause, MAX_PAUSE)

    def _changed(self, tenant_id: str, notes: Mapping[str, str]) -> frozenset[str] | None:
        """Notes with another revision than was read; None: one is deleted."""
        live = self.store.live_records(tenant_id, tuple(notes)) if notes else {}
        if len(live) < len(notes):
            return None
        return frozenset(note_id for note_id, read in notes.items() if live[note_id].note_revision != read)

    def read(self, key: RequestKey) -> StoredRequest:
        return self.store.read_request(key.person, key.request_id)

    def write(self, key: RequestKey, record: AnsweredRequest | None, expected: str | None) -> str | None:
        return self.store.write_request(key.person, key.request_id, record, expected=expected, now=self.clock())


def fingerprint(route: str, body: Mapping[str, object]) -> str:
    """SHA-256 of route and body, independent of the order of fields."""
    content = json.dumps([route, body], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

"""Idempotency: a request's `requestId` -> the answer it already has, or the lock under which to answer it.

1. The first request takes the lock of its id, with a lease, and its answer is kept for a day.
2. A repeat that comes meanwhile waits a little for that answer, and is then asked to come back (503).
3. A request whose worker died is answered again when the lease has run out, one that failed or was abandoned at once.
4. The same id with another body is a conflict.

A kept answer is given again only while every note whose text may be in it exists: where one was deleted since, the
question is answered again. A note that was only edited leaves the answer as it was; its citations are stale.
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
from shared.model.account import AnsweredRequest, Person
from shared.model.clocks import is_running
from shared.model.documents import REQUESTS, Stored
from shared.ports.freshness import Freshness, current
from shared.ports.stores import ConversationStore

KEPT = timedelta(hours=24)
"""Time that an answer is kept for a repeat."""
PATIENCE = 10.0
"""Seconds a repeat waits for the first one's answer."""
FIRST_PAUSE = 0.1
"""Seconds before the second look for an answer; each further pause is twice as long."""
MAX_PAUSE = 1.0
"""Seconds of the longest pause."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RequestKey:
    """A request of a person; `fingerprint` identifies its content."""

    person: Person
    request_id: str
    fingerprint: str


@dataclass(slots=True)
class IdempotencyLock:
    """A request that is the holder's to answer, or was answered before."""

    key: RequestKey
    owner: Idempotency
    record: AnsweredRequest
    """Holds the earlier answer; without one the holder must answer, and `keep` the answer."""
    token: str | None
    """Token of the stored record; None if nothing is stored."""
    changed: frozenset[str] = frozenset()
    """Notes that were edited since the answer was given."""

    def keep(self, answer: str, notes: Mapping[str, str]) -> str:
        """Stores the answer and returns it, unless another worker has taken the request over and answered it: then
        returns that worker's answer.

        An answer that the store cannot keep is returned all the same; a repeat is then answered again.

        notes: id -> revision of the notes that were read for it.
        """
        record = replace(
            self.record,
            answer=answer,
            notes=notes,
            lease_until=None,
        )
        try:
            self.token = self.owner.write(self.key, record, self.token)
        except Conflict:
            stored = self.owner.read(self.key).value
            if stored is not None and _is_answer_of(stored, self.key):
                record = stored
        except TooLarge:
            logger.warning("an answer was too long to be kept for a repeat")
            self.release()
        except Unavailable as problem:
            logger.warning("an answer was not kept for a repeat (%s)", type(problem).__name__)
        self.record = record
        return record.answer or answer

    def release(self) -> None:
        """Lets the next worker answer at once.

        A worker that was overtaken has nothing to release. While the store is unavailable, the next worker answers
        when the lease has run out.
        """
        with suppress(Conflict, Unavailable):
            self.owner.write(self.key, None, self.token)


@dataclass(frozen=True, slots=True, kw_only=True)
class Idempotency:
    """Locks requests in a store."""

    store: ConversationStore
    clock: Callable[[], datetime]
    lease: timedelta
    """Longer than any answer takes."""
    patience: float = PATIENCE
    """Seconds that a repeat waits for the first request's answer."""

    @contextmanager
    def locked(self, key: RequestKey | None) -> Iterator[IdempotencyLock | None]:
        """Holds the lock of a request while it is answered; releases it if no answer was kept by then.

        key: None if the request names no id; then there is no lock.

        Raises Conflict for an id that was used for another request, RequestBusy while another worker answers it.
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
        deadline = time.monotonic() + self.patience
        pause = FIRST_PAUSE
        while True:
            now = self.clock()
            stored = self.read(key)
            record = _unexpired(stored.value, now)

            # 1. The same id may name no other request.
            if record is not None and record.fingerprint != key.fingerprint:
                raise Conflict(
                    "requestId: it was used for another request within the last 24 hours",
                )

            # 2. An answer is given again while all its notes exist.
            if record is not None and record.answer is not None:
                changed = self._changed(key.person.tenant_id, record.notes)
                if changed is not None:
                    return IdempotencyLock(
                        key=key,
                        owner=self,
                        record=record,
                        token=stored.token,
                        changed=changed,
                    )

            # 3. A request that nobody is answering is claimed.
            lease_until = None
            if record is not None:
                lease_until = record.lease_until
            if lease_until is None or not is_running(lease_until, now, length=self.lease):
                claim = AnsweredRequest(
                    request_id=key.request_id,
                    fingerprint=key.fingerprint,
                    expires_at=now + KEPT,
                    lease_until=now + self.lease,
                )
                try:
                    token = self.write(key, claim, stored.token)
                except Conflict:
                    continue  # another worker was faster: read its record
                return IdempotencyLock(
                    key=key,
                    owner=self,
                    record=claim,
                    token=token,
                )

            # 4. Another worker is answering it.
            if time.monotonic() + pause > deadline:
                seconds = (lease_until - now).total_seconds()
                raise RequestBusy(
                    "a request with this requestId is being answered; ask again for its answer",
                    retry_after=max(1.0, seconds),
                )
            time.sleep(pause)
            pause = min(2 * pause, MAX_PAUSE)

    def _changed(self, tenant_id: str, notes: Mapping[str, str]) -> frozenset[str] | None:
        """Returns the notes that have another revision than was read; None if one was deleted."""
        states = current(self.store, tenant_id, notes.items())
        if Freshness.DELETED in states.values():
            return None
        edited = [note_id for (note_id, _), state in states.items() if state is Freshness.EDITED]
        return frozenset(edited)

    def read(self, key: RequestKey) -> Stored[AnsweredRequest]:
        return self.store.get(key.person, REQUESTS, key.request_id)

    def write(
        self,
        key: RequestKey,
        record: AnsweredRequest | None,
        expected: str | None,
    ) -> str | None:
        return self.store.swap(key.person, REQUESTS, key.request_id, record, expected=expected)


def _unexpired(record: AnsweredRequest | None, now: datetime) -> AnsweredRequest | None:
    """Returns the record if it still counts."""
    if record is None or not is_running(record.expires_at, now, length=KEPT):
        return None
    return record


def _is_answer_of(record: AnsweredRequest, key: RequestKey) -> bool:
    """Reports whether the record holds an answer to the same request."""
    return record.answer is not None and record.fingerprint == key.fingerprint


def fingerprint(route: str, body: Mapping[str, object]) -> str:
    """Returns the SHA-256 of route and body, independent of the order of fields."""
    content = json.dumps(
        [route, body],
        sort_keys=True,
        ensure_ascii=False,
        default=str,
    )
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

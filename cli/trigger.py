"""The embedded store's trigger: every saved note becomes an event for `on_note_write`, as Firestore's would.

Delivered by a few threads, so that a long note holds up no other, through the function's own app; an answer of 500 or
more is tried again later, as Eventarc does. What is lost with the process, reconcile finds.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

from werkzeug.test import Client

from shared.domain import NoteKey

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

WORKERS = 4
"""Events delivered at once."""
FIRST_DELAY = 0.2
LONGEST_DELAY = 30.0
ATTEMPTS = 12
"""Over four minutes together: longer than another worker's lease on a note."""

_logger = logging.getLogger(__name__)


class Trigger:
    """A queue of notes that were written, and the threads that deliver them. `enqueue` never waits.

    It is made before its receiver: the store that fires it is a part of what the receiver is built from.
    """

    deliver: Callable[[NoteKey], int]
    """Hands one event over and gives the HTTP status of the answer. To be set before `start`; called by several
    threads at once, but never for the same note: the second could only be told that the first is at it.
    """

    def __init__(self) -> None:
        self._due: list[tuple[float, int, NoteKey, int]] = []
        """A heap of (when, order, note, attempt); times are of the monotonic clock."""
        self._waiting: set[NoteKey] = set()
        self._under_way: set[NoteKey] = set()
        self._held: set[NoteKey] = set()
        """Due, but the same note is being delivered."""
        self._order = itertools.count()
        self._changed = threading.Condition()
        self._stopped = False
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        for number in range(WORKERS):
            self._threads.append(threading.Thread(target=self._run, name=f"trigger-{number}", daemon=True))
            self._threads[-1].start()

    def stop(self) -> None:
        """Finish the events at hand and drop the rest."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def enqueue(self, key: NoteKey) -> None:
        """A note already waiting for its first delivery is not queued twice: that delivery reads what is there then."""
        with self._changed:
            if key not in self._waiting:
                self._waiting.add(key)
                self._put(key, delay=0.0, attempt=0)

    def enqueue_path(self, document: str) -> None:
        """The same for the path of a document; of anything but a tenant's note, nothing."""
        match document.split("/"):
            case ["tenants", tenant_id, "notes", note_id]:
                self.enqueue(NoteKey(tenant_id, note_id))

    def _put(self, key: NoteKey, *, delay: float, attempt: int) -> None:
        heapq.heappush(self._due, (time.monotonic() + delay, next(self._order), key, attempt))
        self._changed.notify_all()

    def _run(self) -> None:
        while (event := self._next()) is not None:
            key, attempt = event
            self._done(key, attempt, self.deliver(key))

    def _next(self) -> tuple[NoteKey, int] | None:
        """The next event when it is due; None after `stop`."""
        with self._changed:
            while not self._stopped:
                wait = self._due[0][0] - time.monotonic() if self._due else None
                if wait is None or wait > 0:
                    self._changed.wait(wait)
                    continue
                _, _, key, attempt = heapq.heappop(self._due)
                if attempt == 0:
                    self._waiting.discard(key)
                if key in self._under_way:
                    self._held.add(key)
                    continue
                self._under_way.add(key)
                return key, attempt
            return None

    def _done(self, key: NoteKey, attempt: int, status: int) -> None:
        """Let the next event of the note follow, or this one come again."""
        with self._changed:
            self._under_way.discard(key)
            if key in self._held:
                self._held.discard(key)
                self.enqueue(key)
            elif status >= 500 and attempt + 1 < ATTEMPTS:
                self._put(key, delay=min(FIRST_DELAY * 2**attempt, LONGEST_DELAY), attempt=attempt + 1)
            elif status >= 500:
                _logger.warning("gave an event up after %d attempts; reconcile will find its note", ATTEMPTS)


def delivery(app: WSGIApplication) -> Callable[[NoteKey], int]:
    """Post events as Eventarc does, to the app of `on_note_write`; the answer's status."""
    post = posting(app)
    return lambda key: post(f"tenants/{key.tenant_id}/notes/{key.note_id}")


def posting(app: WSGIApplication) -> Callable[[str], int]:
    """The same for any document's path, to the app of its function."""
    client = Client(app, use_cookies=False)  # it keeps nothing then, and serves all threads

    def post(document: str) -> int:
        path = quote(document)
        headers = {
            "ce-specversion": "1.0",
            "ce-id": uuid.uuid4().hex,
            "ce-source": "//firestore.googleapis.com/projects/local/databases/(default)",
            "ce-type": "google.cloud.firestore.document.v1.written",
            "ce-subject": f"documents/{path}",
            "ce-document": path,
            "ce-time": datetime.now(UTC).isoformat(),
        }
        return client.post("/", headers=headers, content_type="application/protobuf").status_code

    return post

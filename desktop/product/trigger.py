"""The embedded store's trigger: every saved note becomes an event for `on_note_write`, as Firestore's would.

Delivered by a few threads, so that a long note holds up no other, through the function's own app; an answer of 500 or
more is tried again later, as Eventarc does. While they are all at work, a thread of its own brings what was saved into
the index by words, and then it waits for them: what was saved last is delivered first. What is lost with the process,
reconcile finds.
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

from shared.model.notes import NoteKey

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

WORKERS = 4
"""Events delivered at once."""
FIRST_DELAY = 0.2
MAX_DELAY = 30.0
ATTEMPTS = 12
"""Deliveries of an event, which take over four minutes: longer than another worker's lease on a note."""

_logger = logging.getLogger(__name__)


class Trigger:
    """A queue of notes that were written, and the threads that deliver them. `enqueue` never waits.

    It is made before its receiver: the store that fires it is a part of what the receiver is built from.
    """

    deliver: Callable[[NoteKey], int]
    """Hands one event over and gives the HTTP status of the answer. To be set before `start`; called by several
    threads at once, but never for the same note: the second could do nothing while the first is at it.
    """
    words: Callable[[NoteKey], bool]
    """Makes words find the note at once, and reports whether nothing more is to be done. To be set before `start`;
    called by one thread, also for a note that is being delivered.
    """

    def __init__(self) -> None:
        self._saved: dict[NoteKey, None] = {}
        """Notes in the order in which they were saved."""
        self._fresh: dict[NoteKey, None] = {}
        """Notes to be delivered for the first time, the last first."""
        self._retries: list[tuple[float, int, NoteKey, int]] = []
        """Heap of (time, order, note, attempt) of events to be tried again, by the monotonic clock."""
        self._under_way: set[NoteKey] = set()
        self._postponed: set[NoteKey] = set()
        """Notes that are due while they are being delivered."""
        self._order = itertools.count()
        self._changed = threading.Condition()
        self._stopped = False
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        for number, work in enumerate((self._sort, *[self._run] * WORKERS)):
            thread = threading.Thread(
                target=work,
                name=f"trigger-{number}",
                daemon=True,
            )
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Finishes the events at hand and drops the rest."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def enqueue(self, key: NoteKey) -> None:
        """Queues a note. One that waits for its first delivery is not queued twice, since a delivery
        reads the note as it is then.
        """
        with self._changed:
            self._saved[key] = None
            self._changed.notify_all()

    def enqueue_path(self, document: str) -> None:
        """Queues the note at the path of a document; the path of another document is ignored."""
        match document.split("/"):
            case ["tenants", tenant_id, "notes", note_id]:
                self.enqueue(NoteKey(tenant_id, note_id))

    def _sort(self) -> None:
        """Passes saved notes on to be delivered; first to `words` if they would have to wait."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._saved or self._stopped)
                if self._stopped:
                    return
                key = next(iter(self._saved))
                del self._saved[key]
                is_busy = len(self._under_way) + len(self._fresh) >= WORKERS
            is_finished = False
            if is_busy:
                try:
                    is_finished = self.words(key)
                except Exception:  # a bug that one note brings out must not hold up all others; its delivery reports it
                    _logger.debug("words of note %r", key.note_id, exc_info=True)
            if not is_finished:
                with self._changed:
                    self._fresh.pop(key, None)
                    self._fresh[key] = None
                    self._changed.notify_all()

    def _run(self) -> None:
        while (event := self._next()) is not None:
            key, attempt = event
            self._finish(key, attempt, self.deliver(key))

    def _next(self) -> tuple[NoteKey, int] | None:
        """Returns the next event and its attempt when it is due; None after `stop`."""
        with self._changed:
            while not self._stopped:
                wait = None
                if self._retries:
                    wait = self._retries[0][0] - time.monotonic()
                if wait is not None and wait <= 0:
                    _, _, key, attempt = heapq.heappop(self._retries)
                elif self._fresh:
                    key, _ = self._fresh.popitem()
                    attempt = 0
                else:
                    self._changed.wait(wait)
                    continue
                if key in self._under_way:
                    self._postponed.add(key)
                    continue
                self._under_way.add(key)
                return key, attempt
            return None

    def _finish(self, key: NoteKey, attempt: int, status: int) -> None:
        """Queues the next event of the note, or this one again."""
        with self._changed:
            self._under_way.discard(key)
            if key in self._postponed:
                self._postponed.discard(key)
                self.enqueue(key)
            elif status >= 500 and attempt + 1 < ATTEMPTS:
                retry_at = time.monotonic() + min(FIRST_DELAY * 2**attempt, MAX_DELAY)
                heapq.heappush(self._retries, (retry_at, next(self._order), key, attempt + 1))
                self._changed.notify_all()
            elif status >= 500:
                _logger.warning(
                    "gave an event up after %d attempts; reconcile will find its note",
                    ATTEMPTS,
                )


def delivery(app: WSGIApplication) -> Callable[[NoteKey], int]:
    """Returns a function that posts the event of a note as Eventarc does, to the app of `on_note_write`, and returns
    the answer's status.
    """
    post = posting(app)
    return lambda key: post(f"tenants/{key.tenant_id}/notes/{key.note_id}")


def posting(app: WSGIApplication) -> Callable[[str], int]:
    """Returns a function that posts the event of the document at a path, to the app of its function, and returns the
    answer's status.
    """
    client = Client(app, use_cookies=False)  # it keeps nothing then, and serves all threads

    def post(document: str) -> int:
        path = quote(document)
        headers = {
            "ce-specversion": "1.0",
            "ce-id": uuid.uuid4().hex,
            "ce-source": "//firestore.googleapis.com/projects/local",
            "ce-type": "google.cloud.firestore.document.v1.written",
            "ce-subject": f"documents/{path}",
            "ce-document": path,
            "ce-time": datetime.now(UTC).isoformat(),
        }
        return client.post(
            "/",
            headers=headers,
            content_type="application/protobuf",
        ).status_code

    return post

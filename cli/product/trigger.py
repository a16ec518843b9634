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
"""Over four minutes together: longer than another worker's lease on a note."""

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
    """Makes words find the note, at once; whether that was all. To be set before `start`; called by one thread, also
    for a note that is being delivered.
    """

    def __init__(self) -> None:
        self._saved: dict[NoteKey, None] = {}
        """In the order in which they were saved."""
        self._fresh: dict[NoteKey, None] = {}
        """To be delivered for the first time, the last first."""
        self._due: list[tuple[float, int, NoteKey, int]] = []
        """A heap of (when, order, note, attempt) of those to be tried again; times are of the monotonic clock."""
        self._under_way: set[NoteKey] = set()
        self._held: set[NoteKey] = set()
        """Due, but the same note is being delivered."""
        self._order = itertools.count()
        self._changed = threading.Condition()
        self._stopped = False
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        for number, work in enumerate((self._sort, *[self._run] * WORKERS)):
            self._threads.append(threading.Thread(target=work, name=f"trigger-{number}", daemon=True))
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
            self._saved[key] = None
            self._changed.notify_all()

    def enqueue_path(self, document: str) -> None:
        """`enqueue` by the path of a document; of anything but a tenant's note, nothing."""
        match document.split("/"):
            case ["tenants", tenant_id, "notes", note_id]:
                self.enqueue(NoteKey(tenant_id, note_id))

    def _sort(self) -> None:
        """What was saved goes on to be delivered, by way of `words` where it would have to wait for that."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._saved or self._stopped)
                if self._stopped:
                    return
                key = next(iter(self._saved))
                del self._saved[key]
                is_busy = len(self._under_way) + len(self._fresh) >= WORKERS
            try:
                is_done = is_busy and self.words(key)
            except Exception:  # a bug that one note brings out must not hold up all others; its delivery reports it
                _logger.debug("words of note %r", key.note_id, exc_info=True)
                is_done = False
            if not is_done:
                with self._changed:
                    self._fresh.pop(key, None)
                    self._fresh[key] = None
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
                if wait is not None and wait <= 0:
                    _, _, key, attempt = heapq.heappop(self._due)
                elif self._fresh:
                    (key, _), attempt = self._fresh.popitem(), 0
                else:
                    self._changed.wait(wait)
                    continue
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
                when = time.monotonic() + min(FIRST_DELAY * 2**attempt, MAX_DELAY)
                heapq.heappush(self._due, (when, next(self._order), key, attempt + 1))
                self._changed.notify_all()
            elif status >= 500:
                _logger.warning("gave an event up after %d attempts; reconcile will find its note", ATTEMPTS)


def delivery(app: WSGIApplication) -> Callable[[NoteKey], int]:
    """Post the events of notes as Eventarc does, to the app of `on_note_write`; the answer's status."""
    post = posting(app)
    return lambda key: post(f"tenants/{key.tenant_id}/notes/{key.note_id}")


def posting(app: WSGIApplication) -> Callable[[str], int]:
    """Post the event of the document at a path, to the app of its function; the answer's status."""
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
        return client.post("/", headers=headers, content_type="application/protobuf").status_code

    return post

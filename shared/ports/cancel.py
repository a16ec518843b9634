"""Cancellation of a model call from another thread."""

from __future__ import annotations

import contextvars
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Cancelled(Exception):
    """The listener has left: the call under way ends, and nothing replaces its result."""


class Cancel:
    """Shared by the thread that answers a request and the one that listens to it.

    1. The listener makes one and sets `current` for the thread that answers.
    2. A model call `watches` its deadline there, and `attach`es how its connection is shut down once there is one.
    3. The listener calls `check` when `seconds_left` are over, and `leave` when it has left itself: the
       connection is shut down under the model call, which ends.
    """

    def __init__(self) -> None:
        self.left = False
        """True once the listener has left."""
        self._lock = threading.Lock()
        self._deadline = math.inf
        self._shut: Callable[[], None] | None = None
        self._watched = False

    @contextmanager
    def watches(self, deadline: float) -> Iterator[None]:
        """Watches the model call in its body, until the deadline by `time.monotonic`."""
        with self._lock:
            self._deadline = deadline
            self._watched = True
        try:
            yield
        finally:
            with self._lock:
                self._deadline = math.inf
                self._watched = False
                self._shut = None

    def attach(self, shut: Callable[[], None]) -> None:
        """Remembers how to end the connection of the call that is watched; does nothing for any other call."""
        with self._lock:
            if not self._watched:
                return
            self._shut = shut
            over = self.left or time.monotonic() >= self._deadline
        if over:
            shut()

    def seconds_left(self) -> float:
        """Returns the seconds to the deadline; infinity while no model is called."""
        return self._deadline - time.monotonic()

    def check(self) -> None:
        """Ends a call whose time is up, or whose listener has left."""
        with self._lock:
            if self._shut and (self.left or time.monotonic() >= self._deadline):
                self._shut()

    def leave(self) -> None:
        self.left = True
        self.check()


current: contextvars.ContextVar[Cancel] = contextvars.ContextVar("cancel")
"""The `Cancel` of the request that this thread answers; unset if there is no listener."""

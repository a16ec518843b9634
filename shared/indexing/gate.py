"""Bounds the bytes of note text that are worked on at the same time in one process.

Cutting a note takes up to 150 times its bytes of memory, writing it some more. So each worker on a note passes a gate
that lets in no more than a number of bytes, however many workers there are. A note of more than the limit passes alone.

There are two lanes, each with the limit: short notes never wait for long ones. Within a lane the first to come is the
first to pass, so a long note is not overtaken for ever. While texts are embedded, which takes minutes for a long note
and hardly any memory, a pass counts a twentieth. No worker takes a second pass while it has one, so none waits for
itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition

from shared.errors import NoteBusy
from shared.indexing.state import IndexState

LIMIT = 1_200_000
"""Bytes of text in each lane: one note of the largest size, beside some whose texts are embedded."""
SHORT = 16_000
"""Bytes of a note up to which it is short. A note whose size is not known yet counts as much."""
LIGHT = 20
"""Factor by which a note counts less while its texts are embedded."""
PATIENCE = 60.0
"""Seconds that a worker waits for its pass before it leaves the note to a later call."""


class TextGate:
    """Lets notes in by the bytes of their text. Safe between threads."""

    def __init__(self, limit: int = LIMIT, *, patience: float = PATIENCE) -> None:
        self._short = _Lane(limit, patience)
        self._long = _Lane(limit, patience)

    @property
    def inside(self) -> int:
        """Bytes of text that are worked on now."""
        return self._short.inside + self._long.inside

    @contextmanager
    def passing(self, size: int = SHORT) -> Iterator[Pass]:
        """Waits until a note of `size` bytes may be worked on; the permission lasts for the block.

        Raises NoteBusy if that takes too long.
        """
        lane = self._long
        if size <= SHORT:
            lane = self._short
        weight = lane.enter(size)
        ticket = Pass(lane, weight)
        try:
            yield ticket
        finally:
            lane.leave(ticket.weight)

    @contextmanager
    def admitted(self, read: Callable[[], IndexState]) -> Iterator[tuple[IndexState, Pass]]:
        """Yields the note's state, with the right to work on its text within the block.

        A long note that is to be indexed is read again behind the gate, for its length was not known before.
        """
        size = SHORT
        while True:
            with self.passing(size) as ticket:
                state = read()
                text_bytes = state.bytes_to_index
                if text_bytes <= size:
                    yield state, ticket
                    return
                del state  # its text is not held while this worker waits
            size = text_bytes


class Pass:
    """Permission to work on a note, which counts as `weight` bytes in its lane."""

    def __init__(self, lane: _Lane, weight: int) -> None:
        self.weight = weight
        self._lane = lane

    def lighten(self) -> None:
        """Gives most of the weight back: the note is cut and written, and only its texts are still in memory."""
        light = self.weight // LIGHT
        self._lane.leave(self.weight - light)
        self.weight = light


class _Lane:
    """A limit, and the queue of workers that wait for it."""

    def __init__(self, limit: int, patience: float) -> None:
        self.inside = 0
        self._limit = limit
        self._patience = patience
        self._waiting: deque[object] = deque()
        self._changed = Condition()

    def enter(self, size: int) -> int:
        """Waits for `size` bytes, at most the limit, and takes them. Returns the bytes taken. Raises NoteBusy."""
        weight = min(size, self._limit)
        place = object()

        def may_enter() -> bool:
            is_first = self._waiting[0] is place
            return is_first and self.inside + weight <= self._limit

        with self._changed:
            self._waiting.append(place)
            try:
                if not self._changed.wait_for(may_enter, self._patience):
                    raise NoteBusy("other long notes are being indexed on this instance")
                self.inside += weight
            finally:
                self._waiting.remove(place)
                self._changed.notify_all()
        return weight

    def leave(self, weight: int) -> None:
        """Gives bytes back."""
        with self._changed:
            self.inside -= weight
            self._changed.notify_all()

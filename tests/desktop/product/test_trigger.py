"""The local trigger: every save is delivered, a failed one comes again, no note holds up another, the threads end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from desktop.product import trigger as trigger_module
from desktop.product.trigger import Trigger
from shared.model.notes import NoteKey

Deliver = Callable[[NoteKey], int]

A = NoteKey("t", "a")
B = NoteKey("t", "b")


class Receiver:
    """Answers with the statuses given, then 200, and keeps what arrived."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses)
        self.received: list[NoteKey] = []
        self.changed = threading.Condition()

    def __call__(self, key: NoteKey) -> int:
        with self.changed:
            self.received.append(key)
            self.changed.notify_all()
            return self.statuses.pop(0) if self.statuses else 200

    def wait_for(self, count: int) -> list[NoteKey]:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.received) >= count, timeout=30)
            return list(self.received)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Deliver], Trigger]]:
    monkeypatch.setattr(trigger_module, "FIRST_DELAY", 0.01)
    running: list[Trigger] = []

    def start(receiver: Deliver) -> Trigger:
        trigger = Trigger()
        trigger.deliver = receiver
        trigger.words = lambda _: False
        trigger.start()
        running.append(trigger)
        return trigger

    yield start
    for trigger in running:
        trigger.stop()


Started = Callable[[Deliver], Trigger]


def test_every_save_is_delivered(started: Started) -> None:
    receiver = Receiver()
    trigger = started(receiver)
    keys = [NoteKey("t", str(number)) for number in range(50)]
    for key in keys:
        trigger.enqueue(key)
    assert sorted(receiver.wait_for(50), key=lambda key: int(key.note_id)) == keys


def test_a_failed_delivery_comes_again_and_does_not_hold_up_others(started: Started) -> None:
    receiver = Receiver(503, 500)
    trigger = started(receiver)
    trigger.enqueue(A)
    assert receiver.wait_for(3) == [A, A, A]
    trigger.enqueue(B)
    assert receiver.wait_for(4)[3] == B


def test_an_acknowledged_event_does_not_come_again(started: Started) -> None:
    receiver = Receiver(400)
    trigger = started(receiver)
    trigger.enqueue(A)
    receiver.wait_for(1)
    trigger.enqueue(B)
    assert receiver.wait_for(2) == [A, B]


def test_saves_before_the_delivery_are_one_event() -> None:
    receiver = Receiver()
    trigger = Trigger()
    trigger.deliver = receiver
    trigger.words = lambda _: False
    for _ in range(100):
        trigger.enqueue(A)
    trigger.enqueue(B)
    trigger.start()
    assert set(receiver.wait_for(2)) == {A, B}
    trigger.stop()
    assert len(receiver.received) == 2


def test_after_so_many_attempts_it_gives_up(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trigger_module, "ATTEMPTS", 3)
    receiver = Receiver(*[503] * 9)
    trigger = started(receiver)
    trigger.enqueue(A)
    receiver.wait_for(3)
    receiver.statuses.clear()
    trigger.enqueue(B)
    assert receiver.wait_for(4) == [A, A, A, B]


def test_stopping_drops_what_waits(started: Started) -> None:
    receiver = Receiver(*[503] * 50)
    trigger = started(receiver)
    trigger.enqueue(A)
    receiver.wait_for(1)
    trigger.stop()
    count = len(receiver.received)
    trigger.enqueue(B)
    assert len(receiver.received) == count


class Stuck(Receiver):
    """Is at every note, or at one, until it is let go, and remembers what it has finished."""

    def __init__(self, only: NoteKey | None = None) -> None:
        super().__init__()
        self.only = only
        self.let_go = threading.Event()
        self.finished: list[NoteKey] = []

    def __call__(self, key: NoteKey) -> int:
        status = super().__call__(key)
        if self.only in (None, key):
            assert self.let_go.wait(20)
        self.finished.append(key)
        return status


@pytest.fixture
def slow() -> Iterator[Stuck]:
    receiver = Stuck(A)
    yield receiver
    receiver.let_go.set()


def test_the_same_note_is_not_delivered_twice_at_once_but_once_more_afterwards(
    started: Started, slow: Stuck
) -> None:
    trigger = started(slow)
    trigger.enqueue(A)
    slow.wait_for(1)
    trigger.enqueue(A)
    trigger.enqueue(A)
    trigger.enqueue(B)
    assert slow.wait_for(2) == [A, B]
    slow.let_go.set()
    assert slow.wait_for(3) == [A, B, A]


def test_stopping_waits_for_the_deliveries_at_hand(started: Started, slow: Stuck) -> None:
    trigger = started(slow)
    trigger.enqueue(A)
    slow.wait_for(1)
    stopping = threading.Thread(target=trigger.stop)
    stopping.start()
    stopping.join(0.1)
    assert stopping.is_alive()
    slow.let_go.set()
    stopping.join(20)
    assert not stopping.is_alive()
    assert slow.finished == [A]


@pytest.fixture
def words() -> Receiver:
    """A receiver of the notes that were made to be found by words."""
    return Receiver()


def _busy(trigger: Trigger, receiver: Receiver) -> list[NoteKey]:
    """Every thread is at a note."""
    keys = [NoteKey("t", f"long-{number}") for number in range(trigger_module.WORKERS)]
    for key in keys:
        trigger.enqueue(key)
    receiver.wait_for(len(keys))
    return keys


def test_while_all_are_busy_words_come_at_once_and_the_last_save_first(
    started: Started, words: Receiver
) -> None:
    stuck = Stuck()
    trigger = started(stuck)
    trigger.words = lambda key: words(key) != 200
    keys = _busy(trigger, stuck)
    assert words.received == []
    waiting = [NoteKey("t", str(number)) for number in range(20)]
    for number, key in enumerate([*waiting, waiting[0]], 1):
        trigger.enqueue(key)
        words.wait_for(number)
    trigger.enqueue(A)
    words.wait_for(len(waiting) + 2)  # so the one before waits to be delivered by now
    stuck.let_go.set()
    delivered = stuck.wait_for(len(keys) + len(waiting) + 1)[len(keys) :]
    assert delivered.index(waiting[0]) < delivered.index(waiting[19]) < delivered.index(waiting[1])
    assert len(delivered) == len(set(delivered))


def test_what_words_alone_could_do_is_not_delivered(started: Started, words: Receiver) -> None:
    stuck = Stuck()
    trigger = started(stuck)
    trigger.words = lambda key: words(key) == 200 and key == A
    keys = _busy(trigger, stuck)
    trigger.enqueue(A)
    trigger.enqueue(B)
    words.wait_for(2)
    stuck.let_go.set()
    assert stuck.wait_for(len(keys) + 1)[len(keys) :] == [B]


def test_a_bug_among_the_words_of_a_note_holds_up_no_other(started: Started) -> None:
    def words(key: NoteKey) -> bool:
        raise RuntimeError(key.note_id)

    stuck = Stuck()
    trigger = started(stuck)
    trigger.words = words
    keys = _busy(trigger, stuck)
    trigger.enqueue(A)
    trigger.enqueue(B)
    stuck.let_go.set()
    assert set(stuck.wait_for(len(keys) + 2)) == {*keys, A, B}

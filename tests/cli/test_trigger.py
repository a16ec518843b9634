"""The local trigger: every save is delivered, a failed delivery comes again, the thread ends when told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from cli import trigger as trigger_module
from cli.trigger import Trigger
from shared.domain import NoteKey

A, B = NoteKey("t", "a"), NoteKey("t", "b")


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
            assert self.changed.wait_for(lambda: len(self.received) >= count, timeout=10)
            return list(self.received)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Receiver], Trigger]]:
    monkeypatch.setattr(trigger_module, "FIRST_DELAY", 0.01)
    running: list[Trigger] = []

    def start(receiver: Receiver) -> Trigger:
        trigger = Trigger()
        trigger.deliver = receiver
        trigger.start()
        running.append(trigger)
        return trigger

    yield start
    for trigger in running:
        trigger.stop()


Started = Callable[[Receiver], Trigger]


def test_saves_are_delivered_in_order(started: Started) -> None:
    receiver = Receiver()
    trigger = started(receiver)
    trigger.enqueue(A)
    trigger.enqueue(B)
    assert receiver.wait_for(2) == [A, B]


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
    trigger.enqueue(B)
    assert receiver.wait_for(2) == [A, B]


def test_saves_before_the_delivery_are_one_event() -> None:
    receiver, trigger = Receiver(), Trigger()
    trigger.deliver = receiver
    for _ in range(100):
        trigger.enqueue(A)
    trigger.enqueue(B)
    trigger.start()
    assert receiver.wait_for(2) == [A, B]
    trigger.stop()
    assert receiver.received == [A, B]


def test_after_so_many_attempts_it_gives_up(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
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

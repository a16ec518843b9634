"""A request is answered once, whoever repeats it, dies over it, or deletes a note that the answer quotes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from shared.account.idempotency import KEPT, Idempotency, RequestKey
from shared.errors import Conflict, RequestBusy
from shared.model.documents import REQUESTS
from tests.contracts.samples import DAY, PERSON
from tests.indexing.world import Clock
from tests.sessions.samples import Conversations

KEY = RequestKey(PERSON, "r-1", "print")
LEASE = timedelta(minutes=1)


@pytest.fixture
def clock() -> Clock:
    return Clock(DAY)


@pytest.fixture
def store() -> Conversations:
    return Conversations()


@pytest.fixture
def requests(store: Conversations, clock: Clock) -> Idempotency:
    return Idempotency(
        store=store,
        clock=clock,
        lease=LEASE,
        patience=0,
    )


def _answer(requests: Idempotency, text: str, revision: str = "r1") -> str | None:
    """Returns the answer that was there; answers with `text` if there was none."""
    with requests.locked(KEY) as lock:
        assert lock is not None
        if lock.record.answer is None:
            lock.keep(text, {"n1": revision})
            return None
        return lock.record.answer


def test_a_repeat_gets_the_answer_for_a_day(requests: Idempotency, clock: Clock) -> None:
    assert _answer(requests, "first") is None
    assert _answer(requests, "second") == "first"
    clock.now += KEPT
    assert _answer(requests, "third") is None


def test_the_same_id_with_another_body_is_a_conflict(requests: Idempotency) -> None:
    _answer(requests, "first")
    with pytest.raises(Conflict), requests.locked(RequestKey(PERSON, "r-1", "another")):
        pass


def test_a_repeat_meanwhile_is_asked_to_come_back_when_the_lease_ends(
    requests: Idempotency, clock: Clock
) -> None:
    with requests.locked(KEY):
        clock.now += timedelta(seconds=20)
        with pytest.raises(RequestBusy) as busy, requests.locked(KEY):
            pass
    assert busy.value.retry_after == 40


def test_a_request_that_failed_can_be_answered_at_once(
    requests: Idempotency, store: Conversations
) -> None:
    with pytest.raises(ZeroDivisionError), requests.locked(KEY):
        raise ZeroDivisionError
    assert store.get(PERSON, REQUESTS, "r-1").value is None
    assert _answer(requests, "second") is None


def test_of_two_workers_the_one_that_answers_first_is_heard(
    requests: Idempotency, clock: Clock
) -> None:
    with requests.locked(KEY) as slow:
        assert slow is not None
        clock.now += LEASE
        assert _answer(requests, "of the second worker") is None
        assert slow.keep("of the first worker", {}) == "of the second worker"


def test_an_answer_ends_with_a_note_that_it_quotes(
    requests: Idempotency, store: Conversations
) -> None:
    _answer(requests, "first", revision="an earlier one")
    with requests.locked(KEY) as lock:
        assert lock is not None
        assert lock.changed == {"n1"}
    store.notes.clear()
    assert _answer(requests, "second") is None

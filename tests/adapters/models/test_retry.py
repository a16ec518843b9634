from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from shared.adapters.retry import FIRST_PAUSE, JITTER, MAX_PAUSE, retry_store, retry_within
from shared.errors import (
    Conflict,
    ModelRefused,
    ModelUnavailable,
    PortContractError,
    StoreRefused,
    StoreUnavailable,
)
from tests.adapters.models.waiting import FakeClock


class Flaky:
    """Fails as told, then succeeds; keeps the seconds it was given."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.given: list[float] = []

    def __call__(self, seconds: float) -> str:
        self.given.append(seconds)
        if self.failures:
            raise self.failures.pop(0)
        return "done"


def away(retry_after: float | None = None) -> ModelUnavailable:
    return ModelUnavailable("m: 503", retry_after=retry_after)


def test_a_call_that_succeeds_is_made_once_with_the_whole_deadline(clock: FakeClock) -> None:
    call = Flaky()
    assert retry_within(call, model="m", seconds=30, clock=clock) == "done"
    assert call.given == [30.0]
    assert clock.pauses == []


def test_a_refused_call_after_one_that_may_have_been_billed_is_billed(clock: FakeClock) -> None:
    def refused() -> ModelUnavailable:
        return ModelUnavailable("m: 429", is_billed=False, retry_after=20)

    for failures, is_billed in (
        ([refused(), refused()], False),
        ([ModelUnavailable("m: no complete reply"), refused()], True),
    ):
        with pytest.raises(ModelUnavailable) as caught:
            retry_within(
                Flaky(*failures, refused()),
                model="m",
                seconds=30,
                clock=clock,
            )
        assert caught.value.is_billed is is_billed


def test_pauses_grow_and_each_has_jitter(clock: FakeClock) -> None:
    retry_within(
        Flaky(*[away() for _ in range(9)]),
        model="m",
        seconds=1000,
        clock=clock,
    )
    least = [min(FIRST_PAUSE * 2**attempt, MAX_PAUSE) for attempt in range(9)]
    assert all(low <= pause <= low + JITTER for low, pause in zip(least, clock.pauses, strict=True))
    assert len({round(pause - low, 9) for low, pause in zip(least, clock.pauses, strict=True)}) > 1


def test_the_servers_own_delay_replaces_ours(clock: FakeClock) -> None:
    retry_within(
        Flaky(away(7.0), away(0.0)),
        model="m",
        seconds=60,
        clock=clock,
    )
    first, second = clock.pauses
    assert 7.0 <= first <= 7.0 + JITTER
    assert 0.0 <= second <= JITTER


def test_a_delay_beyond_the_deadline_ends_the_attempts_at_once_and_is_told(
    clock: FakeClock,
) -> None:
    call = Flaky(away(61.0))
    with pytest.raises(ModelUnavailable) as caught:
        retry_within(call, model="m", seconds=60, clock=clock)
    assert caught.value.retry_after == 61.0
    assert len(call.given) == 1
    assert clock.pauses == []


def test_all_attempts_and_pauses_stay_inside_the_deadline(clock: FakeClock) -> None:
    call = Flaky(*[away() for _ in range(1000)])
    begin = clock.now
    with pytest.raises(ModelUnavailable, match="m: 503"):
        retry_within(call, model="m", seconds=60, clock=clock)
    assert clock.now - begin < 60
    assert all(0 < seconds <= 60 for seconds in call.given)
    assert call.given == sorted(call.given, reverse=True)


def test_one_attempt_may_take_only_its_share_of_the_deadline(clock: FakeClock) -> None:
    call = Flaky(away(55.0))
    retry_within(
        call,
        model="m",
        seconds=60,
        attempt_seconds=20,
        clock=clock,
    )
    assert call.given[0] == 20
    assert call.given[1] < 5


@pytest.mark.parametrize(
    "failure",
    [
        ModelRefused("m: 400"),
        PortContractError("m: 3 vectors"),
        KeyError("ours"),
    ],
)
def test_nothing_but_an_outage_is_tried_again(failure: Exception, clock: FakeClock) -> None:
    call = Flaky(failure)
    with pytest.raises(type(failure)) as caught:
        retry_within(call, model="m", seconds=60, clock=clock)
    assert caught.value is failure
    assert len(call.given) == 1


def hang(release: threading.Event) -> Callable[[float], bool]:
    return lambda _: release.wait(30)


def test_a_call_that_hangs_is_abandoned_at_the_deadline() -> None:
    release = threading.Event()
    begin = time.monotonic()
    with pytest.raises(ModelUnavailable, match=r"^m: no complete reply within 0\.[12] s$"):
        retry_within(hang(release), model="m", seconds=0.2)
    took = time.monotonic() - begin
    release.set()
    assert 0.2 <= took < 10


def test_work_on_a_store_is_repeated_with_random_pauses_that_grow_to_a_bound(
    clock: FakeClock,
) -> None:
    failures = [StoreUnavailable("Firestore: away") for _ in range(40)]

    def attempt() -> str:
        if failures:
            raise failures.pop()
        return "done"

    deadline = clock.now + 1000
    result = retry_store(attempt, first_pause=0.5, max_pause=4, deadline=deadline, clock=clock)
    assert result == "done"
    assert all(pause <= min(0.5 * 2**number, 4) for number, pause in enumerate(clock.pauses)), (
        clock.pauses
    )
    assert len(clock.pauses) == len(set(clock.pauses)) == 40
    assert max(clock.pauses) > 2


def test_work_on_a_store_ends_at_the_deadline_with_its_last_error(clock: FakeClock) -> None:
    failures: list[StoreUnavailable] = []

    def attempt() -> None:
        failures.append(StoreUnavailable(f"Firestore: {len(failures)}"))
        raise failures[-1]

    deadline = clock.now + 10
    with pytest.raises(StoreUnavailable) as caught:
        retry_store(attempt, first_pause=1, max_pause=1, deadline=deadline, clock=clock)
    assert caught.value is failures[-1]
    assert len(failures) > 5
    assert clock.now < deadline


@pytest.mark.parametrize("error", [StoreRefused("no permission"), Conflict("moved"), KeyError()])
def test_work_on_a_store_is_not_repeated_after_an_error_that_will_not_pass(
    error: Exception,
    clock: FakeClock,
) -> None:
    def attempt() -> None:
        raise error

    with pytest.raises(type(error)):
        retry_store(attempt, first_pause=1, max_pause=1, deadline=clock.now + 10, clock=clock)
    assert clock.pauses == []

"""Every error of the SDK has its place in our tree, and an absent server is reported in bounded time."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from google.api_core import exceptions as core
from google.auth import exceptions as auth

from desktop.product.emulator import Emulator, start
from shared.adapters.firestore import FirestoreStore
from shared.adapters.firestore.client import error_table, store_error, translate_errors
from shared.errors import AuroraError, Conflict, StoreRefused, StoreUnavailable
from shared.model.index import IndexChange
from tests.contracts.samples import FREE, TENANT, VERSION, chunk, note, record, save, unit
from tests.emulated import patient_store

READ_SECONDS = 0.6
WRITE_SECONDS = 0.8
SLACK = 2.0
"""Seconds beyond its deadline that a call may take on a busy machine; one that takes longer has a second attempt."""


WITHOUT_STATUS = {
    **dict.fromkeys(
        ("GoogleAPIError", "GoogleAPICallError", "RetryError", "ServerError", "Unknown", "DataLoss")
    ),
    **dict.fromkeys(("ResumableTransferError", "TransferStalledError", "UnseekableStreamError")),
    **dict.fromkeys(("UploadCancelledError", "MissingStatusHeaderError")),
    **dict.fromkeys(("ClientError", "Redirection", "DuplicateCredentialArgs"), StoreRefused),
    "AsyncRestUnsupportedParameterError": StoreRefused,
}
"""Error class that has no status of its own -> ours; None for StoreUnavailable."""


def _by_status(status: int) -> type[AuroraError]:
    if status in (404, 409):
        return Conflict
    return (
        StoreUnavailable
        if status in (429, 499) or (status >= 500 and status != 501)
        else StoreRefused
    )


def test_every_error_of_the_sdk_is_ours_by_its_status() -> None:
    """Fails when the SDK grows a class without a status."""
    classes = [
        kind
        for kind in vars(core).values()
        if isinstance(kind, type)
        and issubclass(kind, Exception)
        and kind.__module__ == core.__name__
    ]
    assert len(classes) > 30
    for kind in set(classes) - {core.Aborted}:  # 409, and another attempt may fare better
        status = getattr(kind, "code", None)
        expected = (
            WITHOUT_STATUS[kind.__name__] or StoreUnavailable
            if status is None
            else _by_status(status)
        )
        assert store_error(kind.__new__(kind)).__class__ is expected, kind


def test_every_error_of_google_auth_has_a_parent_in_the_table() -> None:
    classes = [
        kind
        for kind in vars(auth).values()
        if isinstance(kind, type) and issubclass(kind, Exception)
    ]
    assert all(set(kind.__mro__) & set(error_table()) for kind in classes)


def test_translated_errors_are_chained_and_repeat_nothing_the_server_said() -> None:
    with pytest.raises(StoreUnavailable) as caught, translate_errors():
        raise core.ServiceUnavailable("note text")  # type: ignore[no-untyped-call]
    assert isinstance(caught.value.__cause__, core.ServiceUnavailable)
    assert "note text" not in caught.value.message


def test_a_failed_precondition_is_a_conflict_only_for_a_guarded_request() -> None:
    with pytest.raises(Conflict), translate_errors(guarded=True):
        raise core.FailedPrecondition("moved")  # type: ignore[no-untyped-call]
    with pytest.raises(StoreRefused), translate_errors():
        raise core.FailedPrecondition("needs an index")  # type: ignore[no-untyped-call]


@pytest.fixture
def own_emulator(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> Iterator[Emulator]:
    """One that the test may stop; `emulator` only decides whether there can be any."""
    assert emulator.host
    with start() as own_emulator:
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", own_emulator.host)
        yield own_emulator


@pytest.mark.parametrize("end", ["stopped", "hanging"])
def test_when_the_server_goes_away_every_call_says_so_in_time(
    own_emulator: Emulator, end: str
) -> None:
    store = FirestoreStore("demo-gone", read_seconds=READ_SECONDS, write_seconds=WRITE_SECONDS)
    save(patient_store(store.project), chunk("n1"), vector=unit(1, 0, 0, 0))
    if end == "stopped":
        own_emulator.stop()
    else:
        _halt(own_emulator.process.pid)
    try:
        for call in _calls(store):
            seconds = _seconds_until_unavailable(call)
            if seconds >= WRITE_SECONDS + SLACK:
                seconds = _seconds_until_unavailable(call)
            assert seconds < WRITE_SECONDS + SLACK
    finally:
        if end == "hanging":
            os.kill(own_emulator.process.pid, signal.SIGCONT)


def _seconds_until_unavailable(call: Callable[[], object]) -> float:
    """Returns how long a call takes to say that there is no server."""
    began = time.monotonic()
    with pytest.raises(StoreUnavailable) as caught:
        call()
    seconds = time.monotonic() - began
    assert caught.value.__cause__ is not None
    return seconds


def _halt(process: int) -> None:
    """Stops every thread of it: the signal returns before they have all stood still, and one may answer until then."""
    os.kill(process, signal.SIGSTOP)
    threads = Path(f"/proc/{process}/task")
    while any(
        (thread / "stat").read_text().rpartition(")")[2].split()[0] != "T"
        for thread in threads.iterdir()
    ):
        time.sleep(0.01)


@pytest.mark.nightly
def test_when_the_server_comes_back_the_same_store_goes_on(own_emulator: Emulator) -> None:
    store = FirestoreStore("demo-back", read_seconds=READ_SECONDS, write_seconds=WRITE_SECONDS)
    own_emulator.stop()
    with pytest.raises(StoreUnavailable):
        store.get_note(TENANT, "n1")
    with start(port=int(own_emulator.host.partition(":")[2])):
        patient_store(store.project).put_note(TENANT, note("n1"))
        assert store.get_note(TENANT, "n1") == note("n1")


def _calls(store: FirestoreStore) -> list[Callable[[], object]]:
    v = unit(1, 0, 0, 0)
    return [
        lambda: store.get_note(TENANT, "n1"),
        lambda: store.put_note(TENANT, note("n1")),
        lambda: store.apply(TENANT, IndexChange("n2", None, record())),
        lambda: store.nearest(
            TENANT, v, limit=1, stems=[], restriction=FREE, index_version=VERSION
        ),
        lambda: store.document_frequencies(TENANT, ["alpha"]),
        lambda: store.live_records(TENANT, ["n1"]),
        lambda: store.orphan_keys(limit=1),
    ]

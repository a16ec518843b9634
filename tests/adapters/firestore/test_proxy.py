"""The proxy before the emulator: what no rule minds passes unchanged, what one answers the emulator never sees."""

from __future__ import annotations

import time
from collections.abc import Iterator

import grpc  # type: ignore[import-untyped]
import pytest

from cli.product.emulator import Emulator
from shared.adapters.firestore import FirestoreStore
from shared.errors import StoreRefused, StoreUnavailable
from tests.contracts.samples import FREE, TENANT, VERSION, chunk, note, save, unit
from tests.emulated import patient_store
from tests.servers.firestore_proxy import Answer, Call, FirestoreProxy, Late, Refuse, Silence

V = unit(1, 2, 3, 4)
SECONDS = 1.0


@pytest.fixture
def proxy(emulator: Emulator, firestore_project: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[FirestoreProxy]:
    assert firestore_project
    with FirestoreProxy(emulator.host) as proxy:
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", proxy.host)
        yield proxy


@pytest.fixture
def store(proxy: FirestoreProxy, firestore_project: str) -> FirestoreStore:
    assert proxy.host
    return patient_store(firestore_project)


def test_what_no_rule_minds_passes_unchanged(store: FirestoreStore, proxy: FirestoreProxy) -> None:
    seen: list[str] = []
    proxy.rules = (lambda call: seen.append(call.method),)
    store.put_note(TENANT, note("n1"))
    save(store, chunk("n1"), vector=V)
    (found,) = store.nearest(TENANT, V, limit=1, stems=[], restriction=FREE, index_version=VERSION)
    assert found.chunk.chunk_id == "n1_000"
    assert store.get_note(TENANT, "n1") == note("n1")
    assert store.stats(TENANT).chunk_count == 1
    assert {"Commit", "RunQuery", "BatchGetDocuments", "RunAggregationQuery"} == set(seen)


def test_a_rule_refuses_one_kind_of_request(store: FirestoreStore, proxy: FirestoreProxy) -> None:
    save(store, chunk("n1"), vector=V)

    def no_vectors(call: Call) -> Answer | None:
        if call.method == "RunQuery" and call.request.structured_query.HasField("find_nearest"):
            return Refuse(grpc.StatusCode.FAILED_PRECONDITION, "The query requires an index.")
        return None

    proxy.rules = (no_vectors,)
    with pytest.raises(StoreRefused):
        store.nearest(TENANT, V, limit=1, stems=[], restriction=FREE, index_version=VERSION)
    assert store.recent(TENANT, limit=1, stems=[], restriction=FREE)


def test_a_server_that_says_nothing_costs_the_deadline_and_no_more(
    firestore_project: str, proxy: FirestoreProxy
) -> None:
    store = FirestoreStore(firestore_project, read_seconds=SECONDS)
    proxy.rules = (lambda _: Silence(),)
    began = time.monotonic()
    with pytest.raises(StoreUnavailable):
        store.get_note(TENANT, "n1")
    assert SECONDS * 0.9 < time.monotonic() - began < SECONDS + 2


def test_a_late_server_answers_all_the_same(store: FirestoreStore, proxy: FirestoreProxy) -> None:
    proxy.rules = (lambda _: Late(0.2),)
    began = time.monotonic()
    assert store.get_note(TENANT, "n1") is None
    assert time.monotonic() - began >= 0.2

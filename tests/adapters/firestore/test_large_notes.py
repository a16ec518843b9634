"""The largest notes there can be are saved and removed within what production takes of one commit, and so is a tenant.

Every commit of these tests passes `ProductionLimits`, which counts documents and index entries anew.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import grpc  # type: ignore[import-untyped]
import pytest

from shared.adapters.firestore import FirestoreStore
from shared.errors import AuroraError, StoreUnavailable
from shared.indexing.pipeline import Indexer
from shared.model.index import ChunkPut, IndexChange, IndexStatus
from shared.model.notes import Note, NoteKey
from tests.contracts.samples import TENANT, chunk, record, unit
from tests.emulated import patient_store
from tests.fakes import HashingEmbedder
from tests.servers.firestore_limits import MOST_BYTES, ProductionLimits
from tests.servers.firestore_proxy import Answer, Call, FirestoreProxy, Refuse, gone_after

NOW = datetime(2026, 5, 8, tzinfo=UTC)
KEY = NoteKey(TENANT, "big")
BYTES = 900_000
AIM = MOST_BYTES // 2
"""Twice over: commits stay at half of what production takes."""
DIMENSION = 768


def _words(dice: random.Random) -> list[str]:
    return [
        "".join(dice.choices("abcdefghijklmnopqrstuvwxyz", k=dice.randint(3, 10)))
        for _ in range(6000)
    ]


def _prose(dice: random.Random) -> Iterator[str]:
    words = _words(dice)
    weights = [1 / (rank + 3) for rank in range(len(words))]
    while True:
        end = ".\n\n" if dice.random() < 0.12 else ". "
        yield " ".join(dice.choices(words, weights, k=14)).capitalize() + end


def _code(dice: random.Random) -> Iterator[str]:
    words = _words(dice)
    yield "```python\n"
    while True:
        verb, owner, third = dice.sample(words, 3)
        yield f"def {verb}_{owner}({third}: int) -> str:\n    return {owner}.{third}({dice.randint(0, 9999)})\n\n"


def _lines(dice: random.Random) -> Iterator[str]:
    words = _words(dice)
    while True:
        yield dice.choice(words) + "\n"


def _cjk(dice: random.Random) -> Iterator[str]:
    while True:
        yield "".join(chr(dice.randint(0x4E00, 0x9000)) for _ in range(18)) + "。"


def _text(kind: Callable[[random.Random], Iterator[str]]) -> str:
    pieces: list[str] = []
    size = 0
    for piece in kind(random.Random(5)):  # noqa: S311 - a reproducible text
        size += len(piece.encode())
        if size > BYTES:
            return "".join(pieces)
        pieces.append(piece)
    raise AssertionError("the text ended")


class _Flat(HashingEmbedder):
    """Vectors of the real dimension without the work of telling texts apart."""

    def __init__(self) -> None:
        super().__init__(DIMENSION, batch_size=100)
        self._one = unit(*range(1, DIMENSION + 1))

    def _vector(self, text: str) -> object:  # type: ignore[override]
        assert text
        return self._one


def _index(store: FirestoreStore) -> str:
    return Indexer(store=store, embedder=_Flat(), clock=lambda: NOW).index(KEY).action


LONGER = [pytest.param(kind, marks=pytest.mark.nightly) for kind in (_prose, _code, _lines, _cjk)]


@pytest.mark.parametrize("kind", LONGER)
def test_a_note_of_900_kilobytes_is_saved_moved_and_removed(
    kind: Callable[[random.Random], Iterator[str]],
    firestore_store: FirestoreStore,
    limits: ProductionLimits,
) -> None:
    limits.heaviest = 0, 0
    note = Note(
        KEY.note_id, "Big", _text(kind), NOW, NOW, "default", "projects/api/big.md", ("red", "blue")
    )
    firestore_store.put_note(TENANT, note)
    assert _index(firestore_store) == "indexed"
    stored_record = firestore_store.read_record(TENANT, KEY.note_id).record
    assert stored_record is not None
    assert stored_record.status == IndexStatus.INDEXED
    assert stored_record.chunk_count > 500
    firestore_store.delete_note(TENANT, KEY.note_id)
    assert _index(firestore_store) == "deleted"
    assert _chunks(firestore_store) == 0
    assert firestore_store.folders(TENANT) == ()
    assert limits.heaviest[0] < AIM


def test_a_worker_killed_while_removing_a_large_note_leaves_the_rest_to_the_next(
    firestore_store: FirestoreStore, firestore_host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = Note(KEY.note_id, "Big", _text(_prose)[:200_000], NOW, NOW)
    firestore_store.put_note(TENANT, note)
    assert _index(firestore_store) == "indexed"
    firestore_store.delete_note(TENANT, KEY.note_id)
    chunks_before = _chunks(firestore_store)
    worker = patient_store(firestore_store.project)
    with FirestoreProxy(firestore_host, gone_after(2, "Commit", worker)) as proxy:
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", proxy.host)
        with pytest.raises(StoreUnavailable):
            _index(worker)
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", firestore_host)
    assert 0 < _chunks(firestore_store) < chunks_before
    assert firestore_store.live_records(TENANT, [KEY.note_id]) == {}
    assert _index(firestore_store) == "deleted"
    assert _chunks(firestore_store) == 0


def test_a_commit_that_production_finds_too_big_goes_in_halves(
    firestore_store: FirestoreStore, firestore_host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def at_most_eight(call: Call) -> Answer | None:
        if call.method != "Commit":
            return None
        sizes.append(len(call.request.writes))
        if sizes[-1] <= 8:
            return None
        return Refuse(
            grpc.StatusCode.INVALID_ARGUMENT, "Transaction too big. Decrease transaction size."
        )

    puts = tuple(ChunkPut(chunk("n1", place), unit(1, 2, 3, 4)) for place in range(30))
    with FirestoreProxy(firestore_host, at_most_eight) as proxy:
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", proxy.host)
        store = patient_store(firestore_store.project)
        token = store.apply(TENANT, IndexChange("n1", None, record(count=30), put=puts))
        assert store.read_record(TENANT, "n1").token == token
        assert len(store.stored_chunks(TENANT, "n1")) == 30
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", firestore_host)
    assert max(sizes) > 8 >= sizes[-1]


TENANT_CHUNKS = 10_000


@pytest.mark.nightly
def test_a_tenant_of_ten_thousand_chunks_is_erased_though_killed_in_between(
    firestore_store: FirestoreStore, firestore_host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(TENANT_CHUNKS // 500):
        note_id = f"n{number:03d}"
        puts = tuple(ChunkPut(chunk(note_id, place), None) for place in range(500))
        firestore_store.apply(TENANT, IndexChange(note_id, None, record(count=500), put=puts))
    # Many requests are under way at once, and those that began before it goes away have this time too.
    worker = FirestoreStore(firestore_store.project, write_seconds=10)
    with FirestoreProxy(firestore_host, gone_after(4, "BatchWrite", worker)) as proxy:
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", proxy.host)
        with pytest.raises(AuroraError):
            worker.erase(TENANT)
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", firestore_host)
    remaining_chunks = _chunks(firestore_store)
    assert 0 < remaining_chunks < TENANT_CHUNKS
    # What was under way when the caller was killed may have gone through since.
    assert 0 < firestore_store.erase(TENANT)["chunks"] <= remaining_chunks
    assert firestore_store.erase(TENANT) == {}


def _chunks(store: FirestoreStore) -> int:
    """Count chunks as a new instance does."""
    return patient_store(store.project).stats(TENANT).chunk_count

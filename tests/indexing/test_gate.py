"""The bytes of note text that are worked on at the same time are bounded, whatever the number of workers."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from threading import Event, Lock

import pytest

from shared.errors import NoteBusy
from shared.indexing.gate import LIGHT, SHORT, TextGate
from shared.indexing.pipeline import Indexer
from shared.model.index import Vector
from shared.ports.stores import Store
from tests.fakes import HashingEmbedder
from tests.indexing.world import START, TENANT, key, note

LIMIT = 10 * SHORT
WAIT = 20


def test_more_workers_hold_no_more_bytes() -> None:
    gate = TextGate(LIMIT)
    peak = 0
    counting = Lock()

    def work(size: int) -> None:
        nonlocal peak
        with gate.passing(size), counting:
            peak = max(peak, gate.inside)

    sizes = [SHORT // 2, SHORT, SHORT * 3, SHORT * 7] * 50
    with ThreadPoolExecutor(32) as threads:
        list(threads.map(work, sizes))
    assert gate.inside == 0
    assert peak <= 2 * LIMIT


def test_a_note_of_more_than_the_limit_passes_alone() -> None:
    gate = TextGate(LIMIT, patience=0.05)
    with gate.passing(5 * LIMIT), pytest.raises(NoteBusy), gate.passing(SHORT + 1):
        pass
    with gate.passing(SHORT + 1), pytest.raises(NoteBusy), gate.passing(5 * LIMIT):
        pass
    assert gate.inside == 0


def test_short_notes_pass_beside_long_ones_that_wait() -> None:
    gate = TextGate(LIMIT, patience=WAIT)
    with ThreadPoolExecutor(1) as threads, gate.passing(LIMIT):
        waiting = threads.submit(_enter, gate, LIMIT)
        for _ in range(100):
            _enter(gate, SHORT)
        assert not waiting.done()
    assert waiting.result(WAIT) is None


def test_a_long_note_is_not_overtaken() -> None:
    gate = TextGate(LIMIT, patience=WAIT)
    order: list[int] = []
    entered = Event()

    def enter(size: int) -> None:
        with gate.passing(size):
            order.append(size)

    with ThreadPoolExecutor(2) as threads:
        with gate.passing(2 * SHORT):
            first = _submitted(gate, threads, lambda: enter(LIMIT))
            second = threads.submit(enter, SHORT + 1)
            entered.wait(0.1)
            assert order == []
        first.result(WAIT)
        second.result(WAIT)
    assert order == [LIMIT, SHORT + 1]


def test_a_note_whose_texts_are_embedded_counts_little() -> None:
    gate = TextGate(LIMIT, patience=0.05)
    with gate.passing(LIMIT) as admission:
        admission.lighten()
        assert gate.inside == LIMIT // LIGHT
        with gate.passing(LIMIT // 2):
            pass
    assert gate.inside == 0


class _Watching(HashingEmbedder):
    """Looks what is inside the gate while texts are embedded."""

    def __init__(self, gate: TextGate) -> None:
        super().__init__(dimension=8)
        self._gate = gate
        self.inside: list[int] = []

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        self.inside.append(self._gate.inside)
        return super().embed_documents(texts)


def test_indexing_passes_the_gate_with_the_bytes_of_the_note(store: Store) -> None:
    gate = TextGate()
    embedder = _Watching(gate)
    indexer = Indexer(
        store=store,
        embedder=embedder,
        clock=lambda: START,
        gate=gate,
    )
    text = "A long note is read again behind the gate. " * 1000
    store.put_note(TENANT, note(text))
    assert indexer.index(key()).action == "indexed"
    assert set(embedder.inside) == {len(text) // LIGHT}
    assert gate.inside == 0


def test_a_note_that_finds_the_gate_full_is_left_to_a_later_call(store: Store) -> None:
    gate = TextGate(LIMIT, patience=0.05)
    indexer = Indexer(
        store=store,
        embedder=None,
        clock=lambda: START,
        gate=gate,
    )
    store.put_note(TENANT, note("word " * LIMIT, "long"))
    store.put_note(TENANT, note("A short one."))
    with gate.passing(LIMIT):
        assert indexer.index(key()).action == "indexed"
        with pytest.raises(NoteBusy):
            indexer.index(key("long"))
    assert replace(indexer.index(key("long")), chunks=0).action == "indexed"


def _enter(gate: TextGate, size: int) -> None:
    with gate.passing(size):
        pass


def _submitted(gate: TextGate, threads: ThreadPoolExecutor, enter: object) -> Future[None]:
    """Submits what will wait at the gate, and returns when it does."""
    assert callable(enter)
    future = threads.submit(enter)
    lane = gate._long
    while not lane._waiting:
        Event().wait(0.001)
    return future

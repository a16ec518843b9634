"""Whatever happens to its events and workers, the index ends equal to the notes, and nothing is paid for twice."""

from __future__ import annotations

import pytest

from shared.ports.stores import Store
from tests.fakes import HashingEmbedder
from tests.indexing.world import TENANT, fresh_index, whole_index
from tests.storm.author import NOTES, Author
from tests.storm.weather import BATCH, DIMENSION, OPERATIONS, Weather

pytestmark = pytest.mark.slow

NOTE_IDS = [f"n{number:02d}" for number in range(NOTES)]


def weather_the_storm(store: Store, seed: int) -> None:
    weather = Weather(store, seed)
    weather.rage(Author(seed))
    weather.calm_down()
    _assert_index_equals_notes(store)
    _assert_nothing_embedded_twice(weather)
    _assert_it_stormed(weather)


def _assert_index_equals_notes(store: Store) -> None:
    notes = [note for note_id in NOTE_IDS if (note := store.get_note(TENANT, note_id)) is not None]
    index = whole_index(store, TENANT, NOTE_IDS)
    fresh = fresh_index(store, notes, HashingEmbedder(DIMENSION, BATCH), NOTE_IDS)
    assert index.records == fresh.records
    assert index == fresh
    assert len(index.chunks) > len(notes) > NOTES // 2


def _assert_nothing_embedded_twice(weather: Weather) -> None:
    """But what was in flight when its worker was killed."""
    bill = weather.bill
    stored = bill.embedded - bill.died
    assert max(stored.values()) == 1
    assert bill.died.total() <= BATCH * bill.mishaps["Killed"]
    assert all(note_id and revision for note_id, revision, _ in bill.embedded)


def _assert_it_stormed(weather: Weather) -> None:
    mishaps = weather.bill.mishaps
    assert mishaps["Killed"] > OPERATIONS // 20
    assert mishaps["lost"] > OPERATIONS // 100
    assert mishaps["ModelUnavailable"] > OPERATIONS // 50
    assert mishaps["NoteBusy"] > 0
    assert weather.bill.died


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.nightly)])
def test_the_index_of_an_embedded_store_survives_the_storm(
    embedded_store: Store, seed: int
) -> None:
    weather_the_storm(embedded_store, seed)


@pytest.mark.nightly
def test_the_index_in_firestore_survives_the_storm(firestore_store: Store) -> None:
    weather_the_storm(firestore_store, seed=1)

"""Coverage counts the notes that are indexed as they are now."""

from __future__ import annotations

import pytest

from shared.adapters.embedded import EmbeddedStore
from shared.indexing import coverage
from shared.indexing.coverage import measure_coverage
from shared.model.notes import NoteKey
from shared.ports.stores import Store
from tests.account.world import TENANT, Household, household
from tests.indexing.world import on_both_stores


@on_both_stores
def test_a_note_that_has_changed_since_does_not_count_as_indexed(store: Store) -> None:
    with household(store) as home:
        for number in range(4):
            home.save(f"n{number}", "The boat is blue.")
        home.save("fresh", "Not indexed yet.", index=False)
        assert _counted(home) == (4, 0, 1)
        home.clock.advance(minutes=1)
        home.save("n1", "The boat is red.", index=False)
        home.save("n2", "The boat is blue.", index=False)  # the same again is no change
        assert _counted(home) == (3, 1, 1)
        home.app.indexer.index(NoteKey(TENANT, "n1"))
        assert _counted(home) == (4, 0, 1)


def test_on_one_machine_a_note_whose_event_was_lost_long_ago_is_found(
    embedded_store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coverage, "LATEST", 3)
    with household(embedded_store) as home:
        home.save("lost", "The boat is blue.")
        home.clock.advance(minutes=1)
        home.save("lost", "The boat is red.", index=False)
        for number in range(9):
            home.clock.advance(minutes=1)
            home.save(f"n{number}", "Another.")
        assert _counted(home) == (9, 1, 0)


def _counted(home: Household) -> tuple[int, int, int]:
    measured = measure_coverage(home.app.store, TENANT, index_version=home.app.index_version)
    assert measured.notes == measured.indexed + measured.stale + measured.missing
    return measured.indexed, measured.stale, measured.missing

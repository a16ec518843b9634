"""firestore.indexes.json holds the index of every query: the emulator, which enforces none, tells what it needed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cli.emulator import Emulator
from shared.adapters.firestore import FirestoreStore
from shared.adapters.firestore.restriction import for_vectors
from shared.domain import Restriction, Session, Spot, TimeRange
from shared.settings import Settings
from tests.contracts.samples import DAY, FREE, TENANT, VERSION, chunk, save, unit

FILE = json.loads((Path(__file__).parents[3] / "firestore.indexes.json").read_text())
V = unit(1, 2, 3, 4)
SCOPES = frozenset({"v:default", "t:red"})
YEAR = TimeRange(datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC))
RESTRICTIONS = (
    FREE,
    Restriction(created=YEAR),
    Restriction(scopes=(SCOPES,)),
    Restriction(scopes=(frozenset({"t:red"}),)),
    Restriction(created=YEAR, scopes=(SCOPES, frozenset({"t:red"}))),
    Restriction(created=TimeRange(DAY, None), scopes=(SCOPES,)),
)
Shape = tuple[str, str, frozenset[tuple[str, str]], tuple[tuple[str, str], ...]]


def test_every_composite_index_that_a_query_needed_is_in_the_file(
    firestore_store: FirestoreStore, emulator: Emulator
) -> None:
    _every_query(firestore_store)
    needed = {_shape(report["index"]) for report in emulator.index_usage(firestore_store.project)["reports"]}
    assert len(needed) >= 4
    assert needed <= {_shape(index) for index in FILE["indexes"]} | set(_single_fields())


def test_each_filter_of_a_vector_search_has_its_index() -> None:
    vector_indexes = {
        frozenset(field["fieldPath"] for field in index["fields"][:-1])
        for index in FILE["indexes"]
        if index["fields"][-1]["fieldPath"] == "embedding"
    }
    asked = {frozenset(each.field for each in for_vectors(restriction)) for restriction in RESTRICTIONS}
    assert asked == vector_indexes == {frozenset(), frozenset({"month"}), frozenset({"scopes"}), _BOTH}


_BOTH = frozenset({"month", "scopes"})


def test_vector_indexes_have_the_default_dimension() -> None:
    dimensions = {
        field["vectorConfig"]["dimension"]
        for index in FILE["indexes"]
        for field in index["fields"]
        if "vectorConfig" in field
    }
    assert dimensions == {Settings().embedding_dim}


def test_what_no_query_looks_for_is_not_indexed() -> None:
    exempt = {(each["collectionGroup"], each["fieldPath"]) for each in FILE["fieldOverrides"] if not each["indexes"]}
    assert {("chunks", "embedding"), ("chunks", "text"), ("chunks", "terms"), ("notes", "text")} <= exempt
    assert {("messages", "text"), ("messages", "citations"), ("messages", "meta"), ("sessions", "settings")} <= exempt


def test_kept_answers_are_dropped_by_firestore_when_they_have_expired() -> None:
    assert [(each["collectionGroup"], each["fieldPath"]) for each in FILE["fieldOverrides"] if each.get("ttl")] == [
        ("requests", "expiresAt")
    ]


def _every_query(store: FirestoreStore) -> None:
    save(store, *(chunk("n1", position) for position in range(5)), vector=V)
    for restriction in RESTRICTIONS:
        store.nearest(TENANT, V, limit=2, stems=["alpha"], restriction=restriction, index_version=VERSION)
        store.nearest(TENANT, V, limit=2, stems=[], restriction=restriction, index_version="another")
        store.postings(TENANT, "alpha", limit=2, stems=["alpha"], restriction=restriction)
        store.recent(TENANT, limit=2, stems=["alpha"], restriction=restriction)
    store.document_frequencies(TENANT, ["alpha", "a b"])
    store.stats(TENANT)
    store.stored_chunks(TENANT, "n1")
    store.note_chunks(TENANT, "n1", stems=["alpha"])
    store.coverage(TENANT)
    store.folders(TENANT)
    store.templates(TENANT)
    store.create_session(TENANT, Session(session_id="s1", created_at=DAY, updated_at=DAY))
    store.list_sessions(TENANT, limit=1, before=Spot(DAY, "s2"))
    store.list_messages(TENANT, "s1", limit=1, before=Spot(DAY, "m2"))
    store.delete_session(TENANT, "s1")
    store.list_notes(TENANT, limit=1, vault="work")
    store.note_keys(limit=1)
    store.note_keys(limit=1, changed_since=DAY - timedelta(days=1))
    store.record_keys(limit=1)
    store.unfinished_keys(limit=1)
    store.orphan_keys(limit=1)
    store.list_feedback(TENANT, limit=1)
    store.list_usage(TENANT, limit=1)
    store.erase(TENANT)


def _shape(index: Mapping[str, Any]) -> Shape:
    """Collection, scope, fields compared for equality in any order, fields that order."""
    collection = index.get("collectionGroup") or index["name"].split("/collectionGroups/")[1].split("/")[0]
    fields = [
        (field["fieldPath"], field.get("order") or field.get("arrayConfig"))
        for field in index["fields"]
        if "vectorConfig" not in field  # the emulator's reports leave it out
    ]
    if fields and fields[-1][0] == "__name__" and fields[-1][1] == _default_order(fields[:-1]):
        fields.pop()
    equal = {field for field in fields if field[0] in ("scopes", "month", "status")}
    return collection, index["queryScope"], frozenset(equal), tuple(field for field in fields if field not in equal)


def _default_order(fields: Iterable[tuple[str, str]]) -> str:
    """A name is sorted in the direction of the field before it, if nothing else is said."""
    return next((order for _, order in reversed(list(fields)) if order != "CONTAINS"), "ASCENDING")


def _single_fields() -> Iterable[Shape]:
    """Those that overrides add to what Firestore makes by itself."""
    for override in FILE["fieldOverrides"]:
        for index in override["indexes"]:
            order = (override["fieldPath"], index["order"])
            yield override["collectionGroup"], index["queryScope"], frozenset(), (order,)

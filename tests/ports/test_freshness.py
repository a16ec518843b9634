"""One meaning of "still what was read": the index record of the note as it is now."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from shared.adapters.embedded import EmbeddedStore
from shared.model.index import IndexRecord, IndexStatus
from shared.ports.freshness import Freshness, current, current_chunks, freshness
from tests.contracts.samples import TENANT, chunk, note, save

ROOT = Path(__file__).parents[2]
RECORD = IndexRecord(
    note_revision="r2",
    status=IndexStatus.INDEXED,
    chunk_count=1,
    index_version="v1",
    indexed_at=datetime(2026, 1, 15, tzinfo=UTC),
)

ROOMS = ("account", "answering", "api", "asking", "folders", "notes", "retrieval", "sessions")
"""Rooms that read chunks and citations; the indexer compares notes with records for itself."""
COVERAGE = ROOT / "shared/indexing/coverage.py"
"""Reads notes and records, and indexes nothing."""


@pytest.mark.parametrize(
    ("revision", "record", "expected"),
    [
        ("r2", RECORD, Freshness.CURRENT),
        ("r1", RECORD, Freshness.EDITED),
        ("", RECORD, Freshness.EDITED),
        ("r1", replace(RECORD, note_revision=""), Freshness.EDITED),
        ("r2", None, Freshness.DELETED),
        ("", None, Freshness.DELETED),
    ],
)
def test_a_revision_is_current_edited_or_deleted(
    revision: str, record: IndexRecord | None, expected: Freshness
) -> None:
    assert freshness(revision, record) is expected


class CountingStore(EmbeddedStore):
    """Remembers which records were asked for."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.asked_for: list[Sequence[str]] = []

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:
        self.asked_for.append(note_ids)
        return super().live_records(tenant_id, note_ids)


def test_each_revision_of_a_note_has_its_own_state_and_each_record_is_read_once(
    tmp_path: Path,
) -> None:
    store = CountingStore(tmp_path)
    store.put_note(TENANT, note("n1"))
    save(store, chunk("n1"))
    revision = chunk("n1").note_revision
    states = current(store, TENANT, [("n1", revision), ("n1", "older"), ("gone", revision)])
    assert states == {
        ("n1", revision): Freshness.CURRENT,
        ("n1", "older"): Freshness.EDITED,
        ("gone", revision): Freshness.DELETED,
    }
    assert current(store, TENANT, ()) == {}
    assert store.asked_for == [["gone", "n1"]]
    store.close()


def test_chunks_of_edited_and_deleted_notes_are_left_out_by_one_read(tmp_path: Path) -> None:
    store = CountingStore(tmp_path)
    for note_id in ("same", "edited"):
        store.put_note(TENANT, note(note_id))
        save(store, chunk(note_id, 0), chunk(note_id, 1))
    save(store, chunk("deleted"))
    same = (chunk("same", 1), chunk("same", 0))
    edited = chunk("edited", note_revision="r0")
    assert current_chunks(store, TENANT, (same[0], edited, chunk("deleted"), same[1])) == same
    assert current_chunks(store, TENANT, ()) == ()
    assert store.asked_for == [["deleted", "edited", "same"]]
    store.close()


def _compares(path: Path) -> Iterator[str]:
    for function in ast.walk(ast.parse(path.read_text())):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Compare) and _mentions_revision(node):
                yield f"{path.relative_to(ROOT)}:{function.name}"


def _mentions_revision(compare: ast.Compare) -> bool:
    operands = (compare.left, *compare.comparators)
    attributes = [operand.attr for operand in operands if isinstance(operand, ast.Attribute)]
    return "note_revision" in attributes


def test_no_reader_of_the_index_compares_revisions_by_itself() -> None:
    paths = [path for room in ROOMS for path in (ROOT / "shared" / room).glob("*.py")]
    compared = {name for path in (*paths, COVERAGE) for name in _compares(path)}
    assert compared == set()

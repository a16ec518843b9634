"""Numbers of erasures, of which no two may be equal."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from shared.adapters.embedded import EmbeddedStore
from shared.adapters.embedded.erasures import Erasures
from shared.errors import Erased
from shared.model.account import Feedback, Person
from shared.model.documents import FEEDBACK
from tests.adapters.embedded.places import tenant_file
from tests.contracts.samples import DAY, TENANT, note


def test_two_erasures_that_saw_the_same_number_take_different_ones(tmp_path: Path) -> None:
    """Else work that begins between the two saves its notes after the second."""
    numbers = set()
    for name in ("one", "two"):
        erasures = Erasures(tmp_path / name)
        assert erasures.last("alice") == ""
        erasures.add("alice")
        numbers.add(erasures.last("alice"))
    assert len(numbers) == 2


@dataclass(frozen=True, slots=True)
class _Followed(Erasures):
    """Something happens once behind the first number that is taken."""

    happens: list[Callable[[], object]]

    def add(self, tenant_id: str) -> None:
        Erasures.add(self, tenant_id)
        if self.happens:
            self.happens.pop()()


def test_work_that_begins_inside_an_erasure_is_told_that_it_has_lost_what_it_saved(
    embedded_store: EmbeddedStore,
) -> None:
    works = []

    def work() -> None:
        last_erasure = embedded_store.last_erasure(TENANT)
        works.append(embedded_store.unless_erased(TENANT, last_erasure))
        works[0].put_note(TENANT, note("n1"))

    embedded_store.put_note(TENANT, note("n0"))
    embedded_store._erasures = _Followed(embedded_store._erasures.folder, [work])
    assert embedded_store.erase(TENANT) == {"notes": 2}
    with pytest.raises(Erased):
        works[0].put_note(TENANT, note("n2"))
    assert embedded_store.list_notes(TENANT, limit=9).items == ()


def test_a_save_that_an_erasure_overtakes_leaves_no_empty_file(
    embedded_store: EmbeddedStore,
) -> None:
    work = embedded_store.unless_erased(TENANT, embedded_store.last_erasure(TENANT))
    file = work._files.of(TENANT)
    tenant_database = file._file  # type: ignore[attr-defined]

    class Overtaken(type(tenant_database)):  # type: ignore[misc]
        @contextmanager
        def writing(self, *, creates=True):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
            embedded_store.erase(TENANT)
            with super().writing(creates=creates) as db:
                yield db

    tenant_database.__class__ = Overtaken
    with pytest.raises(Erased):
        work.put_note(TENANT, note("n1"))
    assert not tenant_database.path.exists()


@pytest.mark.parametrize("table", ["chunks", "notes", "sqlite_master", "state"])
def test_a_damaged_page_stops_no_erasure(tmp_path: Path, table: str) -> None:
    with closing(EmbeddedStore(tmp_path)) as store:
        for number in range(3):
            store.put_note(TENANT, note(f"n{number}"))
            store.put(Person(TENANT, TENANT), FEEDBACK, Feedback(f"f{number}", "r", DAY))
    file = tenant_file(tmp_path, TENANT)
    _break_page(file, table)
    with closing(EmbeddedStore(tmp_path)) as store:
        erasure_before = store.last_erasure(TENANT)
        receipt = store.erase(TENANT)
        assert store.last_erasure(TENANT) != erasure_before
        assert list(file.parent.iterdir()) == []
        if table == "chunks":
            assert receipt == {"notes": 3, "feedback": 3}
        store.put_note(TENANT, note("new"))
        assert [row.note_id for row in store.list_notes(TENANT, limit=9).items] == ["new"]


def test_a_damaged_file_of_somebody_else_stops_no_erasure(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(EmbeddedStore(tmp_path)) as store:
        store.put_note(TENANT, note("n1"))
        store.put_note("other", note("n1"))
        store.put(Person(TENANT, "ann"), FEEDBACK, Feedback("f1", "r", DAY))
    other_file = tenant_file(tmp_path, "other")
    _break_page(other_file, "sqlite_master")
    with closing(EmbeddedStore(tmp_path)) as store, caplog.at_level(logging.WARNING):
        assert store.erase(TENANT) == {"notes": 1, "feedback": 1}
    assert other_file.exists()
    assert "whose file it is cannot be told" in caplog.text


def _break_page(file: Path, table: str) -> None:
    """Overwrites the head of the first page of a table, in a file that nobody has open."""
    with closing(sqlite3.connect(file)) as db:
        (page_size,) = db.execute("PRAGMA page_size").fetchone()
        page = 1
        if table != "sqlite_master":
            query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
            (page,) = db.execute(query, (table,)).fetchone()
    content = bytearray(file.read_bytes())
    start = (page - 1) * page_size
    if page == 1:
        start += 100  # behind the header of the file
    content[start : start + 8] = b"\xff" * 8
    file.write_bytes(content)

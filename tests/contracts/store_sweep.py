"""Promises of `Store` to a sweep: every tenant's keys, exactly once, while data changes."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from shared.model.index import IndexChange, IndexStatus
from shared.model.notes import NoteKey
from shared.ports.pages import Page
from shared.ports.stores import Store
from tests.contracts.samples import DAY, OTHER, TENANT, all_pages, chunk, note, record, save

THIRD = "tenant-Ü 3"
LATER = DAY + timedelta(days=9)


def _keys(*pairs: tuple[str, str]) -> list[NoteKey]:
    return sorted((NoteKey(*pair) for pair in pairs), key=lambda key: (key.tenant_id, key.note_id))


def _sorted(keys: list[NoteKey]) -> list[NoteKey]:
    return sorted(keys, key=lambda key: (key.tenant_id, key.note_id))


def _drop_record(store: Store, tenant: str, note_id: str) -> None:
    """Leave the note's chunks without a record, as a lost deletion does."""
    store.apply(tenant, IndexChange(note_id, store.read_record(tenant, note_id).token, None))


def _note_page(store: Store, limit: int, cursor: str | None) -> Page[NoteKey]:
    return store.note_keys(limit=limit, cursor=cursor)


def _orphan_page(store: Store, limit: int, cursor: str | None) -> Page[NoteKey]:
    return store.orphan_keys(limit=limit, cursor=cursor)


class _KeysContract:
    """note_keys and record_keys."""

    def test_note_keys_cross_all_tenants_and_come_once(self, store: Store) -> None:
        pairs = [(tenant, f"n{number}") for tenant in (OTHER, THIRD, TENANT) for number in range(2)]
        for tenant, note_id in pairs:
            store.put_note(tenant, note(note_id))
        for limit in (1, 2, 4, 6, 50):
            note_keys = all_pages(partial(_note_page, store, limit))
            assert _sorted(note_keys) == _keys(*pairs)

    def test_a_page_holds_no_more_than_its_limit(self, store: Store) -> None:
        for tenant in (TENANT, OTHER):
            for number in range(3):
                store.put_note(tenant, note(f"n{number}"))
        page = store.note_keys(limit=4)
        assert len(page.items) == 4
        assert page.next_token is not None
        assert len(store.note_keys(limit=4, cursor=page.next_token).items) == 2

    def test_without_notes_there_is_one_empty_page(self, store: Store) -> None:
        assert store.note_keys(limit=3).items == ()
        assert store.note_keys(limit=3).next_token is None
        assert store.record_keys(limit=3).items == ()
        assert store.orphan_keys(limit=3).items == ()
        assert store.due_keys(LATER, limit=3) == ()

    def test_changed_since_gives_only_notes_that_are_not_older(self, store: Store) -> None:
        for number in range(5):
            store.put_note(TENANT, note(f"n{number}", updated_at=DAY + timedelta(hours=number)))
        store.put_note(OTHER, note("late", updated_at=DAY + timedelta(hours=9)))
        since = DAY + timedelta(hours=3)
        note_keys = all_pages(
            lambda cursor: store.note_keys(
                limit=2,
                cursor=cursor,
                changed_since=since,
            )
        )
        assert _sorted(note_keys) == _keys((TENANT, "n3"), (TENANT, "n4"), (OTHER, "late"))

    def test_a_cursor_goes_on_while_notes_come_and_go(self, store: Store) -> None:
        for tenant in (TENANT, OTHER):
            for number in range(3):
                store.put_note(tenant, note(f"n{number}"))
        page = store.note_keys(limit=2)
        keys_read = list(page.items)
        for key in keys_read:
            store.delete_note(key.tenant_id, key.note_id)
        store.put_note(THIRD, note("new"))
        rest = all_pages(lambda cursor: store.note_keys(limit=2, cursor=cursor or page.next_token))
        old = [key for key in [*keys_read, *rest] if key.tenant_id != THIRD]
        assert _sorted(old) == _keys(
            *((tenant, f"n{number}") for tenant in (TENANT, OTHER) for number in range(3))
        )

    def test_record_keys_come_whether_or_not_their_note_exists(self, store: Store) -> None:
        store.put_note(TENANT, note("with"))
        store.put_note(TENANT, note("unindexed"))
        for tenant, note_id in (
            (TENANT, "with"),
            (TENANT, "without"),
            (OTHER, "without"),
        ):
            store.apply(tenant, IndexChange(note_id, None, record()))
        record_keys = all_pages(lambda cursor: store.record_keys(limit=1, cursor=cursor))
        assert _sorted(record_keys) == _keys(
            (TENANT, "with"), (TENANT, "without"), (OTHER, "without")
        )


class _RepairContract:
    """due_keys, orphan_keys and bookmarks."""

    def test_due_keys_come_longest_due_first_from_all_tenants_and_failed_ones_last(
        self, store: Store
    ) -> None:
        rows = [
            (TENANT, "young", IndexStatus.PENDING, 4),
            (OTHER, "failed", IndexStatus.FAILED, 1),
            (TENANT, "done", IndexStatus.INDEXED, 0),
            (OTHER, "old", IndexStatus.PENDING, 3),
            (TENANT, "failed later", IndexStatus.FAILED, 2),
        ]
        for tenant, note_id, status, hours in rows:
            due_at = DAY + timedelta(hours=hours) if hours else None
            store.apply(tenant, IndexChange(note_id, None, record(status=status, due_at=due_at)))
        waiting = (NoteKey(OTHER, "old"), NoteKey(TENANT, "young"))
        expected = (*waiting, NoteKey(OTHER, "failed"), NoteKey(TENANT, "failed later"))
        for limit in (9, 4, 3, 2, 1):
            assert store.due_keys(LATER, limit=limit) == expected[:limit]
        at_three = DAY + timedelta(hours=3)
        assert store.due_keys(at_three, limit=9) == (expected[0], *expected[2:])
        assert store.due_keys(at_three - timedelta(seconds=1), limit=9) == expected[2:]
        assert store.due_keys(DAY, limit=9) == ()

    def test_a_record_at_fault_is_never_due(self, store: Store) -> None:
        store.apply(TENANT, IndexChange("n1", None, record(status=IndexStatus.FAILED)))
        assert store.due_keys(LATER, limit=9) == ()

    def test_a_record_that_was_finished_is_no_longer_due(self, store: Store) -> None:
        waiting = record(status=IndexStatus.PENDING, due_at=DAY)
        token = store.apply(TENANT, IndexChange("n1", None, waiting))
        assert store.due_keys(LATER, limit=9) == (NoteKey(TENANT, "n1"),)
        store.apply(TENANT, IndexChange("n1", token, record()))
        assert store.due_keys(LATER, limit=9) == ()

    def test_orphans_are_chunks_without_a_record(self, store: Store) -> None:
        save(store, chunk("n1"), chunk("n2"), chunk("n2", 1), chunk("n3"))
        save(store, chunk("n9"), tenant=OTHER)
        assert all_pages(lambda cursor: store.orphan_keys(limit=1, cursor=cursor)) == []
        for tenant, note_id in (
            (TENANT, "n1"),
            (TENANT, "n2"),
            (OTHER, "n9"),
        ):
            _drop_record(store, tenant, note_id)
        for limit in (1, 2, 50):
            orphans = all_pages(partial(_orphan_page, store, limit))
            assert sorted(set(orphans), key=lambda key: (key.tenant_id, key.note_id)) == _keys(
                (TENANT, "n1"), (TENANT, "n2"), (OTHER, "n9")
            )

    def test_orphans_can_be_removed_without_a_record(self, store: Store) -> None:
        save(store, chunk("n1"), chunk("n1", 1))
        _drop_record(store, TENANT, "n1")
        orphans = tuple(stored_chunk.chunk_id for stored_chunk in store.stored_chunks(TENANT, "n1"))
        assert store.apply(TENANT, IndexChange("n1", None, None, remove=orphans)) is None
        assert store.stored_chunks(TENANT, "n1") == ()
        assert all_pages(lambda cursor: store.orphan_keys(limit=5, cursor=cursor)) == []

    def test_bookmarks_are_kept_replaced_and_removed(self, store: Store) -> None:
        assert store.read_bookmark("sweep") is None
        store.write_bookmark("sweep", "page-1 ü")
        store.write_bookmark("other", "x")
        assert store.read_bookmark("sweep") == "page-1 ü"
        store.write_bookmark("sweep", "page-2")
        assert store.read_bookmark("sweep") == "page-2"
        store.write_bookmark("sweep", None)
        store.write_bookmark("sweep", None)
        assert store.read_bookmark("sweep") is None
        assert store.read_bookmark("other") == "x"


class SweepContract(_KeysContract, _RepairContract):
    """All that a sweep asks for."""

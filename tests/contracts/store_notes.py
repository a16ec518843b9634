"""Promises of `NoteStore`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta, timezone

import pytest

from shared.errors import Conflict, InvalidArgument, StoreUnavailable
from shared.model.documents import TRASH
from shared.model.index import IndexChange, IndexStatus
from shared.model.notes import Folder, ListedNote
from shared.ports.pages import Page
from shared.ports.stores import Store
from tests.contracts.samples import (
    DAY,
    OTHER,
    TENANT,
    all_pages,
    chunk,
    note,
    record,
    save,
    trashed,
)

UNICODE_ID = "Nöte 日本 😀 #1%_x"


class _NoteContract:
    """Notes come back as they were put, and only to their tenant."""

    def test_a_note_comes_back_as_it_was_put_last(self, store: Store) -> None:
        full = replace(
            note("n1", text="# Ünïcode 😀\r\n\ttab\u2028and\ufeff more\n"),
            lang="de",
            tags=("b", "a"),
        )
        bare = replace(
            note("n1"),
            title="",
            text="",
            path="",
            tags=(),
            lang=None,
        )
        assert store.get_note(TENANT, "n1") is None
        for saved in (full, bare):
            store.put_note(TENANT, saved)
            assert store.get_note(TENANT, "n1") == saved

    def test_an_instant_given_in_another_zone_is_the_same_instant(self, store: Store) -> None:
        elsewhere = DAY.astimezone(timezone(timedelta(hours=-7)))
        store.put_note(TENANT, replace(note("n1"), created_at=elsewhere))
        stored_note = store.get_note(TENANT, "n1")
        assert stored_note is not None
        assert stored_note.created_at == DAY
        assert stored_note.created_at.tzinfo is not None

    def test_a_swap_puts_replaces_and_deletes_what_is_as_it_was_read(self, store: Store) -> None:
        first = note("n1")
        second = note("n1", text="New.")
        store.swap_note(TENANT, "n1", was=None, now=first)
        assert store.get_note(TENANT, "n1") == first
        store.swap_note(TENANT, "n1", was=store.get_note(TENANT, "n1"), now=second)
        assert store.get_note(TENANT, "n1") == second
        store.swap_note(TENANT, "n1", was=second, now=None)
        assert store.get_note(TENANT, "n1") is None

    def test_a_swap_of_what_somebody_else_has_changed_changes_nothing(self, store: Store) -> None:
        first = note("n1")
        theirs = note("n1", text="Theirs.")
        mine = note("n1", text="Mine.")
        store.put_note(TENANT, theirs)
        for was in (first, None):
            for now in (mine, None):
                with pytest.raises(Conflict):
                    store.swap_note(TENANT, "n1", was=was, now=now)
        assert store.get_note(TENANT, "n1") == theirs
        store.delete_note(TENANT, "n1")
        with pytest.raises(Conflict):
            store.swap_note(TENANT, "n1", was=theirs, now=mine)
        assert store.get_note(TENANT, "n1") is None

    def test_one_of_many_concurrent_swaps_is_made(self, store: Store) -> None:
        first = note("n1")
        store.put_note(TENANT, first)

        def swapped(number: int) -> bool:
            try:
                store.swap_note(TENANT, "n1", was=first, now=note("n1", text=f"By {number}."))
            except (Conflict, StoreUnavailable):
                return False
            return True

        with ThreadPoolExecutor(8) as threads:
            assert sum(threads.map(swapped, range(16))) == 1

    def test_delete_says_whether_there_was_one(self, store: Store) -> None:
        store.put_note(TENANT, note("n1"))
        assert store.delete_note(TENANT, "n1") is True
        assert store.delete_note(TENANT, "n1") is False
        assert store.get_note(TENANT, "n1") is None

    @pytest.mark.parametrize("text", ["a\x00b", "a\ud800b", "\udfff"])
    def test_text_that_no_store_can_keep_is_refused(self, store: Store, text: str) -> None:
        with pytest.raises(InvalidArgument) as caught:
            store.put_note(TENANT, note("n1", text=text))
        assert caught.value.field == "text"
        assert store.get_note(TENANT, "n1") is None

    def test_unicode_ids_work_everywhere(self, store: Store) -> None:
        store.put_note(TENANT, note(UNICODE_ID))
        save(store, chunk(UNICODE_ID))
        assert store.get_note(TENANT, UNICODE_ID) == note(UNICODE_ID)
        assert [stored.note_id for stored in store.list_notes(TENANT, limit=5).items] == [
            UNICODE_ID
        ]
        assert [
            stored_chunk.chunk_id for stored_chunk in store.stored_chunks(TENANT, UNICODE_ID)
        ] == [f"{UNICODE_ID}_000"]
        assert set(store.live_records(TENANT, [UNICODE_ID])) == {UNICODE_ID}

    def test_ids_that_differ_only_in_case_are_two_notes(self, store: Store) -> None:
        store.put_note(TENANT, note("abc"))
        store.put_note(TENANT, note("ABC"))
        assert store.delete_note(TENANT, "abc")
        assert store.get_note(TENANT, "ABC") == note("ABC")

    def test_tenants_do_not_see_each_others_notes(self, store: Store) -> None:
        store.put_note(TENANT, note("n1", text="mine"))
        store.put_note(OTHER, note("n1", text="theirs"))
        mine = store.get_note(TENANT, "n1")
        assert mine is not None
        assert mine.text == "mine"
        assert store.delete_note(OTHER, "n1")
        assert store.get_note(TENANT, "n1") == mine
        assert store.list_notes(OTHER, limit=5).items == ()


class _ListingContract:
    """`list_notes` pages by note id."""

    def test_notes_are_listed_by_id_page_after_page(self, store: Store) -> None:
        assert store.list_notes(TENANT, limit=2) == Page((), None)
        for note_id in ("n3", "n1", "n5", "n2", "n4"):
            store.put_note(TENANT, note(note_id))
        assert store.list_notes(TENANT, limit=5).next_token is None
        first = store.list_notes(TENANT, limit=2)
        assert first.items == (
            ListedNote.of(note("n1")),
            ListedNote.of(note("n2")),
        )
        assert first.next_token is not None
        listed = all_pages(lambda token: store.list_notes(TENANT, limit=2, token=token))
        assert [stored.note_id for stored in listed] == ["n1", "n2", "n3", "n4", "n5"]

    def test_a_listing_can_be_of_one_vault(self, store: Store) -> None:
        for number in range(4):
            store.put_note(TENANT, note(f"n{number}", vault="odd" if number % 2 else "even"))
        listed = all_pages(
            lambda token: store.list_notes(
                TENANT,
                limit=1,
                token=token,
                vault="odd",
            )
        )
        assert [stored.note_id for stored in listed] == ["n1", "n3"]

    def test_whole_notes_come_with_their_texts(self, store: Store) -> None:
        saved_notes = [
            note(f"n{number}", vault="work", text=f"A long text, {number}.") for number in range(3)
        ]
        for saved in saved_notes:
            store.put_note(TENANT, saved)
        assert (
            all_pages(lambda token: store.whole_notes(TENANT, limit=2, token=token)) == saved_notes
        )

    def test_a_listing_says_what_the_index_could_not_take_in(self, store: Store) -> None:
        for number in range(5):
            store.put_note(TENANT, note(f"n{number}"))
            failed = replace(record(status=IndexStatus.FAILED, count=0), error=f"refused {number}")
            store.apply(
                TENANT,
                IndexChange(f"n{number}", None, failed if number in (1, 3) else record(count=0)),
            )
        listed = all_pages(lambda token: store.list_notes(TENANT, limit=2, token=token))
        assert [entry.error for entry in listed] == [None, "refused 1", None, "refused 3", None]

    def test_a_listing_of_one_vault_says_what_failed_however_much_failed_in_others(
        self, store: Store
    ) -> None:
        for number in range(4):
            store.put_note(TENANT, note(f"n{number}", vault="work" if number == 3 else "home"))
            failed = replace(record(status=IndexStatus.FAILED, count=0), error=f"refused {number}")
            store.apply(TENANT, IndexChange(f"n{number}", None, failed))
        (entry,) = store.list_notes(TENANT, limit=1, vault="work").items
        assert entry.error == "refused 3"

    def test_pages_go_on_after_notes_came_and_went(self, store: Store) -> None:
        for note_id in ("n1", "n2", "n3", "n5"):
            store.put_note(TENANT, note(note_id))
        token = store.list_notes(TENANT, limit=2).next_token
        store.delete_note(TENANT, "n2")
        store.put_note(TENANT, note("n4"))
        rest = store.list_notes(TENANT, limit=9, token=token).items
        assert [entry.note_id for entry in rest] == ["n3", "n4", "n5"]

    @pytest.mark.parametrize("token", ["forged", "bm90ZQ", "🙂", "-", "null", "a" * 5000])
    def test_a_forged_token_is_refused(self, store: Store, token: str) -> None:
        store.put_note(TENANT, note("n1"))
        with pytest.raises(InvalidArgument) as caught:
            store.list_notes(TENANT, limit=1, token=token)
        assert caught.value.field == "pageToken"


class _FoldersContract:
    """`folders` follows the index."""

    def test_folders_come_with_their_ancestors_and_the_vaults_root(self, store: Store) -> None:
        save(store, chunk("n1", path="a/b/c.md"), chunk("n2", vault="work", path=""))
        save(store, chunk("n1", path="theirs/x.md"), tenant=OTHER)
        assert store.folders(TENANT) == (
            Folder("default", ""),
            Folder("default", "a"),
            Folder("default", "a/b"),
            Folder("work", ""),
        )

    def test_a_folder_that_no_indexed_note_uses_any_more_is_gone(self, store: Store) -> None:
        save(store, chunk("n1", path="a/x.md"), chunk("n2", path="b/y.md"))
        token = store.read_record(TENANT, "n1").token
        store.apply(TENANT, IndexChange("n1", token, None, remove=("n1_000",)))
        assert store.folders(TENANT) == (
            Folder("default", ""),
            Folder("default", "b"),
        )

    def test_a_moved_note_leaves_its_folder(self, store: Store) -> None:
        save(store, chunk("n1", path="a/x.md"))
        token = store.read_record(TENANT, "n1").token
        moved = chunk("n1", path="b/x.md", note_revision="r2")
        index_record = store.read_record(TENANT, "n1").record
        store.apply(TENANT, IndexChange("n1", token, index_record, patch=(moved,)))
        assert store.folders(TENANT) == (
            Folder("default", ""),
            Folder("default", "b"),
        )


class _TrashContract:
    """The trash, and the commits that fill it."""

    def test_a_replaced_note_goes_into_the_trash_in_the_same_commit(self, store: Store) -> None:
        first = note("n1", text="First 😀\r\n")
        second = note("n1", text="Second.")
        store.put_note(TENANT, first)
        store.swap_note(
            TENANT,
            "n1",
            was=first,
            now=second,
            trashed=trashed("t1", first),
        )
        with pytest.raises(Conflict):
            store.swap_note(
                TENANT,
                "n1",
                was=first,
                now=None,
                trashed=trashed("t2", first),
            )
        assert store.get(TENANT, TRASH, "t1").value == trashed("t1", first)
        assert store.get(TENANT, TRASH, "t2").value is None
        assert store.get(OTHER, TRASH, "t1").value is None

    def test_a_note_is_found_by_its_vault_and_path(self, store: Store) -> None:
        store.put_note(TENANT, note("n1"))
        store.put_note(TENANT, note("n2", vault="work"))
        assert store.note_at(TENANT, "default", "work/n1.md") == "n1"
        assert store.note_at(TENANT, "work", "work/n2.md") == "n2"
        assert store.note_at(TENANT, "work", "work/n1.md") is None
        assert store.note_at(OTHER, "default", "work/n1.md") is None


class NotesContract(_NoteContract, _ListingContract, _FoldersContract, _TrashContract):
    """All of `NoteStore`."""

"""Promises of `Store` on feedback, usage, kept answers and erasure."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, timedelta

import pytest

from shared.errors import AuroraError, Conflict, Erased
from shared.model.account import (
    PROJECT,
    AnsweredRequest,
    DayUsage,
    Feedback,
    Person,
    Rating,
    Spending,
)
from shared.model.documents import FEEDBACK, REQUESTS, TEMPLATES, TRASH
from shared.model.index import ChunkPut, IndexChange
from shared.model.retrieval import Restriction
from shared.model.templates import StoredTemplate, Template
from shared.ports.stores import Store
from tests.contracts.samples import (
    COLLEAGUE,
    DAY,
    OTHER,
    PERSON,
    TENANT,
    all_pages,
    chunk,
    note,
    record,
    save,
    trashed,
    unit,
)

CLICK = Feedback("f1", "r-1", DAY, citation="N1")
RATED = Feedback(
    "f2", "r-1", DAY, message_id="m1", rating=Rating.DOWN, comment="Ünïcode “no” 😀\nline"
)
TODAY = date(2026, 5, 8)
TOMORROW = date(2026, 5, 9)
LATER = DAY + timedelta(hours=24)
CLAIMED = AnsweredRequest("r-1", "print", LATER, DAY + timedelta(minutes=1))
ANSWERED = AnsweredRequest(
    "r-1", "print", LATER, None, '{"answer": "Ja — 😀"}', {"n1": "r1", "n2": "r2"}
)


class AccountContract:
    """All four."""

    # -- usage

    def test_spending_adds_up_by_day_and_kind(self, store: Store) -> None:
        assert store.spend(TENANT, TODAY, Spending.ANSWERS, 1)
        assert store.spend(TENANT, TODAY, Spending.ANSWERS, 1)
        assert store.spend(TENANT, TODAY, Spending.SEARCHES, 1)
        assert store.spend(TENANT, TODAY, Spending.EMBEDDED_TOKENS, 500)
        assert store.spend(TENANT, TODAY, Spending.INDEX_WRITES, 30)
        assert store.spend(TENANT, TODAY, Spending.INDEX_WRITES, 12)
        assert store.spend(TENANT, TOMORROW, Spending.EMBEDDED_TOKENS, 7)
        assert store.list_usage(TENANT, limit=10).items == (
            DayUsage(TODAY, 2, 1, 500, 42),
            DayUsage(TOMORROW, 0, 0, 7),
        )

    def test_nothing_is_added_beyond_the_limit_and_what_is_given_back_can_be_spent_again(
        self, store: Store
    ) -> None:
        assert store.spend(TENANT, TODAY, Spending.EMBEDDED_TOKENS, 60, limit=100)
        assert not store.spend(TENANT, TODAY, Spending.EMBEDDED_TOKENS, 41, limit=100)
        assert store.spend(TENANT, TODAY, Spending.EMBEDDED_TOKENS, 40, limit=100)
        assert store.list_usage(TENANT, limit=10).items == (DayUsage(TODAY, 0, 0, 100),)
        assert store.spend(TENANT, TODAY, Spending.ANSWERS, 1, limit=1)
        assert store.spend(TENANT, TODAY, Spending.ANSWERS, -1)
        assert store.spend(TENANT, TODAY, Spending.ANSWERS, 1, limit=1)

    def test_fifty_threads_never_spend_more_than_the_limit(self, store: Store) -> None:
        with ThreadPoolExecutor(50) as threads:
            granted = list(
                threads.map(
                    lambda _: store.spend(TENANT, TODAY, Spending.ANSWERS, 1, limit=20), range(50)
                )
            )
        assert sum(granted) == 20
        assert store.list_usage(TENANT, limit=10).items == (DayUsage(TODAY, 20),)

    def test_many_threads_never_embed_more_than_the_limit(self, store: Store) -> None:
        with ThreadPoolExecutor(20) as threads:
            granted = list(
                threads.map(
                    lambda _: store.spend(TENANT, TODAY, Spending.EMBEDDED_TOKENS, 7, limit=50),
                    range(20),
                )
            )
        assert sum(granted) <= 50 // 7
        assert store.list_usage(TENANT, limit=10).items in (
            (),
            (DayUsage(TODAY, 0, 0, 7 * sum(granted)),),
        )

    def test_concurrent_spending_of_all_tenants_adds_up_and_belongs_to_none(
        self, store: Store
    ) -> None:
        assert store.spent(PROJECT, TODAY, Spending.MICRO_USD) == 0
        with ThreadPoolExecutor(20) as threads:
            list(
                threads.map(lambda _: store.spend(PROJECT, TODAY, Spending.MICRO_USD, 7), range(40))
            )
        assert store.spent(PROJECT, TODAY, Spending.MICRO_USD) == 280
        assert store.spent(PROJECT, TOMORROW, Spending.MICRO_USD) == 0
        assert store.list_usage(TENANT, limit=10).items == ()

    def test_usage_is_paged_by_day(self, store: Store) -> None:
        days = [TODAY + timedelta(days=number) for number in range(5)]
        for day in days[::-1]:
            store.spend(TENANT, day, Spending.ANSWERS, 1)
        assert [
            usage.day
            for usage in all_pages(lambda token: store.list_usage(TENANT, limit=2, token=token))
        ] == days

    # -- erasure

    def test_erasing_says_what_there_was_and_leaves_nothing(self, store: Store) -> None:
        assert store.erase(TENANT) == {}
        _fill(store, TENANT)
        erased = store.erase(TENANT)
        counted = (
            "notes",
            "chunks",
            "index",
            "templates",
            "feedback",
            "usage",
            "requests",
            "trash",
        )
        assert {kind: erased[kind] for kind in counted} == {
            "notes": 3, "chunks": 5, "index": 1, "templates": 1, "feedback": 2, "usage": 2,
            "requests": 1, "trash": 1,
        }  # fmt: skip
        _assert_empty(store, TENANT)
        assert store.erase(TENANT) == {}

    def test_each_erasure_has_a_number_of_its_own(self, store: Store) -> None:
        numbers = [store.last_erasure(TENANT)]
        assert numbers == [""]
        for _ in range(2):
            store.put_note(TENANT, note("n1"))
            assert store.last_erasure(TENANT) == numbers[-1]
            store.erase(TENANT)
            numbers.append(store.last_erasure(TENANT))
        assert len(set(numbers)) == 3
        assert store.last_erasure(OTHER) == ""

    @pytest.mark.parametrize("erased_before", [False, True])
    def test_work_that_began_before_an_erasure_saves_nothing_after_it(
        self, store: Store, *, erased_before: bool
    ) -> None:
        if erased_before:
            store.erase(TENANT)
        store.put_note(TENANT, note("n1"))
        began = store.unless_erased(TENANT, store.last_erasure(TENANT))
        began.swap_note(TENANT, "n2", was=None, now=note("n2"))
        store.put_note(OTHER, note("n1"))
        assert store.erase(TENANT)["notes"] == 2
        template = StoredTemplate(Template("t", "N", "1."))
        put = ChunkPut(chunk("n3"), None)
        late: tuple[Callable[[], object], ...] = (
            lambda: began.put_note(TENANT, note("n3")),
            lambda: began.swap_note(TENANT, "n3", was=None, now=note("n3")),
            lambda: began.put(TENANT, TRASH, trashed("t", note("n3"))),
            lambda: began.put(TENANT, TEMPLATES, template),
            lambda: began.apply(TENANT, IndexChange("n3", None, record(), put=(put,))),
        )
        for save_late in late:
            with pytest.raises(Erased):
                save_late()
        _assert_empty(store, TENANT)
        assert store.erase(TENANT) == {}
        assert [stored.note_id for stored in began.list_notes(OTHER, limit=9).items] == ["n1"]

    def test_a_person_can_save_at_once_after_an_erasure(self, store: Store) -> None:
        store.erase(TENANT)
        anew = store.unless_erased(TENANT, store.last_erasure(TENANT))
        anew.swap_note(TENANT, "n1", was=None, now=note("n1"))
        store.put_note(TENANT, note("n2"))
        note_ids = [stored.note_id for stored in store.list_notes(TENANT, limit=9).items]
        assert note_ids == ["n1", "n2"]

    def test_a_conflict_of_work_that_no_erasure_has_ended_stays_a_conflict(
        self, store: Store
    ) -> None:
        began = store.unless_erased(TENANT, store.last_erasure(TENANT))
        began.swap_note(TENANT, "n1", was=None, now=note("n1"))
        with pytest.raises(Conflict):
            began.swap_note(TENANT, "n1", was=None, now=note("n1", text="Other."))

    def test_a_change_too_late_for_its_note_adds_nothing_to_the_index(self, store: Store) -> None:
        put = ChunkPut(chunk("n1"), None)
        late = IndexChange("n1", None, record(), put=(put,), needs_note=True)
        with pytest.raises(Conflict):
            store.apply(TENANT, late)
        assert store.stored_chunks(TENANT, "n1") == ()
        assert store.folders(TENANT) == ()
        assert store.erase(TENANT) == {}
        store.put_note(TENANT, note("n1"))
        token = store.apply(TENANT, late)
        store.delete_note(TENANT, "n1")
        later = IndexChange("n1", token, record(), put=(put,), needs_note=True)
        with pytest.raises(Conflict):
            store.apply(TENANT, later)
        assert store.read_record(TENANT, "n1").token == token

    def test_other_tenants_keep_what_they_have(self, store: Store) -> None:
        for tenant in (TENANT, OTHER):
            _fill(store, tenant)
        store.erase(TENANT)
        assert [stored.note_id for stored in store.list_notes(OTHER, limit=10).items] == [
            "n0",
            "n1",
            "n2",
        ]
        assert len(store.note_chunks(OTHER, "n1", stems=[])) == 5
        assert store.listing(Person(OTHER, PERSON.uid), FEEDBACK, limit=10).items == (CLICK, RATED)
        assert store.get(Person(OTHER, PERSON.uid), REQUESTS, "r-1").value == ANSWERED

    def test_a_person_who_goes_takes_nothing_of_the_tenant_along(self, store: Store) -> None:
        _fill(store, TENANT)
        alone = Person(TENANT, TENANT)
        for person in (COLLEAGUE, alone):
            store.put(person, FEEDBACK, RATED)
        assert store.erase(PERSON) == {"feedback": 2, "requests": 1}
        assert store.erase(PERSON) == {}
        assert store.listing(PERSON, FEEDBACK, limit=10).items == ()
        for person in (COLLEAGUE, alone):
            assert store.listing(person, FEEDBACK, limit=10).items == (RATED,)
        assert len(store.list_notes(TENANT, limit=10).items) == 3
        assert store.erase(TENANT)["feedback"] == 2
        assert store.listing(COLLEAGUE, FEEDBACK, limit=10).items == ()

    def test_a_tenant_may_begin_again(self, store: Store) -> None:
        _fill(store, TENANT)
        revision_before = store.stats(TENANT).revision
        store.erase(TENANT)
        _fill(store, TENANT)
        assert store.stats(TENANT).revision != revision_before
        assert store.stats(TENANT).chunk_count == 5
        neighbours = store.nearest(
            TENANT,
            V,
            limit=9,
            stems=[],
            restriction=Restriction(),
            index_version=chunk("n1").index_version,
        ).neighbours
        assert len(neighbours) == 5

    def test_a_token_from_before_an_erasure_is_a_conflict(self, store: Store) -> None:
        token = store.swap(PERSON, REQUESTS, "r-1", CLAIMED, expected=None)
        old_token = store.read_record(TENANT, "n1").token
        _fill(store, TENANT, request="r-2")
        store.erase(TENANT)
        with pytest.raises(AuroraError):
            store.swap(PERSON, REQUESTS, "r-1", ANSWERED, expected=token)
        assert old_token is None
        _assert_empty(store, TENANT)


V = unit(1, 2, 3, 4)


def _fill(store: Store, tenant: str, *, request: str = "r-1") -> None:
    for number in range(3):
        store.put_note(tenant, note(f"n{number}"))
    save(store, *(chunk("n1", position) for position in range(5)), vector=V, tenant=tenant)
    store.put(tenant, TEMPLATES, StoredTemplate(Template("t", "N", "1."), V, "k"))
    person = Person(tenant, PERSON.uid)
    for feedback in (CLICK, RATED):
        store.put(person, FEEDBACK, feedback)
    for day in (TODAY, TOMORROW):
        store.spend(tenant, day, Spending.ANSWERS, 1)
    store.put(person, REQUESTS, replace(ANSWERED, request_id=request))
    store.put(tenant, TRASH, trashed("t", note("gone")))


def _assert_empty(store: Store, tenant: str) -> None:
    assert store.list_notes(tenant, limit=10).items == ()
    assert store.stats(tenant).chunk_count == 0
    assert store.recent(tenant, limit=10, stems=[], restriction=Restriction()) == ()
    assert store.stored_chunks(tenant, "n1") == ()
    assert store.read_record(tenant, "n1").record is None
    assert store.folders(tenant) == ()
    assert store.listing(tenant, TEMPLATES, limit=9).items == ()
    assert store.listing(Person(tenant, PERSON.uid), FEEDBACK, limit=10).items == ()
    assert store.list_usage(tenant, limit=10).items == ()
    assert store.listing(tenant, TRASH, limit=10).items == ()
    assert store.get(Person(tenant, PERSON.uid), REQUESTS, "r-1").value is None

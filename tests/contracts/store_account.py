"""Promises of `Store` on feedback, usage, kept answers and erasure."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest

from shared.errors import AuroraError, Conflict, InvalidArgument
from shared.model.account import PROJECT, AnsweredRequest, DayUsage, Feedback, Person, Rating, Spending, StoredRequest
from shared.model.retrieval import Restriction
from shared.model.templates import StoredTemplate, Template
from shared.ports.stores import Store
from tests.contracts.samples import COLLEAGUE, DAY, OTHER, PERSON, TENANT, all_pages, chunk, note, save, trashed, unit

CLICK = Feedback("f1", "r-1", DAY, citation="N1")
RATED = Feedback("f2", "r-1", DAY, message_id="m1", rating=Rating.DOWN, comment="Ünïcode “no” 😀\nline")
TODAY, TOMORROW = date(2026, 5, 8), date(2026, 5, 9)
LATER = DAY + timedelta(hours=24)
CLAIMED = AnsweredRequest("print", LATER, DAY + timedelta(minutes=1))
ANSWERED = AnsweredRequest("print", LATER, None, '{"answer": "Ja — 😀"}', {"n1": "r1", "n2": "r2"})


class AccountContract:
    """All four."""

    # -- feedback

    def test_feedback_comes_back_as_it_was_put_last_by_id(self, store: Store) -> None:
        for feedback in (RATED, CLICK):
            assert store.get_feedback(PERSON, feedback.feedback_id) is None
            store.put_feedback(PERSON, feedback)
            assert store.get_feedback(PERSON, feedback.feedback_id) == feedback
        assert store.get_feedback(COLLEAGUE, RATED.feedback_id) is None
        assert store.list_feedback(PERSON, limit=10).items == (CLICK, RATED)
        better = Feedback("f2", "r-1", LATER, rating=Rating.UP)
        store.put_feedback(PERSON, better)
        assert store.list_feedback(PERSON, limit=10).items == (CLICK, better)

    def test_feedback_is_paged(self, store: Store) -> None:
        many = [Feedback(f"f{number:02d}", "r", DAY) for number in range(7)]
        for each in many:
            store.put_feedback(PERSON, each)
        assert all_pages(lambda token: store.list_feedback(PERSON, limit=3, token=token)) == many
        with pytest.raises(InvalidArgument, match="pageToken"):
            store.list_feedback(PERSON, limit=3, token="forged")

    # -- usage

    def test_spending_adds_up_by_day_and_kind(self, store: Store) -> None:
        assert store.spend(TENANT, TODAY, Spending.ANSWERS, 1)
        assert store.spend(TENANT, TODAY, Spending.ANSWERS, 1)
        assert store.spend(TENANT, TODAY, Spending.SEARCHES, 1)
        assert store.spend(TENANT, TODAY, Spending.EMBEDDED_TOKENS, 500)
        assert store.spend(TENANT, TOMORROW, Spending.EMBEDDED_TOKENS, 7)
        assert store.list_usage(TENANT, limit=10).items == (DayUsage(TODAY, 2, 1, 500), DayUsage(TOMORROW, 0, 0, 7))

    def test_nothing_is_added_beyond_the_limit_and_what_is_given_back_can_be_spent_again(self, store: Store) -> None:
        assert store.spend(TENANT, TODAY, Spending.EMBEDDED_TOKENS, 60, limit=100)
        assert not store.spend(TENANT, TODAY, Spending.EMBEDDED_TOKENS, 41, limit=100)
        assert store.spend(TENANT, TODAY, Spending.EMBEDDED_TOKENS, 40, limit=100)
        assert store.list_usage(TENANT, limit=10).items == (DayUsage(TODAY, 0, 0, 100),)
        assert store.spend(TENANT, TODAY, Spending.ANSWERS, 1, limit=1)
        assert store.spend(TENANT, TODAY, Spending.ANSWERS, -1)
        assert store.spend(TENANT, TODAY, Spending.ANSWERS, 1, limit=1)

    def test_fifty_threads_never_spend_more_than_the_limit(self, store: Store) -> None:
        with ThreadPoolExecutor(50) as threads:
            granted = list(threads.map(lambda _: store.spend(TENANT, TODAY, Spending.ANSWERS, 1, limit=20), range(50)))
        assert sum(granted) == 20
        assert store.list_usage(TENANT, limit=10).items == (DayUsage(TODAY, 20),)

    def test_many_threads_never_embed_more_than_the_limit(self, store: Store) -> None:
        with ThreadPoolExecutor(20) as threads:
            granted = list(
                threads.map(lambda _: store.spend(TENANT, TODAY, Spending.EMBEDDED_TOKENS, 7, limit=50), range(20))
            )
        assert sum(granted) <= 50 // 7
        assert store.list_usage(TENANT, limit=10).items in ((), (DayUsage(TODAY, 0, 0, 7 * sum(granted)),))

    def test_what_all_tenants_spend_at_once_adds_up_and_belongs_to_none(self, store: Store) -> None:
        assert store.spent(PROJECT, TODAY, Spending.MICRO_USD) == 0
        with ThreadPoolExecutor(20) as threads:
            list(threads.map(lambda _: store.spend(PROJECT, TODAY, Spending.MICRO_USD, 7), range(40)))
        assert store.spent(PROJECT, TODAY, Spending.MICRO_USD) == 280
        assert store.spent(PROJECT, TOMORROW, Spending.MICRO_USD) == 0
        assert store.list_usage(TENANT, limit=10).items == ()

    def test_usage_is_paged_by_day(self, store: Store) -> None:
        days = [TODAY + timedelta(days=number) for number in range(5)]
        for day in days[::-1]:
            store.spend(TENANT, day, Spending.ANSWERS, 1)
        assert [each.day for each in all_pages(lambda token: store.list_usage(TENANT, limit=2, token=token))] == days

    # -- requests

    def test_a_request_comes_back_as_it_was_written(self, store: Store) -> None:
        assert store.read_request(PERSON, "r-1") == StoredRequest(None, None)
        token = None
        for record in (CLAIMED, ANSWERED):
            token = store.write_request(PERSON, "r-1", record, expected=token, now=DAY)
            assert store.read_request(PERSON, "r-1") == StoredRequest(record, token)

    def test_a_request_that_moved_is_a_conflict(self, store: Store) -> None:
        first = store.write_request(PERSON, "r-1", CLAIMED, expected=None, now=DAY)
        with pytest.raises(Conflict):
            store.write_request(PERSON, "r-1", CLAIMED, expected=None, now=DAY)
        store.write_request(PERSON, "r-1", ANSWERED, expected=first, now=DAY)
        for record in (CLAIMED, None):
            with pytest.raises(Conflict):
                store.write_request(PERSON, "r-1", record, expected=first, now=DAY)
        assert store.read_request(PERSON, "r-1").record == ANSWERED

    def test_a_removed_request_is_gone(self, store: Store) -> None:
        token = store.write_request(PERSON, "r-1", CLAIMED, expected=None, now=DAY)
        assert store.write_request(PERSON, "r-1", None, expected=token, now=DAY) is None
        assert store.read_request(PERSON, "r-1") == StoredRequest(None, None)
        with pytest.raises(Conflict):
            store.write_request(PERSON, "r-1", ANSWERED, expected=token, now=DAY)

    def test_of_many_who_claim_a_request_one_does(self, store: Store) -> None:
        def claim(_: int) -> bool:
            try:
                store.write_request(PERSON, "r-1", CLAIMED, expected=None, now=DAY)
            except Conflict:
                return False
            return True

        with ThreadPoolExecutor(10) as threads:
            assert sum(threads.map(claim, range(10))) == 1

    # -- erasure

    def test_erasing_says_what_there_was_and_leaves_nothing(self, store: Store) -> None:
        assert store.erase(TENANT) == {}
        _fill(store, TENANT)
        erased = store.erase(TENANT)
        counted = ("notes", "chunks", "index", "templates", "feedback", "usage", "requests", "trash")
        assert {kind: erased[kind] for kind in counted} == {
            "notes": 3, "chunks": 5, "index": 1, "templates": 1, "feedback": 2, "usage": 2,
            "requests": 1, "trash": 1,
        }  # fmt: skip
        _assert_empty(store, TENANT)
        assert store.erase(TENANT) == {}

    def test_other_tenants_keep_what_they_have(self, store: Store) -> None:
        for tenant in (TENANT, OTHER):
            _fill(store, tenant)
        store.erase(TENANT)
        assert [each.note_id for each in store.list_notes(OTHER, limit=10).items] == ["n0", "n1", "n2"]
        assert len(store.note_chunks(OTHER, "n1", stems=[])) == 5
        assert store.list_feedback(Person(OTHER, PERSON.uid), limit=10).items == (CLICK, RATED)
        assert store.read_request(Person(OTHER, PERSON.uid), "r-1").record == ANSWERED

    def test_a_person_who_goes_takes_nothing_of_the_tenant_along(self, store: Store) -> None:
        _fill(store, TENANT)
        alone = Person(TENANT, TENANT)
        for other in (COLLEAGUE, alone):
            store.put_feedback(other, RATED)
        assert store.erase_person(PERSON) == {"feedback": 2, "requests": 1}
        assert store.erase_person(PERSON) == {}
        assert store.list_feedback(PERSON, limit=10).items == ()
        for other in (COLLEAGUE, alone):
            assert store.list_feedback(other, limit=10).items == (RATED,)
        assert len(store.list_notes(TENANT, limit=10).items) == 3
        assert store.erase(TENANT)["feedback"] == 2
        assert store.list_feedback(COLLEAGUE, limit=10).items == ()

    def test_a_tenant_may_begin_again(self, store: Store) -> None:
        _fill(store, TENANT)
        before = store.stats(TENANT).revision
        store.erase(TENANT)
        _fill(store, TENANT)
        assert store.stats(TENANT).revision != before
        assert store.stats(TENANT).chunk_count == 5
        found = store.nearest(
            TENANT, V, limit=9, stems=[], restriction=Restriction(), index_version=chunk("n1").index_version
        )
        assert len(found) == 5

    def test_whoever_still_holds_a_token_from_before_gets_a_conflict(self, store: Store) -> None:
        token = store.write_request(PERSON, "r-1", CLAIMED, expected=None, now=DAY)
        held = store.read_record(TENANT, "n1").token
        _fill(store, TENANT, request="r-2")
        store.erase(TENANT)
        with pytest.raises(AuroraError):
            store.write_request(PERSON, "r-1", ANSWERED, expected=token, now=DAY)
        assert held is None
        _assert_empty(store, TENANT)


V = unit(1, 2, 3, 4)


def _fill(store: Store, tenant: str, *, request: str = "r-1") -> None:
    for number in range(3):
        store.put_note(tenant, note(f"n{number}"))
    save(store, *(chunk("n1", position) for position in range(5)), vector=V, tenant=tenant)
    store.put_templates(tenant, [StoredTemplate(Template("t", "N", "1."), V, "k")])
    person = Person(tenant, PERSON.uid)
    for feedback in (CLICK, RATED):
        store.put_feedback(person, feedback)
    for day in (TODAY, TOMORROW):
        store.spend(tenant, day, Spending.ANSWERS, 1)
    store.write_request(person, request, ANSWERED, expected=None, now=DAY)
    store.put_trashed(tenant, trashed("t", note("gone")))


def _assert_empty(store: Store, tenant: str) -> None:
    assert store.list_notes(tenant, limit=10).items == ()
    assert store.stats(tenant).chunk_count == 0
    assert store.recent(tenant, limit=10, stems=[], restriction=Restriction()) == ()
    assert store.stored_chunks(tenant, "n1") == ()
    assert store.read_record(tenant, "n1").record is None
    assert store.folders(tenant) == ()
    assert store.templates(tenant) == ()
    assert store.list_feedback(Person(tenant, PERSON.uid), limit=10).items == ()
    assert store.list_usage(tenant, limit=10).items == ()
    assert store.list_trashed(tenant, limit=10).items == ()
    assert store.read_request(Person(tenant, PERSON.uid), "r-1").record is None

"""After an erasure nothing is left, whatever happened meanwhile: every document and every row is looked at."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest

from shared.account.idempotency import RequestKey
from shared.adapters.embedded import EmbeddedStore
from shared.adapters.firestore import FirestoreStore, account
from shared.adapters.firestore.connection import Connection
from shared.adapters.firestore.protocol import Query, protocol
from shared.asking.turn import TurnRequest
from shared.bootstrap import unless_erased
from shared.errors import AuroraError, Erased, Exhausted
from shared.model.account import Feedback, Person, Spending
from shared.model.documents import FEEDBACK, REQUESTS
from shared.model.index import Vector
from shared.model.notes import Note, NoteKey
from shared.model.templates import Template
from shared.notes.service import NoteDraft
from shared.ports.stores import Store
from shared.sweep.reconcile import reconcile
from tests.account.world import OTHER, PERSON, TENANT, Household, turn_events
from tests.indexing.world import START, Killed, on_both_stores, sections

TEXT = sections("boat", "sail", "anchor")


def documents(store: FirestoreStore, tenant: str) -> list[str]:
    """Every document below the tenant."""
    root = store._db.root
    documents = store._db.query(store._db.parent(tenant), Query(collection="", everywhere=True))
    return [document.name.removeprefix(root) for document in documents]


def left(store: Store, tenant: str) -> list[str]:
    """List what is still there of the tenant: documents, or rows and files."""
    if isinstance(store, FirestoreStore):
        return documents(store, tenant)
    assert isinstance(store, EmbeddedStore)
    file = store._files.of(tenant).path
    return [str(path) for path in file.parent.glob(f"{file.name}*")]


def fill(home: Household, tenant: str = TENANT, *, notes: int = 4) -> None:
    for number in range(notes):
        home.save(f"n{number}", f"{number} {TEXT}", tenant=tenant)
    home.app.templates.index(tenant)
    home.app.store.put(Person(tenant, tenant), FEEDBACK, Feedback("f", "r", home.clock()))
    home.app.sessions(Person(tenant, tenant)).create(title="Boats")


@on_both_stores
def test_no_document_no_row_and_no_file_is_left(home: Household) -> None:
    fill(home)
    fill(home, OTHER, notes=1)
    left_of_others = left(home.app.store, OTHER)
    erased = home.app.erasure.erase(PERSON).erased
    assert erased["notes"] == 4
    assert erased["index"] == 4
    assert erased["feedback"] == 1
    assert erased["sessions"] == 1
    assert erased["chunks"] >= 4
    assert left(home.app.store, TENANT) == []
    assert left(home.app.store, OTHER) == left_of_others


@on_both_stores
def test_events_that_fire_meanwhile_bring_nothing_back(home: Household) -> None:
    fill(home)
    for number in range(4, 8):
        home.save(f"n{number}", f"{number} {TEXT}", index=False)
    stopped = threading.Event()

    def keep_indexing(start: int) -> None:
        number = start
        while not stopped.is_set():
            number = (number + 3) % 8
            try:
                home.app.indexer.index(NoteKey(TENANT, f"n{number}"))
            except AuroraError:
                continue  # an event that fails comes again

    with ThreadPoolExecutor(3) as threads:
        running = [threads.submit(keep_indexing, start) for start in range(3)]
        try:
            home.app.erasure.erase(PERSON)
        finally:
            stopped.set()
        for future in running:
            future.result()
    assert home.app.store.list_notes(TENANT, limit=10).items == ()
    assert home.app.store.stats(TENANT).chunk_count == 0
    assert left(home.app.store, TENANT) == []


class _Dying(Connection):
    """The process ends at its n-th request to erase."""

    dies_at = 0

    def write_each(self, writes: Sequence[object]) -> None:
        self.dies_at -= 1
        if self.dies_at == 0:
            raise Killed
        super().write_each(writes)


@pytest.mark.parametrize("dies_at", [1, 2, 3, 4, 5])
def test_an_erasure_that_is_broken_off_is_finished_by_the_next(
    firestore_store: FirestoreStore, monkeypatch: pytest.MonkeyPatch, dies_at: int
) -> None:
    monkeypatch.setattr(account, "AT_ONCE", 2)
    firestore_store._db.__class__ = _Dying
    for number in range(5):
        firestore_store.put(PERSON, FEEDBACK, Feedback(f"f{number}", "r", START))
        firestore_store.put_note(TENANT, Note(f"n{number}", "T", "x", START, START))
    firestore_store._db.dies_at = dies_at  # type: ignore[attr-defined]
    with pytest.raises(Killed):
        firestore_store.erase(TENANT)
    half = len(documents(firestore_store, TENANT))
    assert sum(firestore_store.erase(TENANT).values()) == half
    assert documents(firestore_store, TENANT) == []


def test_an_emptied_file_that_another_process_has_open_stays_and_is_empty(
    home: Household, embedded_store: EmbeddedStore
) -> None:
    fill(home)
    elsewhere = EmbeddedStore(embedded_store._files._folder.parent)
    assert len(elsewhere.list_notes(TENANT, limit=9).items) == 4
    home.app.erasure.erase(PERSON)
    assert elsewhere.list_notes(TENANT, limit=9).items == ()
    tables = ("notes", "records", "chunks", "vectors", "templates", "feedback", "usage", "requests")
    with closing(sqlite3.connect(embedded_store._files.of(TENANT).path)) as db:
        assert [db.execute(f"SELECT count(*) FROM {table}").fetchone() for table in tables] == [  # noqa: S608
            (0,)
        ] * len(tables)
    elsewhere.put_note(TENANT, Note("new", "T", "x", START, START))
    elsewhere.close()
    assert [note.note_id for note in embedded_store.list_notes(TENANT, limit=9).items] == ["new"]
    assert home.app.erasure.erase(PERSON).erased == {"notes": 1}
    assert left(embedded_store, TENANT) == []


def test_a_note_that_is_saved_while_the_file_goes_is_not_lost(home: Household) -> None:
    home.save("n0", TEXT)
    with ThreadPoolExecutor(2) as threads:
        for round_ in range(10):
            erasing = threads.submit(home.app.erasure.erase, PERSON)
            saved = threads.submit(home.save, f"new{round_}", "x", index=False)
            erased = erasing.result().erased.get("notes", 0)
            saved.result()
            there = {note.note_id for note in home.app.store.list_notes(TENANT, limit=9).items}
            assert f"new{round_}" in there or erased, (
                "either it came later, or it was erased and counted"
            )


def test_documents_below_documents_are_erased_too(firestore_store: FirestoreStore) -> None:
    root = firestore_store._db.root
    for path in ("sessions/s1/messages/m1", "sessions/s1", "later/x/deeper/y/deepest/z"):
        write = protocol().Write()
        write.update.name = f"{root}/tenants/{TENANT}/{path}"
        firestore_store._db.commit([write])
    assert firestore_store.erase(TENANT) == {
        "messages": 1,
        "sessions": 1,
        "deepest": 1,
    }
    assert documents(firestore_store, TENANT) == []


def test_a_large_tenant_goes_page_by_page(
    firestore_store: FirestoreStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account, "AT_ONCE", 30)
    monkeypatch.setattr(account, "BATCH", 7)
    for number in range(100):
        firestore_store.put(PERSON, FEEDBACK, Feedback(f"f{number}", "r", START))
    assert firestore_store.erase(TENANT) == {"feedback": 100}
    assert documents(firestore_store, TENANT) == []


@on_both_stores
def test_an_erasure_does_not_refund_the_days_budget(home: Household) -> None:
    home.limited(
        daily_chat_limit=1,
        daily_search_limit=1,
        daily_embed_tokens=100_000,
    )
    fill(home)
    home.chat()
    tokens = home.app.store.spent(TENANT, home.clock().date(), Spending.EMBEDDED_TOKENS)
    receipt = home.app.erasure.erase(PERSON)
    assert receipt.usage_kept_until == home.clock() + timedelta(hours=12)
    with pytest.raises(Exhausted):
        home.chat()
    assert home.app.store.spent(TENANT, home.clock().date(), Spending.EMBEDDED_TOKENS) == tokens > 0
    assert home.app.erasure.erase(PERSON).erased == {}
    reconcile(home.app.indexer, budget=10)
    assert home.app.store.list_usage(TENANT, limit=9).items
    home.clock.advance(hours=12)
    reconcile(home.app.indexer, budget=10)
    assert left(home.app.store, TENANT) == []
    assert home.app.store.list_usage(TENANT, limit=9).items == ()
    assert home.app.erasure.erase(PERSON).usage_kept_until is None


# -- what was under way


def happens_before(store: Store, method: str, event: Callable[[], object]) -> None:
    """Let `event` happen once, at the next call of this method of the store."""
    kind = type(store)
    waiting = [event]

    def call(self: Store, *given: Any, **options: Any) -> Any:  # noqa: ANN401 - whatever the method takes
        if waiting:
            waiting.pop()()
        return getattr(kind, method)(self, *given, **options)

    store.__class__ = type(kind.__name__, (kind,), {method: call})


@on_both_stores
@pytest.mark.parametrize("method", ["stored_chunks", "apply"])
def test_an_event_that_read_its_note_before_the_erasure_writes_nothing_after_it(
    home: Household, method: str
) -> None:
    home.save("n0", TEXT, index=False)
    happens_before(home.app.store, method, lambda: home.app.erasure.erase(PERSON))
    assert home.app.indexer.index(NoteKey(TENANT, "n0")).action == "unchanged"
    assert left(home.app.store, TENANT) == []


@on_both_stores
def test_an_event_that_embeds_during_the_erasure_writes_nothing_after_it(home: Household) -> None:
    home.save("n0", TEXT, index=False)
    embedded = home.embedder.embed_documents

    def erased_meanwhile(texts: Sequence[str]) -> tuple[Vector, ...]:
        home.app.erasure.erase(PERSON)
        return embedded(texts)

    home.embedder.embed_documents = erased_meanwhile  # type: ignore[method-assign]
    assert home.app.indexer.index(NoteKey(TENANT, "n0")).action == "unchanged"
    assert left(home.app.store, TENANT) == []


@on_both_stores
def test_a_sweep_during_the_erasure_writes_nothing_after_it(home: Household) -> None:
    for number in range(3):
        home.save(f"n{number}", TEXT, index=False)
    happens_before(home.app.store, "apply", lambda: home.app.erasure.erase(PERSON))
    reconcile(home.app.indexer, budget=100, full=True)
    assert left(home.app.store, TENANT) == []


@on_both_stores
def test_a_note_that_is_restored_during_the_erasure_does_not_come_back(home: Household) -> None:
    home.save("n0", TEXT)
    home.app.notes.delete(TENANT, "n0")
    (trashed,) = home.app.notes.trash(TENANT, limit=9, token=None).items
    happens_before(home.app.store, "swap_note", lambda: home.app.erasure.erase(PERSON))
    with pytest.raises(Erased):
        home.app.notes.restore(TENANT, trashed.trash_id)
    assert left(home.app.store, TENANT) == []


@on_both_stores
@pytest.mark.parametrize("session", ["new", None])
def test_a_turn_that_began_before_the_erasure_records_nothing_after_it(
    home: Household, session: str | None
) -> None:
    home.save("n0", TEXT)
    sessions = home.app.sessions(PERSON)
    session_id = session or sessions.create(title="Boats").session_id
    request = TurnRequest(
        person=PERSON,
        question=home.question("boat"),
        request_id="r-1",
        repeat=RequestKey(PERSON, "r-1", "print"),
        session_id=session_id,
    )
    events = turn_events(home.app, request)
    assert next(events).name == "start"
    home.app.erasure.erase(PERSON)
    assert [event.name for event in events][-1] == "result"
    assert sessions.page(limit=9).items == ()
    assert home.app.store.get(PERSON, REQUESTS, "r-1").value is None
    assert set(home.app.store.erase(TENANT)) <= {"usage"}


@on_both_stores
def test_a_template_of_work_that_began_before_the_erasure_is_not_kept(home: Household) -> None:
    began = unless_erased(home.app, TENANT, home.app.store.last_erasure(TENANT))
    home.app.erasure.erase(PERSON)
    with pytest.raises(Erased):
        began.templates.save(TENANT, Template("mine", "Mine", "1. Think."))
    home.app.templates.save(TENANT, Template("mine", "Mine", "1. Think."))


@on_both_stores
def test_a_note_saved_repeatedly_during_an_erasure_is_counted_once(
    home: Household, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Apps do that which write by themselves, under no number."""
    # As somebody keeps saving, it looks as often as it ever does.
    monkeypatch.setattr("shared.adapters.firestore.account.SETTLING_SECONDS", 0.05)
    fill(home, notes=6)
    stopped = threading.Event()
    # An erasure takes a second on Firestore and some milliseconds on the disk.
    pause = 0.001 if isinstance(home.app.store, EmbeddedStore) else 0.02

    def keep_saving(start: int) -> None:
        number = start
        while not stopped.is_set():
            number = (number + 3) % 6
            home.app.store.put_note(TENANT, Note(f"n{number}", "T", "x", START, START))
            time.sleep(pause)

    with ThreadPoolExecutor(3) as threads:
        running = [threads.submit(keep_saving, start) for start in range(3)]
        try:
            counted = [home.app.erasure.erase(PERSON).erased["notes"]]
        finally:
            stopped.set()
        for future in running:
            future.result()
    assert counted == [6]


@on_both_stores
def test_an_erasure_that_was_killed_has_ended_what_began_before_and_the_next_does_the_rest(
    home: Household,
) -> None:
    fill(home)
    began = unless_erased(home.app, TENANT, home.app.store.last_erasure(TENANT))

    def die() -> None:
        raise Killed

    happens_before(home.app.store, "_clear", die)
    with pytest.raises(Killed):
        home.app.erasure.erase(PERSON)
    assert len(home.app.store.list_notes(TENANT, limit=9).items) == 4
    with pytest.raises(Erased):
        began.notes.save(TENANT, "late", NoteDraft(title="Late", text="x"))
    assert home.app.erasure.erase(PERSON).erased["notes"] == 4
    assert left(home.app.store, TENANT) == []
    home.save("anew", "x")
    assert [note.note_id for note in home.app.store.list_notes(TENANT, limit=9).items] == ["anew"]

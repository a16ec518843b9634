"""Documents on Firestore: how large they may be, and deleting a session in batches, also after a broken-off deletion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from shared.adapters.firestore import FirestoreStore, collections
from shared.adapters.firestore.protocol import put
from shared.errors import StoreUnavailable, TooLarge
from shared.model.account import AnsweredRequest
from shared.model.documents import MESSAGES, REQUESTS, SESSIONS, TRASH, Conversation
from shared.model.sessions import Message, Role, Session
from shared.tracing import RequestRecord
from tests.contracts.samples import DAY, PERSON, TENANT, note, trashed


def _filled(store: FirestoreStore, session_id: str, *, turns: int = 4) -> None:
    store.put(
        PERSON,
        SESSIONS,
        Session(
            session_id=session_id,
            created_at=DAY,
            updated_at=DAY,
        ),
    )
    for number in range(turns):
        exchange = [
            Message(
                message_id=f"m{number}x{part}",
                role=Role.USER,
                text="Why?",
                created_at=DAY,
            )
            for part in range(2)
        ]
        assert store.add_messages(Conversation(PERSON, session_id), exchange, first="Why?")


def _commits(
    store: FirestoreStore, monkeypatch: pytest.MonkeyPatch, *, most: int | None = None
) -> list[int]:
    """Sizes of the writing requests from now on; after `most` of them the store is away."""
    sizes: list[int] = []

    def counting(request: Callable[[list[Any]], object]) -> Callable[[list[Any]], object]:
        def counted(writes: list[Any]) -> object:
            if most is not None and len(sizes) >= most:
                raise StoreUnavailable("away")
            sizes.append(len(writes))
            return request(writes)

        return counted

    for name in ("commit", "write_each"):
        monkeypatch.setattr(store._db, name, counting(getattr(store._db, name)))
    return sizes


def test_a_message_kept_before_messages_named_their_request_is_read(
    firestore_store: FirestoreStore,
) -> None:
    older = {
        "role": "user",
        "text": "Why?",
        "createdAt": DAY,
        "standalone": "",
        "asOf": None,
        "citations": [],
    }
    firestore_store._db.commit(
        [put(f"{firestore_store._parent(Conversation(PERSON, 's1'))}/messages/m1", older)]
    )
    (stored_message,) = firestore_store.listing(Conversation(PERSON, "s1"), MESSAGES, limit=5).items
    assert stored_message.text == "Why?"
    assert stored_message.request_id == ""


def test_messages_go_in_bounded_batches(
    firestore_store: FirestoreStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collections, "BATCH", 3)
    _filled(firestore_store, "s1")
    sizes = _commits(firestore_store, monkeypatch)
    assert firestore_store.delete(PERSON, SESSIONS, "s1")
    assert sizes == [2, 3, 3, 2, 1]


def test_a_deletion_that_was_broken_off_is_completed_by_the_next(
    firestore_store: FirestoreStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collections, "BATCH", 3)
    _filled(firestore_store, "s1")
    _filled(firestore_store, "s2", turns=1)
    with monkeypatch.context() as during:
        _commits(firestore_store, during, most=2)
        with pytest.raises(StoreUnavailable):
            firestore_store.delete(PERSON, SESSIONS, "s1")
    assert firestore_store.get(PERSON, SESSIONS, "s1").value is None
    assert len(firestore_store.listing(Conversation(PERSON, "s1"), MESSAGES, limit=20).items) == 5
    assert firestore_store.delete(PERSON, SESSIONS, "s2")
    assert firestore_store.listing(Conversation(PERSON, "s1"), MESSAGES, limit=20).items == ()
    assert firestore_store.delete(PERSON, SESSIONS, "s1") is False


def test_the_longest_note_of_an_app_fits_into_the_trash(firestore_store: FirestoreStore) -> None:
    longest = note("n1", text="x" * 999_000)
    firestore_store.put_note(TENANT, longest)
    entry = trashed("t1", longest)
    firestore_store.swap_note(
        TENANT,
        "n1",
        was=longest,
        now=None,
        trashed=entry,
    )
    assert firestore_store.get(TENANT, TRASH, "t1").value == entry


def test_an_answer_that_no_document_holds_is_too_large(firestore_store: FirestoreStore) -> None:
    request = AnsweredRequest("r-1", "print", DAY, None, "x" * collections.MAX_BYTES)
    with pytest.raises(TooLarge):
        firestore_store.swap(PERSON, REQUESTS, "r-1", request, expected=None)
    assert firestore_store.get(PERSON, REQUESTS, "r-1").value is None


def test_documents_cost_no_more_reads_than_they_are(firestore_store: FirestoreStore) -> None:
    session = Session(session_id="s1", created_at=DAY, updated_at=DAY)
    conversation = Conversation(PERSON, "s1")
    exchange = [
        Message(
            message_id=f"m{number}",
            role=Role.USER,
            text="Why?",
            created_at=DAY,
        )
        for number in range(4)
    ]
    token = firestore_store.swap(PERSON, SESSIONS, "s1", session, expected=None)
    calls: list[tuple[int, Callable[[], object]]] = [
        (1, lambda: firestore_store.get(PERSON, SESSIONS, "s1")),
        (0, lambda: firestore_store.swap(PERSON, SESSIONS, "s1", session, expected=token)),
        (0, lambda: firestore_store.change(PERSON, SESSIONS, "s1", {"settings": {"top_k": 3}})),
        (1, lambda: firestore_store.add_messages(conversation, exchange, first="Why?")),
        (4, lambda: firestore_store.listing(conversation, MESSAGES, limit=9)),
        (3, lambda: firestore_store.listing(conversation, MESSAGES, limit=3)),
        (0, lambda: firestore_store.put(PERSON, SESSIONS, session)),
        (1, lambda: firestore_store.listing(PERSON, SESSIONS, limit=9)),
    ]
    for reads, call in calls:
        request = RequestRecord()
        with request.active():
            call()
        assert request.documents == reads

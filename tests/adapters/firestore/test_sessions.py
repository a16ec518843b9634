"""Deleting a session on Firestore: in bounded batches, and completed when it was broken off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from shared.adapters.firestore import FirestoreStore, sessions
from shared.adapters.firestore.protocol import put
from shared.errors import StoreUnavailable
from shared.model.sessions import Message, Role, Session
from tests.contracts.samples import DAY, PERSON


def _filled(store: FirestoreStore, session_id: str, *, turns: int = 4) -> None:
    store.create_session(PERSON, Session(session_id=session_id, created_at=DAY, updated_at=DAY))
    for number in range(turns):
        said = [
            Message(message_id=f"m{number}x{part}", role=Role.USER, text="Why?", created_at=DAY) for part in range(2)
        ]
        assert store.add_messages(PERSON, session_id, said, first="Why?")


def _commits(store: FirestoreStore, monkeypatch: pytest.MonkeyPatch, *, most: int | None = None) -> list[int]:
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


def test_a_message_kept_before_messages_named_their_request_is_read(firestore_store: FirestoreStore) -> None:
    older = {"role": "user", "text": "Why?", "createdAt": DAY, "standalone": "", "asOf": None, "citations": []}
    firestore_store._db.commit([put(f"{firestore_store._session(PERSON, 's1')}/messages/m1", older)])
    (found,) = firestore_store.list_messages(PERSON, "s1", limit=5)
    assert (found.text, found.request_id) == ("Why?", "")


def test_messages_go_in_bounded_batches(firestore_store: FirestoreStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "BATCH", 3)
    _filled(firestore_store, "s1")
    sizes = _commits(firestore_store, monkeypatch)
    assert firestore_store.delete_session(PERSON, "s1")
    assert sizes == [2, 3, 3, 2, 1]


def test_a_deletion_that_was_broken_off_is_completed_by_the_next(
    firestore_store: FirestoreStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "BATCH", 3)
    _filled(firestore_store, "s1")
    _filled(firestore_store, "s2", turns=1)
    with monkeypatch.context() as during:
        _commits(firestore_store, during, most=2)
        with pytest.raises(StoreUnavailable):
            firestore_store.delete_session(PERSON, "s1")
    assert firestore_store.get_session(PERSON, "s1") is None
    assert len(firestore_store.list_messages(PERSON, "s1", limit=20)) == 5
    assert firestore_store.delete_session(PERSON, "s2")
    assert firestore_store.list_messages(PERSON, "s1", limit=20) == ()
    assert firestore_store.delete_session(PERSON, "s1") is False

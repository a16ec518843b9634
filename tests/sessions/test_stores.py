"""A session from the first question to a deleted note, on both stores."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from shared.adapters.embedded import EmbeddedStore
from shared.model.documents import MESSAGES, SESSIONS, Conversation
from shared.model.index import IndexChange
from shared.ports.stores import Store
from shared.sessions.service import Sessions
from tests.contracts.samples import DAY, PERSON, TENANT, note, record, save
from tests.sessions.samples import ANSWER, CHUNK, SHOWN, asked_in


@pytest.fixture(params=["embedded", "firestore"])
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    if request.param == "firestore":
        yield request.getfixturevalue("firestore_store")
        return
    embedded = EmbeddedStore(tmp_path_factory.mktemp("home"))
    yield embedded
    embedded.close()


@pytest.fixture
def sessions(store: Store) -> Sessions:
    store.put_note(TENANT, note("n1"))
    save(store, CHUNK)
    return Sessions(
        store=store,
        person=PERSON,
        clock=lambda: DAY,
        longest_question=2000,
    )


def test_citations_return_as_answered_then_stale_then_without_text(
    sessions: Sessions, store: Store
) -> None:
    turn = asked_in(sessions, "new")
    assert turn.session_id
    assert sessions.record(turn, ANSWER)

    def read() -> tuple[str, object]:
        message = sessions.messages(turn.session_id or "", limit=5).items[1]
        return message.text, message.citations[0].shown

    listed = "\n\nSources:\n- [N1] Title of n1 (2026-05-08) note:n1#n1_000"
    assert read() == (f"{ANSWER.text}{listed}", SHOWN)
    token_before = store.read_record(TENANT, "n1").token
    store.apply(TENANT, IndexChange("n1", token_before, record(revision="r2")))
    assert read() == (f"{ANSWER.text}{listed}", {**SHOWN, "stale": True})
    store.delete_note(TENANT, "n1")
    text, messages = read()
    assert messages == {
        **SHOWN,
        "title": "",
        "quote": "",
        "snippet": "",
        "stale": True,
    }
    assert (
        text == "[…] [N1] So they say.\n\nSources:\n- [N1] deleted note (2026-05-08) note:n1#n1_000"
    )


def test_a_session_deleted_meanwhile_takes_no_turn(sessions: Sessions, store: Store) -> None:
    turn = asked_in(sessions, "new")
    sessions.delete(turn.session_id or "")
    assert sessions.record(turn, ANSWER) is False
    assert store.listing(PERSON, SESSIONS, limit=5).items == ()
    assert store.listing(Conversation(PERSON, turn.session_id or ""), MESSAGES, limit=5).items == ()

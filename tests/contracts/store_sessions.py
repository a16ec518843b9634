"""Promises of `Store` on sessions."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from datetime import datetime, timedelta

from shared.model.documents import MESSAGES, SESSIONS, Conversation, Cursor
from shared.model.sessions import (
    SETTINGS,
    Message,
    Role,
    Session,
    SettingsPatch,
    StoredCitation,
)
from shared.ports.documents import DocumentStore
from tests.contracts.samples import COLLEAGUE, DAY, PERSON

LATER = DAY + timedelta(hours=1)
_OTHER: Mapping[type, bool | int | float | str] = {
    bool: False,
    int: 7,
    float: 0.25,
    str: "Short, in “Latin”. 😀",
}
ALL_SET: SettingsPatch = {
    name: str(setting.choices[-1]) if setting.choices else _OTHER[setting.kind]
    for name, setting in SETTINGS.items()
}
"""A value that is not the default's for every setting there is."""


def session(session_id: str = "s1", *, updated_at: datetime = DAY, title: str = "") -> Session:
    return Session(
        session_id=session_id,
        created_at=DAY,
        updated_at=updated_at,
        title=title,
    )


def message(
    message_id: str, *, created_at: datetime = DAY, text: str = "Why?", role: Role = Role.USER
) -> Message:
    return Message(
        message_id=message_id,
        role=role,
        text=text,
        created_at=created_at,
    )


def listed(store: DocumentStore, *, limit: int, after: Cursor | None = None) -> tuple[Message, ...]:
    return store.listing(CONVERSATION, MESSAGES, limit=limit, after=after).items


CONVERSATION = Conversation(PERSON, "s1")
WHOLE = Message(
    message_id="m1",
    role=Role.ASSISTANT,
    text="Ünïcode 😀 [N1]\n\nSources:\n",
    created_at=DAY,
    request_id="r-1",
    standalone="Why Firestore?",
    as_of=LATER,
    citations=(
        StoredCitation(
            "Nöte 1",
            "r1",
            {
                "cid": "N1",
                "span": {"start": 0, "end": 5},
                "score": 1.0,
                "none": None,
            },
        ),
        StoredCitation(
            "n2",
            "r2",
            {
                "z": 1,
                "a": [1, 2.5, "x"],
                "cid": "N2",
            },
        ),
    ),
    claims=(
        {
            "span": {"start": 0, "end": 5},
            "cids": ["N1"],
            "support": None,
            "quotes": [],
        },
    ),
    meta={"model": "m", "query": {"keywords": ["ü"], "timeRange": None}},
)


class _SessionContract:
    """Changes of a session, and what goes with it. See `store_documents` for what all documents promise."""

    def test_every_setting_can_be_changed(self, store: DocumentStore) -> None:
        store.put(PERSON, SESSIONS, session(title="Trip"))
        changes = {"settings": ALL_SET, "updated_at": LATER}
        assert store.change(PERSON, SESSIONS, "s1", changes)
        changed = store.get(PERSON, SESSIONS, "s1").value
        assert changed is not None
        assert changed.title == "Trip"
        assert changed.updated_at == LATER
        assert changed.created_at == DAY
        assert asdict(changed.settings) == ALL_SET
        assert store.change(PERSON, SESSIONS, "s1", {"settings": {}, "title": "New"})
        assert store.get(PERSON, SESSIONS, "s1").value == replace(changed, title="New")

    def test_a_session_that_does_not_exist_takes_no_messages(self, store: DocumentStore) -> None:
        assert not store.add_messages(CONVERSATION, [message("m1")], first="x")
        assert store.get(PERSON, SESSIONS, "s1").value is None
        assert listed(store, limit=5) == ()

    def test_a_session_takes_no_messages_of_another_person(self, store: DocumentStore) -> None:
        store.put(PERSON, SESSIONS, session())
        stranger = Conversation(COLLEAGUE, "s1")
        assert not store.add_messages(stranger, [message("m1")], first="x")
        assert store.listing(stranger, MESSAGES, limit=5).items == ()
        assert store.get(PERSON, SESSIONS, "s1").value == session()


class _MessageContract:
    """Messages come back as they were said, in the order of time."""

    def test_a_message_comes_back_as_it_was_added(self, store: DocumentStore) -> None:
        store.put(PERSON, SESSIONS, session())
        assert store.add_messages(CONVERSATION, [WHOLE], first="Why?")
        (stored_message,) = listed(store, limit=5)
        assert stored_message == WHOLE
        assert [list(citation.shown) for citation in stored_message.citations] == [
            ["cid", "span", "score", "none"],
            ["z", "a", "cid"],
        ]

    def test_adding_counts_and_names_the_session_after_its_first_question(
        self, store: DocumentStore
    ) -> None:
        store.put(PERSON, SESSIONS, session())
        assert store.add_messages(
            CONVERSATION,
            [
                message("a1"),
                message("a2", created_at=LATER),
            ],
            first="First",
        )
        assert store.add_messages(CONVERSATION, [message("b1", created_at=LATER)], first="Second")
        stored_session = store.get(PERSON, SESSIONS, "s1").value
        assert stored_session == replace(
            session(), first_question="First", message_count=3, updated_at=LATER
        )

    def test_messages_are_listed_newest_first(self, store: DocumentStore) -> None:
        store.put(PERSON, SESSIONS, session())
        conversation = [
            message(f"m{number}", created_at=DAY + timedelta(seconds=number // 2))
            for number in range(7)
        ]
        for turn in conversation[::-1]:
            assert store.add_messages(CONVERSATION, [turn], first="x")
        assert listed(store, limit=3) == (conversation[6], conversation[5], conversation[4])
        assert listed(store, limit=9, after=Cursor("m3", conversation[3].created_at)) == tuple(
            conversation[2::-1]
        )

    def test_two_clients_at_once_both_have_their_turns_stored(self, store: DocumentStore) -> None:
        store.put(PERSON, SESSIONS, session())

        def turn(number: int) -> bool:
            conversation = [
                message(f"t{number}-{part}", created_at=DAY + timedelta(seconds=number))
                for part in (1, 2)
            ]
            return store.add_messages(CONVERSATION, conversation, first=f"q{number}")

        with ThreadPoolExecutor(6) as pool:
            assert all(pool.map(turn, range(12)))
        stored_session = store.get(PERSON, SESSIONS, "s1").value
        assert stored_session is not None
        assert stored_session.message_count == 24
        message_ids = [stored.message_id for stored in listed(store, limit=50)]
        assert message_ids == [
            f"t{number}-{part}" for number in range(11, -1, -1) for part in (2, 1)
        ]

    def test_a_deleted_session_takes_its_messages_along(self, store: DocumentStore) -> None:
        for session_id in ("s1", "s2"):
            store.put(PERSON, SESSIONS, session(session_id))
            store.add_messages(
                Conversation(PERSON, session_id),
                [
                    message("m1"),
                    message("m2"),
                ],
                first="x",
            )
        assert store.delete(PERSON, SESSIONS, "s1") is True
        assert store.delete(PERSON, SESSIONS, "s1") is False
        assert store.get(PERSON, SESSIONS, "s1").value is None
        assert listed(store, limit=5) == ()
        assert not store.add_messages(CONVERSATION, [message("m3")], first="x")
        assert [
            session.session_id for session in store.listing(PERSON, SESSIONS, limit=5).items
        ] == ["s2"]
        assert len(store.listing(Conversation(PERSON, "s2"), MESSAGES, limit=5).items) == 2


class SessionsContract(_SessionContract, _MessageContract):
    """Every promise on sessions."""

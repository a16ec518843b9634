"""Promises of `Store` on sessions."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from datetime import datetime, timedelta

import pytest

from shared.errors import Conflict
from shared.model.sessions import SETTINGS, Message, Role, Session, SessionSettings, SettingsPatch, Spot, StoredCitation
from shared.ports.stores import Store
from tests.contracts.samples import COLLEAGUE, DAY, PERSON

LATER = DAY + timedelta(hours=1)
_OTHER: Mapping[type, bool | int | float | str] = {bool: False, int: 7, float: 0.25, str: "Short, in “Latin”. 😀"}
ALL_SET: SettingsPatch = {name: _OTHER[each.kind] for name, each in SETTINGS.items()}
"""A value that is not the default's for every setting there is."""


def session(session_id: str = "s1", *, updated_at: datetime = DAY, title: str = "") -> Session:
    return Session(session_id=session_id, created_at=DAY, updated_at=updated_at, title=title)


def message(message_id: str, *, created_at: datetime = DAY, text: str = "Why?", role: Role = Role.USER) -> Message:
    return Message(message_id=message_id, role=role, text=text, created_at=created_at)


WHOLE = Message(
    message_id="m1",
    role=Role.ASSISTANT,
    text="Ünïcode 😀 [N1]\n\nSources:\n",
    created_at=DAY,
    request_id="r-1",
    standalone="Why Firestore?",
    as_of=LATER,
    citations=(
        StoredCitation("Nöte 1", "r1", {"cid": "N1", "span": {"start": 0, "end": 5}, "score": 1.0, "none": None}),
        StoredCitation("n2", "r2", {"z": 1, "a": [1, 2.5, "x"], "cid": "N2"}),
    ),
    claims=({"span": {"start": 0, "end": 5}, "cids": ["N1"], "support": None, "quotes": []},),
    meta={"model": "m", "query": {"keywords": ["ü"], "timeRange": None}},
)


class _SessionContract:
    """Sessions come back as they were put, and only to their person."""

    def test_a_session_comes_back_as_it_was_created(self, store: Store) -> None:
        whole = replace(
            session(title="Trip 😀"),
            first_question="Where?",
            settings=SessionSettings(top_k=20, threshold=1.0, system_prompt="Be brief."),
        )
        store.create_session(PERSON, whole)
        assert store.get_session(PERSON, "s1") == whole
        assert store.get_session(PERSON, "s2") is None

    def test_a_session_is_created_once(self, store: Store) -> None:
        store.create_session(PERSON, session(title="first"))
        with pytest.raises(Conflict):
            store.create_session(PERSON, session(title="second"))
        assert store.get_session(PERSON, "s1") == session(title="first")

    def test_a_patch_changes_what_it_names_and_like_a_message_makes_no_session(self, store: Store) -> None:
        assert not store.patch_session(PERSON, "s1", ALL_SET, updated_at=LATER, title="x")
        assert not store.add_messages(PERSON, "s1", [message("m1")], first="x")
        assert store.get_session(PERSON, "s1") is None
        assert store.list_messages(PERSON, "s1", limit=5) == ()
        store.create_session(PERSON, session(title="Trip"))
        assert store.patch_session(PERSON, "s1", ALL_SET, updated_at=LATER)
        found = store.get_session(PERSON, "s1")
        assert found is not None
        assert (found.title, found.updated_at, found.created_at) == ("Trip", LATER, DAY)
        assert asdict(found.settings) == ALL_SET
        assert store.patch_session(PERSON, "s1", {"top_k": 3}, updated_at=LATER, title="New")
        assert store.get_session(PERSON, "s1") == replace(found, title="New", settings=replace(found.settings, top_k=3))

    def test_two_who_set_different_things_at_once_both_succeed(self, store: Store) -> None:
        store.create_session(PERSON, session())
        patches: list[SettingsPatch] = [{"top_k": 9}, {"threshold": 0.5}, {"model": "m"}] * 4
        with ThreadPoolExecutor(4) as pool:
            for done in pool.map(lambda each: store.patch_session(PERSON, "s1", each, updated_at=LATER), patches):
                assert done
        found = store.get_session(PERSON, "s1")
        assert found is not None
        assert found.settings == SessionSettings(top_k=9, threshold=0.5, model="m")

    def test_sessions_are_listed_by_their_last_change(self, store: Store) -> None:
        moments = {"b": 1, "a": 3, "c": 2, "d": 2}
        for session_id, hours in moments.items():
            store.create_session(PERSON, session(session_id, updated_at=DAY + timedelta(hours=hours)))
        listed = store.list_sessions(PERSON, limit=10)
        assert [each.session_id for each in listed] == ["a", "d", "c", "b"]
        spot = Spot(listed[1].updated_at, "d")
        assert [each.session_id for each in store.list_sessions(PERSON, limit=1, before=spot)] == ["c"]
        assert store.list_sessions(PERSON, limit=5, before=Spot(DAY, "0")) == ()

    def test_tenants_do_not_see_each_others_sessions(self, store: Store) -> None:
        store.create_session(PERSON, session())
        assert store.get_session(COLLEAGUE, "s1") is None
        assert store.list_sessions(COLLEAGUE, limit=5) == ()
        assert not store.patch_session(COLLEAGUE, "s1", ALL_SET, updated_at=LATER)
        assert not store.add_messages(COLLEAGUE, "s1", [message("m1")], first="x")
        assert not store.delete_session(COLLEAGUE, "s1")
        assert store.list_messages(COLLEAGUE, "s1", limit=5) == ()
        assert store.get_session(PERSON, "s1") == session()


class _MessageContract:
    """Messages come back as they were said, in the order of time."""

    def test_a_message_comes_back_as_it_was_added(self, store: Store) -> None:
        store.create_session(PERSON, session())
        assert store.add_messages(PERSON, "s1", [WHOLE], first="Why?")
        (found,) = store.list_messages(PERSON, "s1", limit=5)
        assert found == WHOLE
        assert [list(each.shown) for each in found.citations] == [["cid", "span", "score", "none"], ["z", "a", "cid"]]

    def test_adding_counts_and_names_the_session_after_its_first_question(self, store: Store) -> None:
        store.create_session(PERSON, session())
        assert store.add_messages(PERSON, "s1", [message("a1"), message("a2", created_at=LATER)], first="First")
        assert store.add_messages(PERSON, "s1", [message("b1", created_at=LATER)], first="Second")
        found = store.get_session(PERSON, "s1")
        assert found == replace(session(), first_question="First", message_count=3, updated_at=LATER)

    def test_messages_are_listed_newest_first(self, store: Store) -> None:
        store.create_session(PERSON, session())
        said = [message(f"m{number}", created_at=DAY + timedelta(seconds=number // 2)) for number in range(7)]
        for each in said[::-1]:
            assert store.add_messages(PERSON, "s1", [each], first="x")
        assert store.list_messages(PERSON, "s1", limit=3) == (said[6], said[5], said[4])
        assert store.list_messages(PERSON, "s1", limit=9, before=Spot(said[3].created_at, "m3")) == tuple(said[2::-1])

    def test_two_clients_at_once_both_have_their_turns_stored(self, store: Store) -> None:
        store.create_session(PERSON, session())

        def turn(number: int) -> bool:
            said = [message(f"t{number}-{part}", created_at=DAY + timedelta(seconds=number)) for part in (1, 2)]
            return store.add_messages(PERSON, "s1", said, first=f"q{number}")

        with ThreadPoolExecutor(6) as pool:
            assert all(pool.map(turn, range(12)))
        found = store.get_session(PERSON, "s1")
        assert found is not None
        assert found.message_count == 24
        listed = [each.message_id for each in store.list_messages(PERSON, "s1", limit=50)]
        assert listed == [f"t{number}-{part}" for number in range(11, -1, -1) for part in (2, 1)]

    def test_a_deleted_session_takes_its_messages_along(self, store: Store) -> None:
        for session_id in ("s1", "s2"):
            store.create_session(PERSON, session(session_id))
            store.add_messages(PERSON, session_id, [message("m1"), message("m2")], first="x")
        assert store.delete_session(PERSON, "s1") is True
        assert store.delete_session(PERSON, "s1") is False
        assert store.get_session(PERSON, "s1") is None
        assert store.list_messages(PERSON, "s1", limit=5) == ()
        assert not store.add_messages(PERSON, "s1", [message("m3")], first="x")
        assert [each.session_id for each in store.list_sessions(PERSON, limit=5)] == ["s2"]
        assert len(store.list_messages(PERSON, "s2", limit=5)) == 2


class SessionsContract(_SessionContract, _MessageContract):
    """Every promise on sessions."""

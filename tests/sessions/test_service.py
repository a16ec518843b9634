"""Sessions for every front door: history, pages, settings, other people, a store that is away."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from shared.errors import InvalidArgument, NotFound, StoreUnavailable
from shared.model.account import Person
from shared.model.documents import SESSIONS
from shared.model.questions import Question
from shared.model.sessions import Message, Role, Session
from shared.ports.pages import items_of_pages
from shared.sessions.service import Sessions
from tests.contracts.samples import COLLEAGUE, DAY, OTHER, PERSON, TENANT
from tests.sessions.samples import ANSWER, Conversations, asked_in


@pytest.fixture
def store() -> Conversations:
    return Conversations()


@pytest.fixture
def sessions(store: Conversations) -> Sessions:
    return Sessions(
        store=store,
        person=PERSON,
        clock=lambda: DAY,
        longest_question=2000,
    )


def test_history_is_as_long_as_it_is_set(sessions: Sessions) -> None:
    turn = asked_in(sessions, "new")
    session_id = turn.session_id or ""
    for number in range(4):
        later = replace(turn, asked_at=DAY + timedelta(minutes=number))
        moved = replace(sessions, clock=lambda at=later.asked_at: at)  # type: ignore[misc]
        assert moved.record(
            replace(later, question=replace(turn.question, text=f"Number {number}?")), ANSWER
        )
    history = asked_in(sessions, session_id, max_history=4).question.history
    assert [exchange.question for exchange in history] == ["Number 2?", "Number 3?"]
    assert history[0].answer == "It is alpha. So they say."
    assert asked_in(sessions, session_id, max_history=0).question.history == ()
    assert len(asked_in(sessions, session_id).question.history) == 4


def test_a_session_of_somebody_else_is_not_there(sessions: Sessions) -> None:
    session_id = asked_in(sessions, "new").session_id or ""
    for stranger in (COLLEAGUE, Person(TENANT, TENANT), Person(OTHER, PERSON.uid)):
        theirs = replace(sessions, person=stranger)
        with (
            pytest.raises(NotFound),
            theirs.turn(Question(stranger.tenant_id, "What?", DAY), session_id, {}),
        ):
            pass
        with pytest.raises(NotFound):
            theirs.messages(session_id, limit=1)
        assert theirs.page(limit=5).items == ()


@pytest.mark.parametrize("session_id", ["", "x" * 2000, "ä", "a/b", "..", "__x__", "\ud800"])
def test_an_impossible_session_id_is_not_found(sessions: Sessions, session_id: str) -> None:
    for ask in (sessions.get, sessions.delete, sessions.change):
        with pytest.raises(NotFound):
            ask(session_id)


def test_a_search_of_many_sessions_goes_on_from_page_to_page(sessions: Sessions) -> None:
    for number in range(12):
        sessions.create(title=f"Trip to Müller {number}" if number % 4 == 0 else "Other")

    def found(title: str) -> list[str]:
        pages = items_of_pages(
            lambda token: sessions.page(
                limit=2,
                token=token,
                query=title,
            )
        )
        return sorted(session.title for session in pages)

    assert (
        found("muller TRIP") == found("lle") == [f"Trip to Müller {number}" for number in (0, 4, 8)]
    )
    assert found("trip x") == []
    with pytest.raises(InvalidArgument):
        sessions.page(limit=2, token="x")


def test_a_store_that_is_away_loses_the_turn_and_not_the_answer(
    sessions: Sessions, store: Conversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = asked_in(sessions, "new")

    def away(*_: object, **__: object) -> bool:
        raise StoreUnavailable("away")

    monkeypatch.setattr(store, "add_messages", away)
    assert sessions.record(turn, ANSWER) is False


def test_a_change_keeps_what_it_does_not_name(sessions: Sessions) -> None:
    session = sessions.create(title="Trip", patch={"top_k": 7})
    later = replace(sessions, clock=lambda: DAY + timedelta(hours=1))
    changed = later.change(session.session_id, patch={"threshold": 0.5})
    assert changed.title == "Trip"
    assert changed.settings.top_k == 7
    assert changed.settings.threshold == 0.5
    assert changed.updated_at == DAY + timedelta(hours=1)
    assert later.change(session.session_id, title="").title == ""
    assert later.get(session.session_id).settings == changed.settings


def test_an_imported_session_gets_what_it_lacks_and_nothing_twice(
    sessions: Sessions, store: Conversations
) -> None:
    session = Session(session_id="s1", created_at=DAY, updated_at=DAY)
    messages = [
        Message(
            message_id=f"m{number}",
            role=Role.USER,
            text=f"Question {number}?",
            created_at=DAY + timedelta(seconds=number),
        )
        for number in range(4)
    ]
    imported = sessions.import_session(session, messages[:2])
    assert imported.message_count == 2
    assert imported.first_question == "Question 0?"
    for _ in range(2):
        sessions.import_session(session, messages)
    assert [message.text for message in sessions.messages("s1", limit=9).items] == [
        message.text for message in messages
    ]
    stored = store.get(PERSON, SESSIONS, "s1").value
    assert stored is not None
    assert stored.message_count == 4

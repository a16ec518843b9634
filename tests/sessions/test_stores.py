"""A session from the first question to a deleted note, on both stores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from shared.adapters.embedded import EmbeddedStore
from shared.errors import InvalidArgument, NotFound, StoreUnavailable
from shared.model.account import Person
from shared.model.answers import Answer, Citation, Usage
from shared.model.index import IndexChange
from shared.model.questions import Question
from shared.model.retrieval import Scored, Scores
from shared.ports.pages import every
from shared.ports.stores import Store
from shared.sessions.service import Sessions
from shared.sessions.turns import Turn
from tests.contracts.samples import COLLEAGUE, DAY, OTHER, PERSON, TENANT, chunk, note, record, save

CHUNK = chunk("n1")
ANSWER = Answer(
    text="It is alpha [N1]. So they say.",
    citations=(Citation("N1", Scored(CHUNK, 0.9, Scores(0.5, 1.0, 0.5, 0.8)), 0, 5, "Alpha"),),
    model="m",
    usage=Usage(1, 2),
)
SHOWN = {
    "cid": "N1",
    "noteId": "n1",
    "chunkId": "n1_000",
    "createdAt": "2026-05-08T12:30:15.123Z",
    "title": "Title of n1",
    "quote": "Alpha",
    "snippet": "Alpha beta.",
    "stale": False,
}
BODY = {"answer": ANSWER.text, "citations": [SHOWN], "meta": {"requestId": "r-1"}}


@pytest.fixture(params=["embedded", "firestore"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
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
    return Sessions(store=store, person=PERSON, clock=lambda: DAY, longest_question=2000)


def _asked(sessions: Sessions, session_id: str, *, max_history: int | None = None) -> Turn:
    patch = {} if max_history is None else {"max_history": max_history}
    with sessions.turn(Question(TENANT, "What is alpha?", DAY), session_id, patch) as begun:
        return sessions.contextualize_question(begun)


def test_citations_return_as_answered_then_stale_then_without_text(sessions: Sessions, store: Store) -> None:
    turn = _asked(sessions, "new")
    assert turn.session_id
    assert sessions.record(turn, ANSWER, BODY)

    def read() -> tuple[str, object]:
        message = sessions.messages(turn.session_id or "", limit=5).items[1]
        return message.text, message.citations[0].shown

    listed = "\n\nSources:\n- [N1] Title of n1 (2026-05-08) note:n1#n1_000"
    assert read() == (f"{ANSWER.text}{listed}", SHOWN)
    before = store.read_record(TENANT, "n1").token
    store.apply(TENANT, IndexChange("n1", before, record(revision="r2")))
    assert read() == (f"{ANSWER.text}{listed}", {**SHOWN, "stale": True})
    store.delete_note(TENANT, "n1")
    text, shown = read()
    assert shown == {**SHOWN, "title": "", "quote": "", "snippet": "", "stale": True}
    assert text == "[…] [N1] So they say.\n\nSources:\n- [N1] deleted note (2026-05-08) note:n1#n1_000"


def test_a_session_deleted_meanwhile_takes_no_turn(sessions: Sessions, store: Store) -> None:
    turn = _asked(sessions, "new")
    sessions.delete(turn.session_id or "")
    assert sessions.record(turn, ANSWER, BODY) is False
    assert store.list_sessions(PERSON, limit=5) == ()
    assert store.list_messages(PERSON, turn.session_id or "", limit=5) == ()


def test_history_is_as_long_as_it_is_set(sessions: Sessions) -> None:
    turn = _asked(sessions, "new")
    session_id = turn.session_id or ""
    for number in range(4):
        later = replace(turn, asked_at=DAY + timedelta(minutes=number))
        moved = replace(sessions, clock=lambda at=later.asked_at: at)  # type: ignore[misc]
        assert moved.record(replace(later, question=replace(turn.question, text=f"Number {number}?")), ANSWER, BODY)
    history = _asked(sessions, session_id, max_history=4).question.history
    assert [each.question for each in history] == ["Number 2?", "Number 3?"]
    assert history[0].answer == "It is alpha. So they say."
    assert _asked(sessions, session_id, max_history=0).question.history == ()
    assert len(_asked(sessions, session_id).question.history) == 4


def test_a_session_of_somebody_else_is_not_there(sessions: Sessions) -> None:
    session_id = _asked(sessions, "new").session_id or ""
    for other in (COLLEAGUE, Person(TENANT, TENANT), Person(OTHER, PERSON.uid)):
        theirs = replace(sessions, person=other)
        with pytest.raises(NotFound), theirs.turn(Question(other.tenant_id, "What?", DAY), session_id, {}):
            pass
        with pytest.raises(NotFound):
            theirs.messages(session_id, limit=1)
        assert theirs.page(limit=5).items == ()


@pytest.mark.parametrize("session_id", ["", "x" * 2000, "ä", "a/b", "..", "__x__", "\ud800"])
def test_what_no_session_can_be_called_is_not_there(sessions: Sessions, session_id: str) -> None:
    for ask in (sessions.get, sessions.delete, sessions.change):
        with pytest.raises(NotFound):
            ask(session_id)


def test_a_search_of_many_sessions_goes_on_from_page_to_page(sessions: Sessions) -> None:
    for number in range(12):
        sessions.create(title=f"Trip to Müller {number}" if number % 4 == 0 else "Other")

    def found(title: str) -> list[str]:
        pages = every(lambda token: sessions.page(limit=2, token=token, title=title))
        return sorted(each.title for each in pages)

    assert found("muller TRIP") == found("lle") == [f"Trip to Müller {number}" for number in (0, 4, 8)]
    assert found("trip x") == []
    with pytest.raises(InvalidArgument):
        sessions.page(limit=2, token="x")


def test_a_store_that_is_away_loses_the_turn_and_not_the_answer(
    sessions: Sessions, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = _asked(sessions, "new")

    def away(*_: object, **__: object) -> bool:
        raise StoreUnavailable("away")

    monkeypatch.setattr(store, "add_messages", away)
    assert sessions.record(turn, ANSWER, BODY) is False

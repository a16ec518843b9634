"""A question as a front door hands it on -> the events of its turn: begin, whole, retrieve, write, check, record."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field, replace

from shared.account.repeats import Claim, RequestKey
from shared.api.answers import AnswerJson, AskJson, answer_json, ask_json
from shared.api.stream import StreamEvent, ended, notes_of, replayed, started_json, stream_json
from shared.app import App
from shared.asking.answer import events_of
from shared.asking.search import passages_wanted
from shared.folders.search import FolderScope
from shared.model.account import Person
from shared.model.answers import Answer
from shared.model.questions import Question
from shared.model.sessions import SettingsPatch
from shared.sessions.service import Turn
from shared.tracing import reads


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question and what belongs to its turn."""

    person: Person
    """Who asks; of the question's tenant."""
    question: Question
    request_id: str
    """Names the turn in its reply."""
    measure: Callable[[Answer], None]
    """Hears of the answer what the request's log line says of it."""
    repeat: RequestKey | None = None
    """Which request it repeats, if that was answered before; None: every request is the first."""
    session_id: str | None = None
    """None: it belongs to no session."""
    patch: SettingsPatch = field(default_factory=dict)
    """Settings of this question alone."""
    wish: FolderScope | None = None
    """In which vaults and folders to look, which the reply then tells of; None: everywhere alike."""


def take(app: App, asked: Asked) -> Generator[StreamEvent]:
    """The events of the turn; the last is its result. A request that was answered before gets those of that answer.

    Nothing happens before the first is asked for, and nothing is looked for before it has gone. Raises, before it,
    Conflict for a `requestId` that was used for another request, RequestBusy while somebody is answering it, NotFound
    and InvalidArgument for the session and its settings; after it, Exhausted when the tenant's day is used up and
    NotFound for a template, vault or folder that there is not. Closing the iterator ends what is under way; a session
    that was begun for a turn without an answer goes.
    """
    sessions = app.sessions(asked.person)
    with app.claimed(asked.repeat) as claim:
        if claim is not None and claim.answer is not None:
            yield from replayed(_as_read_now(claim.answer, claim))
            return
        with sessions.turn(asked.question, asked.session_id, asked.patch) as begun:
            yield started_json(asked.request_id, begun.session_id)
            with app.budgets.answering(begun.question.tenant_id):
                turn = sessions.whole(begun)
                answer = yield from _told(app, turn, asked.wish)
                asked.measure(answer)
                reply = _record(app, asked, turn, answer, claim)
        yield from ended(reply)


def _told(app: App, turn: Turn, wish: FolderScope | None) -> Generator[StreamEvent, None, Answer]:
    """Retrieve, write and check, told as it comes about; the answer with what the whole turn has cost."""
    with closing(events_of(app, turn.question, wish)) as events:
        for event in events:
            if isinstance(event, Answer):
                return replace(event, usage=replace(event.usage + turn.usage, reads=reads.so_far()))
            yield from stream_json(turn.question, event)
    raise AssertionError("the last event is the answer")


def _record(app: App, asked: Asked, turn: Turn, answer: Answer, claim: Claim | None) -> AnswerJson | AskJson:
    """The reply, stored in its session and kept for a repeat. Neither failing keeps it from being given."""
    reply = _reply(asked, turn, answer, k=passages_wanted(app, turn.question))
    app.sessions(asked.person).record(turn, answer, reply)
    if claim is None:
        return reply
    return _as_read_now(claim.keep(json.dumps(reply, ensure_ascii=False), notes_of(answer)), claim)


def _reply(asked: Asked, turn: Turn, answer: Answer, *, k: int) -> AnswerJson | AskJson:
    if asked.wish is not None:
        return ask_json(turn.question, answer, k=k, request_id=asked.request_id)
    return answer_json(turn.question, answer, k=k, request_id=asked.request_id, session_id=turn.session_id)


def _as_read_now(kept: str, claim: Claim) -> AnswerJson | AskJson:
    """An answer that was kept; its citations of notes that were edited since are stale."""
    answered: AnswerJson | AskJson = json.loads(kept)
    for citation in answered["citations"]:
        citation["stale"] = citation["stale"] or citation["noteId"] in claim.changed
    return answered

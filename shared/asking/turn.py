"""A question as a front door hands it on -> the events of its turn: begin, whole, retrieve, write, check, record."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field, replace

from shared.account.idempotency import IdempotencyLock, RequestKey
from shared.api.answers import AnswerJson, AskJson, answer_json, ask_json
from shared.api.stream import StreamEvent, ended, replayed, started_json, stream_json
from shared.app import App
from shared.asking.answer import events_of
from shared.asking.search import measure_search
from shared.folders.search import FolderScope
from shared.model.account import Person, Spending
from shared.model.answers import Answer, CheckedPiece, Retracted
from shared.model.questions import Question
from shared.model.sessions import SettingsPatch
from shared.ports.cancel import Cancelled
from shared.sessions.turns import Turn
from shared.tracing import measure, reads_so_far

STOPPED = "…"
"""Ends an answer in its session whose listener left before its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """A question and what belongs to its turn."""

    person: Person
    """Who asks; of the question's tenant."""
    question: Question
    request_id: str
    """Names the turn in its reply."""
    repeat: RequestKey | None = None
    """Which request it repeats, if that was answered before; None: every request is the first."""
    session_id: str | None = None
    """None: it belongs to no session."""
    patch: SettingsPatch = field(default_factory=dict)
    """Settings of this question alone."""
    scope: FolderScope | None = None
    """In which vaults and folders to look, which the reply then tells of; None: everywhere alike."""


def run_turn(app: App, request: TurnRequest) -> Generator[StreamEvent]:
    """The events of the turn; the last is its result. A request that was answered before gets those of that answer.

    Nothing happens before the first is asked for, and nothing is looked for before it has gone. Raises, before it,
    Conflict for a `requestId` that was used for another request, RequestBusy while somebody is answering it, NotFound
    and InvalidArgument for the session and its settings; after it, Exhausted when the tenant's day is used up and
    NotFound for a template, vault or folder that there is not. Closing the iterator, or `Cancel`, ends what is under
    way: what was shown until then is recorded in the session with its question, and nothing is kept for a repeat.
    """
    sessions = app.sessions(request.person)
    with app.idempotency.locked(request.repeat) as claim:
        if claim is not None and claim.record.answer is not None:
            yield from replayed(_as_read_now(claim.record.answer, claim))
            return
        with sessions.turn(request.question, request.session_id, request.patch) as begun:
            yield started_json(request.request_id, begun.session_id)
            with app.budgets.asking(begun.question.tenant_id, Spending.ANSWERS):
                turn = sessions.contextualize_question(begun)
                shown: list[CheckedPiece] = []
                try:
                    with closing(events_of(app, turn.question, request.scope)) as events:
                        for event in events:
                            if isinstance(event, CheckedPiece):
                                shown.append(event)
                            elif isinstance(event, Retracted):
                                shown.clear()
                            elif isinstance(event, Answer):
                                answer = replace(event, usage=replace(event.usage + turn.usage, reads=reads_so_far()))
                            yield from stream_json(turn.question, event)
                except (GeneratorExit, Cancelled):
                    answer = Answer(
                        text=" ".join(["".join(piece.text for piece in shown), STOPPED]).strip(),
                        model=app.model,
                        citations=tuple(citation for piece in shown for citation in piece.cited),
                        claims=tuple(piece.claim for piece in shown if piece.claim),
                    )
                    sessions.record(turn, answer, _reply(app, request, turn, answer))
                    raise
                reply = _reply(app, request, turn, answer)
                sessions.record(turn, answer, reply)
                _measure(app, answer, reply, follow_up=bool(turn.question.history))
                if claim is not None:
                    found = answer.retrieved  # the writer got what is selected; what is nearest is shown with a refusal
                    chunks = [each.chunk for each in (*found.selected, *found.nearest)] if found else []
                    notes = {each.note_id: each.note_revision for each in chunks}
                    reply = _as_read_now(claim.keep(json.dumps(reply, ensure_ascii=False), notes), claim)
        yield from ended(reply)


def _reply(app: App, request: TurnRequest, turn: Turn, answer: Answer) -> AnswerJson | AskJson:
    k = turn.question.top_k or app.settings.retrieval_rerank_to
    if request.scope is not None:
        return ask_json(turn.question, answer, k=k, request_id=request.request_id)
    return answer_json(turn.question, answer, k=k, request_id=request.request_id, session_id=turn.session_id)


def _as_read_now(kept: str, claim: IdempotencyLock) -> AnswerJson | AskJson:
    """An answer that was kept; its citations of notes that were edited since are stale."""
    answered: AnswerJson | AskJson = json.loads(kept)
    for citation in answered["citations"]:
        citation["stale"] = citation["stale"] or citation["noteId"] in claim.changed
    return answered


def _measure(app: App, answer: Answer, reply: AnswerJson | AskJson, *, follow_up: bool) -> None:
    """Figures for the request's log line, without a word of a note or a caller."""
    measure_search(app, answer.retrieved)
    meta, usage = reply["meta"], reply["meta"]["usage"]
    measure(
        {
            "model": meta["model"],
            "followUp": follow_up,
            "answerKind": meta["answerKind"],
            "refusal": meta["refusal"]["reason"] if meta["refusal"] else None,
            "timingsMs": meta["timings"],
            "citations": len(reply["citations"]),
            "citationsRemoved": len(meta["removedCitations"]),
            "support": dict(Counter([each["support"]["state"] for each in reply["citations"] if each["support"]])),
            "grounding": meta["grounding"],
            "tokens": {"input": usage["inputTokens"], "output": usage["outputTokens"]},
            "reads": usage["reads"],
            "usd": usage["usd"],
        }
    )

"""A question as a front door hands it on -> the events of its turn: begin, whole, retrieve, write, check, record; the
answer by itself, from template and passages side by side, what is written, and a last look at the notes.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial

from shared.account.idempotency import IdempotencyLock, RequestKey
from shared.answering.pipeline import Writers, answer_events
from shared.answering.refusals import refusal_text, refusal_told, small_talk
from shared.api.answers import AnswerJson, AskJson, answer_json, ask_json
from shared.api.stream import StartJson, StreamEvent, replayed, stream_json
from shared.app import App
from shared.asking.search import measure_search, passages_for
from shared.errors import Unavailable
from shared.folders.search import FolderScope
from shared.indexing.state import revision_now
from shared.model.account import Person, Spending
from shared.model.answers import Answer, AnswerEvent, AnswerKind, CheckedPiece, Retracted, RetractReason
from shared.model.notes import NoteKey
from shared.model.questions import Question
from shared.model.retrieval import RefusalReason
from shared.model.sessions import SettingsPatch
from shared.model.templates import AUTO, TemplateMatch
from shared.ports.cancel import Cancelled
from shared.sessions.turns import Turn
from shared.tracing import measure, reads_so_far

STOPPED = "…"
"""Ends an answer in its session whose listener left before its end."""
PERIOD_TOKENS = 4000
"""What the notes of a time may take of the prompt, all alike: the beginning of each."""
_BY_WHAT_IS_INDEXED = (RefusalReason.NO_CANDIDATES, RefusalReason.BELOW_THRESHOLD, RefusalReason.TIME_RANGE_EMPTY)

log = logging.getLogger(__name__)


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
            yield StreamEvent("start", StartJson(requestId=request.request_id, sessionId=begun.session_id))
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
        yield StreamEvent("usage", reply["meta"]["usage"])
        yield StreamEvent("result", reply)


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


# -- the answer


def events_of(app: App, question: Question, scope: FolderScope | None = None) -> Generator[AnswerEvent]:
    """Searches, and gives the answer as it comes about, from the tenant's notes or without them, as the question says.

    The pieces behind the last Retracted are the text of the Answer, which comes last. Raises NotFound for a template,
    vault or folder that there is not. Closing the iterator ends what is under way.
    """
    if question.use_notes and (said := small_talk(question.asked or question.text)):
        yield CheckedPiece(said)
        yield Answer(text=said, model="none")
        return
    choosing = app.pool.submit(_template_for, app, question, question.template) if question.template else None
    retrieved, spent = passages_for(app, question, scope)
    if retrieved and retrieved.notes_read:
        most = min(question.max_context_tokens or PERIOD_TOKENS, PERIOD_TOKENS)
        question = replace(question, max_context_tokens=most)
    writer = app.writers.get(question.model or "", app.writer)
    writers = Writers(writer=writer, extractive=app.extractive, policy=app.support)
    template = choosing.result() if choosing else None
    shown = ""
    with closing(answer_events(question, retrieved, writers, template=template)) as events:
        for event in events:
            if isinstance(event, Answer):
                final = _as_notes_are(app, question, replace(event, usage=event.usage + spent))
                if final.text != shown:
                    if shown:
                        yield Retracted(RetractReason.REFUSED)
                    yield CheckedPiece(final.text)
                yield final
                return
            if isinstance(event, CheckedPiece):
                shown += event.text
            elif isinstance(event, Retracted):
                shown = ""
            yield event


def _template_for(app: App, question: Question, named: str) -> TemplateMatch:
    if named == AUTO:
        return app.templates.search(question.tenant_id, question.text, top_k=1)[0]
    return TemplateMatch(app.templates.get(question.tenant_id, named), None)


def _as_notes_are(app: App, question: Question, answer: Answer) -> Answer:
    """The answer as its notes are by now: of edited ones citations are stale, and where one was deleted all of it is a
    refusal. A refusal while notes wait to be indexed does not know whether they hold the answer, and says that.

    The index follows a saved note after a moment, a long one after seconds, and a model writes for seconds. Reads each
    cited note once; a store that is away leaves the answer as it is.
    """
    by_index = answer.refusal in _BY_WHAT_IS_INDEXED or answer.kind is AnswerKind.GENERAL
    if by_index and app.store.coverage(question.tenant_id).missing:
        return _pending(answer)
    cited = {citation.passage.chunk.note_id: citation.passage.chunk.note_revision for citation in answer.citations}
    keys = [NoteKey(question.tenant_id, note_id) for note_id in cited]
    try:
        now = dict(zip(cited, app.pool.map(partial(revision_now, store=app.store), keys), strict=True))
    except Unavailable as problem:
        log.warning("an answer was given whose notes could not be looked at again (%s)", type(problem).__name__)
        return answer
    found = answer.retrieved
    if found and not all(now.values()):
        kept = replace(found, nearest=tuple(each for each in found.nearest if now.get(each.chunk.note_id, "?")))
        return _pending(replace(answer, retrieved=kept, nearest=app.extractive.nearest(question, kept)))
    stale = [now[each.passage.chunk.note_id] != each.passage.chunk.note_revision for each in answer.citations]
    marked = (replace(each, stale=is_stale) for each, is_stale in zip(answer.citations, stale, strict=True))
    return replace(answer, citations=tuple(marked))


def _pending(answer: Answer) -> Answer:
    """The refusal of an index that does not say yet what the notes do."""
    found = answer.retrieved
    return replace(
        answer,
        text=refusal_text(RefusalReason.INDEX_PENDING),
        citations=(),
        claims=(),
        refusal=RefusalReason.INDEX_PENDING,
        refusal_told=refusal_told(RefusalReason.INDEX_PENDING, found.analysis.lang) if found else "",
        kind=AnswerKind.WRITTEN,
        grounding=None,
    )

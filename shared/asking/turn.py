"""Question -> the events of its turn, for every front door: begin, standalone, retrieve, write,
check, record.

`run_turn` keeps session, budget and repeats around the answer; `events_of` makes the answer alone:
template and passages side by side, then the text, and a last look at the notes.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections import Counter
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial

from shared.account.idempotency import IdempotencyLock, RequestKey
from shared.answering.pipeline import Writers, answer_events
from shared.answering.refusals import localized_reason, reason_lang, refusal_text, small_talk
from shared.api.answers import (
    read_reply,
    reply_json,
    stored_answer,
    stored_answer_with_references,
)
from shared.app import App
from shared.asking.passages import check_folders, measure_search, passages_for
from shared.errors import Unavailable
from shared.folders.scope import FolderScope
from shared.indexing.state import revision_now
from shared.model.account import AnsweredRequest, Person, Spending
from shared.model.answers import (
    Answer,
    AnswerEvent,
    AnswerKind,
    CheckedPiece,
    Citation,
    Claim,
    Retracted,
    RetractReason,
    StoredAnswer,
    TurnEnded,
    TurnEvent,
    TurnStarted,
)
from shared.model.notes import NoteKey
from shared.model.questions import Question
from shared.model.retrieval import RefusalReason
from shared.model.sessions import SettingsPatch
from shared.model.templates import AUTO, TemplateMatch
from shared.ports.cancel import Cancelled
from shared.ports.freshness import Freshness, compare
from shared.sessions.limits import prompt_budget
from shared.sessions.turns import Turn, citation_now
from shared.tracing import measure, reads_so_far

STOPPED = "…"
"""Ends the stored text of an answer whose listener left before its end."""
PERIOD_TOKENS = 4000
"""Most tokens of the prompt of a question about a period, whose notes share them."""
_REFUSALS_BY_INDEX = (
    RefusalReason.NO_CANDIDATES,
    RefusalReason.BELOW_THRESHOLD,
    RefusalReason.TIME_RANGE_EMPTY,
)
"""Reasons that only hold if the index follows all notes."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """A question and what belongs to its turn."""

    person: Person
    """Person of the question's tenant who asks."""
    question: Question
    request_id: str
    """Id of the turn in its reply."""
    repeat: RequestKey | None = None
    """Key under which an earlier answer to the same request is found; None if requests are not repeated."""
    session_id: str | None = None
    """Session of the turn; None if it belongs to no session."""
    patch: SettingsPatch = field(default_factory=dict)
    """Settings of this question alone."""
    scope: FolderScope | None = None
    """Vaults and folders to look in, which the reply then lists; None to search everywhere alike."""


@dataclass(slots=True)
class _Delivered:
    """Pieces of an answer that the listener has been given and that still stand."""

    pieces: list[CheckedPiece] = field(default_factory=list)

    def add(self, event: AnswerEvent) -> None:
        if isinstance(event, CheckedPiece):
            self.pieces.append(event)
        elif isinstance(event, Retracted):
            self.pieces.clear()

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)

    def as_stopped_answer(self, model: str) -> Answer:
        """Returns the answer that is recorded when the listener leaves."""
        citations: list[Citation] = []
        claims: list[Claim] = []
        for piece in self.pieces:
            citations.extend(piece.cited)
            if piece.claim:
                claims.append(piece.claim)
        return Answer(
            text=f"{self.text} {STOPPED}".strip(),
            model=model,
            citations=tuple(citations),
            claims=tuple(claims),
        )


def run_turn(app: App, request: TurnRequest) -> Generator[TurnEvent]:
    """Yields the events of the turn; the last holds its answer. A repeated request gets that event
    alone, with the earlier answer.

    Nothing happens before the caller asks for the first event, and nothing is searched before it has been delivered.
    Raises, before it, Conflict for a `requestId` that was used for another request, RequestBusy while it is being
    answered, NotFound and InvalidArgument for the session and its settings; after it, Exhausted if the tenant's daily
    limit is used up and NotFound for a template, vault or folder that does not exist. Closing the iterator, or
    `Cancel`, stops the work: the pieces delivered until then are recorded in the session with the question, and nothing
    is kept for a repeat.
    """
    sessions = app.sessions(request.person)
    with app.idempotency.locked(request.repeat) as lock:
        # 1. A request that was answered before.
        if lock is not None and lock.record.answer is not None:
            earlier_answer = _read_kept(lock.record, lock.changed)
            yield TurnEnded(earlier_answer, is_repeat=True)
            return

        # 2. The question in its session.
        with sessions.turn(request.question, request.session_id, request.patch) as new_turn:
            yield TurnStarted(request.request_id, new_turn.session_id)
            with app.budgets.asking(new_turn.question.tenant_id, Spending.ANSWERS):
                turn = sessions.standalone_question(new_turn)

                # 3. The answer, as it comes about.
                delivered = _Delivered()
                try:
                    with closing(events_of(app, turn.question, request.scope)) as events:
                        for event in events:
                            if isinstance(event, Answer):
                                usage = event.usage + turn.usage
                                usage = replace(usage, reads=reads_so_far())
                                answer = replace(event, usage=usage)
                            else:
                                delivered.add(event)
                                yield event
                except (GeneratorExit, Cancelled):
                    answer = delivered.as_stopped_answer(app.model)
                    sessions.record(turn, _stored(app, request, turn, answer))
                    raise

                # 4. Its record, for the session and for a repeat.
                stored = _stored(app, request, turn, answer)
                sessions.record(turn, stored)
                _measure(app, answer, stored, turn)
                if lock is not None:
                    stored = _keep(lock, answer, stored)
        yield TurnEnded(stored)


def _stored(app: App, request: TurnRequest, turn: Turn, answer: Answer) -> StoredAnswer:
    """Returns the answer as the caller gets it."""
    k = turn.question.top_k or app.settings.rerank_to
    if request.scope is not None:
        return stored_answer_with_references(
            turn.question,
            answer,
            k=k,
            request_id=request.request_id,
        )
    return stored_answer(
        turn.question,
        answer,
        k=min(k, app.retriever.options.max_chunks),  # no more are selected
        request_id=request.request_id,
        session_id=turn.session_id,
    )


def _keep(lock: IdempotencyLock, answer: Answer, stored: StoredAnswer) -> StoredAnswer:
    """Keeps the answer for a repeat, with the revisions of its notes, and returns the answer to
    give.

    That is another worker's if it took the request over and answered it.
    """
    revisions: dict[str, str] = {}
    if answer.retrieved is not None:
        # The writer got the selected passages; the nearest are shown with a refusal.
        for passage in (*answer.retrieved.selected, *answer.retrieved.nearest):
            chunk = passage.chunk
            revisions[chunk.note_id] = chunk.note_revision

    text = json.dumps(reply_json(stored), ensure_ascii=False)
    if lock.keep(text, revisions) == text:
        return stored
    return _read_kept(lock.record)


def _read_kept(record: AnsweredRequest, edited_ids: Collection[str] = ()) -> StoredAnswer:
    """Returns the answer that is kept for a repeat; citations of notes that were edited since are
    stale.
    """
    answer = read_reply(json.loads(record.answer or ""), record.notes)
    citations = []
    for citation in answer.citations:
        if citation.note_id in edited_ids:
            citations.append(citation_now(citation, Freshness.EDITED))
        else:
            citations.append(citation)
    return replace(answer, citations=tuple(citations))


def _measure(app: App, answer: Answer, stored: StoredAnswer, turn: Turn) -> None:
    """Adds figures to the request's log line, without a word of a note or a caller."""
    measure_search(app, answer.retrieved)
    question = turn.question
    usage = answer.usage
    budget = question.max_context_tokens or prompt_budget(answer.model)
    context_percent = None
    if usage.input_tokens:
        context_percent = round(100 * usage.input_tokens / budget)
    session_hash = None
    if turn.session_id:
        session_hash = _hashed(turn.session_id)
    refusal = None
    if answer.refusal is not None:
        refusal = answer.refusal.value
    supports = [citation.support for citation in answer.citations if citation.support]
    states = Counter(support.state.value for support in supports)
    measure(
        {
            "model": answer.model,
            "followUp": bool(question.history),
            "tenantHash": _hashed(question.tenant_id),
            "sessionHash": session_hash,
            "contextPercent": context_percent,
            "answerKind": answer.kind.value,
            "refusal": refusal,
            "timingsMs": stored.meta["timings"],
            "citations": len(answer.citations),
            "citationsRemoved": len(answer.removed_labels),
            "support": dict(states),
            "grounding": stored.meta["grounding"],
            "tokens": {"input": usage.input_tokens, "output": usage.output_tokens},
            "reads": usage.reads,
            "usd": stored.meta["usage"]["usd"],
        },
    )


def _hashed(identifier: str) -> str:
    """Returns a digest that tells tenants or sessions apart in the log without naming them."""
    digest = hashlib.sha256(identifier.encode()).hexdigest()
    return digest[:12]


# -- the answer


def events_of(
    app: App,
    question: Question,
    scope: FolderScope | None = None,
) -> Generator[AnswerEvent]:
    """Yields the answer as it comes about, from the tenant's notes or without them, as the question
    says.

    The pieces behind the last Retracted are the text of the Answer, which comes last. Raises
    NotFound for a template, vault or folder that does not exist. Closing the iterator ends what is
    under way.
    """
    # 1. Small talk needs no notes.
    small_talk_reply = None
    if question.use_notes:
        small_talk_reply = small_talk(question.own_words)
    if small_talk_reply:
        _check_names(app, question, scope)
        yield CheckedPiece(small_talk_reply)
        yield Answer(text=small_talk_reply, model="none")
        return

    # 2. Template and passages, side by side.
    choosing = None
    if question.template:
        choosing = app.pool.submit(_template_for, app, question, question.template)
    retrieved, retrieval_usage = passages_for(app, question, scope)
    if retrieved is not None and retrieved.notes_read:
        question = _with_period_tokens(question)
    template = None
    if choosing is not None:
        template = choosing.result()

    # 3. The text, piece by piece.
    writers = Writers(
        writer=app.writers.get(question.model or "", app.writer),
        extractive=app.extractive,
        policy=app.support,
    )
    delivered = _Delivered()
    with closing(answer_events(question, retrieved, writers, template=template)) as events:
        for event in events:
            if isinstance(event, Answer):
                break
            delivered.add(event)
            yield event
        else:
            return

    # 4. A last look at the notes.
    answer = replace(event, usage=event.usage + retrieval_usage)
    answer = _as_notes_are_now(app, question, answer)
    if answer.text != delivered.text:
        if delivered.text:
            yield Retracted(RetractReason.REFUSED)
        yield CheckedPiece(answer.text)
    yield answer


def _with_period_tokens(question: Question) -> Question:
    """Returns the question with at most PERIOD_TOKENS for its prompt."""
    max_tokens = PERIOD_TOKENS
    if question.max_context_tokens:
        max_tokens = min(question.max_context_tokens, PERIOD_TOKENS)
    return replace(question, max_context_tokens=max_tokens)


def _check_names(app: App, question: Question, scope: FolderScope | None) -> None:
    """Raises what a search would raise (NotFound, InvalidArgument), so that a greeting does not hide a wrong field."""
    names_template = question.template not in (None, "", AUTO)
    if names_template:
        app.templates.get(question.tenant_id, str(question.template))
    check_folders(app, question, scope)


def _template_for(app: App, question: Question, template_id: str) -> TemplateMatch:
    tenant_id = question.tenant_id
    if template_id == AUTO:
        return app.templates.choose(tenant_id, question.text)

    template = app.templates.get(tenant_id, template_id)
    return TemplateMatch(template, None)


def _as_notes_are_now(app: App, question: Question, answer: Answer) -> Answer:
    """Marks citations of notes that were edited meanwhile as stale; an answer from a deleted note
    becomes a refusal.

    While notes wait to be indexed, a refusal becomes one that says so, because these notes may hold the answer. Reads
    each cited note once; if the store is unavailable, the answer stays as it is.
    """
    depends_on_index = answer.refusal in _REFUSALS_BY_INDEX or answer.kind is AnswerKind.GENERAL
    if depends_on_index and app.store.coverage(question.tenant_id).missing:
        return _index_pending(answer)

    cited_ids = {citation.passage.chunk.note_id for citation in answer.citations}
    try:
        current_revisions = _revisions_now(app, question.tenant_id, sorted(cited_ids))
    except Unavailable as error:
        log.warning(
            "an answer was given whose notes could not be looked at again (%s)",
            type(error).__name__,
        )
        return answer

    deleted_ids = cited_ids.difference(current_revisions)
    if deleted_ids and answer.retrieved is not None:
        passages = answer.retrieved.nearest
        nearest = [passage for passage in passages if passage.chunk.note_id not in deleted_ids]
        retrieved = replace(answer.retrieved, nearest=tuple(nearest))
        nearest_quotes = app.extractive.nearest(question, retrieved)
        answer = replace(answer, retrieved=retrieved, nearest=nearest_quotes)
        return _index_pending(answer)

    citations = []
    for citation in answer.citations:
        chunk = citation.passage.chunk
        current_revision = current_revisions.get(chunk.note_id)
        state = compare(chunk.note_revision, current_revision)
        is_stale = state is not Freshness.CURRENT
        citations.append(replace(citation, stale=is_stale))
    return replace(answer, citations=tuple(citations))


def _revisions_now(app: App, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, str]:
    """Reads notes in parallel: note id -> revision, for those that exist. Raises Unavailable."""
    keys = [NoteKey(tenant_id, note_id) for note_id in note_ids]
    read_revision = partial(revision_now, store=app.store)
    revisions = app.pool.map(read_revision, keys)
    current_revisions = {}
    for note_id, revision in zip(note_ids, revisions, strict=True):
        is_deleted = revision == ""
        if not is_deleted:
            current_revisions[note_id] = revision
    return current_revisions


def _index_pending(answer: Answer) -> Answer:
    """Turns an answer into the refusal of an index that does not follow the notes yet."""
    lang = "en"
    if answer.retrieved is not None:
        lang = answer.retrieved.analysis.lang
    return replace(
        answer,
        text=refusal_text(RefusalReason.INDEX_PENDING),
        citations=(),
        claims=(),
        refusal=RefusalReason.INDEX_PENDING,
        localized_reason=localized_reason(RefusalReason.INDEX_PENDING, lang),
        reason_lang=reason_lang(lang),
        kind=AnswerKind.WRITTEN,
        grounding=None,
    )

"""A question -> its answer: template and passages side by side, what is written, a last look at the notes."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from functools import partial

from shared.answering.pipeline import Writers, answer_events
from shared.answering.refusals import refusal_text, refusal_told, small_talk
from shared.app import App
from shared.asking.search import passages_for
from shared.errors import Unavailable
from shared.folders.search import FolderScope
from shared.indexing.state import revision_now
from shared.model.answers import Answer, AnswerEvent, AnswerKind, CheckedPiece, Retracted, RetractReason
from shared.model.notes import NoteKey
from shared.model.questions import Question
from shared.model.retrieval import RefusalReason
from shared.model.templates import AUTO, TemplateMatch

log = logging.getLogger(__name__)

PERIOD_TOKENS = 4000
"""What the notes of a time may take of the prompt, all alike: the beginning of each."""
_BY_WHAT_IS_INDEXED = (RefusalReason.NO_CANDIDATES, RefusalReason.BELOW_THRESHOLD, RefusalReason.TIME_RANGE_EMPTY)


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

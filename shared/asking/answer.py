"""A whole question -> its answer: template and passages at the same time, then what is written from them, and a last
look at the notes.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from shared.answering.citing.edits import as_notes_are
from shared.answering.pipeline import answer_events, last
from shared.answering.refusals import refused
from shared.app import App
from shared.asking.search import passages_for
from shared.folders.search import FolderScope
from shared.indexing.standing import revision_now
from shared.model.answers import Answer, AnswerEvent, Usage
from shared.model.notes import NoteKey
from shared.model.questions import Question
from shared.model.retrieval import RefusalReason
from shared.model.templates import AUTO, TemplateMatch

_BY_WHAT_IS_INDEXED = (RefusalReason.NO_CANDIDATES, RefusalReason.BELOW_THRESHOLD, RefusalReason.TIME_RANGE_EMPTY)


def answered(app: App, question: Question, wish: FolderScope | None = None) -> Answer:
    """The answer alone: no session, nothing kept for a repeat. Raises as `events_of`; Exhausted when the tenant's day
    is used up.
    """
    with app.budgets.answering(question.tenant_id):
        return last(events_of(app, question, wish))


def events_of(app: App, question: Question, wish: FolderScope | None = None) -> Generator[AnswerEvent]:
    """Searches, and gives the answer as it comes about, from the tenant's notes or without them, as the question says.

    Raises NotFound for a template, vault or folder that there is not. Closing the iterator ends what is under way.
    """
    choosing = app.pool.submit(_template_for, app, question, question.template) if question.template else None
    retrieved, spent = passages_for(app, question, wish)
    return answer_events(
        question,
        retrieved,
        writer=app.writers.get(question.model or "", app.writer),
        quoter=app.quoter,
        template=choosing.result() if choosing else None,
        scrutiny=app.scrutiny,
        amend=partial(_as_it_is_now, app, question.tenant_id, spent),
    )


def _template_for(app: App, question: Question, named: str) -> TemplateMatch:
    if named == AUTO:
        return app.templates.search(question.tenant_id, question.text, top_k=1)[0]
    return TemplateMatch(app.templates.get(question.tenant_id, named), None)


def _as_it_is_now(app: App, tenant_id: str, spent: Usage, written: Answer) -> Answer:
    """The last look at the notes, one read for each that is cited; `spent`: before anything was written."""
    told = replace(_unless_pending(app, tenant_id, written), usage=written.usage + spent)
    return as_notes_are(told, partial(_revisions, app, tenant_id))


def _revisions(app: App, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, str]:
    keys = [NoteKey(tenant_id, note_id) for note_id in note_ids]
    return dict(zip(note_ids, app.pool.map(partial(revision_now, store=app.store), keys), strict=True))


def _unless_pending(app: App, tenant_id: str, written: Answer) -> Answer:
    """A refusal while notes wait to be indexed does not know whether they hold the answer, and says that."""
    if written.refusal in _BY_WHAT_IS_INDEXED and app.store.coverage(tenant_id).missing:
        return refused(written, RefusalReason.INDEX_PENDING)
    return written

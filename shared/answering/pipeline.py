"""What retrieval found -> the checked answer as it comes about: prompt, write, check (steps 5 and 6), or quote."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field, replace

from shared.answering.checking import Checker, SupportPolicy
from shared.answering.drafts import DraftStream
from shared.answering.extractive import ExtractiveWriter
from shared.answering.prompt import build_plain_prompt, build_prompt, label_sources
from shared.answering.refusals import NO_MODEL, linkable, reason_to_refuse, refusal_text, refusal_told, widening_notice
from shared.answering.subject import is_unknown
from shared.markdown.sanitize import sanitize
from shared.model.answers import (
    Answer,
    AnswerEvent,
    AnswerKind,
    CheckedPiece,
    Retracted,
    RetractReason,
    Searched,
    Source,
)
from shared.model.questions import Question
from shared.model.retrieval import RefusalReason, Retrieved
from shared.model.templates import TemplateMatch
from shared.ports.models import Writer
from shared.tracing import StepTimer

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Writers:
    """Who makes an answer."""

    writer: Writer | None
    """None: no model is configured."""
    extractive: ExtractiveWriter
    """Quotes the notes where `writer` is away, refuses, writes nothing or nothing that stands before it breaks off."""
    policy: SupportPolicy = field(default_factory=SupportPolicy)


def answer_events(
    question: Question, retrieved: Retrieved | None, writers: Writers, *, template: TemplateMatch | None = None
) -> Generator[AnswerEvent]:
    """Question and passages -> an answer whose every marker points at a passage it was given, or a refusal.

    Pieces come as soon as they are checked; the Answer is the last event. Its text is that of the pieces, but for a
    refusal and where nobody could write: these are fixed texts, which the caller shows in place of any piece.
    `retrieved` None or `question.use_notes` False: plain chat, no sources, no markers. `Answer.model` names who wrote;
    "none" where retrieval refused and nobody was asked. `template`: along whose steps a model lays the answer out.
    Closing the iterator ends the model call.
    """
    timer, named = StepTimer(), template.template if template else None
    if retrieved is None or not question.use_notes:
        retrieved, sources, prompt = None, tuple[Source, ...](), build_plain_prompt(question, template=named)
    else:
        yield Searched(retrieved)
        if retrieved.refusal:
            yield replace(_refusal(retrieved.refusal, question, retrieved, writers), template=template)
            return
        sources = label_sources(retrieved.selected)
        prompt = build_prompt(question, retrieved, sources, template=named)
        sources = prompt.sources
    # 5. Write, and 6. check each piece as it comes.
    draft = DraftStream(prompt, writers.writer)
    checker = Checker(
        sources,
        linkable(question, sources),
        policy=writers.policy,
        notice=widening_notice(retrieved) if retrieved else "",
        with_citations=question.include_citations,
    )
    with closing(draft.pieces()) as pieces:
        yield from checker.check(pieces)
    timer.end("write")
    quotes = draft.failed and not (checker.stands if retrieved else checker.text)
    _report(draft, checker, quotes=quotes)
    if not quotes:
        answer = _judged(question, retrieved, draft, checker, writers)
    else:
        if checker.text:
            yield Retracted(RetractReason.WRITER_FAILED)
        answer = replace((yield from _without_model(question, retrieved, writers)), writer_problem=draft.said)
    timer.end("quote" if quotes else "check")
    usage, timings = draft.usage + checker.usage, timer.timings_ms
    yield replace(answer, usage=usage, timings_ms=timings, removed_labels=checker.removed, template=template)


def _report(draft: DraftStream, checker: Checker, *, quotes: bool) -> None:
    if checker.removed:
        log.warning("removed %d citation labels that were not offered", len(checker.removed))
    if draft.problem:
        then = "the notes are quoted instead" if quotes else "what it wrote stays"
        log.warning("%s %s; %s", draft.model, draft.problem, then)


def _judged(
    question: Question, retrieved: Retrieved | None, draft: DraftStream, checker: Checker, writers: Writers
) -> Answer:
    """The refusal where the writer says that the sources do not answer, where nothing is cited, or nothing backs it."""
    if retrieved is None:
        return Answer(text=checker.text, model=draft.model)
    reason = RefusalReason.BELOW_THRESHOLD if draft.answers is False else None
    reason = reason or reason_to_refuse(checker.said, cites=checker.cites)
    if reason is None:
        checker.judge_again()
        reason = None if checker.stands else RefusalReason.UNSUPPORTED_CLAIMS
    if reason:
        return _refusal(_as_found(retrieved, reason), question, retrieved, writers, model=draft.model)
    return Answer(
        text=checker.text,
        citations=checker.citations(),
        claims=checker.claims(),
        model=draft.model,
        retrieved=retrieved,
        grounding=checker.grounding(),
    )


def _without_model(
    question: Question, retrieved: Retrieved | None, writers: Writers
) -> Generator[CheckedPiece, None, Answer]:
    """What comes nearest, in the notes' own words; the refusal where none speaks of the subject."""
    if retrieved is None:
        return Answer(text=NO_MODEL, model="none")
    pieces = writers.extractive.pieces(question, retrieved)
    if not pieces:
        reason = _as_found(retrieved, RefusalReason.BELOW_THRESHOLD)
        return _refusal(reason, question, retrieved, writers, model=writers.extractive.model)
    yield from pieces
    return Answer(
        text="".join(piece.text for piece in pieces),
        citations=tuple(citation for piece in pieces for citation in piece.cited),
        claims=tuple(piece.claim for piece in pieces if piece.claim),
        model=writers.extractive.model,
        retrieved=retrieved,
        kind=AnswerKind.QUOTED,
    )


def _as_found(retrieved: Retrieved, reason: RefusalReason) -> RefusalReason:
    """The reason as what was found explains it, where the writer found no answer in it."""
    if reason is not RefusalReason.BELOW_THRESHOLD:
        return reason
    if retrieved.widened:
        return RefusalReason.TIME_RANGE_EMPTY  # and what was written around holds no answer
    return RefusalReason.NO_CANDIDATES if is_unknown(retrieved) else reason


def _refusal(
    reason: RefusalReason, question: Question, retrieved: Retrieved, writers: Writers, *, model: str = "none"
) -> Answer:
    return Answer(
        text=sanitize(f"{refusal_text(reason)} {widening_notice(retrieved)}".strip()),
        refusal=reason,
        refusal_told=refusal_told(reason, retrieved.analysis.lang),
        model=model,
        retrieved=retrieved,
        nearest=writers.extractive.nearest(question, retrieved),
    )

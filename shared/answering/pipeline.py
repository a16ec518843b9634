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
from shared.answering.refusals import NO_MODEL, general_notice, linkable, reach_notice, refusal_text, refusal_told
from shared.answering.subject import is_unknown
from shared.markdown.sanitize import sanitize
from shared.model.answers import (
    Answer,
    AnswerEvent,
    AnswerKind,
    CheckedPiece,
    Prompt,
    Retracted,
    RetractReason,
    Searched,
)
from shared.model.questions import Question, WhenNotInNotes
from shared.model.retrieval import RefusalReason, Retrieved
from shared.model.templates import Template, TemplateMatch
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
    refusal and where no model could write: these are fixed texts, which the caller shows in place of any piece.
    `retrieved` None or `question.use_notes` False: plain chat, no sources, no markers. `Answer.model` names who wrote;
    "none" where retrieval refused and no model was asked. `template`: along whose steps a model lays the answer out.
    Closing the iterator ends the model call.
    """
    timer, named = StepTimer(), template.template if template else None
    if retrieved is None or not question.use_notes:
        draft, checker = yield from _write(question, build_plain_prompt(question, template=named), writers)
        timer.end("write")
        wrote = checker.stands or not draft.failed
        answer = Answer(
            text=checker.text if wrote else NO_MODEL,
            model=draft.model if wrote else "none",
            usage=draft.usage,
            removed_labels=tuple(checker.removed),
            writer_problem="" if wrote else draft.said,
        )
        timer.end("check" if wrote else "quote")
    else:
        yield Searched(retrieved)
        answer = yield from _from_notes(question, retrieved, writers, named, timer)
        if question.when_not_in_notes is WhenNotInNotes.GENERAL and answer.refusal and not answer.writer_problem:
            answer = yield from _general(question, answer, writers, named)
            timer.end("general")
    yield replace(answer, timings_ms=timer.timings_ms, template=template)


def _write(
    question: Question, prompt: Prompt, writers: Writers, notice: str = ""
) -> Generator[CheckedPiece, None, tuple[DraftStream, Checker]]:
    """5. Write, and 6. check each piece as it comes."""
    draft = DraftStream(prompt, writers.writer)
    checker = Checker(
        prompt.sources,
        linkable(question, prompt.sources),
        policy=writers.policy,
        notice=notice,
        with_citations=question.include_citations,
    )
    with closing(draft.pieces()) as pieces:
        yield from checker.check(pieces)
    if checker.removed:
        log.warning("removed %d citation labels that were not offered", len(checker.removed))
    if draft.problem:
        then = "what it wrote stays" if checker.stands else "the notes are quoted instead"
        log.warning("%s %s; %s", draft.model, draft.problem, then)
    return draft, checker


def _from_notes(
    question: Question, retrieved: Retrieved, writers: Writers, template: Template | None, timer: StepTimer
) -> Generator[AnswerEvent, None, Answer]:
    """What a model writes from the passages, as far as it stands; else quotes where no model wrote, or a refusal."""
    if retrieved.refusal:
        return _refusal(retrieved.refusal, question, retrieved, writers)
    prompt = build_prompt(question, retrieved, label_sources(retrieved.selected), template=template)
    draft, checker = yield from _write(question, prompt, writers, reach_notice(retrieved))
    timer.end("write")
    if (draft.failed or draft.truncated) and not checker.stands and draft.answers is not False:
        if checker.text:
            yield Retracted(RetractReason.WRITER_FAILED)
        said = draft.said if draft.failed else f"{draft.model}: its reply breaks off"
        answer = replace((yield from _quoted(question, retrieved, writers)), writer_problem=said)
        timer.end("quote")
    else:
        # A refusal where the writer says that the sources do not answer, where nothing is cited, or nothing backs it.
        reason = RefusalReason.BELOW_THRESHOLD if draft.answers is False else checker.reason_to_refuse()
        if reason:
            if checker.text:
                yield Retracted(RetractReason.REFUSED)
            answer = _refusal(_as_found(retrieved, reason), question, retrieved, writers, model=draft.model)
        else:
            answer = Answer(
                text=checker.text,
                citations=checker.citations(),
                claims=tuple(checker.claims),
                model=draft.model,
                retrieved=retrieved,
                grounding=checker.grounding(),
            )
        timer.end("check")
    return replace(answer, usage=draft.usage + checker.usage, removed_labels=tuple(checker.removed))


def _quoted(question: Question, retrieved: Retrieved, writers: Writers) -> Generator[CheckedPiece, None, Answer]:
    """What comes nearest, in the notes' own words; the refusal where nothing speaks of the subject."""
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


def _general(
    question: Question, refused: Answer, writers: Writers, template: Template | None
) -> Generator[CheckedPiece, None, Answer]:
    """A model's general knowledge in place of a refusal, under a line that says so; the refusal where none writes."""
    if refused.retrieved is None or refused.refusal is RefusalReason.INDEX_PENDING:
        return refused
    notice = general_notice(refused.retrieved.analysis.lang)
    prompt = build_plain_prompt(question, template=template, searched=True)
    draft, checker = yield from _write(question, prompt, writers, notice)
    refused = replace(refused, usage=refused.usage + draft.usage, writer_problem=draft.said)
    if not checker.text:
        return refused
    return replace(
        refused,
        text=checker.text,
        model=draft.model,
        refusal=None,
        refusal_told="",
        removed_labels=tuple(checker.removed),
        kind=AnswerKind.GENERAL,
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
        text=sanitize(refusal_text(reason)),
        refusal=reason,
        refusal_told=refusal_told(reason, retrieved.analysis.lang),
        model=model,
        retrieved=retrieved,
        nearest=writers.extractive.nearest(question, retrieved),
    )

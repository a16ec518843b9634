"""Passages -> the checked answer as it comes about: prompt, write, check (steps 5 and 6), or quote."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field, replace

from shared.answering.answer_language import answer_lang
from shared.answering.checking import Checker, SupportPolicy
from shared.answering.drafts import DraftStream
from shared.answering.extractive import ExtractiveWriter
from shared.answering.missing_subject import missing_subject
from shared.answering.prompt import build_plain_prompt, build_prompt, label_sources
from shared.answering.refusals import (
    NO_MODEL,
    general_notice,
    linkable,
    localized_reason,
    reach_notice,
    reason_lang,
    refusal_text,
)
from shared.answering.subject import is_unknown
from shared.markdown.sanitize import sanitize
from shared.model.answers import (
    Answer,
    AnswerEvent,
    AnswerKind,
    CheckedPiece,
    Citation,
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
    """The writers of an answer, and the policy by which it is checked."""

    writer: Writer | None
    """Model that writes the draft; None if no model is configured."""
    extractive: ExtractiveWriter
    """Quotes the notes if `writer` is unavailable, refuses or writes nothing, or if nothing stands of what it wrote
    before it broke off.
    """
    policy: SupportPolicy = field(default_factory=SupportPolicy)


def answer_events(
    question: Question,
    retrieved: Retrieved | None,
    writers: Writers,
    *,
    template: TemplateMatch | None = None,
) -> Generator[AnswerEvent]:
    """Yields the pieces of an answer as soon as they are checked, and the Answer last.

    Every marker points at a passage that the writer was given. The Answer's text is that of the pieces, except a
    refusal and where no model could write: these are fixed texts, which the caller shows in place of any piece.
    `retrieved` None or `question.use_notes` False: plain chat, no sources, no markers. `Answer.model` names who wrote;
    "none" where retrieval refused and no model was asked. `template`: a model lays the answer out along its steps.
    Closing the iterator ends the model call.
    """
    timer = StepTimer()
    steps = None
    if template is not None:
        steps = template.template
    if retrieved is None or not question.use_notes:
        answer = yield from _plain(question, writers, steps, timer)
    else:
        yield Searched(retrieved)
        answer = yield from _from_notes(question, retrieved, writers, steps, timer)
        wants_general = question.when_not_in_notes is WhenNotInNotes.GENERAL
        if wants_general and answer.refusal and not answer.writer_problem:
            answer = yield from _general(question, answer, writers, steps)
            timer.end("general")
    yield replace(answer, timings_ms=timer.timings_ms, template=template)


def _write(
    question: Question,
    prompt: Prompt,
    writers: Writers,
    notice: str = "",
) -> Generator[CheckedPiece, None, tuple[DraftStream, Checker]]:
    """Writes the draft (step 5) and checks each piece as it comes (step 6)."""
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
        consequence = "the notes are quoted instead"
        if checker.stands:
            consequence = "what it wrote stays"
        log.warning("%s %s; %s", draft.model, draft.problem, consequence)
    return draft, checker


def _plain(
    question: Question,
    writers: Writers,
    template: Template | None,
    timer: StepTimer,
) -> Generator[CheckedPiece, None, Answer]:
    """Chats without the notes; returns a fixed text if no model wrote."""
    prompt = build_plain_prompt(question, template=template)
    draft, checker = yield from _write(question, prompt, writers)
    timer.end("write")
    answer = Answer(
        text=checker.text,
        model=draft.model,
        usage=draft.usage,
        removed_labels=tuple(checker.removed),
    )
    if checker.stands or not draft.failed:
        timer.end("check")
        return answer
    timer.end("quote")
    return replace(
        answer,
        text=NO_MODEL,
        model="none",
        writer_problem=draft.error_message,
    )


def _from_notes(
    question: Question,
    retrieved: Retrieved,
    writers: Writers,
    template: Template | None,
    timer: StepTimer,
) -> Generator[AnswerEvent, None, Answer]:
    """Has a model write from the passages. Quotes the notes if no model wrote; refuses if nothing stands."""
    if retrieved.refusal:
        return _refusal(retrieved.refusal, question, retrieved, writers)
    sources = label_sources(retrieved.selected)
    prompt = build_prompt(question, retrieved, sources, template=template)
    lang = answer_lang(question.own_words, retrieved)
    notice = reach_notice(retrieved, lang)
    draft, checker = yield from _write(question, prompt, writers, notice)
    timer.end("write")
    is_incomplete = draft.failed or draft.truncated
    if is_incomplete and not checker.stands and draft.answers is not False:
        if checker.text:
            yield Retracted(RetractReason.WRITER_FAILED)
        answer = yield from _quoted(question, retrieved, writers)
        problem = f"{draft.model}: its reply breaks off"
        if draft.failed:
            problem = draft.error_message
        answer = replace(answer, writer_problem=problem)
        timer.end("quote")
    else:
        answer = yield from _checked(question, retrieved, writers, draft, checker)
        timer.end("check")
    return replace(
        answer,
        usage=draft.usage + checker.usage,
        removed_labels=tuple(checker.removed),
    )


def _checked(
    question: Question,
    retrieved: Retrieved,
    writers: Writers,
    draft: DraftStream,
    checker: Checker,
) -> Generator[Retracted, None, Answer]:
    """Returns what the model wrote, or a refusal.

    It refuses if the writer says that the sources do not answer, if nothing is cited, or if nothing backs the answer.
    """
    if draft.answers is False:
        reason: RefusalReason | None = RefusalReason.BELOW_THRESHOLD
    else:
        reason = checker.reason_to_refuse()
    if reason is None:
        return Answer(
            text=checker.text,
            citations=checker.citations(),
            claims=tuple(checker.claims),
            model=draft.model,
            retrieved=retrieved,
            grounding=checker.grounding(),
        )
    if checker.text:
        yield Retracted(RetractReason.REFUSED)
    reason = _explained_reason(retrieved, reason)
    return _refusal(reason, question, retrieved, writers, model=draft.model)


def _quoted(
    question: Question,
    retrieved: Retrieved,
    writers: Writers,
) -> Generator[CheckedPiece, None, Answer]:
    """Quotes the nearest passages in the notes' own words; refuses if nothing is on topic."""
    missing = missing_subject(question.text, retrieved)
    pieces = writers.extractive.pieces(question, retrieved, missing)
    if not pieces:
        reason = _explained_reason(retrieved, RefusalReason.BELOW_THRESHOLD)
        return _refusal(reason, question, retrieved, writers, model=writers.extractive.model)
    yield from pieces
    citations: list[Citation] = []
    for piece in pieces:
        citations += piece.cited
    nothing_about = ""
    if missing is not None:
        nothing_about = missing.text
    return Answer(
        text="".join(piece.text for piece in pieces),
        citations=tuple(citations),
        claims=tuple(piece.claim for piece in pieces if piece.claim),
        model=writers.extractive.model,
        retrieved=retrieved,
        kind=AnswerKind.QUOTED,
        nothing_about=nothing_about,
    )


def _general(
    question: Question,
    refused: Answer,
    writers: Writers,
    template: Template | None,
) -> Generator[CheckedPiece, None, Answer]:
    """Answers from a model's general knowledge instead of refusing, below a line that says so.

    The refusal stays if no model writes.
    """
    if refused.retrieved is None or refused.refusal is RefusalReason.INDEX_PENDING:
        return refused
    lang = answer_lang(question.own_words, refused.retrieved)
    notice = general_notice(lang)
    prompt = build_plain_prompt(question, template=template, searched=True)
    draft, checker = yield from _write(question, prompt, writers, notice)
    refused = replace(
        refused,
        usage=refused.usage + draft.usage,
        writer_problem=draft.error_message,
    )
    if not checker.text:
        return refused
    return replace(
        refused,
        text=checker.text,
        model=draft.model,
        refusal=None,
        localized_reason="",
        removed_labels=tuple(checker.removed),
        kind=AnswerKind.GENERAL,
    )


def _explained_reason(retrieved: Retrieved, reason: RefusalReason) -> RefusalReason:
    """Returns the reason as the search explains it, where the writer found no answer."""
    if reason is not RefusalReason.BELOW_THRESHOLD:
        return reason
    if retrieved.widened:
        return RefusalReason.TIME_RANGE_EMPTY  # and what was written around holds no answer
    if is_unknown(retrieved):
        return RefusalReason.NO_CANDIDATES
    return reason


def _refusal(
    reason: RefusalReason,
    question: Question,
    retrieved: Retrieved,
    writers: Writers,
    *,
    model: str = "none",
) -> Answer:
    lang = answer_lang(question.own_words, retrieved)
    return Answer(
        text=sanitize(refusal_text(reason)),
        refusal=reason,
        localized_reason=localized_reason(reason, lang),
        reason_lang=reason_lang(lang),
        model=model,
        retrieved=retrieved,
        nearest=writers.extractive.nearest(question, retrieved),
    )

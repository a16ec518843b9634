"""What retrieval found -> the checked answer (steps 5 and 6), as it comes about: label, prompt, write, check, quote."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from shared.answering.citing.citations import Cited, check_citations
from shared.answering.citing.claims import find_claims
from shared.answering.drafts import NotWritten, write_draft
from shared.answering.grounding import Scrutiny, first_citation, ground
from shared.answering.live import LiveText
from shared.answering.prompt import build_plain_prompt, build_prompt, label_sources
from shared.answering.quoting import Quoter, quoted
from shared.answering.refusals import NO_MODEL, reason_to_refuse, refusal_text
from shared.answering.showing import Shown
from shared.answering.subject import is_unknown
from shared.markdown.sanitize import sanitize
from shared.model.answers import (
    Answer,
    AnswerEvent,
    AnswerKind,
    Citation,
    Draft,
    Prompt,
    RetractReason,
    Searched,
    Source,
    Token,
)
from shared.model.questions import Question
from shared.model.retrieval import RefusalReason, Retrieved
from shared.model.templates import Template, TemplateMatch
from shared.ports.models import Writer
from shared.tracing.steps import StepTimer

log = logging.getLogger(__name__)

_NO_DRAFT = Draft("", "none")
_FLAGGED = Scrutiny()
_SENTENCE_BEFORE = 2000
"""Characters before a marker in which its sentence is looked for while the answer grows."""


def last(events: Generator[AnswerEvent]) -> Answer:
    """Lets an answer come about and gives it whole."""
    for event in events:
        if isinstance(event, Answer):
            return event
    raise AssertionError("the last event is the answer")


def answer_events(
    question: Question,
    retrieved: Retrieved | None,
    *,
    writer: Writer | None,
    quoter: Quoter,
    template: TemplateMatch | None = None,
    scrutiny: Scrutiny = _FLAGGED,
    amend: Callable[[Answer], Answer] = lambda answer: answer,
) -> Generator[AnswerEvent]:
    """Question and passages -> an answer whose every marker points at a passage it was given, or a refusal.

    Text is shown as it is written, its citations checked; the check of the whole may withdraw some of it. The Answer
    is the last event. `retrieved` None or `question.use_notes` False: plain chat, no sources, no markers.
    `Answer.model` names who wrote; "none" where retrieval refused and nobody was asked. Where `writer` is None, away,
    refuses, breaks off or writes nothing, `quoter` quotes what comes nearest, which claims nothing. Citations are
    empty if the question wants none; they are checked all the same. `template`: along whose steps a model lays the
    answer out. `scrutiny`: who judges whether the passages back what is said, and whether what they do not back goes.
    `amend`: the caller's last word on it. Closing the iterator ends the model call.
    """
    shown = Shown()
    makers = _Makers(writer, quoter, scrutiny)
    written = yield from _written(question, retrieved, shown, makers, template.template if template else None)
    final = replace(amend(written), template=template)
    if final.refusal and final.retrieved:
        final = replace(final, nearest=quoter.nearest(question, final.retrieved))
    yield from shown.become(final)
    yield final


@dataclass(frozen=True, slots=True)
class _Makers:
    writer: Writer | None
    quoter: Quoter
    scrutiny: Scrutiny


def _written(
    question: Question, retrieved: Retrieved | None, shown: Shown, makers: _Makers, template: Template | None
) -> Generator[AnswerEvent, None, Answer]:
    if retrieved is None or not question.use_notes:
        return (yield from _chat_without_notes(question, shown, makers.writer, template))
    yield Searched(retrieved)
    if retrieved.refusal:
        return _refuse(retrieved.refusal, retrieved, _NO_DRAFT)
    sources = label_sources(retrieved.selected)
    prompt = build_prompt(question, retrieved, sources, template=template)
    opening, with_citations = _widening_notice(retrieved), question.include_citations
    texts = _linkable(question, sources)
    timer = StepTimer()
    live = LiveText(sources, texts, opening=opening, with_citations=with_citations)
    draft = yield from _write(prompt, makers.writer, shown, live)
    timer.end("write")
    if isinstance(draft, NotWritten):
        final = _quote(question, retrieved, draft, makers.quoter)
        timer.end("quote")
    else:
        final = _check(question, retrieved, draft, check_citations(draft.text, sources), makers.scrutiny)
        timer.end("check")
    return replace(final, text=sanitize(final.text, texts), timings_ms=timer.timings_ms)


def _write(
    prompt: Prompt, writer: Writer | None, shown: Shown, live: LiveText
) -> Generator[AnswerEvent, None, Draft | NotWritten]:
    """Step 5: the draft, shown as far as it is certain while it is being written; withdrawn where it comes to none."""
    citation_of = partial(_first_citation, shown, live)
    draft: Draft | NotWritten = NotWritten()
    with closing(write_draft(prompt, writer)) as parts:
        for part in parts:
            if isinstance(part, str):
                text = live.feed(part)
                yield from shown.go_on(text, citation_of) if text != shown.text else (Token(""),)
            else:
                draft = part
    if isinstance(draft, NotWritten):
        yield from shown.withdraw(0, RetractReason.WRITER_FAILED)
    else:
        yield from shown.go_on(live.feed("", ended=True), citation_of)
    return draft


def _first_citation(shown: Shown, live: LiveText, label: str) -> Citation | None:
    """A source as its first marker cites it, while the answer goes on."""
    source = live.source(label)
    return first_citation(shown.text[-_SENTENCE_BEFORE:], source) if source else None


def _check(question: Question, retrieved: Retrieved, draft: Draft, cited: Cited, scrutiny: Scrutiny) -> Answer:
    """Step 6: only offered labels, each judged; and the refusal where the writer says that the sources do not answer,
    where nothing is cited, or nothing backs what is.
    """
    _report(cited.removed)
    cites = any(claim.labels for claim in find_claims(cited.text))
    reason = RefusalReason.BELOW_THRESHOLD if draft.answers is False else reason_to_refuse(cited.text, cites=cites)
    if reason:
        return _refuse(_told_of(retrieved, reason), retrieved, draft, removed=cited.removed)
    grounded = ground(cited, scrutiny)
    draft = replace(draft, usage=draft.usage + grounded.usage)
    if not grounded.stands:
        return _refuse(RefusalReason.UNSUPPORTED_CLAIMS, retrieved, draft, removed=cited.removed)
    with_citations = question.include_citations
    text = grounded.text if with_citations else check_citations(grounded.text, ()).text
    return Answer(
        text=_widening_notice(retrieved) + text.strip(),
        citations=grounded.citations if with_citations else (),
        model=draft.model,
        retrieved=retrieved,
        usage=draft.usage,
        removed_labels=cited.removed,
        grounding=grounded.grounding,
    )


def _quote(question: Question, retrieved: Retrieved, failed: NotWritten, quoter: Quoter) -> Answer:
    """Instead of both: what comes nearest, in the notes' own words; the refusal where none speaks of the subject."""
    quotes = quoter.quotes(question, retrieved)
    draft = Draft("", quoter.model, failed.usage)
    if not quotes:
        return _refuse(_told_of(retrieved, RefusalReason.BELOW_THRESHOLD), retrieved, draft)
    text, citations = quoted(quotes, retrieved.analysis.lang)
    with_citations = question.include_citations
    return Answer(
        text=_widening_notice(retrieved) + (text if with_citations else check_citations(text, ()).text),
        citations=citations if with_citations else (),
        model=quoter.model,
        retrieved=retrieved,
        usage=failed.usage,
        kind=AnswerKind.QUOTED,
    )


def _told_of(retrieved: Retrieved, reason: RefusalReason) -> RefusalReason:
    """The reason as what was found explains it, where the writer found no answer in it."""
    if reason is not RefusalReason.BELOW_THRESHOLD:
        return reason
    if retrieved.widened:
        return RefusalReason.TIME_RANGE_EMPTY  # and what was written around holds no answer
    return RefusalReason.NO_CANDIDATES if is_unknown(retrieved) else reason


def _chat_without_notes(
    question: Question, shown: Shown, writer: Writer | None, template: Template | None
) -> Generator[AnswerEvent, None, Answer]:
    timer = StepTimer()
    texts = _linkable(question, ())
    prompt = build_plain_prompt(question, template=template)
    draft = yield from _write(prompt, writer, shown, LiveText((), texts))
    timer.end("write")
    if isinstance(draft, NotWritten):
        return Answer(
            text=NO_MODEL,
            model="none",
            usage=draft.usage,
            timings_ms=timer.timings_ms,
        )
    cited = check_citations(draft.text, ())
    _report(cited.removed)
    return Answer(
        text=sanitize(cited.text.strip(), texts),
        model=draft.model,
        usage=draft.usage,
        timings_ms=timer.timings_ms,
        removed_labels=cited.removed,
    )


def _refuse(reason: RefusalReason, retrieved: Retrieved, draft: Draft, removed: tuple[str, ...] = ()) -> Answer:
    return Answer(
        text=f"{refusal_text(reason)} {_widening_notice(retrieved)}".strip(),
        refusal=reason,
        model=draft.model,
        retrieved=retrieved,
        usage=draft.usage,
        removed_labels=removed,
    )


def _linkable(question: Question, sources: Sequence[Source]) -> tuple[str, ...]:
    """The texts whose addresses an answer may hold: the passages and the person's own words, as they were typed."""
    asked = (question.asked or question.text, *(turn.question for turn in question.history))
    return (*asked, *(source.passage.chunk.text for source in sources))


def _report(removed: tuple[str, ...]) -> None:
    if removed:
        log.warning("removed %d citation labels that were not offered", len(removed))


def _widening_notice(retrieved: Retrieved) -> str:
    """Said by us, not left to the writer: a wider search is never silent."""
    if not retrieved.widened:
        return ""
    hint = retrieved.analysis.time
    then = f'for "{hint.phrase}"' if hint else "for that time"
    return f"I found no notes {then}, so I looked further ({retrieved.widened}). "

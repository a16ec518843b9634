"""What retrieval found -> the checked answer (steps 5 and 6), as it comes about: label, prompt, write, check, quote."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from shared.answering.citations import Cited, check_citations
from shared.answering.claims import find_claims
from shared.answering.drafts import Restart, write_draft
from shared.answering.grounding import Scrutiny, first_citation, ground
from shared.answering.live import LiveText
from shared.answering.prompt import build_plain_prompt, build_prompt
from shared.answering.refusals import reason_to_refuse, refusal_text
from shared.answering.showing import Shown
from shared.answering.sources import label_sources
from shared.domain import (
    Answer,
    AnswerEvent,
    Citation,
    Draft,
    Prompt,
    Question,
    RefusalReason,
    RetractReason,
    Retrieved,
    Searched,
    Source,
    Template,
    TemplateMatch,
)
from shared.ports import Writer
from shared.step_timer import StepTimer
from shared.text.passive import passive

log = logging.getLogger(__name__)

_NO_DRAFT = Draft("", "none")
_FLAGGED = Scrutiny()
_SENTENCE_BEFORE = 2000
"""Characters before a marker in which its sentence is looked for while the answer grows."""


def answer(
    question: Question,
    retrieved: Retrieved | None,
    *,
    writer: Writer,
    fallback: Writer,
    template: TemplateMatch | None = None,
    scrutiny: Scrutiny = _FLAGGED,
) -> Answer:
    """The last of `answer_events`."""
    events = answer_events(question, retrieved, writer=writer, fallback=fallback, template=template, scrutiny=scrutiny)
    return last(events)


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
    writer: Writer,
    fallback: Writer,
    template: TemplateMatch | None = None,
    scrutiny: Scrutiny = _FLAGGED,
    amend: Callable[[Answer], Answer] = lambda answer: answer,
) -> Generator[AnswerEvent]:
    """Question and passages -> an answer whose every marker points at a passage it was given, or a refusal.

    Text is shown as it is written, its citations checked; the check of the whole may withdraw some of it. The Answer
    is the last event. `retrieved` None or `question.use_notes` False: plain chat, no sources, no markers.
    `Answer.model` names who wrote: `fallback` where `writer` is away, refuses, breaks off or writes nothing; "none"
    where retrieval refused and nobody was asked. Citations are empty if the question wants none; they are checked all
    the same. `template`: along whose steps a model lays the answer out. `scrutiny`: who judges whether the passages
    back what is said, and whether what they do not back goes. `amend`: the caller's last word on it.
    Closing the iterator ends the model call.
    """
    shown = Shown()
    writers = _Writers(writer, fallback, scrutiny)
    written = yield from _written(question, retrieved, shown, writers, template.template if template else None)
    final = replace(amend(written), template=template)
    yield from shown.become(final)
    yield final


@dataclass(frozen=True, slots=True)
class _Writers:
    first: Writer
    fallback: Writer
    scrutiny: Scrutiny


def _written(
    question: Question, retrieved: Retrieved | None, shown: Shown, writers: _Writers, template: Template | None
) -> Generator[AnswerEvent, None, Answer]:
    if retrieved is None or not question.use_notes:
        return (yield from _chat_without_notes(question, shown, writers, template))
    yield Searched(retrieved)
    if retrieved.refusal:
        return _refuse(retrieved.refusal, retrieved, _NO_DRAFT)
    sources = label_sources(retrieved.selected)
    prompt = build_prompt(question, retrieved, sources, template=template)
    opening, with_citations = _widening_notice(retrieved), question.include_citations
    texts = _linkable(question, sources)
    timer = StepTimer()
    draft = yield from _write(
        prompt, writers, shown, lambda: LiveText(sources, texts, opening=opening, with_citations=with_citations)
    )
    timer.end("write")
    checked = _check(question, retrieved, draft, check_citations(draft.text, sources), writers.scrutiny)
    timer.end("check")
    return replace(checked, text=passive(checked.text, texts), timings_ms=timer.timings_ms)


def _write(
    prompt: Prompt, writers: _Writers, shown: Shown, begin: Callable[[], LiveText]
) -> Generator[AnswerEvent, None, Draft]:
    """Step 5: the draft, shown as far as it is certain while it is being written."""
    live = begin()
    draft = _NO_DRAFT
    with closing(write_draft(prompt, writer=writers.first, fallback=writers.fallback)) as parts:
        for part in parts:
            if isinstance(part, Draft):
                draft = part
            elif isinstance(part, Restart):
                live = begin()
                yield from shown.withdraw(0, RetractReason.WRITER_FAILED)
            else:
                yield from shown.add(live.feed(part), partial(_first_citation, shown, live))
    return draft


def _first_citation(shown: Shown, live: LiveText, label: str) -> Citation | None:
    """A source as its first marker cites it, while the answer goes on."""
    source = live.source(label)
    return first_citation(shown.text[-_SENTENCE_BEFORE:], source) if source else None


def _check(question: Question, retrieved: Retrieved, draft: Draft, cited: Cited, scrutiny: Scrutiny) -> Answer:
    """Step 6: only offered labels, each judged; and the refusal where nothing is cited or nothing backs what is."""
    _report(cited.removed)
    cites = any(claim.labels for claim in find_claims(cited.text))
    reason = reason_to_refuse(cited.text, cites=cites)
    if reason:
        return _refuse(_told_of(retrieved, reason), retrieved, draft, removed=cited.removed)
    grounded = ground(cited, scrutiny)
    draft = replace(draft, usage=draft.usage + grounded.usage)
    if not grounded.citations:
        return _refuse(RefusalReason.UNSUPPORTED_CLAIMS, retrieved, draft, removed=cited.removed)
    with_citations = question.include_citations
    text = grounded.text if with_citations else check_citations(grounded.text, ()).text
    return Answer(
        text=_widening_notice(retrieved) + text.strip(),
        citations=grounded.citations if with_citations else (),
        refusal=None,
        model=draft.model,
        retrieved=retrieved,
        usage=draft.usage,
        timings_ms={},
        removed_labels=cited.removed,
        grounding=grounded.grounding,
    )


def _told_of(retrieved: Retrieved, reason: RefusalReason) -> RefusalReason:
    """The reason as what was found explains it, where the writer found no answer in it."""
    if reason is not RefusalReason.BELOW_THRESHOLD:
        return reason
    if retrieved.widened and not retrieved.silent_then:
        return RefusalReason.TIME_RANGE_EMPTY  # and what was written around holds no answer
    return reason if retrieved.nearest else RefusalReason.NO_CANDIDATES


def _chat_without_notes(
    question: Question, shown: Shown, writers: _Writers, template: Template | None
) -> Generator[AnswerEvent, None, Answer]:
    timer = StepTimer()
    texts = _linkable(question, ())
    prompt = build_plain_prompt(question, template=template)
    draft = yield from _write(prompt, writers, shown, lambda: LiveText((), texts))
    timer.end("write")
    cited = check_citations(draft.text, ())
    _report(cited.removed)
    return Answer(
        passive(cited.text.strip(), texts), (), None, draft.model, None, draft.usage, timer.timings_ms, cited.removed
    )


def _refuse(reason: RefusalReason, retrieved: Retrieved, draft: Draft, removed: tuple[str, ...] = ()) -> Answer:
    return Answer(refusal_text(reason), (), reason, draft.model, retrieved, draft.usage, {}, removed)


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
    found = f"nothing about this in the notes {then}" if retrieved.silent_then else f"no notes {then}"
    return f"I found {found}, so I looked further ({retrieved.widened}). "

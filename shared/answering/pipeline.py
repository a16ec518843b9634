"""What retrieval found -> the checked answer (steps 5 and 6): label, prompt, write, check, quote."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import replace

from shared.answering.citations import check_citations
from shared.answering.claims import find_claims
from shared.answering.drafts import write_draft
from shared.answering.prompt import build_plain_prompt, build_prompt
from shared.answering.quotes import quote_sources
from shared.answering.refusals import reason_to_refuse, refusal_text
from shared.answering.sources import label_sources
from shared.domain import Answer, Draft, Question, RefusalReason, Retrieved, Source, Template, TemplateMatch
from shared.ports import Writer

log = logging.getLogger(__name__)

_NO_DRAFT = Draft("", "none")


def answer(
    question: Question,
    retrieved: Retrieved | None,
    *,
    writer: Writer,
    fallback: Writer,
    template: TemplateMatch | None = None,
) -> Answer:
    """Question and passages -> an answer whose every marker points at a passage it was given, or a refusal.

    `retrieved` None or `question.use_notes` False: plain chat, no sources, no markers. `Answer.model` names
    who wrote: `fallback` where `writer` is away, refuses or writes nothing; "none" where retrieval refused
    and nobody was asked. Citations are empty if the question wants none; they are checked all the same.
    `template`: along whose steps a model lays the answer out.
    """
    written = _written(question, retrieved, writer, fallback, template.template if template else None)
    return replace(written, template=template)


def _written(
    question: Question, retrieved: Retrieved | None, writer: Writer, fallback: Writer, template: Template | None
) -> Answer:
    if retrieved is None or not question.use_notes:
        return _chat_without_notes(question, writer, fallback, template)
    if retrieved.refusal:
        return _refuse(retrieved.refusal, retrieved, _NO_DRAFT)
    sources = label_sources(retrieved.selected)
    prompt = build_prompt(question, retrieved, sources, template=template)
    started = time.perf_counter()
    draft = write_draft(prompt, writer=writer, fallback=fallback)
    written = time.perf_counter()
    checked = _check(question, retrieved, draft, sources)
    timings = {"write": (written - started) * 1e3, "check": (time.perf_counter() - written) * 1e3}
    return replace(checked, timings_ms=timings)


def _check(question: Question, retrieved: Retrieved, draft: Draft, sources: Sequence[Source]) -> Answer:
    """Step 6: only offered labels, and the refusal where nothing is cited."""
    cited = check_citations(draft.text, sources)
    _report(cited.removed)
    claims = find_claims(cited.text)
    reason = reason_to_refuse(cited.text, cites=any(claim.labels for claim in claims))
    if reason is RefusalReason.BELOW_THRESHOLD and retrieved.widened:
        reason = RefusalReason.TIME_RANGE_EMPTY  # nothing was written then, and what was written around holds no answer
    if reason:
        return _refuse(reason, retrieved, draft, removed=cited.removed)
    with_citations = question.include_citations
    text = cited.text if with_citations else check_citations(cited.text, ()).text
    return Answer(
        text=_widening_notice(retrieved) + text.strip(),
        citations=quote_sources(claims, cited.used) if with_citations else (),
        refusal=None,
        model=draft.model,
        retrieved=retrieved,
        usage=draft.usage,
        timings_ms={},
        removed_labels=cited.removed,
    )


def _chat_without_notes(question: Question, writer: Writer, fallback: Writer, template: Template | None) -> Answer:
    started = time.perf_counter()
    draft = write_draft(build_plain_prompt(question, template=template), writer=writer, fallback=fallback)
    timings = {"write": (time.perf_counter() - started) * 1e3}
    cited = check_citations(draft.text, ())
    _report(cited.removed)
    return Answer(cited.text.strip(), (), None, draft.model, None, draft.usage, timings, cited.removed)


def _refuse(reason: RefusalReason, retrieved: Retrieved, draft: Draft, removed: tuple[str, ...] = ()) -> Answer:
    return Answer(refusal_text(reason), (), reason, draft.model, retrieved, draft.usage, {}, removed)


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

"""Question -> the passages that answer it, or why there are none (steps 1 to 4 of answering)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from shared.domain import (
    Analysis,
    Folder,
    Question,
    RefusalReason,
    Restriction,
    Retrieved,
    Scored,
    TimeHint,
    TimeRange,
    Vector,
)
from shared.ports import Embedder
from shared.retrieval.analysis import analyse
from shared.retrieval.candidates import Search, gather
from shared.retrieval.embedding import embed_question
from shared.retrieval.laps import Laps
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.pool import Pool, mode_of
from shared.retrieval.ranking import best_first
from shared.retrieval.refusals import NotesAndIndex, why_nothing
from shared.retrieval.restriction import restrict, within
from shared.retrieval.scores import Formula, keyword_parts
from shared.retrieval.selection import best_of_notes, select
from shared.retrieval.widening import widen

__all__ = ["RetrievalOptions", "RetrievalStore", "retrieve"]

NEAREST = 3
"""Notes shown beside a refusal."""


class RetrievalStore(NotesAndIndex, Protocol):
    """What retrieval needs of a store."""

    def folders(self, tenant_id: str) -> tuple[Folder, ...]: ...


def retrieve(
    question: Question,
    *,
    store: RetrievalStore,
    embedder: Embedder | None,
    options: RetrievalOptions,
    pool: Executor,
) -> Retrieved:
    """Best passages first. `pool` runs the legs; the caller must not be one of its tasks.

    Raises NotFound and InvalidArgument for the question's filters, StoreUnavailable. A model that is away is no error.
    """
    laps = Laps()
    analysis = analyse(question)
    laps.end("analysis")
    allowed = restrict(question.filters, question.now, partial(store.folders, question.tenant_id))
    laps.end("restriction")
    search = Search(
        tenant_id=question.tenant_id,
        stems=analysis.stems,
        now=question.now,
        posting_budget=options.posting_budget if embedder else options.posting_budget_alone,
        store=store,
        options=options,
        executor=pool,
    )
    found = _find(search, allowed, analysis.time, partial(embed_question, question.text, embedder))
    laps.end("candidates")
    rank = partial(_rank, question, analysis, search=search, unrelated_cosine=_unrelated(embedder))
    wanted = _wanted(question, options)
    selected = select(
        rank(found.pool, threshold=question.threshold), wanted=wanted, max_characters=options.max_characters
    )
    nearest = best_of_notes(selected or rank(_shown(search, found), threshold=0.0), NEAREST)
    laps.end("selection")
    return Retrieved(
        analysis=analysis,
        selected=selected,
        nearest=nearest,
        refusal=None if selected else _reason(found, nearest, question.tenant_id, store),
        mode=mode_of(found.pool, question.strategy),
        candidate_count=len(found.pool.candidates),
        range_used=found.restriction.created,
        widened=found.widened,
        timings_ms=laps.total(),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """The pool and the restriction it obeys. `widened`: the step that was taken for it to hold anything."""

    pool: Pool
    restriction: Restriction
    widened: str | None = None


def _find(search: Search, allowed: Restriction, hint: TimeHint | None, embed: Callable[[], Vector | None]) -> _Found:
    """What lies in the time the question names; if nothing does, what lies around it. Filters are never widened."""
    named = None if hint is None else hint.range
    restriction = within(allowed, named)
    pool = gather(search, restriction, embed)
    if pool.candidates or named is None or pool.stats.chunk_count == 0:
        return _Found(pool, restriction)

    def holds(around: TimeRange | None) -> bool:
        return bool(search.store.recent(search.tenant_id, limit=1, stems=(), restriction=within(allowed, around)))

    wider = widen(named, holds)
    if wider is None:
        return _Found(pool, allowed)
    restriction = within(allowed, wider.range)
    return _Found(gather(search, restriction, lambda: pool.query), restriction, wider.step)


def _rank(
    question: Question, analysis: Analysis, pool: Pool, *, threshold: float, search: Search, unrelated_cosine: float
) -> Iterator[Scored]:
    formula = Formula(
        options=search.options,
        mode=mode_of(pool, question.strategy),
        now=question.now,
        named=analysis.time.range if analysis.time else None,
        unrelated_cosine=unrelated_cosine,
        keyword=keyword_parts(pool, search.options),
    )
    head = max(NEAREST, _wanted(question, search.options))
    return best_first(pool, formula, tenant_id=question.tenant_id, store=search.store, threshold=threshold, head=head)


def _shown(search: Search, found: _Found) -> Pool:
    """What the nearest notes are taken from: the pool, or if it is empty what there is at other times."""
    anytime = replace(found.restriction, created=None)
    if found.pool.candidates or found.restriction == anytime:
        return found.pool
    return gather(search, anytime, lambda: found.pool.query)


def _reason(found: _Found, nearest: tuple[Scored, ...], tenant_id: str, store: RetrievalStore) -> RefusalReason:
    if found.pool.candidates and nearest:
        return RefusalReason.BELOW_THRESHOLD
    return why_nothing(found.pool, found.restriction, tenant_id=tenant_id, store=store)


def _wanted(question: Question, options: RetrievalOptions) -> int:
    return min(question.top_k or options.rerank_to, options.max_chunks)


def _unrelated(embedder: Embedder | None) -> float:
    return 0.0 if embedder is None else embedder.unrelated_cosine

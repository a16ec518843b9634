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
    Place,
    Question,
    RefusalReason,
    Restriction,
    Retrieved,
    Scored,
    TimeRange,
)
from shared.ports import Embedder, Reranker
from shared.retrieval.analysis import analyse
from shared.retrieval.candidates import Matches, Query, Search, match
from shared.retrieval.embedding import KnownVector, QueryVector
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.places import gather_from_places, inside, weigher
from shared.retrieval.pool import Pool, mode_of
from shared.retrieval.ranking import best_first
from shared.retrieval.reach import beyond
from shared.retrieval.refusals import NotesAndIndex, why_nothing
from shared.retrieval.reranking import rerank
from shared.retrieval.restriction import restrict, within
from shared.retrieval.scores import Formula, keyword_parts
from shared.retrieval.selection import best_of_notes, select
from shared.retrieval.series import beside
from shared.retrieval.widening import ANY_TIME, widen
from shared.step_timer import StepTimer

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
    places: tuple[Place, ...] = (),
    reranker: Reranker | None = None,
) -> Retrieved:
    """Best passages first. `pool` runs the legs; the caller must not be one of its tasks. `places`: where alone to
    look, scores multiplied by the weights given; none: everywhere alike.

    Raises NotFound and InvalidArgument for the question's filters, StoreUnavailable. A model that is away is no error.
    """
    trail = follow(
        question, store=store, embedder=embedder, options=options, pool=pool, places=places, reranker=reranker
    )
    return trail.retrieved


@dataclass(frozen=True, slots=True)
class Trail:
    """A retrieval with what it went by, for those who ask why."""

    search: Search
    restriction: Restriction
    """After widening."""
    pool: Pool
    formula: Formula
    retrieved: Retrieved


def follow(
    question: Question,
    *,
    store: RetrievalStore,
    embedder: Embedder | None,
    options: RetrievalOptions,
    pool: Executor,
    places: tuple[Place, ...] = (),
    reranker: Reranker | None = None,
) -> Trail:
    """As `retrieve`, the way included."""
    timer = StepTimer()
    analysis = analyse(question)
    timer.end("analysis")
    allowed = inside(restrict(question.filters, question.now, partial(store.folders, question.tenant_id)), places)
    timer.end("restriction")
    search = Search(
        tenant_id=question.tenant_id,
        stems=analysis.stems,
        now=question.now,
        posting_budget=options.posting_budget if embedder else options.posting_budget_alone,
        store=store,
        options=options,
        executor=pool,
        places=places,
    )
    found = _find(search, allowed, analysis, QueryVector.of(question.text, analysis, embedder))
    timer.end("candidates")
    score_of = partial(_formula, question, analysis, options=options, places=places, embedder=embedder)
    wanted, formula = _wanted(question, options), score_of(found.pool)
    in_order = _rank(found.pool, formula, search, wanted=wanted, threshold=question.threshold)
    ranked, reranked = rerank(question.text, in_order, reranker, limit=options.rerank_from)
    selected = select(ranked, wanted=wanted, max_characters=options.max_characters)
    best = best_of_notes(selected or _ranked_anyhow(_shown(search, found), score_of, search), NEAREST)
    nearest = tuple(filter(formula.speaks_of, best))
    timer.end("selection")
    retrieved = Retrieved(
        analysis=analysis,
        selected=selected,
        nearest=nearest,
        refusal=None if selected else _reason(found, nearest, question.tenant_id, store),
        mode=mode_of(found.pool, question.strategy),
        candidate_count=len(found.pool.candidates),
        range_used=found.restriction.created,
        widened=found.widened,
        silent_then=found.silent_then,
        timings_ms=timer.with_total("retrieval"),
        places=places,
        silent_vaults=tuple(sorted(found.pool.silent_vaults)),
        reranked=reranked,
    )
    return Trail(search, found.restriction, found.pool, formula, retrieved)


@dataclass(frozen=True, slots=True)
class _Found:
    """The pool and the restriction it obeys. `widened`: the step that was taken for it to hold anything."""

    pool: Pool
    restriction: Restriction
    widened: str | None = None
    silent_then: bool = False
    """As in `Retrieved`."""


def _find(search: Search, allowed: Restriction, analysis: Analysis, query: Query) -> _Found:
    """What lies in the time the question names; what lies around it if nothing does, and what lies at any time if
    that alone speaks of the question. Filters are never widened.
    """
    hint = analysis.time
    if hint is None:
        return _Found(gather_from_places(search, allowed, query), allowed)
    restriction = within(allowed, hint.range)
    matches = match(search, restriction)
    if matches.stats.chunk_count and not matches.chunks and not _holds(search, restriction):
        return _around(search, allowed, hint.range, matches, lang=analysis.lang, query=query)
    if anywhere := beyond(search, allowed, hint.range, matches, lang=analysis.lang):
        return _Found(gather_from_places(search, allowed, query, anywhere), allowed, ANY_TIME, silent_then=True)
    return _Found(gather_from_places(search, restriction, query, matches), restriction)


def _holds(search: Search, restriction: Restriction) -> bool:
    return bool(search.store.recent(search.tenant_id, limit=1, stems=(), restriction=restriction))


def _around(
    search: Search, allowed: Restriction, named: TimeRange, known: Matches, *, lang: str, query: Query
) -> _Found:
    """Nothing lies in the time named: what lies around it is left as what lies inside would be."""
    wider = widen(named, lambda around: _holds(search, within(allowed, around)))
    if wider is None:
        return _Found(gather_from_places(search, within(allowed, named), query), allowed)
    restriction = within(allowed, wider.range)
    matches = match(search, restriction, known)
    if wider.range and (anywhere := beyond(search, allowed, wider.range, matches, lang=lang)):
        return _Found(gather_from_places(search, allowed, query, anywhere), allowed, ANY_TIME)
    return _Found(gather_from_places(search, restriction, query, matches), restriction, wider.step)


def _formula(
    question: Question,
    analysis: Analysis,
    pool: Pool,
    *,
    options: RetrievalOptions,
    places: tuple[Place, ...],
    embedder: Embedder | None,
) -> Formula:
    keyword = keyword_parts(pool, options)
    return Formula(
        options=options,
        mode=mode_of(pool, question.strategy),
        now=question.now,
        named=analysis.time.range if analysis.time else None,
        unrelated_cosine=0.0 if embedder is None else embedder.unrelated_cosine,
        keyword=keyword,
        beside=beside(pool, keyword),
        weigh=weigher(places),
    )


def _rank(pool: Pool, formula: Formula, search: Search, *, wanted: int, threshold: float) -> Iterator[Scored]:
    head = max(NEAREST, wanted)
    return best_first(pool, formula, tenant_id=search.tenant_id, store=search.store, threshold=threshold, head=head)


def _ranked_anyhow(pool: Pool, score_of: Callable[[Pool], Formula], search: Search) -> Iterator[Scored]:
    return _rank(pool, score_of(pool), search, wanted=NEAREST, threshold=0.0)


def _shown(search: Search, found: _Found) -> Pool:
    """What the nearest notes are taken from: the pool, or if it is empty what there is at other times."""
    anytime = replace(found.restriction, created=None)
    if found.pool.candidates or found.restriction == anytime:
        return found.pool
    return gather_from_places(search, anytime, KnownVector(found.pool.query))


def _reason(found: _Found, nearest: tuple[Scored, ...], tenant_id: str, store: RetrievalStore) -> RefusalReason:
    if found.pool.candidates and nearest:
        return RefusalReason.BELOW_THRESHOLD
    return why_nothing(found.pool, found.restriction, tenant_id=tenant_id, store=store)


def _wanted(question: Question, options: RetrievalOptions) -> int:
    return min(question.top_k or options.rerank_to, options.max_chunks)

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
    TimeHint,
    TimeRange,
    Vector,
)
from shared.laps import Laps
from shared.ports import Embedder
from shared.retrieval.analysis import analyse
from shared.retrieval.candidates import Search
from shared.retrieval.embedding import embed_question
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.places import gather_from_places, inside, weigher
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
    places: tuple[Place, ...] = (),
) -> Retrieved:
    """Best passages first. `pool` runs the legs; the caller must not be one of its tasks. `places`: where alone to
    look, scores multiplied by the weights given; none: everywhere alike.

    Raises NotFound and InvalidArgument for the question's filters, StoreUnavailable. A model that is away is no error.
    """
    return follow(question, store=store, embedder=embedder, options=options, pool=pool, places=places).retrieved


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
) -> Trail:
    """As `retrieve`, the way included."""
    laps = Laps()
    analysis = analyse(question)
    laps.end("analysis")
    allowed = inside(restrict(question.filters, question.now, partial(store.folders, question.tenant_id)), places)
    laps.end("restriction")
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
    found = _find(search, allowed, analysis.time, partial(embed_question, question.text, embedder))
    laps.end("candidates")
    score_of = partial(_formula, question, analysis, options=options, places=places, embedder=embedder)
    wanted, formula = _wanted(question, options), score_of(found.pool)
    ranked = _rank(found.pool, formula, search, wanted=wanted, threshold=question.threshold)
    selected = select(ranked, wanted=wanted, max_characters=options.max_characters)
    nearest = best_of_notes(selected or _ranked_anyhow(_shown(search, found), score_of, search), NEAREST)
    laps.end("selection")
    retrieved = Retrieved(
        analysis=analysis,
        selected=selected,
        nearest=nearest,
        refusal=None if selected else _reason(found, nearest, question.tenant_id, store),
        mode=mode_of(found.pool, question.strategy),
        candidate_count=len(found.pool.candidates),
        range_used=found.restriction.created,
        widened=found.widened,
        timings_ms=laps.total("retrieval"),
        places=places,
        silent_vaults=tuple(sorted(found.pool.silent_vaults)),
    )
    return Trail(search, found.restriction, found.pool, formula, retrieved)


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
    pool = gather_from_places(search, restriction, embed)
    if pool.candidates or named is None or pool.stats.chunk_count == 0:
        return _Found(pool, restriction)

    def holds(around: TimeRange | None) -> bool:
        return bool(search.store.recent(search.tenant_id, limit=1, stems=(), restriction=within(allowed, around)))

    wider = widen(named, holds)
    if wider is None:
        return _Found(pool, allowed)
    restriction = within(allowed, wider.range)
    return _Found(gather_from_places(search, restriction, lambda: pool.query), restriction, wider.step)


def _formula(
    question: Question,
    analysis: Analysis,
    pool: Pool,
    *,
    options: RetrievalOptions,
    places: tuple[Place, ...],
    embedder: Embedder | None,
) -> Formula:
    return Formula(
        options=options,
        mode=mode_of(pool, question.strategy),
        now=question.now,
        named=analysis.time.range if analysis.time else None,
        unrelated_cosine=0.0 if embedder is None else embedder.unrelated_cosine,
        keyword=keyword_parts(pool, options),
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
    return gather_from_places(search, anytime, lambda: found.pool.query)


def _reason(found: _Found, nearest: tuple[Scored, ...], tenant_id: str, store: RetrievalStore) -> RefusalReason:
    if found.pool.candidates and nearest:
        return RefusalReason.BELOW_THRESHOLD
    return why_nothing(found.pool, found.restriction, tenant_id=tenant_id, store=store)


def _wanted(question: Question, options: RetrievalOptions) -> int:
    return min(question.top_k or options.rerank_to, options.max_chunks)

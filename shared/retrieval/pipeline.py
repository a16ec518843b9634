"""Question -> the passages that answer it, or why there are none (steps 1 to 4 of answering)."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from shared.language.terms import content_words
from shared.model.notes import Folder
from shared.model.questions import Question
from shared.model.retrieval import (
    Analysis,
    Place,
    RefusalReason,
    Reranked,
    Restriction,
    Retrieved,
    Scored,
)
from shared.ports.models import Embedder, Reranker
from shared.retrieval.analysis import analyse
from shared.retrieval.bm25 import idf
from shared.retrieval.candidates.finding import Found, find
from shared.retrieval.candidates.legs import Search
from shared.retrieval.candidates.places import gather_from_places, inside, weigher
from shared.retrieval.candidates.pool import Pool, mode_of
from shared.retrieval.candidates.vector_leg import query_vector
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.refusals import NotesAndIndex, why_nothing
from shared.retrieval.restriction import restrict
from shared.retrieval.scoring.ranking import best_first, once
from shared.retrieval.scoring.reranking import rerank
from shared.retrieval.scoring.scale import UNKNOWN
from shared.retrieval.scoring.scores import Formula, keyword_parts
from shared.retrieval.scoring.selection import best_of_notes, select
from shared.tracing.steps import StepTimer

__all__ = ["RetrievalOptions", "RetrievalStore", "retrieve"]

NEAREST = 3
"""Notes shown beside a refusal."""


class RetrievalStore(NotesAndIndex, Protocol):
    """What retrieval needs of a store."""

    def folders(self, tenant_id: str) -> tuple[Folder, ...]: ...


@dataclass(frozen=True, slots=True)
class Trail:
    """A retrieval with what it went by, for those who ask why."""

    search: Search
    restriction: Restriction
    """After widening."""
    pool: Pool
    formula: Formula
    retrieved: Retrieved
    words: tuple[str, ...]
    """Whose letters count beside their stems."""


def retrieve(
    question: Question,
    *,
    store: RetrievalStore,
    embedder: Embedder | None,
    options: RetrievalOptions,
    pool: Executor,
    places: tuple[Place, ...] = (),
    reranker: Reranker | None = None,
) -> Trail:
    """Best passages first, and how they were found. `pool` runs the legs; the caller must not be one of its tasks.
    `places`: where alone to look, scores multiplied by the weights given; none: everywhere alike.

    Raises NotFound and InvalidArgument for the question's filters, StoreUnavailable. A model that is away is no error,
    nor is a leg whose search fails while another brings something.
    """
    timer = StepTimer()
    # 1. What is asked.
    analysis = analyse(question)
    timer.end("analysis")
    # 2. Where to look for it.
    folders = partial(store.folders, question.tenant_id)
    allowed = inside(restrict(question.filters, question.now, folders), places)
    timer.end("restriction")
    # 3. What may answer it.
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
    found = find(search, allowed, analysis, partial(query_vector, question.text, embedder))
    if not found.pool.candidates:
        search.silence.check()
    timer.end("candidates")
    # 4. What of that is good enough, best first.
    picked = _pick(question, analysis, search, found, embedder=embedder, reranker=reranker)
    timer.end("selection")
    refusal = None if picked.selected else _reason(found, picked.nearest, question.tenant_id, store)
    timings = timer.with_total("retrieval")
    retrieved = _retrieved(analysis, search, found, picked, refusal=refusal, timings=timings)
    return Trail(
        search=search,
        restriction=found.restriction,
        pool=found.pool,
        formula=picked.formula,
        retrieved=retrieved,
        words=picked.words,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Picked:
    """What is taken from the candidates, and by what. `selected`, `nearest` and `reranked` as in `Retrieved`."""

    words: tuple[str, ...]
    formula: Formula
    selected: tuple[Scored, ...]
    nearest: tuple[Scored, ...]
    reranked: Reranked | None


def _pick(
    question: Question,
    analysis: Analysis,
    search: Search,
    found: Found,
    *,
    embedder: Embedder | None,
    reranker: Reranker | None,
) -> _Picked:
    words, options = _unspoken(analysis, embedder), search.options
    score_of = partial(_formula, question, analysis, search, embedder=embedder, words=words)
    wanted, formula = min(question.top_k or options.rerank_to, options.max_chunks), score_of(found.pool)
    records = once(partial(search.store.live_records, search.tenant_id))
    rank = partial(best_first, vectors=once(search.vectors), records=records)
    in_order = rank(found.pool, formula, threshold=question.threshold, head=max(NEAREST, wanted))
    ranked, reranked = rerank(question.text, in_order, reranker, limit=options.rerank_from)
    selected = select(ranked, wanted=wanted, max_characters=options.max_characters)
    if not selected:
        shown = _shown(search, found)
        in_order = rank(shown, score_of(shown), threshold=0.0, head=NEAREST)
    best = best_of_notes(selected or in_order, NEAREST)
    nearest = tuple(filter(formula.speaks_of, best))
    return _Picked(words=words, formula=formula, selected=selected, nearest=nearest, reranked=reranked)


def _formula(
    question: Question,
    analysis: Analysis,
    search: Search,
    pool: Pool,
    *,
    embedder: Embedder | None,
    words: tuple[str, ...],
) -> Formula:
    options = search.options
    return Formula(
        options=options.by_words if words else options,
        mode=mode_of(pool, question.strategy),
        now=question.now,
        named=analysis.time.range if analysis.time else None,
        only_then=analysis.time is not None and analysis.time.restricts,
        scale=(embedder.scale if embedder else None) or UNKNOWN,
        keyword=keyword_parts(pool, options, words=words),
        weigh=weigher(search.places),
    )


def _retrieved(
    analysis: Analysis,
    search: Search,
    found: Found,
    picked: _Picked,
    *,
    refusal: RefusalReason | None,
    timings: Mapping[str, float],
) -> Retrieved:
    return Retrieved(
        analysis=analysis,
        selected=picked.selected,
        nearest=picked.nearest,
        refusal=refusal,
        mode=picked.formula.mode,
        candidate_count=len(found.pool.candidates),
        range_used=found.restriction.created,
        widened=found.widened,
        timings_ms=timings,
        places=search.places,
        silent_vaults=tuple(sorted(found.pool.silent_vaults)),
        reranked=picked.reranked,
        weights=idf(found.pool.frequencies, found.pool.stats),
        silent_legs=search.silence.legs,
        by_words=bool(picked.words),
    )


def _unspoken(analysis: Analysis, embedder: Embedder | None) -> tuple[str, ...]:
    """The words asked for, in a language that the embedder does not speak; none in one that it does."""
    if embedder is None or embedder.languages is None or analysis.lang in embedder.languages:
        return ()
    return tuple(word for word, _, _ in content_words(analysis.subject, analysis.lang))


def _shown(search: Search, found: Found) -> Pool:
    """What the nearest notes are taken from: the pool, or if it is empty what there is at other times."""
    anytime = replace(found.restriction, created=None)
    if found.pool.candidates or found.restriction == anytime:
        return found.pool
    return gather_from_places(search, anytime, lambda: found.pool.query)


def _reason(found: Found, nearest: tuple[Scored, ...], tenant_id: str, store: RetrievalStore) -> RefusalReason:
    if found.pool.candidates and nearest:
        return RefusalReason.BELOW_THRESHOLD
    return why_nothing(found.pool, found.restriction, tenant_id=tenant_id, store=store)

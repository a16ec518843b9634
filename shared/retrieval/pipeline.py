"""Question -> the passages that answer it, or why there are none: steps 1 to 4 of answering, in order."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from shared.language.terms import content_words
from shared.model.notes import Folder, ListedNote
from shared.model.questions import Question
from shared.model.retrieval import Place, RefusalReason, Reranked, Restriction, Retrieved, Scored
from shared.ports.models import Embedder, Reranker
from shared.ports.pages import Page
from shared.ports.stores import SearchStore
from shared.retrieval.analysis import analyse, restrict
from shared.retrieval.bm25 import idf
from shared.retrieval.calibration import UNKNOWN
from shared.retrieval.candidates import Found, Pool, find, gather
from shared.retrieval.legs import Search, query_vector
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.places import inside, weigher
from shared.retrieval.scores import Formula, keyword_parts, titled
from shared.retrieval.selection import best_first, best_of_notes, once, rerank, select
from shared.tracing import StepTimer

NEAREST = 3
"""Notes shown beside a refusal."""


class RetrievalStore(SearchStore, Protocol):
    """What retrieval needs of a store: the index, and whether there are notes behind it."""

    def folders(self, tenant_id: str) -> tuple[Folder, ...]: ...

    def list_notes(
        self, tenant_id: str, *, limit: int, token: str | None = None, vault: str | None = None
    ) -> Page[ListedNote]: ...


@dataclass(frozen=True, slots=True)
class RetrievalTrace:
    """A retrieval with everything that it went by, for explanations."""

    search: Search
    restriction: Restriction
    """After widening."""
    pool: Pool
    formula: Formula
    retrieved: Retrieved
    words: tuple[str, ...]
    """Whose letters count beside their stems."""


@dataclass(frozen=True, slots=True)
class _Picked:
    """`selected`, `nearest` and `reranked` as in `Retrieved`."""

    selected: tuple[Scored, ...]
    nearest: tuple[Scored, ...]
    reranked: Reranked | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retriever:
    """Searches the notes of every tenant. Built once, safe between threads."""

    store: RetrievalStore
    embedder_of: Callable[[str], Embedder | None]
    """Tenant -> the embedder at its expense; None: there is no embedder."""
    options: RetrievalOptions
    executor: Executor
    """Runs the legs; the caller must not be one of its tasks."""
    reranker: Reranker | None = None

    def retrieve(
        self, question: Question, *, options: RetrievalOptions | None = None, places: tuple[Place, ...] = ()
    ) -> RetrievalTrace:
        """Best passages first, and how they were found. `places`: where alone to look, scores multiplied by the weights
        given; none: everywhere alike.

        Raises NotFound and InvalidArgument for the question's filters, StoreUnavailable. A model that is away is no
        error, nor is a leg whose search fails while another brings something.
        """
        timer, options = StepTimer(), options or self.options
        embedder = self.embedder_of(question.tenant_id)
        # 1. Analyse.
        analysis = analyse(question)
        timer.end("analysis")
        allowed = restrict(question.filters, question.now, partial(self.store.folders, question.tenant_id))
        timer.end("restriction")
        # 2. Candidates.
        search = Search(
            tenant_id=question.tenant_id,
            stems=analysis.stems,
            now=question.now,
            posting_budget=options.posting_budget if embedder else options.posting_budget_alone,
            store=self.store,
            options=options,
            executor=self.executor,
            places=places,
        )
        query = self.executor.submit(query_vector, question.text, embedder)
        found = find(search, inside(allowed, places), analysis.time, query.result)
        if not found.pool.candidates:
            search.failed.check()
        timer.end("candidates")
        # 3. Score.
        spoken = embedder is None or embedder.languages is None or analysis.lang in embedder.languages
        words = () if spoken else tuple(word for word, _, _ in content_words(analysis.subject, analysis.lang))
        formula = Formula(
            options=options.by_words if words else options,
            mode=found.pool.mode(question.strategy),
            now=question.now,
            named=analysis.time.range if analysis.time else None,
            only_then=analysis.time is not None and analysis.time.restricts,
            calibration=(embedder.calibration if embedder else None) or UNKNOWN,
            keyword=keyword_parts(found.pool, options, words=words),
            titled=titled((each.chunk for each in found.pool.candidates), analysis.stems, analysis.lang),
            weigh=weigher(places),
        )
        # 4. Rerank and select.
        picked = self._pick(question, search, found, formula, words)
        timer.end("selection")
        retrieved = Retrieved(
            analysis=analysis,
            selected=picked.selected,
            nearest=picked.nearest,
            refusal=None if picked.selected else self._refusal(found, picked.nearest, question.tenant_id),
            mode=formula.mode,
            candidate_count=len(found.pool.candidates),
            range_used=found.restriction.created,
            widened=found.widened,
            timings_ms=timer.with_total("retrieval"),
            places=places,
            failed_vaults=tuple(sorted(found.pool.failed_vaults)),
            reranked=picked.reranked,
            weights=idf(found.pool.frequencies, found.pool.stats),
            failed_legs=search.failed.reported,
            by_words=bool(words),
        )
        return RetrievalTrace(
            search=search,
            restriction=found.restriction,
            pool=found.pool,
            formula=formula,
            retrieved=retrieved,
            words=words,
        )

    def _pick(
        self, question: Question, search: Search, found: Found, formula: Formula, words: tuple[str, ...]
    ) -> _Picked:
        """Without a passage that passes the threshold the nearest notes come from anything that is there, and if the
        pool is empty from any time.
        """
        options = search.options
        wanted = min(question.top_k or options.rerank_to, options.max_chunks)
        records = once(partial(self.store.live_records, question.tenant_id))
        rank = partial(best_first, vectors=once(search.vectors), records=records)
        in_order = rank(found.pool, formula, threshold=question.threshold, head=max(NEAREST, wanted))
        ranked, reranked = rerank(question.text, in_order, self.reranker, limit=options.rerank_from)
        selected = select(ranked, wanted=wanted, max_characters=options.max_characters)
        if not selected:
            pool, anytime = found.pool, replace(found.restriction, created=None)
            if not pool.candidates and found.restriction != anytime:
                pool = gather(search, anytime, lambda: found.pool.query)
            keyword = keyword_parts(pool, options, words=words)
            shown = replace(formula, mode=pool.mode(question.strategy), keyword=keyword)
            in_order = rank(pool, shown, threshold=0.0, head=NEAREST)
        best = best_of_notes(selected or in_order, NEAREST)
        return _Picked(selected, tuple(filter(formula.speaks_of, best)), reranked)

    def _refusal(self, found: Found, nearest: tuple[Scored, ...], tenant_id: str) -> RefusalReason:
        """Why nothing was selected. Costs a read or two."""
        pool, restriction = found.pool, found.restriction
        if pool.candidates:
            return RefusalReason.BELOW_THRESHOLD if nearest else self._unrelated(pool, tenant_id)
        if pool.stats.chunk_count == 0:
            has_notes = self.store.list_notes(tenant_id, limit=1).items
            return RefusalReason.INDEX_PENDING if has_notes else RefusalReason.NO_NOTES
        if restriction.created is not None:
            anytime = Restriction(scopes=restriction.scopes)
            if self.store.recent(tenant_id, limit=1, stems=(), restriction=anytime):
                return RefusalReason.TIME_RANGE_EMPTY
        return RefusalReason.NO_CANDIDATES

    def _unrelated(self, pool: Pool, tenant_id: str) -> RefusalReason:
        """No candidate is related to the question, or none is of its note's current revision."""
        chunks = [candidate.chunk for candidate in pool.candidates]
        live = self.store.live_records(tenant_id, sorted({chunk.note_id for chunk in chunks}))
        rewritten = any(
            chunk.note_id in live and live[chunk.note_id].note_revision != chunk.note_revision for chunk in chunks
        )
        return RefusalReason.INDEX_PENDING if rewritten else RefusalReason.NO_CANDIDATES

"""Question -> the passages that answer it, or why there are none: steps 1 to 4 of answering, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial

from shared.model.questions import Question
from shared.model.retrieval import FailedLeg, Place, RefusalReason, Retrieved, Scored
from shared.ports.models import Embedder, Reranker
from shared.ports.stores import Store
from shared.retrieval.analysis import analyse, restrict
from shared.retrieval.bm25 import idf, in_known_words
from shared.retrieval.candidates import Pool, find, gather
from shared.retrieval.context import contexts
from shared.retrieval.legs import Search, query_vector
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.places import inside
from shared.retrieval.scores import Formula, keyword_parts
from shared.retrieval.selection import best_first, best_of_notes, rerank, select
from shared.tracing import StepTimer

NEAREST = 3
"""Notes shown beside a refusal."""


@dataclass(frozen=True, slots=True)
class RetrievalTrace:
    """A retrieval with everything that it went by, for explanations."""

    search: Search
    pool: Pool
    formula: Formula
    retrieved: Retrieved


@dataclass(frozen=True, slots=True, kw_only=True)
class Retriever:
    """Searches the notes of every tenant. Built once, safe between threads."""

    store: Store
    embedder_of: Callable[[str], Embedder | None]
    """Tenant -> the embedder at its expense; None: there is no embedder."""
    options: RetrievalOptions
    executor: Executor
    """Runs the legs; the caller must not be one of its tasks."""
    reranker: Reranker | None = None
    before: tuple[Retriever, Callable[[str], bool]] | None = None
    """During a change of the embedding model: who searches by the vectors of before, and for which tenants."""

    def retrieve(
        self, question: Question, *, options: RetrievalOptions | None = None, places: tuple[Place, ...] = ()
    ) -> RetrievalTrace:
        """Best passages first, and how they were found. `places`: where alone to look, scores multiplied by the weights
        given; none: everywhere alike.

        Raises NotFound and InvalidArgument for the question's filters, StoreUnavailable. A model that is away is no
        error, nor is a leg whose search fails while another brings something.
        """
        if self.before and self.before[1](question.tenant_id):
            searcher, version = self.before[0], self.before[0].options.index_version
            options = options and replace(options, index_version=version, kept=True)
            return searcher.retrieve(question, options=options, places=places)
        timer, embedder = StepTimer(), self.embedder_of(question.tenant_id)
        # 1. Analyse.
        analysis = analyse(question)
        timer.end("analysis")
        folders = partial(self.store.folders, question.tenant_id)
        allowed = inside(restrict(question.filters, question.now, folders), places)
        timer.end("restriction")
        # 2. Candidates.
        search = Search(
            question=question,
            analysis=analysis,
            embedder=embedder,
            query=self.executor.submit(query_vector, question.text, embedder).result,
            store=self.store,
            options=options or self.options,
            executor=self.executor,
            places=places,
        )
        pool = find(search, allowed, analysis.time)
        known = in_known_words(analysis, pool.frequencies, (each.chunk for each in pool.candidates))
        if known is not analysis:
            search = replace(search, analysis=known)
            pool = find(search, allowed, analysis.time)
        timer.end("candidates")
        # 3. Score.
        alone = Formula.of(search, pool)
        formula = replace(alone, context=contexts(pool, alone))
        # 4. Rerank and select.
        retrieved = self._select(search, pool, formula, timer)
        return RetrievalTrace(search=search, pool=pool, formula=formula, retrieved=retrieved)

    def _select(self, search: Search, pool: Pool, formula: Formula, timer: StepTimer) -> Retrieved:
        question, options = search.question, search.options
        wanted = min(question.top_k or options.rerank_to, options.max_chunks)
        in_order = best_first(pool, formula, search, threshold=question.threshold, head=max(NEAREST, wanted))
        ranked, reranked = rerank(question.text, in_order, self.reranker, limit=options.rerank_from)
        selected = select(ranked, wanted=wanted, max_characters=options.max_characters)
        passages: Iterable[Scored] = selected
        if not selected:  # whatever the threshold, and if the pool is empty from any time
            anytime = replace(pool.restriction, created=None)
            any_pool = pool if pool.candidates or pool.restriction == anytime else gather(search, anytime)
            keyword = keyword_parts(any_pool, options, words=formula.words)
            shown = replace(formula, mode=any_pool.mode(question.strategy), keyword=keyword)
            passages = best_first(any_pool, shown, search, threshold=0.0, head=NEAREST)
        nearest = tuple(filter(formula.speaks_of, best_of_notes(passages, NEAREST)))
        timer.end("selection")
        return Retrieved(
            analysis=search.analysis,
            selected=selected,
            nearest=nearest,
            refusal=None if selected else self._refusal(pool, nearest, question.tenant_id),
            mode=formula.mode,
            candidate_count=len(pool.candidates),
            range_used=pool.restriction.created,
            widened=pool.widened,
            timings_ms=timer.with_total("retrieval"),
            places=search.places,
            failed_vaults=tuple(sorted(pool.failed_vaults)),
            reranked=reranked,
            weights=idf(pool.frequencies, pool.stats),
            failed_legs=tuple(FailedLeg(leg, failure.message) for leg, failure in sorted(search.failures.items())),
            by_words=bool(formula.words),
            query=pool.query,
            embedder=search.embedder.model if search.embedder else "",
        )

    def _refusal(self, pool: Pool, nearest: tuple[Scored, ...], tenant_id: str) -> RefusalReason:
        """Why nothing was selected. Costs a read or two."""
        if pool.candidates and nearest:
            return RefusalReason.BELOW_THRESHOLD
        if pool.candidates:  # none is related to the question, or none is of its note's current revision
            revisions = {(each.chunk.note_id, each.chunk.note_revision) for each in pool.candidates}
            live = self.store.live_records(tenant_id, sorted({note_id for note_id, _ in revisions}))
            rewritten = any(key in live and live[key].note_revision != revision for key, revision in revisions)
            return RefusalReason.INDEX_PENDING if rewritten else RefusalReason.NO_CANDIDATES
        if pool.stats.chunk_count == 0:
            has_notes = self.store.list_notes(tenant_id, limit=1).items
            return RefusalReason.INDEX_PENDING if has_notes else RefusalReason.NO_NOTES
        if pool.restriction.created is not None:
            anytime = replace(pool.restriction, created=None)
            if self.store.recent(tenant_id, limit=1, stems=(), restriction=anytime):
                return RefusalReason.TIME_RANGE_EMPTY
        return RefusalReason.NO_CANDIDATES

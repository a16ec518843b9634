"""Question -> the passages that answer it, or why there are none: steps 1 to 4 of answering, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from zoneinfo import ZoneInfo

from shared.model.questions import Question
from shared.model.retrieval import (
    Analysis,
    FailedLeg,
    RefusalReason,
    Retrieved,
    Scored,
    WeightedFolder,
)
from shared.ports.freshness import Freshness, current, revision_of
from shared.ports.models import Embedder, Reranker
from shared.ports.stores import Store
from shared.retrieval.analysis import analyse, restrict
from shared.retrieval.bm25 import idf
from shared.retrieval.candidates import Pool, find_candidates, gather
from shared.retrieval.context import lifts
from shared.retrieval.folder_weights import inside
from shared.retrieval.legs import LegRunner, query_vector
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.scores import Formula, keyword_parts
from shared.retrieval.selection import best_first, best_of_notes, rerank, select
from shared.retrieval.spelling import correct_spelling, name_as_in_notes
from shared.tracing import StepTimer

NEAREST = 3
"""Notes shown beside a refusal."""


@dataclass(frozen=True, slots=True)
class RetrievalTrace:
    """A retrieval with everything that it went by, for explanations."""

    legs: LegRunner
    pool: Pool
    formula: Formula
    retrieved: Retrieved


@dataclass(frozen=True, slots=True, kw_only=True)
class Retriever:
    """Searches the notes of every tenant. Built once, safe between threads."""

    store: Store
    embedder_of: Callable[[str], Embedder | None]
    """Tenant -> its embedder, whose cost counts for the tenant; None without an embedder."""
    options: RetrievalOptions
    executor: Executor
    """Runs the legs; the caller must not be one of its tasks."""
    reranker: Reranker | None = None
    previous_retriever: Retriever | None = None
    """Searches by the previous embedding model while that model is being replaced; None otherwise."""
    is_changing: Callable[[str], bool] | None = None
    """Tenant -> whether `previous_retriever` still answers its questions; None if it answers nobody's."""

    def retrieve(
        self,
        question: Question,
        *,
        options: RetrievalOptions | None = None,
        weighted_folders: tuple[WeightedFolder, ...] = (),
    ) -> RetrievalTrace:
        """Returns the best passages first, and how they were found.

        weighted_folders: searches only these folders and multiplies scores by their weights. If empty, all folders are
            searched.

        Raises NotFound and InvalidArgument for the question's filters, StoreUnavailable. An unavailable model is not an
        error, and neither is a leg whose search fails while another one finds something.
        """
        previous = self.previous_retriever
        if previous is not None and self._is_changing(question.tenant_id):
            previous_options = previous.options
            if options is not None:
                previous_options = replace(
                    options,
                    index_version=previous.options.index_version,
                    second_vectors=True,
                )
            return previous.search(question, previous_options, weighted_folders)
        return self.search(question, options or self.options, weighted_folders)

    def _is_changing(self, tenant_id: str) -> bool:
        """Reports whether the previous model still answers a tenant's questions."""
        return self.is_changing is not None and self.is_changing(tenant_id)

    def search(
        self,
        question: Question,
        options: RetrievalOptions,
        weighted_folders: tuple[WeightedFolder, ...],
    ) -> RetrievalTrace:
        """Takes the four steps with this retriever's own model. Arguments and errors are those of `retrieve`."""
        timer = StepTimer()
        embedder = self.embedder_of(question.tenant_id)

        # 1. Analyse.
        analysis = analyse(question)
        timer.end("analysis")
        folders = partial(self.store.folders, question.tenant_id)
        by_filters = restrict(question.filters, question.now, folders)
        allowed = inside(by_filters, weighted_folders)
        timer.end("restriction")

        # 2. Candidates.
        query = self.executor.submit(query_vector, question.text, embedder)
        legs = LegRunner(
            question=question,
            analysis=analysis,
            embedder=embedder,
            query=query.result,
            store=self.store,
            options=options,
            executor=self.executor,
            weighted_folders=weighted_folders,
        )
        pool = find_candidates(legs, allowed, analysis.time)
        corrected = _corrected(analysis, pool)
        if corrected is not analysis:
            legs = replace(legs, analysis=corrected)
            pool = find_candidates(legs, allowed, analysis.time)
        timer.end("candidates")

        # 3. Score.
        formula = Formula.of(legs, pool)
        local_now = question.now.astimezone(ZoneInfo(question.zone))
        formula = replace(formula, lifts=lifts(pool, formula, legs.analysis, local_now))

        # 4. Rerank and select.
        retrieved = self._select(legs, pool, formula, timer)
        return RetrievalTrace(
            legs=legs,
            pool=pool,
            formula=formula,
            retrieved=retrieved,
        )

    def _select(self, legs: LegRunner, pool: Pool, formula: Formula, timer: StepTimer) -> Retrieved:
        """Selects passages, or finds out why there are none and which come nearest."""
        question = legs.question
        options = legs.options
        limit = min(question.top_k or options.rerank_to, options.max_chunks)
        scored = best_first(
            pool,
            formula,
            legs,
            threshold=question.threshold,
            head=max(NEAREST, limit),
        )
        ranked, reranked = rerank(question.text, scored, self.reranker, limit=options.rerank_from)
        selected = select(ranked, limit=limit, max_characters=options.max_characters)
        passages: Iterable[Scored] = selected
        if not selected:
            passages = self._nearest_anyhow(legs, pool, formula)
        nearest_notes = best_of_notes(passages, NEAREST)
        nearest = tuple(filter(formula.is_related, nearest_notes))
        refusal = None
        if not selected:
            refusal = self._refusal(pool, nearest, question.tenant_id)
        timer.end("selection")
        embedding_model = ""
        if legs.embedder is not None:
            embedding_model = legs.embedder.model
        return Retrieved(
            analysis=legs.analysis,
            selected=selected,
            nearest=nearest,
            refusal=refusal,
            mode=formula.mode,
            candidate_count=len(pool.candidates),
            range_used=pool.restriction.created,
            widened=pool.widened,
            timings_ms=timer.with_total("retrieval"),
            weighted_folders=legs.weighted_folders,
            failed_vaults=tuple(sorted(pool.failed_vaults)),
            reranked=reranked,
            weights=idf(pool.frequencies, pool.stats),
            failed_legs=_failed_legs(legs),
            lexical_only=bool(formula.ngram_words),
            query=pool.query,
            embedder=embedding_model,
        )

    def _nearest_anyhow(self, legs: LegRunner, pool: Pool, formula: Formula) -> Iterable[Scored]:
        """Ranks passages without a threshold; from any time if the pool is empty."""
        anytime = replace(pool.restriction, created=None)
        if not pool.candidates and pool.restriction != anytime:
            pool = gather(legs, anytime)
        formula = replace(
            formula,
            mode=pool.mode(legs.question.strategy),
            keyword=keyword_parts(pool, legs.options, ngram_words=formula.ngram_words),
        )
        return best_first(pool, formula, legs, threshold=0.0, head=NEAREST)

    def _refusal(self, pool: Pool, nearest: tuple[Scored, ...], tenant_id: str) -> RefusalReason:
        """Finds out why nothing was selected. Costs a read or two."""
        if pool.candidates and nearest:
            return RefusalReason.BELOW_THRESHOLD
        if pool.candidates:
            # None is related to the question, or none is of its note's current revision.
            if self._is_any_rewritten(pool, tenant_id):
                return RefusalReason.INDEX_PENDING
            return RefusalReason.NO_CANDIDATES
        if pool.stats.chunk_count == 0:
            if self.store.list_notes(tenant_id, limit=1).items:
                return RefusalReason.INDEX_PENDING
            return RefusalReason.NO_NOTES
        if pool.restriction.created is not None:
            anytime = replace(pool.restriction, created=None)
            if self.store.recent(
                tenant_id,
                limit=1,
                stems=(),
                restriction=anytime,
            ):
                return RefusalReason.TIME_RANGE_EMPTY
        return RefusalReason.NO_CANDIDATES

    def _is_any_rewritten(self, pool: Pool, tenant_id: str) -> bool:
        """Reports whether the note of a candidate has a newer revision than the candidate."""
        revisions = [revision_of(candidate.chunk) for candidate in pool.candidates]
        states = current(self.store, tenant_id, revisions)
        return Freshness.EDITED in states.values()


def _corrected(analysis: Analysis, pool: Pool) -> Analysis:
    """Returns the analysis with the question's words as the notes spell them; itself if they agree."""
    chunks = [candidate.chunk for candidate in pool.candidates]
    with_names = name_as_in_notes(analysis, pool.frequencies, chunks)
    return correct_spelling(with_names, pool.frequencies, chunks)


def _failed_legs(legs: LegRunner) -> tuple[FailedLeg, ...]:
    """Returns the legs whose search failed, with their messages."""
    failed_legs = []
    for leg, failure in sorted(legs.failures.items()):
        failed_leg = FailedLeg(leg, failure.message)
        failed_legs.append(failed_leg)
    return tuple(failed_legs)

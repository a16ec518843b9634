"""Options of retrieval, as one value."""

from __future__ import annotations

from dataclasses import dataclass, replace

from shared.settings import Settings

_DEFAULTS = Settings()
BILLED_POSTINGS = 32
"""The posting budget on Firestore: with it a question at 10,000 chunks reads at most 125 documents, or 150 where a time
restricts it. Counts come to that where an instance does not know them yet: at most 30 reads.
"""
BILLED_POSTINGS_ALONE = 100
"""Without an embedder: what the vector leg would have read goes to the keywords."""
UNBILLED_POSTINGS = 200
"""The posting budget where reads cost only time, some 4 ms for these: nDCG@10 on SciFact in chunks is 0.681 with 36
postings, 0.692 with 200 and the same with all. On chats and meetings 36 are enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalOptions:
    """Options of one search. The three weights sum to 1."""

    index_version: str = ""
    """Vectors of other index versions are never compared with the question's. Unused without an embedder."""
    second_vectors: bool = False
    """True if chunks of a later index version are searched by their second vectors, which are of this one."""
    leg_size: int = _DEFAULTS.retrieval_top_k
    """Chunks each of the three legs brings at most; the pool is at most three times that."""
    newest: int = 10
    """Chunks that the recent leg brings where no time restricts the search and another leg brings some, too. Each is a
    billed read on Firestore, and they hardly ever rank."""
    posting_budget: int = BILLED_POSTINGS
    """Postings the keyword leg reads at most, over all its stems."""
    posting_budget_alone: int = BILLED_POSTINGS_ALONE
    """The posting budget without an embedder."""
    window_days: int = _DEFAULTS.retrieval_window_days
    """Days that the recent leg looks back when nothing restricts the time."""
    weight_vector: float = _DEFAULTS.weight_vector
    weight_keyword: float = _DEFAULTS.weight_keyword
    weight_recency: float = _DEFAULTS.weight_recency
    half_life_days: float = _DEFAULTS.half_life_days
    """Age at which freshness halves, in days."""
    rrf_k: int = _DEFAULTS.rrf_k
    bm25_k1: float = _DEFAULTS.bm25_k1
    bm25_b: float = _DEFAULTS.bm25_b
    rerank_to: int = _DEFAULTS.retrieval_rerank_to
    """Passages selected when the question does not say how many."""
    rerank_from: int = 30
    """Passages a reranker orders, if there is one."""
    max_chunks: int = 12
    max_characters: int | None = 12_000
    """All selected texts together, in code points; None: no limit."""

    def for_search(self, k: int) -> RetrievalOptions:
        """Returns options for the best `k` passages, without a writer's limits on length."""
        return replace(self, rerank_to=k, max_chunks=k, max_characters=None)

    @classmethod
    def from_settings(
        cls, settings: Settings, *, index_version: str, billed: bool
    ) -> RetrievalOptions:
        """Returns the options that the settings give.

        index_version: that of chunks embedded by today's chunker and embedder. billed: reads cost money.
        """
        posting_budget = UNBILLED_POSTINGS
        posting_budget_alone = UNBILLED_POSTINGS
        if billed:
            posting_budget = BILLED_POSTINGS
            posting_budget_alone = BILLED_POSTINGS_ALONE
        return cls(
            index_version=index_version,
            leg_size=settings.retrieval_top_k,
            posting_budget=posting_budget,
            posting_budget_alone=posting_budget_alone,
            window_days=settings.retrieval_window_days,
            weight_vector=settings.weight_vector,
            weight_keyword=settings.weight_keyword,
            weight_recency=settings.weight_recency,
            half_life_days=settings.half_life_days,
            rrf_k=settings.rrf_k,
            bm25_k1=settings.bm25_k1,
            bm25_b=settings.bm25_b,
            rerank_to=settings.retrieval_rerank_to,
        )

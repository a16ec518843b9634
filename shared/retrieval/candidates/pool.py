"""The candidates of one question, and what is needed to score them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shared.model.index import Vector
from shared.model.questions import Strategy
from shared.model.retrieval import Candidate, CorpusStats, RetrievalMode


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates in the order of their chunk ids, each once."""

    candidates: tuple[Candidate, ...]
    query: Vector | None
    """The question's embedding; None: there is no embedder, or it is away."""
    unread: frozenset[str]
    """Chunk ids whose vectors nobody has read yet, and may not exist. Their `cosine` is None."""
    ceiling: float
    """The greatest cosine that an unread vector can have: the vector leg would have brought a better one."""
    frequencies: Mapping[str, int]
    """Stem of the question -> in how many of the tenant's chunks it stands."""
    stats: CorpusStats
    silent_vaults: frozenset[str] = frozenset()
    """Vaults whose search failed, where each is searched on its own."""


def mode_of(pool: Pool, strategy: Strategy) -> RetrievalMode:
    """How the pool's candidates are to be ranked, from what the legs brought."""
    if not pool.candidates:
        return RetrievalMode.NONE
    if all(each.vector_rank is None and each.keyword_rank is None for each in pool.candidates):
        return RetrievalMode.RECENT
    if pool.query is None:
        return RetrievalMode.KEYWORD_RECENCY
    return RetrievalMode.RRF if strategy is Strategy.RRF else RetrievalMode.WEIGHTED

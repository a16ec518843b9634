"""Options of retrieval, as one value."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from shared.settings import RetrievalSettings, Settings

BILLED_POSTINGS = 32
"""The posting budget on Firestore: with it a question at 10,000 chunks reads at most 125 documents, or 150 where a time
restricts it or 20 passages are asked for. Counts come to that where an instance does not know them yet: at most 30 reads.
"""
BILLED_POSTINGS_ALONE = 100
"""Without an embedder: what the vector leg would have read goes to the keywords."""
BILLED_VECTORS = 36
"""The vector budget on Firestore. Most questions read fewer; within a few days of a large index the vector search can
bring nothing, and then every candidate's vector could matter.
"""
UNBILLED_POSTINGS = 200
"""The posting budget where reads cost only time, some 4 ms for these: nDCG@10 on SciFact in chunks is 0.681 with 36
postings, 0.692 with 200 and the same with all. On chats and meetings 36 are enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalOptions(RetrievalSettings):
    """Options of one search: the settings, and what depends on the store and the embedder."""

    index_version: str = ""
    """Vectors of other index versions are never compared with the question's. Unused without an embedder."""
    second_vectors: bool = False
    """True if chunks of a later index version are searched by their second vectors, which are of this one."""
    newest: int = 10
    """Chunks that the recent leg brings where no time restricts the search and another leg brings some, too. Each is a
    billed read on Firestore, and they hardly ever rank."""
    posting_budget: int = BILLED_POSTINGS
    """Postings the keyword leg reads at most, over all its stems."""
    posting_budget_alone: int = BILLED_POSTINGS_ALONE
    """The posting budget without an embedder."""
    vector_budget: int | None = BILLED_VECTORS
    """Vectors that are read at most of candidates of the other legs, the likeliest first; None for no limit. Candidates
    beyond are scored without theirs."""
    rerank_from: int = 30
    """Passages a reranker orders, if there is one."""
    max_chunks: int = 12
    """Passages selected at most."""
    max_characters: int | None = 12_000
    """Code points of all selected texts together; None for no limit."""

    def for_search(self, k: int) -> RetrievalOptions:
        """Returns options for the best `k` passages, without a writer's limits on length."""
        return replace(
            self,
            rerank_to=k,
            max_chunks=k,
            max_characters=None,
        )

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        *,
        index_version: str,
        billed: bool,
    ) -> RetrievalOptions:
        """Returns the options of these settings.

        index_version: version of chunks that the configured chunker and embedder make.
        billed: True if the store bills reads.
        """
        posting_budget = UNBILLED_POSTINGS
        posting_budget_alone = UNBILLED_POSTINGS
        vector_budget = None
        if billed:
            posting_budget = BILLED_POSTINGS
            posting_budget_alone = BILLED_POSTINGS_ALONE
            vector_budget = BILLED_VECTORS
        retrieval = {
            setting.name: getattr(settings, setting.name) for setting in fields(RetrievalSettings)
        }
        return cls(
            index_version=index_version,
            posting_budget=posting_budget,
            posting_budget_alone=posting_budget_alone,
            vector_budget=vector_budget,
            **retrieval,
        )

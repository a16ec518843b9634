"""Types of retrieval: analysis, restriction, candidates, scores, passages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from shared.model.index import IndexedChunk, Vector
from shared.model.questions import TimeHint, TimeRange


class ChosenBy(StrEnum):
    """Why a folder is searched."""

    CALLER = "caller"
    MODEL = "model"
    MATCH = "match"
    """No model ranks folders here: its passages match best."""
    ORDER = "order"
    """The model did not say: every folder in its order."""
    WHOLE_VAULT = "whole_vault"
    """No folder was chosen."""


@dataclass(frozen=True, slots=True)
class WeightedFolder:
    """A folder with everything below it, and the factor by which scores of its passages are multiplied."""

    vault: str
    folder: str
    """Folder within the vault; empty for the whole vault."""
    weight: float
    """In (0, 1]."""
    chosen_by: ChosenBy


@dataclass(frozen=True, slots=True)
class Analysis:
    """A question taken apart."""

    keywords: tuple[str, ...]
    """Content words in lower case, in order, each once; shown to the caller."""
    stems: tuple[str, ...]
    """Stems that the keyword leg scores: without those of the time phrase, each once, in order."""
    time: TimeHint | None
    lang: str
    subject: str = ""
    """The question without its time phrase."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Stem of a word by the question's language -> its stem in the language of the notes that hold it."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """Restriction that every leg must obey."""

    created: TimeRange | None = None
    scopes: tuple[frozenset[str], ...] = ()
    """A chunk must share a token with each of these sets."""

    def allows(self, chunk: IndexedChunk) -> bool:
        """Reports whether a chunk obeys it."""
        if self.created is not None and not self.created.contains(chunk.created_at):
            return False
        for group in self.scopes:
            if group.isdisjoint(chunk.scopes):
                return False
        return True


@dataclass(frozen=True, slots=True)
class CorpusStats:
    """Figures of a tenant's chunks for BM25."""

    chunk_count: int
    average_length: float
    revision: str
    """Changes whenever any chunk of the tenant changes; key for caches."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A chunk that the vector leg brought, with its cosine in [-1, 1]."""

    chunk: IndexedChunk
    cosine: float

    @property
    def place(self) -> tuple[float, str]:
        """Sorts neighbours: the nearest first, equals by chunk id."""
        return -self.cosine, self.chunk.chunk_id


@dataclass(frozen=True, slots=True)
class VectorMatches:
    """Result of a vector search."""

    neighbours: tuple[Neighbour, ...] = ()
    """The nearest chunks that the search brought: the nearest first, equals by chunk id."""
    ceiling: float | None = None
    """Greatest cosine possible for a vector that was left out. None if no vector was left out."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk in the pool, with what each leg knows of it. Ranks count from 1; None if that leg did not find the chunk."""

    chunk: IndexedChunk
    cosine: float | None
    vector_rank: int | None = None
    keyword_rank: int | None = None
    recent_rank: int | None = None


@dataclass(frozen=True, slots=True)
class Scores:
    """The parts of a score, each in [0, 1], as they entered it."""

    vector: float
    keyword: float
    recency: float
    similarity: float
    """Cosine calibrated by the embedder's constant; what thresholds compare with."""


@dataclass(frozen=True, slots=True)
class CosineCalibration:
    """Scale of an embedder's cosines between a question and a chunk."""

    baseline: float
    """Mean cosine with chunks that have nothing to do with the question."""
    match: float
    """A high quantile of the cosine with the chunk that answers the question; greater than `baseline`."""

    def vector_part(self, cosine: float) -> float:
        """Returns 0 for the cosine of an unrelated chunk, 1 for that of a match, linear between."""
        span = self.match - self.baseline
        share = (cosine - self.baseline) / span
        return min(1.0, max(0.0, share))

    def similarity(self, cosine: float) -> float:
        """Returns a number in [0, 1], comparable between embedders.

        UNRELATED for unrelated texts, 1 for equal ones, linear between.
        """
        span = 1.0 - self.baseline
        share = (cosine - self.baseline) / span
        similarity = UNRELATED + (1.0 - UNRELATED) * share
        return min(1.0, max(0.0, similarity))


UNRELATED = 0.5
"""The similarity of texts that have nothing to do with each other."""
UNKNOWN_CALIBRATION = CosineCalibration(0.3, 0.93)
"""For an embedder without constants, before there are chunks of two notes to estimate them by; never kept."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its final score in [0, 1]."""

    chunk: IndexedChunk
    score: float
    scores: Scores


class RetrievalMode(StrEnum):
    """Method by which the passages were found; `meta.retrieval.strategy`."""

    WEIGHTED = "hybrid_reranked"
    RRF = "hybrid_rrf"
    KEYWORD_RECENCY = "keyword_recency"
    RECENT = "recent_notes"
    NONE = "none"


WIDENING: Mapping[str, int | None] = {"7 days around": 7, "30 days around": 30, "any time": None}
"""Steps in which a time without notes is widened -> days on either side; None removes both bounds."""


class RefusalReason(StrEnum):
    """Why there is no answer from the notes."""

    NO_NOTES = "no_notes"
    NO_CANDIDATES = "no_candidates"
    BELOW_THRESHOLD = "below_threshold"
    TIME_RANGE_EMPTY = "time_range_empty"
    UNSUPPORTED_CLAIMS = "unsupported_claims"
    INDEX_PENDING = "index_pending"


@dataclass(frozen=True, slots=True)
class Reranked:
    """Report of a reranker that was asked. `failure` is None if the passages are in its order; otherwise it says why
    they are in the order of their scores.
    """

    model: str
    failure: str | None


class Leg(StrEnum):
    """A search of a question."""

    VECTOR = "vector"
    KEYWORD = "keyword"
    RECENT = "recent"


@dataclass(frozen=True, slots=True)
class FailedLeg:
    """A search of the question failed; the others answered. `reason` holds nothing of notes."""

    leg: Leg
    reason: str


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Result of retrieval, best first, or the reason why there is none."""

    analysis: Analysis
    selected: tuple[Scored, ...]
    """Passages for the writer: at most 12 chunks and 12,000 characters."""
    nearest: tuple[Scored, ...]
    """The best candidates, except unrelated ones, even if none was good enough; shown with a refusal."""
    refusal: RefusalReason | None
    mode: RetrievalMode
    candidate_count: int
    range_used: TimeRange | None
    """The range that was applied, after widening; None if no range was applied."""
    widened: str | None
    """Step of WIDENING that was taken; None if the search was not widened."""
    timings_ms: Mapping[str, float]
    weighted_folders: tuple[WeightedFolder, ...] = ()
    """Places that were searched, each with its weight; empty for everywhere alike."""
    failed_vaults: tuple[str, ...] = ()
    """Vaults that were to be searched and did not answer."""
    reranked: Reranked | None = None
    """Result of the reranker; None if none was called."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """Stem of the question -> how much it tells among the tenant's chunks (idf), above 0."""
    failed_legs: tuple[FailedLeg, ...] = ()
    """Legs that failed and were left out."""
    notes_read: int | None = None
    """Notes read for a question about a period; `selected` holds the first passage of each, by date. None otherwise."""
    leaves_older: bool = False
    """True if `notes_read` are the newest of that time, and older ones were not read."""
    lexical_only: bool = False
    """True if words tell more than vectors: the embedder does not know the question's language."""
    query: Vector | None = None
    """Embedding of the question by the model `embedder`; None if the search used no vectors."""
    embedder: str = ""

    @property
    def chunks(self) -> tuple[IndexedChunk, ...]:
        """Chunks of the passages in `selected`, in the same order."""
        return tuple([passage.chunk for passage in self.selected])

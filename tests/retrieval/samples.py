"""Candidates and pools for the steps that need no store."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from shared.model.index import IndexedChunk, Vector
from shared.model.questions import TimeRange
from shared.model.retrieval import (
    Candidate,
    CorpusStats,
    CosineCalibration,
    RetrievalMode,
    Scored,
    Scores,
)
from shared.retrieval.candidates import Pool
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.scores import Formula, keyword_parts
from tests.contracts.samples import VERSION, chunk

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
OPTIONS = RetrievalOptions(index_version=VERSION)
TEXTS = (
    "The boat is blue. It leaks.",
    "Tomatoes need water. Every evening.",
    "We run the API on Cloud Run. It scales.",
    "The dentist said to floss. Twice a day.",
    "Priya prefers trains. Flying tires her.",
)
"""Texts that have nothing to do with each other."""
STATS = CorpusStats(chunk_count=100, average_length=3.0, revision="1")


def cosine(one: Vector, other: Vector) -> float:
    """Cosine of two unit vectors."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def days_ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def candidate(
    note_id: str,
    cosine: float | None = None,
    *,
    terms: Mapping[str, int] | None = None,
    age: float = 0.0,
    vector_rank: int | None = None,
    keyword_rank: int | None = None,
    position: int = 0,
) -> Candidate:
    """`age` in days. Of few terms, so a short note unless `position` says that it is a part of a longer one."""
    sample_chunk = chunk(note_id, position, terms=terms or {}, created_at=days_ago(age))
    return Candidate(sample_chunk, cosine, vector_rank, keyword_rank, 1)


RAW = CosineCalibration(0.0, 1.0)
"""Cosines as they are."""


def pool_of(
    candidates: Iterable[Candidate],
    *,
    unread: Iterable[str] = (),
    ceiling: float = 0.0,
    frequencies: Mapping[str, int] | None = None,
) -> Pool:
    return Pool(
        candidates=tuple(candidates),
        query=array("f", [1.0]),
        unread=frozenset(unread),
        ceiling=ceiling,
        frequencies={} if frequencies is None else frequencies,
        stats=STATS,
    )


def formula_of(
    pool: Pool,
    *,
    mode: RetrievalMode = RetrievalMode.WEIGHTED,
    named: TimeRange | None = None,
    calibration: CosineCalibration = RAW,
    options: RetrievalOptions = OPTIONS,
) -> Formula:
    return Formula(
        options=options,
        mode=mode,
        now=NOW,
        named=named,
        calibration=calibration,
        keyword=keyword_parts(pool, OPTIONS),
    )


def scored(made: IndexedChunk, score: float = 0.5, *, similarity: float = 0.5) -> Scored:
    return Scored(made, score, Scores(score, 0.0, 0.0, similarity))

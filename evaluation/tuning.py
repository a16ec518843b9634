"""Tunes settings on one half of the questions, and reports them on the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluation.asking import Asker
from evaluation.comparison import Golden, halves
from evaluation.golden import GoldenQuestion
from evaluation.measures import MAIN, means, ranking_figures
from shared.bootstrap import assemble
from shared.model.questions import Strategy
from shared.settings import Settings

Change = Mapping[str, Any]
"""Field of `Settings` -> number."""

VECTOR = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
RECENCY = (0.0, 0.05, 0.15)
K1 = (0.9, 1.2, 1.6, 2.0)
B = (0.4, 0.6, 0.75, 0.9)
RRF_K = (5, 10, 20, 40, 60, 100)
MIN_GAIN = 1e-9


@dataclass(frozen=True, slots=True)
class Tuned:
    """Best settings on one half, and their worth on the other. Figures are nDCG@10."""

    strategy: Strategy
    change: Change
    """Settings that changed; empty: nothing did better."""
    tuned_before: float
    tuned_after: float
    held_out_before: float
    held_out_after: float


def tune(golden: Golden, asker: Asker) -> Tuned:
    """Tunes the weights first, then BM25 with them. Notes are not indexed again."""
    first, second = halves(golden.questions)
    start = asker.app.settings
    start_score = _score(golden, first, asker, start)
    best = start
    best_score = start_score
    for round_ in _rounds(asker.strategy):
        base = best
        for change in round_:
            trial = replace(base, **change)
            score = _score(golden, first, asker, trial)
            if score > best_score + MIN_GAIN:
                best = trial
                best_score = score

    return Tuned(
        strategy=asker.strategy,
        change=_difference(start, best),
        tuned_before=start_score,
        tuned_after=best_score,
        held_out_before=_score(golden, second, asker, start),
        held_out_after=_score(golden, second, asker, best),
    )


def _rounds(strategy: Strategy) -> tuple[Sequence[Change], ...]:
    bm25 = [{"bm25_k1": k1, "bm25_b": b} for k1 in K1 for b in B]
    if strategy is Strategy.RRF:
        return [{"rrf_k": k} for k in RRF_K], bm25
    return list(_weights()), bm25


def _weights() -> Iterator[Change]:
    for vector in VECTOR:
        for recency in RECENCY:
            keyword = round(1 - vector - recency, 2)
            yield {"weight_vector": vector, "weight_keyword": keyword, "weight_recency": recency}


def _score(
    golden: Golden,
    questions: Sequence[GoldenQuestion],
    asker: Asker,
    settings: Settings,
) -> float:
    app = assemble(replace(asker.app, settings=settings))
    rankings = replace(asker, app=app).search_all(questions)
    ids = [question.question_id for question in questions]
    relevant = {question_id: golden.relevant[question_id] for question_id in ids}
    return means(ranking_figures(relevant, rankings), relevant).get(MAIN, 0.0)


def _difference(before: Settings, after: Settings) -> Change:
    names = ("weight_vector", "weight_keyword", "weight_recency", "rrf_k", "bm25_k1", "bm25_b")
    changes = {}
    for name in names:
        value = getattr(after, name)
        if value != getattr(before, name):
            changes[name] = value
    return changes

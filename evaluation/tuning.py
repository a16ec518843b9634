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
    """Returns the changes to try, one round after the other."""
    weights: list[Change] = []
    if strategy is Strategy.RRF:
        weights += [{"rrf_k": k} for k in RRF_K]
    else:
        weights += _weights()

    bm25: list[Change] = []
    for k1 in K1:
        bm25 += [{"bm25_k1": k1, "bm25_b": b} for b in B]
    return weights, bm25


def _weights() -> Iterator[Change]:
    for vector in VECTOR:
        for recency in RECENCY:
            keyword = round(1 - vector - recency, 2)
            yield {
                "weight_vector": vector,
                "weight_keyword": keyword,
                "weight_recency": recency,
            }


def _score(
    golden: Golden,
    questions: Sequence[GoldenQuestion],
    asker: Asker,
    settings: Settings,
) -> float:
    """Returns the mean of MAIN over the questions with these settings."""
    app = assemble(replace(asker.app, settings=settings))
    trial = replace(asker, app=app)
    rankings = trial.search_all(questions)
    relevant = {}
    for question in questions:
        relevant[question.question_id] = golden.relevant[question.question_id]
    figures = ranking_figures(relevant, rankings)
    return means(figures, relevant).get(MAIN, 0.0)


def _difference(before: Settings, after: Settings) -> Change:
    names = ("weight_vector", "weight_keyword", "weight_recency", "rrf_k", "bm25_k1", "bm25_b")
    changes = {}
    for name in names:
        value = getattr(after, name)
        if value != getattr(before, name):
            changes[name] = value
    return changes

"""Measures on labelled pairs how well a judge tells supported statements from others."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.support_pairs import SUPPORTED, Pair
from shared.model.answers import Statement, Support, SupportState
from shared.ports.models import Judge

HARDEST = "nearest"
"""Kind that is left out of `overall` and shown beside it: ranked above the passage that supports, or as high."""


@dataclass(frozen=True, slots=True)
class SupportFigures:
    """Shares in [0, 1]; None where there is nothing to divide by."""

    pairs: int
    auc: float | None
    """Probability that a supported pair scores above one that is not."""
    precision: float | None
    """Share of supported pairs among those that the judge calls supported."""
    recall: float | None
    """Share of the supported pairs that the judge calls so."""


def judge_pairs(pairs: Sequence[Pair], judge: Judge) -> dict[str, Support]:
    """Returns the judge's verdict by pair id."""
    statements = [Statement(pair.claim, (pair.passage,)) for pair in pairs]
    judgement = judge.judge(statements)
    supports = {}
    for pair, verdict in zip(pairs, judgement.verdicts, strict=True):
        supports[pair.pair_id] = verdict.support
    return supports


def support_figures(
    pairs: Sequence[Pair],
    supports: Mapping[str, Support],
) -> dict[str, SupportFigures]:
    """Returns figures of `overall` (all kinds but the hardest), `with nearest`, and each kind.

    A kind is measured against the supported pairs of its claims.
    """
    by_kind = defaultdict[str, list[Pair]](list)
    for pair in pairs:
        by_kind[pair.kind].append(pair)
    supported = by_kind.pop(SUPPORTED, [])

    easier = [pair for pair in pairs if pair.kind != HARDEST]
    figures = {"overall": _figures(easier, supports)}
    if HARDEST in by_kind:
        figures["with nearest"] = _figures(pairs, supports)
    for kind in sorted(by_kind):
        unsupported = by_kind[kind]
        claims = {pair.claim_id for pair in unsupported}
        supported_claims = [pair for pair in supported if pair.claim_id in claims]
        figures[kind] = _figures(supported_claims + unsupported, supports)

    return figures


def _figures(pairs: Sequence[Pair], supports: Mapping[str, Support]) -> SupportFigures:
    true_scores = []
    false_scores = []
    called_supported = 0
    rightly_called = 0
    for pair in pairs:
        support = supports[pair.pair_id]
        is_called_supported = support.state is SupportState.SUPPORTED
        if is_called_supported:
            called_supported += 1
        if not pair.supported:
            false_scores.append(support.score)
            continue
        true_scores.append(support.score)
        if is_called_supported:
            rightly_called += 1

    return SupportFigures(
        pairs=len(pairs),
        auc=_auc(true_scores, false_scores),
        precision=_share(rightly_called, called_supported),
        recall=_share(rightly_called, len(true_scores)),
    )


def _auc(true_scores: Sequence[float], false_scores: Sequence[float]) -> float | None:
    """Returns the share of (true, false) pairs in which the true one scores higher; a tie counts half.

    That is the Mann-Whitney U statistic over the number of pairs.
    """
    if not true_scores or not false_scores:
        return None
    ordered = sorted(false_scores)
    wins = 0.0
    for score in true_scores:
        lower = bisect_left(ordered, score)
        lower_or_equal = bisect_right(ordered, score)
        wins += (lower + lower_or_equal) / 2

    return wins / (len(true_scores) * len(false_scores))


def _share(part: int, total: int) -> float | None:
    if total == 0:
        return None
    return part / total

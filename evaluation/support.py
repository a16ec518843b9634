"""Labelled pairs -> how well a judge tells supported statements from others. AUC is scipy's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    """Of the pairs that the judge calls supported, those that are."""
    recall: float | None
    """Of the supported pairs, those that it calls so."""


def judge_pairs(pairs: Sequence[Pair], judge: Judge) -> dict[str, Support]:
    """Pair id -> the judge's word."""
    verdicts = judge.judge([Statement(pair.claim, (pair.passage,)) for pair in pairs]).verdicts
    return {pair.pair_id: verdict.support for pair, verdict in zip(pairs, verdicts, strict=True)}


def support_figures(pairs: Sequence[Pair], supports: Mapping[str, Support]) -> dict[str, SupportFigures]:
    """`overall` (all kinds but the hardest), `with nearest`, each kind against the supported pairs of its claims."""
    kinds = sorted({pair.kind for pair in pairs} - {SUPPORTED})
    figures = {"overall": _figures([pair for pair in pairs if pair.kind != HARDEST], supports)}
    if HARDEST in kinds:
        figures["with nearest"] = _figures(pairs, supports)
    for kind in kinds:
        claims = {pair.claim_id for pair in pairs if pair.kind == kind}
        own = [pair for pair in pairs if pair.claim_id in claims and pair.kind in (kind, SUPPORTED)]
        figures[kind] = _figures(own, supports)
    return figures


def _figures(pairs: Sequence[Pair], supports: Mapping[str, Support]) -> SupportFigures:
    judged = [(pair.supported, supports[pair.pair_id]) for pair in pairs]
    said = [holds for holds, support in judged if support.state is SupportState.SUPPORTED]
    true = [support.score for holds, support in judged if holds]
    false = [support.score for holds, support in judged if not holds]
    return SupportFigures(
        pairs=len(pairs), auc=_auc(true, false), precision=_share(sum(said), said), recall=_share(sum(said), true)
    )


def _auc(true: Sequence[float], false: Sequence[float]) -> float | None:
    from scipy.stats import mannwhitneyu  # noqa: PLC0415 - a second that only this needs

    if not true or not false:
        return None
    return float(mannwhitneyu(true, false).statistic) / (len(true) * len(false))


def _share(part: int, whole: Iterable[object]) -> float | None:
    counted = len(list(whole))
    return part / counted if counted else None

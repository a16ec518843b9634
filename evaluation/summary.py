"""Turns a report into figures as JSON, for programs, tables and plots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

from evaluation.comparison import Measured
from evaluation.measures import PerQuestion, means
from evaluation.report import EvaluationReport
from evaluation.tuning import Tuned


def summary(report: EvaluationReport) -> dict[str, Any]:
    """Returns all figures: shares in [0, 1], times in milliseconds (medians).

    Figures that were not measured are left out.
    """
    return {
        "source": report.source,
        "questions": len(report.golden.questions),
        "notes": len(report.notes),
        "variants": [variant_summary(report, measured) for measured in report.measured],
        "tuned": [_tuned(tuned) for tuned in report.tuned],
    }


def variant_summary(report: EvaluationReport, measured: Measured) -> dict[str, Any]:
    """Returns the figures of one variant: `slices` by vault and slice, rankings and answers each."""
    groups = report.golden.groups()
    slices = _means_of_groups(measured.figures, groups)
    timed = measured.timed()
    if timed:
        slices["(names a time)"] = means(measured.figures, timed)
    milliseconds = {"search": _median(ranking.seconds for ranking in measured.rankings.values())}
    figures: dict[str, Any] = {
        "variant": measured.variant.label,
        "overall": measured.overall(),
        "slices": {name: slice_means for name, slice_means in slices.items() if slice_means},
        "ms": milliseconds,
    }
    refusals = measured.refusals(report.golden.questions)
    if refusals is not None:
        figures["refusals"] = {
            "accuracy": refusals.accuracy,
            "unanswerableRefused": refusals.unanswerable_refused,
            "answerableRefused": refusals.answerable_refused,
        }
        answers = means(measured.answers, measured.answers)
        figures["citations"] = {}
        for name in ("precision", "recall"):
            if name in answers:
                figures["citations"][name] = answers[name]
        figures["answers"] = {
            "all": answers,
            **_means_of_groups(measured.answers, groups),
        }
        milliseconds["chat"] = _median(reply.seconds for reply in measured.replies.values())

    if measured.foreign:
        figures["foreignRefused"] = measured.foreign_refused()
    return figures


def _means_of_groups(
    figures: PerQuestion,
    groups: Mapping[str, Iterable[str]],
) -> dict[str, dict[str, float]]:
    return {name: means(figures, questions) for name, questions in groups.items()}


def _median(seconds: Iterable[float]) -> float:
    return round(1000 * median(seconds), 1)


def _tuned(tuned: Tuned) -> dict[str, Any]:
    return {
        "strategy": tuned.strategy.value,
        "change": dict(tuned.change),
        "tunedHalf": {
            "before": tuned.tuned_before,
            "after": tuned.tuned_after,
        },
        "heldOutHalf": {
            "before": tuned.held_out_before,
            "after": tuned.held_out_after,
        },
    }

"""A report -> its figures as JSON: what a program reads, and what tables and plots show."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import Any

from evaluation.comparison import Measured
from evaluation.measures import means
from evaluation.report import Report
from evaluation.tuning import Tuned


def summary(report: Report) -> dict[str, Any]:
    """All of it; shares in [0, 1], times in milliseconds (medians). What was not measured is not there."""
    return {
        "source": report.source,
        "questions": len(report.golden.questions),
        "notes": len(report.notes),
        "variants": [variant_summary(report, each) for each in report.measured],
        "tuned": [_tuned(each) for each in report.tuned],
    }


def variant_summary(report: Report, measured: Measured) -> dict[str, Any]:
    """Of one variant: `slices` by vault and slice, rankings and answers each."""
    groups = report.golden.groups()
    found = {name: means(measured.figures, questions) for name, questions in groups.items()}
    if timed := measured.timed():
        found["(names a time)"] = means(measured.figures, timed)
    shown: dict[str, Any] = {
        "variant": measured.variant.label,
        "overall": measured.overall(),
        "slices": {name: figures for name, figures in found.items() if figures},
        "ms": {"search": _median(ranking.seconds for ranking in measured.rankings.values())},
    }
    refusals = measured.refusals(report.golden.questions)
    if refusals is not None:
        answers = means(measured.answers, measured.answers)
        shown |= {
            "refusals": {
                "accuracy": refusals.accuracy,
                "unanswerableRefused": refusals.unanswerable_refused,
                "answerableRefused": refusals.answerable_refused,
            },
            "citations": {name: answers[name] for name in ("precision", "recall") if name in answers},
            "answers": {"all": answers} | {name: means(measured.answers, asked) for name, asked in groups.items()},
        }
        shown["ms"]["chat"] = _median(reply.seconds for reply in measured.replies.values())
    if measured.foreign:
        shown["foreignRefused"] = measured.foreign_refused()
    return shown


def _median(seconds: Iterable[float]) -> float:
    return round(1000 * median(seconds), 1)


def _tuned(tuned: Tuned) -> dict[str, Any]:
    return {
        "strategy": tuned.strategy.value,
        "change": dict(tuned.change),
        "tunedHalf": {"before": tuned.tuned_before, "after": tuned.tuned_after},
        "heldOutHalf": {"before": tuned.held_out_before, "after": tuned.held_out_after},
    }

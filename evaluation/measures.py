"""Rankings and replies -> figures. The formulas are those of ir-measures (trec_eval), none is ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from evaluation.asking import Ranking, Reply

if TYPE_CHECKING:
    from ir_measures import Measure

CUTS = (1, 3, 5, 10, 20, 50)
"""Places at which nDCG, precision and recall are taken."""
MAIN = "nDCG@10"
TABLE = ("nDCG@10", "MRR", "P@1", "P@5", "R@5", "R@10", "R@20")

Relevant = Mapping[str, Mapping[str, int]]
"""Question id -> note id -> grade."""
PerQuestion = Mapping[str, Mapping[str, float]]
"""Question id -> figure's name -> value in [0, 1]."""


def ranking_figures(relevant: Relevant, rankings: Mapping[str, Ranking]) -> PerQuestion:
    """MRR, nDCG@k, P@k and R@k of every question that has relevant notes; 0 where nothing was found."""
    from ir_measures import RR, P, R, nDCG  # noqa: PLC0415 - 0.1 s that only evaluation needs

    named: dict[str, Measure] = {"MRR": RR}
    for cut in CUTS:
        named |= {f"nDCG@{cut}": nDCG @ cut, f"P@{cut}": P @ cut, f"R@{cut}": R @ cut}
    return _measured(named, relevant, {question: ranking.notes for question, ranking in rankings.items()})


def citation_figures(relevant: Relevant, replies: Mapping[str, Reply]) -> PerQuestion:
    """Of every answered question that has relevant notes: `precision`, the share of cited notes that are relevant, and
    `recall`, the share of relevant notes that are cited.
    """
    from ir_measures import SetP, SetR  # noqa: PLC0415 - as above

    answered = {
        question: reply.cited for question, reply in replies.items() if question in relevant and not reply.refused
    }
    of_answered = {question: relevant[question] for question in answered}
    return _measured({"precision": SetP, "recall": SetR}, of_answered, answered)


@dataclass(frozen=True, slots=True)
class RefusalFigures:
    """How often the product refused, and whether it should have: shares in [0, 1]. None: no such question."""

    accuracy: float | None
    """Unanswerable ones refused and answerable ones answered, of all."""
    unanswerable_refused: float | None
    answerable_refused: float | None


def refusal_figures(answerable: Mapping[str, bool], replies: Mapping[str, Reply]) -> RefusalFigures:
    """`answerable`: question id -> whether the notes hold the answer."""
    refused = {
        kind: [replies[name].refused for name, can in answerable.items() if can is kind] for kind in (True, False)
    }
    right = [*refused[False], *(not given_up for given_up in refused[True])]
    return RefusalFigures(mean(right), mean(refused[False]), mean(refused[True]))


def mean(values: Iterable[float]) -> float | None:
    """None of nothing."""
    listed = list(values)
    return fmean(listed) if listed else None


def means(per_question: PerQuestion, questions: Iterable[str]) -> dict[str, float]:
    """Figure's name -> its mean over those of `questions` that have figures; empty if none has."""
    rows = [per_question[question] for question in questions if question in per_question]
    return {name: fmean(row[name] for row in rows) for name in (rows[0] if rows else ())}


def _measured(
    named: Mapping[str, Measure], relevant: Relevant, found: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, float]]:
    """trec_eval orders by score, so a note's score is its place from the end."""
    import ir_measures  # noqa: PLC0415 - as above

    if not relevant:
        return {}
    run = {
        question: {note: float(len(notes) - place) for place, note in enumerate(notes)}
        for question, notes in found.items()
        if notes
    }
    figures = {question: dict.fromkeys(named, 0.0) for question in relevant}
    names = {measure: name for name, measure in named.items()}
    judged = {question: dict(grades) for question, grades in relevant.items()}
    for metric in ir_measures.iter_calc(list(named.values()), judged, run):
        figures[metric.query_id][names[metric.measure]] = metric.value
    return figures

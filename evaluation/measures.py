"""Rankings and replies -> figures. The formulas are those of ir-measures (trec_eval), none is ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from evaluation.asking import Ranking, Reply
from evaluation.golden import GoldenQuestion, Parts, share_held

if TYPE_CHECKING:
    from ir_measures import Measure

CUTS = (1, 3, 5, 10, 20, 50)
"""Places at which nDCG, precision and recall are taken."""
MAIN = "nDCG@10"
HIT = "hit@5"
TABLE = (HIT, "nDCG@10", "MRR", "P@1", "R@5", "R@10", "R@20")
ANSWERS = ("refused", "facts", "right note cited", "precision", "recall", "unanswerable refused")
"""What `answer_figures` measures, in the order of a table."""
FIRST = 5
"""Notes among which what answers should stand: a person looks no further."""

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


def hit_figures(needed: Mapping[str, Parts], rankings: Mapping[str, Ranking]) -> PerQuestion:
    """hit@5 of every question: 1 where the first five notes hold every part that it needs."""
    from ir_measures import Success  # noqa: PLC0415 - as above

    parts = {f"{question}\n{place}": part for question, sets in needed.items() for place, part in enumerate(sets)}
    found = {name: rankings[name.partition("\n")[0]].notes for name in parts}
    held = _measured({HIT: Success @ FIRST}, {name: dict.fromkeys(part, 1) for name, part in parts.items()}, found)
    return {
        question: {HIT: min(held[f"{question}\n{place}"][HIT] for place in range(len(sets)))}
        for question, sets in needed.items()
    }


def answer_figures(
    questions: Iterable[GoldenQuestion], needed: Mapping[str, Parts], replies: Mapping[str, Reply]
) -> PerQuestion:
    """Of every question asked: `refused` or `unanswerable refused`; where there is an answer to be had, the share of
    its `facts` that the reply holds, and `right note cited`: whether it cites a note that answers. A refusal holds and
    cites nothing.
    """
    figures: dict[str, dict[str, float]] = {}
    for question in questions:
        reply = replies.get(question.question_id)
        if reply is None:
            continue
        if not question.answerable:
            figures[question.question_id] = {"unanswerable refused": float(reply.refused)}
            continue
        cited = () if reply.refused else reply.cited
        right = frozenset[str]().union(*needed[question.question_id])
        figures[question.question_id] = {
            "refused": float(reply.refused),
            "right note cited": float(not right.isdisjoint(cited)),
        }
        held = share_held("" if reply.refused else reply.text, question.facts)
        if held is not None:
            figures[question.question_id]["facts"] = held
    return figures


def together(*parts: PerQuestion) -> PerQuestion:
    """All figures of each question."""
    questions = dict.fromkeys(question for part in parts for question in part)
    return {name: {key: value for part in parts for key, value in part.get(name, {}).items()} for name in questions}


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
    """Figure's name -> its mean over those of `questions` that have it; without what none has."""
    rows = [per_question[question] for question in questions if question in per_question]
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: fmean(row[name] for row in rows if name in row) for name in names}


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

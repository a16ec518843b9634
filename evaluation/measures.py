"""Computes figures of rankings and replies, by the formulas of ir-measures (trec_eval)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from evaluation.asking import ChatAnswer, NoteRanking
from evaluation.golden import GoldenQuestion, Parts, share_held

if TYPE_CHECKING:
    from ir_measures import Measure

CUTS = (1, 3, 5, 10, 20, 50)
"""Places at which nDCG, precision and recall are taken."""
MAIN = "nDCG@10"
HIT = "hit@5"
TABLE = (HIT, "nDCG@10", "MRR", "P@1", "R@5", "R@10", "R@20")
ANSWERS = (
    "refused",
    "facts",
    "complete first",
    "right note cited",
    "precision",
    "recall",
    "unanswerable refused",
)
"""Figures of `answer_figures`, in the order of a table."""
FIRST = 5
"""Notes among which what answers should stand: a person looks no further."""

Relevant = Mapping[str, Mapping[str, int]]
"""Question id -> note id -> grade."""
PerQuestion = Mapping[str, Mapping[str, float]]
"""Question id -> figure's name -> value in [0, 1]."""


def ranking_figures(relevant: Relevant, rankings: Mapping[str, NoteRanking]) -> PerQuestion:
    """Returns MRR, nDCG@k, P@k and R@k of every question that has relevant notes.

    They are 0 where nothing was found.
    """
    from ir_measures import RR, P, R, nDCG  # noqa: PLC0415 - 0.1 s that only evaluation needs

    measures: dict[str, Measure] = {"MRR": RR}
    for cut in CUTS:
        measures[f"nDCG@{cut}"] = nDCG @ cut
        measures[f"P@{cut}"] = P @ cut
        measures[f"R@{cut}"] = R @ cut

    notes = {}
    for question, ranking in rankings.items():
        notes[question] = ranking.notes
    return _measured(measures, relevant, notes)


def hit_figures(needed: Mapping[str, Parts], rankings: Mapping[str, NoteRanking]) -> PerQuestion:
    """Returns hit@5 of every question: 1 where the first five notes hold every part that it needs."""
    from ir_measures import Success  # noqa: PLC0415 - as above

    # Each part is measured as a question of its own, with the ranking of its question.
    relevant = {}
    rankings_of_parts = {}
    for question, parts in needed.items():
        for place, notes in enumerate(parts):
            name = _part_name(question, place)
            relevant[name] = dict.fromkeys(notes, 1)
            rankings_of_parts[name] = rankings[question].notes

    hits = _measured(
        {HIT: Success @ FIRST},
        relevant,
        rankings_of_parts,
    )
    figures = {}
    for question, parts in needed.items():
        names = [_part_name(question, place) for place in range(len(parts))]
        figures[question] = {HIT: min(hits[name][HIT] for name in names)}

    return figures


def _part_name(question: str, place: int) -> str:
    return f"{question}\n{place}"


def answer_figures(
    questions: Iterable[GoldenQuestion],
    needed: Mapping[str, Parts],
    replies: Mapping[str, ChatAnswer],
) -> PerQuestion:
    """Returns figures of every question that was asked.

    `unanswerable refused` is that of a question without an answer. Any other has `refused`, `right
    note cited` (1 if the reply cites a note that answers), and, where facts are known, `facts`: the
    share of them that the reply holds, and `complete first`: 1 if its first claim that cites holds all
    of them. A refusal holds and cites nothing.
    """
    figures: dict[str, dict[str, float]] = {}
    for question in questions:
        reply = replies.get(question.question_id)
        if reply is None:
            continue
        if question.answerable:
            notes = frozenset[str]().union(*needed[question.question_id])
            figures[question.question_id] = _answerable_figures(question, notes, reply)
        else:
            figures[question.question_id] = {"unanswerable refused": float(reply.refused)}

    return figures


def _answerable_figures(
    question: GoldenQuestion,
    answering_notes: frozenset[str],
    reply: ChatAnswer,
) -> dict[str, float]:
    text = reply.text
    first_claim = reply.first
    cited: Sequence[str] = reply.cited
    if reply.refused:
        text = ""
        first_claim = ""
        cited = ()

    figures = {
        "refused": float(reply.refused),
        "right note cited": float(not answering_notes.isdisjoint(cited)),
    }
    facts = share_held(text, question.facts)
    if facts is not None:
        figures["facts"] = facts
        figures["complete first"] = float(share_held(first_claim, question.facts) == 1)
    return figures


def together(*parts: PerQuestion) -> PerQuestion:
    """Returns the figures of each question from all parts."""
    merged: dict[str, dict[str, float]] = {}
    for part in parts:
        for question, figures in part.items():
            merged.setdefault(question, {}).update(figures)
    return merged


def citation_figures(relevant: Relevant, replies: Mapping[str, ChatAnswer]) -> PerQuestion:
    """Returns `precision` and `recall` of every answered question that has relevant notes.

    Precision is the share of cited notes that are relevant, recall the share of relevant notes that
    are cited.
    """
    from ir_measures import SetP, SetR  # noqa: PLC0415 - as above

    cited = {}
    relevant_of_answered = {}
    for question, reply in replies.items():
        if question in relevant and not reply.refused:
            cited[question] = reply.cited
            relevant_of_answered[question] = relevant[question]

    return _measured(
        {"precision": SetP, "recall": SetR},
        relevant_of_answered,
        cited,
    )


@dataclass(frozen=True, slots=True)
class RefusalFigures:
    """Shares of questions that were refused or answered rightly, in [0, 1]. None without such a question."""

    accuracy: float | None
    """Share of unanswerable questions refused and answerable ones answered, among all."""
    unanswerable_refused: float | None
    answerable_refused: float | None


def refusal_figures(
    answerable: Mapping[str, bool],
    replies: Mapping[str, ChatAnswer],
) -> RefusalFigures:
    """Returns figures of refusals. answerable: by question id, True if the notes hold the answer."""
    right = []
    unanswerable_refused = []
    answerable_refused = []
    for question, has_answer in answerable.items():
        refused = replies[question].refused
        right.append(refused is not has_answer)
        if has_answer:
            answerable_refused.append(refused)
        else:
            unanswerable_refused.append(refused)

    return RefusalFigures(
        accuracy=mean(right),
        unanswerable_refused=mean(unanswerable_refused),
        answerable_refused=mean(answerable_refused),
    )


def mean(values: Iterable[float]) -> float | None:
    """Returns None without values."""
    numbers = list(values)
    if not numbers:
        return None
    return fmean(numbers)


def means(per_question: PerQuestion, questions: Iterable[str]) -> dict[str, float]:
    """Returns the mean of each figure over those of `questions` that have it."""
    values = defaultdict[str, list[float]](list)
    for question in questions:
        figures = per_question.get(question, {})
        for name, value in figures.items():
            values[name].append(value)

    return {name: fmean(numbers) for name, numbers in values.items()}


def _measured(
    measures: Mapping[str, Measure],
    relevant: Relevant,
    rankings: Mapping[str, Sequence[str]],
) -> dict[str, dict[str, float]]:
    """Returns the measures of every question that has relevant notes, by their names."""
    import ir_measures  # noqa: PLC0415 - as above

    if not relevant:
        return {}
    judgements = {question: dict(grades) for question, grades in relevant.items()}
    run = {question: _scores(notes) for question, notes in rankings.items() if notes}
    metrics = ir_measures.iter_calc(
        list(measures.values()),
        judgements,
        run,
    )
    names = {measure: name for name, measure in measures.items()}
    figures = {question: dict.fromkeys(measures, 0.0) for question in relevant}
    for metric in metrics:
        name = names[metric.measure]
        figures[metric.query_id][name] = metric.value

    return figures


def _scores(notes: Sequence[str]) -> dict[str, float]:
    """Returns a score for each place: trec_eval orders by score, so it counts from the end."""
    scores = {}
    for place, note in enumerate(notes):
        scores[note] = float(len(notes) - place)
    return scores

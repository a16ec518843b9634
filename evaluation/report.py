"""Writes measured variants as one HTML page that fetches nothing: tables, plots, the worst questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from shlex import quote

from evaluation.comparison import Golden, Measured
from evaluation.golden import GoldenQuestion
from evaluation.measures import ANSWERS, CUTS, HIT, MAIN, TABLE, means
from evaluation.plots import bars, lines, shares
from evaluation.tuning import Tuned
from shared.api.values import instant
from shared.notes.service import NoteDraft

WORST = 15
NOTES_BESIDE = 3
"""Notes found first, shown beside a question that went badly."""
BINS = 20

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;padding:.3rem .5rem;vertical-align:top;
border-bottom:1px solid #ddd}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}svg{width:100%;height:auto;
font:12px system-ui,sans-serif}.legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.3rem 1rem;
font-size:.85rem}.legend span{display:inline-block;width:.8em;height:.8em;margin-right:.4em}code{font-size:.85em}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationReport:
    """Everything that a page shows. `measured`: at least one; the first is the one whose questions are shown."""

    source: str
    golden: Golden
    notes: Mapping[str, NoteDraft]
    measured: Sequence[Measured]
    tuned: Sequence[Tuned] = ()


def html(report: EvaluationReport) -> str:
    """Returns the page."""
    first = report.measured[0]
    label = first.variant.label
    title = f"Evaluation of {escape(report.source)}"
    sections = {
        "Variants": _variants(report),
        "Answers": _answers(report),
        f"Answers by slice, {label}": _answers_by_slice(report, first),
        "Questions about other notes": _foreign(report.measured),
        "Tuning": _tuning(report.tuned),
        f"{HIT} by slice": _slices(report, HIT),
        f"{MAIN} by slice": _slices(report, MAIN),
        "Recall by k": _recall(report.measured),
        f"Scores of the best passages, {label}": _scores(report.golden, first),
        f"Worst questions, {label}": _worst(report, first),
    }
    parts = [
        f"<h1>{title}</h1>",
        f"<p>{_counts(report)}</p>",
    ]
    for heading, content in sections.items():
        if content:
            parts.append(f"<h2>{escape(heading)}</h2>{content}")

    content = "".join(parts)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{_STYLE}</style>{content}</html>\n"
    )


def _counts(report: EvaluationReport) -> str:
    """Returns the sentence that counts questions and notes."""
    questions = report.golden.questions
    answerable = [question for question in questions if question.answerable]
    return (
        f"{len(questions)} questions, {len(answerable)} of them answerable, "
        f"{len(report.notes)} notes."
    )


def _table(headings: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    """Returns a table. Numbers stand right, None is a dash, texts are HTML already."""
    head = [f"<th>{escape(heading)}</th>" for heading in headings]
    lines = [head]
    for row in rows:
        cells = [_cell(value) for value in row]
        lines.append(cells)

    body = ""
    for line in lines:
        content = "".join(line)
        body += f"<tr>{content}</tr>"
    return f"<table>{body}</table>"


def _cell(value: str | float | None) -> str:
    if isinstance(value, str):
        return f"<td>{value}</td>"
    text = "–"
    if value is not None:
        text = f"{value:.3f}"
    return f'<td class="n">{text}</td>'


def _variants(report: EvaluationReport) -> str:
    rows = []
    for measured in report.measured:
        overall = measured.overall()
        figures = [overall.get(name) for name in TABLE]
        seconds = sorted(ranking.seconds for ranking in measured.rankings.values())
        median = seconds[len(seconds) // 2]
        row = (
            escape(measured.variant.label),
            *figures,
            f"{1000 * median:.1f}",
        )
        rows.append(row)

    return _table(("variant", *TABLE, "median ms"), rows)


def _answers(report: EvaluationReport) -> str:
    rows: list[Sequence[str | float | None]] = []
    for measured in report.measured:
        refusals = measured.refusals(report.golden.questions)
        if refusals is None:
            continue
        overall = means(measured.answers, measured.answers)
        figures = [overall.get(name) for name in ANSWERS]
        row = (
            escape(measured.variant.label),
            refusals.accuracy,
            *figures,
        )
        rows.append(row)

    if not rows:
        return ""
    return _table(("variant", "refusal accuracy", *ANSWERS), rows)


def _answers_by_slice(report: EvaluationReport, measured: Measured) -> str:
    by_slice = {}
    for name, questions in report.golden.groups().items():
        by_slice[name] = means(measured.answers, questions)
    if not any(by_slice.values()):
        return ""

    rows = []
    for name, figures in by_slice.items():
        cells = [figures.get(figure) for figure in ANSWERS]
        rows.append((escape(name), *cells))

    series = {}
    for figure in ANSWERS:
        series[figure] = [figures.get(figure, 0.0) for figures in by_slice.values()]

    table = _table(("slice", *ANSWERS), rows)
    chart = bars(series, list(by_slice), title="Answers by slice")
    return table + chart


def _foreign(variants: Sequence[Measured]) -> str:
    rows = []
    for measured in variants:
        label = escape(measured.variant.label)
        for source, refused in measured.foreign_refused().items():
            rows.append((label, escape(source), refused))
    if not rows:
        return ""
    return _table(("variant", "questions of", "refused"), rows)


def _tuning(tuned: Sequence[Tuned]) -> str:
    rows = []
    for result in tuned:
        changes = [f"{name} {value:g}" for name, value in result.change.items()]
        listing = ", ".join(changes) or "nothing did better"
        row = (
            result.strategy.value,
            escape(listing),
            result.tuned_before,
            result.tuned_after,
            result.held_out_before,
            result.held_out_after,
        )
        rows.append(row)

    if not rows:
        return ""
    headings = ("strategy", "change", "tuned half before", "after", "held-out half before", "after")
    return _table(headings, rows)


def _slices(report: EvaluationReport, figure: str) -> str:
    """Draws a figure of every group that has a question with relevant notes."""
    groups = {
        name: questions
        for name, questions in report.golden.groups().items()
        if not report.golden.needed.keys().isdisjoint(questions)
    }
    if not groups:
        return ""
    series = {}
    for measured in report.measured:
        series[measured.variant.label] = [
            means(measured.figures, questions)[figure] for questions in groups.values()
        ]

    return bars(series, list(groups), title=f"{figure} by slice")


def _recall(variants: Sequence[Measured]) -> str:
    series = {}
    for measured in variants:
        overall = measured.overall()
        recalls = [overall.get(f"R@{cut}", 0.0) for cut in CUTS]
        series[measured.variant.label] = recalls

    return lines(
        series,
        [str(cut) for cut in CUTS],
        title="Recall by k",
    )


def _scores(golden: Golden, measured: Measured) -> str:
    """Draws the scores of relevant notes beside those of other notes."""
    relevant_scores: list[float] = []
    other_scores: list[float] = []
    for question, ranking in measured.rankings.items():
        relevant = golden.relevant.get(question, {})
        for note, passage in zip(ranking.notes[:10], ranking.best, strict=False):
            if note in relevant:
                relevant_scores.append(passage.score)
            else:
                other_scores.append(passage.score)

    series = {
        "relevant notes": shares(relevant_scores, BINS),
        "other notes": shares(other_scores, BINS),
    }
    ticks = [""] * BINS
    for place in range(0, BINS, 4):
        ticks[place] = f"{place / BINS:.1f}"
    return bars(series, ticks, title="Share of notes by score")


def _worst(report: EvaluationReport, measured: Measured) -> str:
    """Returns a table of the questions whose relevant notes came last."""
    questions = {question.question_id: question for question in report.golden.questions}
    scores = sorted((figures[MAIN], name) for name, figures in measured.figures.items())
    rows = []
    for score, name in scores[:WORST]:
        if score >= 1:
            continue
        question = questions[name]
        command = _command(report, question)
        relevant = report.golden.relevant[name]
        first_notes = measured.rankings[name].notes[:NOTES_BESIDE]
        row = (
            f"{escape(question.text)}<br><code>{escape(command)}</code>",
            score,
            _named(report.notes, relevant),
            _named(report.notes, first_notes),
        )
        rows.append(row)

    if not rows:
        return ""
    return _table(("question", MAIN, "relevant", "found first"), rows)


def _named(notes: Mapping[str, NoteDraft], note_ids: Iterable[str]) -> str:
    names = []
    for note_id in note_ids:
        note = notes[note_id]
        names.append(escape(note.path or note.title or note_id))
    return "<br>".join(names) or "nothing"


def _command(report: EvaluationReport, question: GoldenQuestion) -> str:
    """Returns the command that shows how a question was understood, and every leg's view of its notes."""
    options = []
    if question.now:
        options.append(("--now", instant(question.now)))
    options.append(("--time-zone", question.zone))
    for vault in question.filters.vaults:
        options.append(("--vault", quote(vault)))
    for folder in question.filters.folders:
        options.append(("--folder", quote(folder)))
    for note_id in report.golden.relevant[question.question_id]:
        path = report.notes[note_id].path
        if path:
            options.append(("--path", quote(path)))
        else:
            options.append(("--note", quote(note_id)))

    words = ["aurora explain", quote(question.text)]
    for name, value in options:
        words += [name, value]
    return " ".join(words)

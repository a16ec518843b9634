"""Measured variants -> one HTML page that fetches nothing: tables, plots, the questions that went worst."""

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
SHOWN = 3
"""Found notes that stand beside a question that went badly."""
BINS = 20

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;padding:.3rem .5rem;vertical-align:top;
border-bottom:1px solid #ddd}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}svg{width:100%;height:auto;
font:12px system-ui,sans-serif}.legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.3rem 1rem;
font-size:.85rem}.legend span{display:inline-block;width:.8em;height:.8em;margin-right:.4em}code{font-size:.85em}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that a page shows. `measured`: at least one; the first is the one whose questions are shown."""

    source: str
    golden: Golden
    notes: Mapping[str, NoteDraft]
    measured: Sequence[Measured]
    tuned: Sequence[Tuned] = ()


def html(report: Report) -> str:
    """The page."""
    first = report.measured[0]
    answerable = sum(question.answerable for question in report.golden.questions)
    parts = [
        f"<h1>Evaluation of {escape(report.source)}</h1>",
        f"<p>{len(report.golden.questions)} questions, {answerable} of them answerable, {len(report.notes)} notes.</p>",
        _section("Variants", _variants(report)),
        _section("Answers", _answers(report)),
        _section(f"Answers by slice, {first.variant.label}", _answers_by_slice(report, first)),
        _section("Questions about other notes", _foreign(report.measured)),
        _section("Tuning", _tuning(report.tuned)),
        *(_section(f"{figure} by slice", _slices(report, figure)) for figure in (HIT, MAIN)),
        _section("Recall by k", _recall(report.measured)),
        _section(f"Scores of the best passages, {first.variant.label}", _scores(report.golden, first)),
        _section(f"Worst questions, {first.variant.label}", _worst(report, first)),
    ]
    title = f"Evaluation of {escape(report.source)}"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{_STYLE}</style>{''.join(parts)}</html>\n"
    )


def _section(title: str, content: str) -> str:
    return f"<h2>{escape(title)}</h2>{content}" if content else ""


def _table(headings: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    """Numbers stand right; None is a dash. Texts are HTML already."""
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><tr>{''.join(f'<th>{escape(each)}</th>' for each in headings)}</tr>{body}</table>"


def _cell(value: str | float | None) -> str:
    if isinstance(value, str):
        return f"<td>{value}</td>"
    return f'<td class="n">{"–" if value is None else f"{value:.3f}"}</td>'


def _variants(report: Report) -> str:
    rows = []
    for each in report.measured:
        overall = each.overall()
        median = sorted(ranking.seconds for ranking in each.rankings.values())[len(each.rankings) // 2]
        rows.append((escape(each.variant.label), *(overall.get(name) for name in TABLE), f"{1000 * median:.1f}"))
    return _table(("variant", *TABLE, "median ms"), rows)


def _answers(report: Report) -> str:
    rows: list[Sequence[str | float | None]] = []
    for each in report.measured:
        refusals = each.refusals(report.golden.questions)
        if refusals is not None:
            figures = means(each.answers, each.answers)
            rows.append((escape(each.variant.label), refusals.accuracy, *map(figures.get, ANSWERS)))
    return _table(("variant", "refusal accuracy", *ANSWERS), rows) if rows else ""


def _answers_by_slice(report: Report, measured: Measured) -> str:
    groups = {name: means(measured.answers, asked) for name, asked in report.golden.groups().items()}
    if not any(groups.values()):
        return ""
    rows = ((escape(name), *map(figures.get, ANSWERS)) for name, figures in groups.items())
    series = {name: [figures.get(name, 0.0) for figures in groups.values()] for name in ANSWERS}
    return _table(("slice", *ANSWERS), rows) + bars(series, list(groups), title="Answers by slice")


def _foreign(measured: Sequence[Measured]) -> str:
    rows = [
        (escape(each.variant.label), escape(source), refused)
        for each in measured
        for source, refused in each.foreign_refused().items()
    ]
    return _table(("variant", "questions of", "refused"), rows) if rows else ""


def _tuning(tuned: Sequence[Tuned]) -> str:
    rows = [
        (
            each.strategy.value,
            escape(", ".join(f"{name} {value:g}" for name, value in each.change.items()) or "nothing did better"),
            each.tuned_before,
            each.tuned_after,
            each.held_out_before,
            each.held_out_after,
        )
        for each in tuned
    ]
    headings = ("strategy", "change", "tuned half before", "after", "held-out half before", "after")
    return _table(headings, rows) if rows else ""


def _slices(report: Report, figure: str) -> str:
    groups = {
        name: asked
        for name, asked in report.golden.groups().items()
        if not report.golden.needed.keys().isdisjoint(asked)
    }
    series = {
        each.variant.label: [means(each.figures, questions)[figure] for questions in groups.values()]
        for each in report.measured
    }
    return bars(series, list(groups), title=f"{figure} by slice") if groups else ""


def _recall(measured: Sequence[Measured]) -> str:
    series = {each.variant.label: [each.overall().get(f"R@{cut}", 0.0) for cut in CUTS] for each in measured}
    return lines(series, [str(cut) for cut in CUTS], title="Recall by k")


def _scores(golden: Golden, measured: Measured) -> str:
    """How far the scores of relevant notes lie from those of others."""
    relevant: list[float] = []
    others: list[float] = []
    for question, ranking in measured.rankings.items():
        for note, passage in zip(ranking.notes[:10], ranking.best, strict=False):
            (relevant if note in golden.relevant.get(question, {}) else others).append(passage.score)
    series = {"relevant notes": shares(relevant, BINS), "other notes": shares(others, BINS)}
    ticks = [f"{place / BINS:.1f}" if place % 4 == 0 else "" for place in range(BINS)]
    return bars(series, ticks, title="Share of notes by score")


def _worst(report: Report, measured: Measured) -> str:
    asked = {question.question_id: question for question in report.golden.questions}
    order = sorted(measured.figures, key=lambda question: (measured.figures[question][MAIN], question))
    rows = [
        (
            f"{escape(asked[name].text)}<br><code>{escape(_command(report, asked[name]))}</code>",
            measured.figures[name][MAIN],
            _named(report.notes, report.golden.relevant[name]),
            _named(report.notes, measured.rankings[name].notes[:SHOWN]),
        )
        for name in order[:WORST]
        if measured.figures[name][MAIN] < 1
    ]
    return _table(("question", MAIN, "relevant", "found first"), rows) if rows else ""


def _named(notes: Mapping[str, NoteDraft], note_ids: Iterable[str]) -> str:
    return "<br>".join(escape(notes[each].path or notes[each].title or each) for each in note_ids) or "nothing"


def _command(report: Report, question: GoldenQuestion) -> str:
    """What shows how the question was understood, and how every leg saw the notes that should have come first."""
    options = [f"--now {instant(question.now)}"] if question.now else []
    options.append(f"--time-zone {question.zone}")
    options += [f"--vault {quote(vault)}" for vault in question.filters.vaults]
    options += [f"--folder {quote(folder)}" for folder in question.filters.folders]
    for note_id in report.golden.relevant[question.question_id]:
        path = report.notes[note_id].path
        options.append(f"--path {quote(path)}" if path else f"--note {quote(note_id)}")
    return " ".join(("aurora explain", quote(question.text), *options))

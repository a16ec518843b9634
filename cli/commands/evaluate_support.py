"""`aurora eval --support`: how well the configured judge tells supported statements from others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.table import Table

from cli.options import CommandContext
from cli.showing import console
from cli.terminal import echo_json
from evaluation.support import SupportFigures, judge_pairs, support_figures
from evaluation.support_pairs import Pair, pairs_of, read_pairs
from shared.bootstrap import judge_of
from shared.model.answers import Support
from shared.ports.models import Judge

ONE_CALL = 50
"""Pairs that a judge gets at once: about as many statements as a long answer has."""


def evaluate_support(context: CommandContext, source: Path) -> None:
    """Measures the judge by labelled pairs and prints the figures.

    Raises InvalidArgument for a bad line, OSError.
    """
    if source.is_dir():
        pairs = pairs_of(source)
    else:
        pairs = read_pairs(source)

    judge = judge_of(context.settings())
    parts = _measure(pairs, judge)
    if not context.as_json:
        _show(parts, f"{source.name}, judged by {judge.name}")
        return

    parts_json = {}
    for part, figures_by_kind in parts.items():
        parts_json[part] = {kind: asdict(figures) for kind, figures in figures_by_kind.items()}
    figures_json = {
        "source": source.name,
        "judge": judge.name,
        "parts": parts_json,
    }
    echo_json(figures_json)


def _measure(pairs: Sequence[Pair], judge: Judge) -> dict[str, dict[str, SupportFigures]]:
    """Returns the figures of each part, by kind.

    Parts are all pairs; each source of claims, if there are several; and the half on which no
    constant was tuned.
    """
    supports: dict[str, Support] = {}
    for start in range(0, len(pairs), ONE_CALL):
        batch = pairs[start : start + ONE_CALL]
        supports |= judge_pairs(batch, judge)

    figures = {}
    for part, selected in _parts(pairs).items():
        figures[part] = support_figures(selected, supports)
    return figures


def _parts(pairs: Sequence[Pair]) -> dict[str, Sequence[Pair]]:
    """Returns the pairs of each part, by the part's name."""
    parts = {"all": pairs}
    sources = sorted({pair.source for pair in pairs})
    if len(sources) > 1:
        for source in sources:
            parts[source] = [pair for pair in pairs if pair.source == source]
        for source in sources:
            parts[f"{source}, held out"] = _held_out(parts[source])

    parts["held out"] = _held_out(pairs)
    return parts


def _held_out(pairs: Sequence[Pair]) -> list[Pair]:
    """Returns the pairs on which no constant was tuned."""
    return [pair for pair in pairs if pair.held_out]


def _show(parts: Mapping[str, Mapping[str, SupportFigures]], title: str) -> None:
    table = Table(title=title, box=None, title_justify="left")
    for name in ("part", "kind"):
        table.add_column(name)
    for name in ("pairs", "AUC", "precision", "recall"):
        table.add_column(name, justify="right")
    for part, figures_by_kind in parts.items():
        for kind, figures in figures_by_kind.items():
            table.add_row(
                part,
                kind,
                str(figures.pairs),
                _share(figures.auc),
                _share(figures.precision),
                _share(figures.recall),
            )

    console().print(table)


def _share(share: float | None) -> str:
    if share is None:
        return ""
    return f"{share:.3f}"

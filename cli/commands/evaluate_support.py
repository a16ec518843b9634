"""`aurora eval --support`: how well the configured judge tells supported statements from others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.table import Table

from cli.options import Place, print_json
from cli.showing import console
from evaluation.support import SupportFigures, judge_pairs, support_figures
from evaluation.support_pairs import Pair, pairs_of, read_pairs
from shared.bootstrap import judge_of
from shared.model.answers import Support
from shared.ports.models import Judge

ONE_CALL = 50
"""Pairs that a judge gets at once: about as many statements as a long answer has."""


def evaluate_support(place: Place, source: Path) -> None:
    """Raises InvalidArgument for a bad line, OSError."""
    pairs = pairs_of(source) if source.is_dir() else read_pairs(source)
    judge = judge_of(place.settings())
    measured = _measured(pairs, judge)
    if place.as_json:
        shown = {part: {kind: asdict(each) for kind, each in figures.items()} for part, figures in measured.items()}
        print_json({"source": source.name, "judge": judge.name, "parts": shown})
    else:
        _show(measured, f"{source.name}, judged by {judge.name}")


def _measured(pairs: Sequence[Pair], judge: Judge) -> dict[str, dict[str, SupportFigures]]:
    """Everything; each source of claims where there are several; and the half on which no constant was tuned."""
    supports: dict[str, Support] = {}
    for start in range(0, len(pairs), ONE_CALL):
        supports |= judge_pairs(pairs[start : start + ONE_CALL], judge)
    parts = {"all": list(pairs)}
    sources = sorted({pair.source for pair in pairs})
    if len(sources) > 1:
        parts |= {source: [pair for pair in pairs if pair.source == source] for source in sources}
        parts |= {
            f"{source}, held out": [pair for pair in pairs if pair.source == source and pair.held_out]
            for source in sources
        }
    parts["held out"] = [pair for pair in pairs if pair.held_out]
    return {part: support_figures(chosen, supports) for part, chosen in parts.items()}


def _show(measured: Mapping[str, Mapping[str, SupportFigures]], title: str) -> None:
    table = Table(title=title, box=None, title_justify="left")
    for name in ("part", "kind", "pairs", "AUC", "precision", "recall"):
        table.add_column(name, justify="left" if name in ("part", "kind") else "right")
    for part, figures in measured.items():
        for kind, each in figures.items():
            shares = ("" if share is None else f"{share:.3f}" for share in (each.auc, each.precision, each.recall))
            table.add_row(part, kind, str(each.pairs), *shares)
    console().print(table)

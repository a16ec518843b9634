"""Figures -> SVG drawings that stand in a page by themselves: no script, no font, nothing fetched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 48, 16, 16, 40
COLOURS = ("#0b6bcb", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#0e7490")
"""Dark enough to be told apart on white."""


def lines(series: Mapping[str, Sequence[float]], ticks: Sequence[str], *, title: str) -> str:
    """One line a series over the same ticks; values in [0, 1]."""
    places = [LEFT + (WIDTH - LEFT - RIGHT) * place / max(1, len(ticks) - 1) for place in range(len(ticks))]
    parts = [_axis(), *(_label(x, tick) for x, tick in zip(places, ticks, strict=True))]
    for number, (name, values) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        points = " ".join(f"{x:.1f},{_y(value):.1f}" for x, value in zip(places, values, strict=True))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{x:.1f}" cy="{_y(value):.1f}" r="3" fill="{colour}">{_hint(name, value)}</circle>'
            for x, value in zip(places, values, strict=True)
        ]
    return _drawing(parts, title) + _legend(tuple(series))


def bars(series: Mapping[str, Sequence[float]], ticks: Sequence[str], *, title: str) -> str:
    """Groups of bars, one group a tick, one bar a series; values in [0, 1]."""
    group = (WIDTH - LEFT - RIGHT) / max(1, len(ticks))
    wide = 0.8 * group / max(1, len(series))
    parts = [_axis(), *(_label(LEFT + group * (place + 0.5), tick) for place, tick in enumerate(ticks))]
    for number, (name, values) in enumerate(series.items()):
        for place, value in enumerate(values):
            x, y = LEFT + group * (place + 0.1) + wide * number, _y(value)
            parts.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{_y(0) - y:.1f}" '
                f'fill="{COLOURS[number % len(COLOURS)]}">{_hint(name, value)}</rect>'
            )
    return _drawing(parts, title) + _legend(tuple(series))


def shares(values: Sequence[float], count: int = 20) -> list[float]:
    """Values in [0, 1] -> the share of them in each of `count` equal bins; all 0 of nothing."""
    bins = [0] * count
    for value in values:
        bins[min(count - 1, max(0, int(value * count)))] += 1
    return [number / len(values) if values else 0.0 for number in bins]


def _hint(name: str, value: float) -> str:
    return f"<title>{escape(name)}: {value:.3f}</title>"


def _y(value: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(1.0, max(0.0, value)))


def _axis() -> str:
    rules = []
    for tenth in range(0, 11, 2):
        y = _y(tenth / 10)
        rules.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        rules.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tenth / 10:.1f}</text>')
    return "".join(rules)


def _label(x: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{escape(text)}</text>'


def _drawing(parts: Sequence[str], title: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}"><title>{escape(title)}</title>'
        f"{''.join(parts)}</svg>"
    )


def _legend(names: Sequence[str]) -> str:
    keys = (
        f'<li><span style="background:{COLOURS[number % len(COLOURS)]}"></span>{escape(name)}</li>'
        for number, name in enumerate(names)
    )
    return f'<ul class="legend">{"".join(keys)}</ul>'

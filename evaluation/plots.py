"""Draws figures as SVG that stands in a page by itself: no script, no font, nothing fetched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

WIDTH = 640
HEIGHT = 260
LEFT = 48
RIGHT = 16
TOP = 16
BOTTOM = 40
"""Margins, in units of the drawing."""
PLOT_WIDTH = WIDTH - LEFT - RIGHT
PLOT_HEIGHT = HEIGHT - TOP - BOTTOM
COLOURS = ("#0b6bcb", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#0e7490")
"""Dark enough to be told apart on white."""


def lines(series: Mapping[str, Sequence[float]], ticks: Sequence[str], *, title: str) -> str:
    """Draws one line a series over the same ticks; values in [0, 1]."""
    intervals = max(1, len(ticks) - 1)
    xs = [LEFT + PLOT_WIDTH * place / intervals for place in range(len(ticks))]
    parts = [_axis()]
    for x, tick in zip(xs, ticks, strict=True):
        parts.append(_label(x, tick))
    for number, (name, values) in enumerate(series.items()):
        parts.append(_line(name, xs, values, _colour(number)))

    return _drawing(parts, title) + _legend(tuple(series))


def _line(
    name: str,
    xs: Sequence[float],
    values: Sequence[float],
    colour: str,
) -> str:
    """Draws the line of a series with a circle for each value."""
    points = []
    circles = []
    for x, value in zip(xs, values, strict=True):
        y = _y(value)
        hint = _hint(name, value)
        points.append(f"{x:.1f},{y:.1f}")
        circles.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}">{hint}</circle>')

    path = " ".join(points)
    line = f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    return line + "".join(circles)


def bars(series: Mapping[str, Sequence[float]], ticks: Sequence[str], *, title: str) -> str:
    """Draws groups of bars, one group a tick, one bar a series; values in [0, 1]."""
    group_width = PLOT_WIDTH / max(1, len(ticks))
    bar_width = 0.8 * group_width / max(1, len(series))
    parts = [_axis()]
    for place, tick in enumerate(ticks):
        middle_of_group = LEFT + group_width * (place + 0.5)
        parts.append(_label(middle_of_group, tick))
    for number, (name, values) in enumerate(series.items()):
        colour = _colour(number)
        for place, value in enumerate(values):
            left_of_group = LEFT + group_width * (place + 0.1)
            x = left_of_group + bar_width * number
            y = _y(value)
            height = _y(0) - y
            hint = _hint(name, value)
            parts.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{bar_width:.1f}" height="{height:.1f}" '
                f'fill="{colour}">{hint}</rect>'
            )

    return _drawing(parts, title) + _legend(tuple(series))


def shares(values: Sequence[float], count: int = 20) -> list[float]:
    """Returns the share of the values, in [0, 1], in each of `count` equal bins; all 0 of nothing."""
    bins = [0] * count
    for value in values:
        place = int(value * count)
        place = min(count - 1, max(0, place))
        bins[place] += 1

    if not values:
        return [0.0] * count
    return [number / len(values) for number in bins]


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _hint(name: str, value: float) -> str:
    return f"<title>{escape(name)}: {value:.3f}</title>"


def _y(value: float) -> float:
    bounded = min(1.0, max(0.0, value))
    return TOP + PLOT_HEIGHT * (1 - bounded)


def _axis() -> str:
    rules = []
    right = LEFT + PLOT_WIDTH
    for tenth in range(0, 11, 2):
        value = tenth / 10
        y = _y(value)
        baseline = y + 4
        rules.append(f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        rules.append(
            f'<text x="{LEFT - 6}" y="{baseline:.1f}" text-anchor="end">{value:.1f}</text>'
        )

    return "".join(rules)


def _label(x: float, text: str) -> str:
    y = HEIGHT - BOTTOM + 18
    return f'<text x="{x:.1f}" y="{y}" text-anchor="middle">{escape(text)}</text>'


def _drawing(parts: Sequence[str], title: str) -> str:
    name = escape(title)
    content = "".join(parts)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{name}"><title>{name}</title>'
        f"{content}</svg>"
    )


def _legend(names: Sequence[str]) -> str:
    keys = []
    for number, name in enumerate(names):
        colour = _colour(number)
        keys.append(f'<li><span style="background:{colour}"></span>{escape(name)}</li>')

    content = "".join(keys)
    return f'<ul class="legend">{content}</ul>'

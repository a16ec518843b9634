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
    interval = PLOT_WIDTH / max(1, len(ticks) - 1)
    xs = [LEFT + interval * place for place in range(len(ticks))]
    parts = [_axis()]
    for x, tick in zip(xs, ticks, strict=True):
        parts.append(_label(x, tick))
    for number, (name, values) in enumerate(series.items()):
        line = _line(
            name,
            xs,
            values,
            _colour(number),
        )
        parts.append(line)

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
        circle = _element(
            "circle",
            _hint(name, value),
            cx=x,
            cy=y,
            r=3,
            fill=colour,
        )
        points.append(f"{x:.1f},{y:.1f}")
        circles.append(circle)

    line = _element(
        "polyline",
        points=" ".join(points),
        fill="none",
        stroke=colour,
        stroke_width=2,
    )
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
        for place, value in enumerate(values):
            left_of_group = LEFT + group_width * (place + 0.1)
            left = left_of_group + bar_width * number
            parts.append(_bar(name, value, left, bar_width, _colour(number)))

    return _drawing(parts, title) + _legend(tuple(series))


def _bar(name: str, value: float, left: float, width: float, colour: str) -> str:
    top = _y(value)
    return _element(
        "rect",
        _hint(name, value),
        x=left,
        y=top,
        width=width,
        height=_y(0) - top,
        fill=colour,
    )


def _element(tag: str, content: str | None = None, **attributes: str | float) -> str:
    """Returns an element of SVG or HTML.

    content: markup; None for an element that has none.
    attributes: by their names, with `_` for `-`; a float gets one digit after the point.
    """
    start = tag
    for name, value in attributes.items():
        text = str(value)
        if isinstance(value, float):
            text = f"{value:.1f}"
        attribute = name.replace("_", "-")
        start += f' {attribute}="{text}"'

    if content is None:
        return f"<{start}/>"
    return f"<{start}>{content}</{tag}>"


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
    return _element("title", f"{escape(name)}: {value:.3f}")


def _y(value: float) -> float:
    bounded = min(1.0, max(0.0, value))
    return TOP + PLOT_HEIGHT * (1 - bounded)


def _axis() -> str:
    rules = []
    for tenth in range(0, 11, 2):
        value = tenth / 10
        y = _y(value)
        line = _element(
            "line",
            x1=LEFT,
            x2=LEFT + PLOT_WIDTH,
            y1=y,
            y2=y,
            stroke="#ddd",
        )
        label = _element(
            "text",
            f"{value:.1f}",
            x=LEFT - 6,
            y=y + 4,
            text_anchor="end",
        )
        rules += [line, label]

    return "".join(rules)


def _label(x: float, text: str) -> str:
    return _element(
        "text",
        escape(text),
        x=x,
        y=HEIGHT - BOTTOM + 18,
        text_anchor="middle",
    )


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

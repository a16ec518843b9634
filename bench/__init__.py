"""Speed measurements: `python -m bench`."""

from __future__ import annotations

from typing import Any


def figure(value: float, unit: str, target: float | None = None) -> dict[str, Any]:
    """Returns a figure that is held to at most `target`, or to nothing with None."""
    figures: dict[str, Any] = {"value": round(value, 3), "unit": unit}
    if target is not None:
        figures["target"] = target
        figures["ok"] = value <= target
    return figures


def ratio_figure(ratio: float, target: object = None, *, ok: bool | None = None) -> dict[str, Any]:
    """Returns a figure that says how many times another one it is.

    target: what it is held to, in words or as a number; None if it is held to nothing.
    ok: whether it meets the target.
    """
    figures: dict[str, Any] = {"ratio": ratio, "unit": "x"}
    if target is not None:
        figures["target"] = target
        figures["ok"] = ok
    return figures

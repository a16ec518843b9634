"""Speed measurements: `python -m bench`."""

from __future__ import annotations

from typing import Any


def figure(value: float, unit: str, target: float | None = None) -> dict[str, Any]:
    """A figure that is held to at most `target`; None: to nothing."""
    shown: dict[str, Any] = {"value": round(value, 3), "unit": unit}
    return shown if target is None else {**shown, "target": target, "ok": value <= target}

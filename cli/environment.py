"""What the product is told from outside: the environment, below it the home's file `.env`, and what is odd in both."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path

from shared.errors import OperatorError
from shared.settings import Settings

HOME = "AURORA_HOME"
SETTINGS = tuple(setting.metadata["variable"] for setting in fields(Settings))
ALIKE = 0.9
"""Of a name in the environment, which is full of other programs' names, to be meant for us: a letter or two differ."""


def environment(home: Path | None) -> dict[str, str]:
    """What the environment says wins. `home` None: where the environment says, or the default.

    Raises OperatorError for a file that cannot be read.
    """
    written = _written(_home(home))
    return {**{name: written[name] for name in SETTINGS if name in written and name != HOME}, **os.environ}


def remarks(home: Path | None) -> Iterator[str]:
    """Of names that are no settings and were probably meant to be."""
    file = _home(home) / ".env"
    for name in _written(file.parent):
        if name == HOME:
            yield f"{file}: {name} has no effect there: that is the home"
        elif name not in SETTINGS:
            yield f"{file}: {name} is no setting{_meant(name, 0.6)}"
    for name in os.environ:
        if name not in SETTINGS and (meant := _meant(name, ALIKE)):
            yield f"{name} is no setting{meant}"


def _meant(name: str, alike: float) -> str:
    nearest = get_close_matches(name.upper(), SETTINGS, n=1, cutoff=alike)
    return f"; {nearest[0]} is" if nearest else ""


def _home(home: Path | None) -> Path:
    return home or Settings.from_env({HOME: os.environ.get(HOME, "")}).home


def _written(home: Path) -> Mapping[str, str]:
    file = home / ".env"
    if not file.is_file():
        return {}
    from dotenv import dotenv_values  # noqa: PLC0415 - for homes that have one

    try:
        return {name: value for name, value in dotenv_values(file, interpolate=False).items() if value is not None}
    except UnicodeDecodeError as error:
        raise OperatorError(f"{file} is not UTF-8: save it as UTF-8") from error

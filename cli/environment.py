"""Settings from outside: the environment, below it the home's file `.env`, and remarks on what is odd in both."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path

from shared.errors import OperatorError
from shared.settings import Settings, variable_of

HOME = "AURORA_HOME"
SETTINGS = tuple(variable_of(setting) for setting in fields(Settings))
ALIKE = 0.9
"""Likeness of a name in the environment to one of ours: a letter or two differ. It is full of other programs' names."""
NAME = re.compile(r"[A-Z][A-Z0-9_]*")
"""As programs name their variables; what looks otherwise may be a key that was pasted there."""


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    name: str
    """Empty for what is no `NAME=value`."""
    value: str


def environment(home: Path | None) -> dict[str, str]:
    """What the environment says wins. `home` None: where the environment says, or the default.

    Raises OperatorError for a file that cannot be read.
    """
    written = {line.name: line.value for line in _lines(_file(home))}
    return {**{name: written[name] for name in SETTINGS if name in written and name != HOME}, **os.environ}


def remarks(home: Path | None) -> Iterator[str]:
    """Remarks on lines that say nothing, and on names that are no settings and were probably meant to be."""
    file = _file(home)
    for line in _lines(file):
        if line.name == HOME:
            yield f"{file}: {HOME} has no effect there: that is the home"
        elif not line.name:
            yield f"{file}, line {line.number}: expected NAME=value; the line has no effect"
        elif line.name not in SETTINGS:  # of a line that is none of ours, what may be a key is not shown
            meant = _meant(line.name, 0.6)
            is_name = meant or NAME.fullmatch(line.name)
            yield f"{file}{f': {line.name}' if is_name else f', line {line.number}: its name'} is no setting{meant}"
    for name in os.environ:
        if name not in SETTINGS and (meant := _meant(name, ALIKE)):
            yield f"{name} is no setting{meant}"


def _meant(name: str, alike: float) -> str:
    nearest = get_close_matches(name.upper(), SETTINGS, n=1, cutoff=alike)
    return f"; {nearest[0]} is" if nearest else ""


def _file(home: Path | None) -> Path:
    return (home or Settings.from_env({HOME: os.environ.get(HOME, "")}).home) / ".env"


def _lines(file: Path) -> Iterator[_Line]:
    """Lines that say something, or try to. Raises OperatorError."""
    if not file.is_file():
        return
    from dotenv.parser import parse_stream  # noqa: PLC0415 - for homes that have one

    try:
        with file.open(encoding="utf-8-sig") as stream:
            bindings = list(parse_stream(stream))
    except UnicodeDecodeError as error:
        raise OperatorError(f"{file} is not UTF-8: save it as UTF-8") from error
    for key, value, original, is_broken in bindings:
        if is_broken or key is not None:
            before = original.string[: -len(original.string.lstrip())]  # empty lines belong to the one after them
            is_told = key is not None and value is not None
            yield _Line(original.line + before.count("\n"), key or "" if is_told else "", value or "")

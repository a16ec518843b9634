"""Settings from the environment and the home's file `.env`, and remarks on what is odd in both."""

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
ALIKE_IN_ENVIRONMENT = 0.9
"""Likeness of a name in the environment to a setting from which it counts as misspelled: a letter
or two differ. It is high because the environment is full of other programs' names.
"""
ALIKE_IN_FILE = 0.6
"""Likeness of a name in the home's `.env` to a setting from which it counts as misspelled."""
NAME = re.compile(r"[A-Z][A-Z0-9_]*")
"""Names as programs give them to variables; anything else may be a key that was pasted there."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the home's `.env`."""

    number: int
    name: str
    """Name of the variable; empty if the line is no `NAME=value`."""
    value: str


def environment(home: Path | None) -> dict[str, str]:
    """Returns the variables of the environment, and below them the settings of the home's `.env`.

    home: None is the home that the environment names, or the default.

    Raises OperatorError for a file that cannot be read.
    """
    file_values = {line.name: line.value for line in _lines(_file(home))}
    variables = {}
    for name in SETTINGS:
        if name in file_values and name != HOME:
            variables[name] = file_values[name]

    variables.update(os.environ)
    return variables


def remarks(home: Path | None) -> Iterator[str]:
    """Yields remarks on lines without effect, and on names that are probably misspelled settings."""
    file = _file(home)
    for line in _lines(file):
        if line.name == HOME:
            yield f"{file}: {HOME} has no effect there: that is the home"
        elif not line.name:
            yield f"{file}, line {line.number}: expected NAME=value; the line has no effect"
        elif line.name not in SETTINGS:
            suggestion = _suggestion(line.name, ALIKE_IN_FILE)
            # A name that may be a key is not shown.
            if suggestion or NAME.fullmatch(line.name):
                yield f"{file}: {line.name} is no setting{suggestion}"
            else:
                yield f"{file}, line {line.number}: its name is no setting"

    for name in os.environ:
        if name not in SETTINGS:
            suggestion = _suggestion(name, ALIKE_IN_ENVIRONMENT)
            if suggestion:
                yield f"{name} is no setting{suggestion}"


def _suggestion(name: str, min_likeness: float) -> str:
    """Returns the end of a remark that names the nearest setting; empty if none is near enough."""
    nearest = get_close_matches(
        name.upper(),
        SETTINGS,
        n=1,
        cutoff=min_likeness,
    )
    return f"; {nearest[0]} is" if nearest else ""


def _file(home: Path | None) -> Path:
    """Returns the path of the home's `.env`."""
    if not home:
        home = Settings.from_env({HOME: os.environ.get(HOME, "")}).home
    return home / ".env"


def _lines(file: Path) -> Iterator[_Line]:
    """Yields the lines that set a variable or try to. Raises OperatorError."""
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
            # The parser counts empty lines to the line that follows them.
            blank = original.string[: -len(original.string.lstrip())]
            is_assignment = key is not None and value is not None
            yield _Line(
                number=original.line + blank.count("\n"),
                name=(key or "") if is_assignment else "",
                value=value or "",
            )

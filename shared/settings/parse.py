"""What an environment variable holds -> the setting's value. Each raises ValueError saying what is expected."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

RETIRED_MODELS = {
    "gemini-2.0-flash": "gemini-3.5-flash-lite",
    "gemini-2.5-flash": "gemini-3.5-flash-lite",
    "text-embedding-004": "gemini-embedding-2",
}
"""Shut-down model -> its successor."""


def path(value: str) -> Path:
    return Path(value).expanduser()


def database(value: str) -> str:
    if value != "(default)" and not re.fullmatch("[a-z][a-z0-9-]{2,61}[a-z0-9]", value):
        raise ValueError(f"(default), or 4 to 63 lower-case letters, digits and hyphens, a letter first; got {value!r}")
    return value


def address(value: str) -> str:
    try:
        parts = urlsplit(value)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(f"an address like https://host/path, got {value!r}")
    return value


def key(value: str) -> str:
    """Secrets come with a line's end from files. What is wrong with one is not shown."""
    key = value.strip()
    if not all("!" <= character <= "~" for character in key):
        raise ValueError("a key of visible ASCII characters")
    return key


def flag(value: str) -> bool:
    lowered = value.lower()
    if lowered in ("1", "true", "yes", "on"):
        return True
    if lowered in ("", "0", "false", "no", "off"):
        return False
    raise ValueError("true or false")


def names(value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(",") if name.strip())


def origins(value: str) -> tuple[str, ...]:
    """As browsers send them; apps in a web view have schemes of their own."""
    origins = names(value)
    for name in origins:
        try:
            parts = urlsplit(name)
            is_origin = name == f"{parts.scheme}://{parts.netloc}" and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_origin = False
        if name != "*" and (not is_origin or "@" in name or name != name.lower()):
            raise ValueError(f"origins like https://notes.example.com, without path, or *; got {name!r}")
    return origins


def models(value: str) -> tuple[str, ...]:
    return tuple(map(model, names(value)))


def paths(value: str) -> tuple[Path, ...]:
    return tuple(path(name) for name in names(value))


def model(value: str) -> str:
    if value in RETIRED_MODELS:
        raise ValueError(f"a live model: {value} has been shut down, its successor is {RETIRED_MODELS[value]}")
    return value


def whole(low: int, high: int) -> Callable[[str], int]:
    def parse(value: str) -> int:
        try:
            number = int(value)
        except ValueError:
            number = low - 1
        if not low <= number <= high:
            raise ValueError(f"a whole number from {low} to {high}, got {value!r}")
        return number

    return parse


def limit(low: float, high: float) -> Callable[[str], float | None]:
    """A number of the type of `low` from `low` to `high`; 0 is None: no limit."""
    parse = whole(low, int(high)) if isinstance(low, int) else number(low, high)

    def parse_limit(value: str) -> float | None:
        if value.strip() == "0":
            return None
        try:
            return parse(value)
        except ValueError as error:
            raise ValueError(f"0 for no limit, or {error}") from None

    return parse_limit


def prices(value: str) -> tuple[tuple[str, float, float], ...]:
    """Model, USD per million tokens that it reads, and that it writes."""
    priced = []
    for each in names(value):
        model, _, usd = each.rpartition("=")
        read, _, written = usd.partition("/")
        try:
            priced.append((model, number(0, 10_000)(read), number(0, 10_000)(written or "0")))
        except ValueError:
            model = ""
        if not model:
            raise ValueError(f"MODEL=READ/WRITTEN in USD per million tokens, like my-model=0.30/2.50; got {each!r}")
    return tuple(priced)


def number(low: float, high: float) -> Callable[[str], float]:
    def parse(value: str) -> float:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not low <= number <= high:
            raise ValueError(f"a number from {low} to {high}, got {value!r}")
        return number

    return parse


def one_of(*choices: str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if value not in choices:
            raise ValueError(f"one of {', '.join(choices)}, got {value!r}")
        return value

    return parse

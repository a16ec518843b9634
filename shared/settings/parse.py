"""Parsers: an environment variable -> a setting's value, or ValueError saying what is expected."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from shared.errors import SettingsError

if TYPE_CHECKING:
    from shared.settings import Settings

T = TypeVar("T")
N = TypeVar("N", int, float)

MODEL_WAITS = 3
"""How often one question may wait for CHAT_TIMEOUT_MS."""
SECONDS_BESIDE_MODELS = 30
"""Longest time a question takes beside model calls: embedding, searches, ending a stream."""
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


def each(parse: Callable[[str], T]) -> Callable[[str], tuple[T, ...]]:
    """A list, comma separated, of what `parse` reads."""
    return lambda value: tuple(map(parse, names(value)))


def origins(value: str) -> tuple[str, ...]:
    """Origins in the form that browsers send; apps in a web view have their own schemes."""
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


def model(value: str) -> str:
    if value in RETIRED_MODELS:
        raise ValueError(f"a live model: {value} has been shut down, its successor is {RETIRED_MODELS[value]}")
    return value


def whole(low: int, high: int) -> Callable[[str], int]:
    return _within(low, high, int, "a whole number")


def number(low: float, high: float) -> Callable[[str], float]:
    return _within(low, high, float, "a number")


def _within(low: N, high: N, read: Callable[[str], N], named: str) -> Callable[[str], N]:
    def parse(value: str) -> N:
        try:
            if low <= (found := read(value)) <= high:
                return found
        except ValueError:  # no number at all
            pass
        raise ValueError(f"{named} from {low} to {high}, got {value!r}")

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


def session_defaults(value: str) -> tuple[tuple[str, bool | int | float | str], ...]:
    """Settings of a session with their values, of `field=value` separated by commas."""
    from shared.model.sessions import SETTINGS  # noqa: PLC0415 - a health check needs no session

    by_field = {setting.field: (name, setting) for name, setting in SETTINGS.items()}
    found: dict[str, bool | int | float | str] = {}
    for each in names(value):
        field, _, text = each.partition("=")
        if field not in by_field:
            raise ValueError(f"field=value of a session's settings ({', '.join(by_field)}), got {each!r}")
        name, setting = by_field[field]
        low, high, chosen = setting.least or 0, setting.most or 0, one_of(*(setting.choices or (text,)))
        parse = {int: whole(int(low), int(high)), float: number(low, high), bool: flag}.get(setting.kind, chosen)
        try:
            found[name] = parse(text)
        except ValueError as error:
            raise ValueError(f"for {field} {error}") from None
    return tuple(found.items())


def one_of(*choices: str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if value not in choices:
            raise ValueError(f"one of {', '.join(choices)}, got {value!r}")
        return value

    return parse


# -- settings that depend on each other


def check(settings: Settings, *, deployed: bool) -> None:
    """Raises SettingsError for the first values that do not go together. `deployed`: K_SERVICE is set."""
    total = settings.weight_vector + settings.weight_keyword + settings.weight_recency
    if not math.isclose(total, 1.0, abs_tol=1e-6):
        raise SettingsError("RETRIEVAL_WEIGHT_*", f"three weights that sum to 1, got {total:g}")
    _check_timeouts(settings)
    if deployed:
        _check_deployed(settings)
    if settings.openai_base_url and not (settings.uses_gemini or settings.chat_model):
        raise SettingsError("CHAT_MODEL", "a model of the server at OPENAI_BASE_URL")
    if settings.judge == "model" and not (settings.uses_gemini or settings.openai_base_url):
        raise SettingsError("JUDGE", "offline or check_grounding where no writing model is configured")
    if settings.reranker == "cross_encoder" and not settings.reranker_model:
        raise SettingsError("RERANKER_MODEL", "folder or name of a model when RERANKER is cross_encoder")
    low, high = settings.embedding_unrelated, settings.embedding_alike
    if (low is None) != (high is None) or (low is not None and high is not None and low >= high):
        raise SettingsError("EMBEDDING_ALIKE", "a number above EMBEDDING_UNRELATED, both or neither")
    for asked, where in (
        (settings.store == "firestore", "STORE is firestore"),
        (settings.use_vertexai, "GOOGLE_GENAI_USE_VERTEXAI is set"),
        (settings.judge == "check_grounding", "JUDGE is check_grounding"),
        (settings.reranker == "vertex", "RERANKER is vertex"),
    ):
        if asked and not settings.project:
            raise SettingsError("GOOGLE_CLOUD_PROJECT", f"a project id when {where}")


def _check_deployed(settings: Settings) -> None:
    """Refuses what only runs locally: .gcloudignore leaves it out of the upload."""
    for variable, given, allowed, why in (
        ("STORE", settings.store, ("firestore",), "a function's disk goes with its instance"),
        ("AUTH", settings.auth, ("firebase",), "anybody can call it"),
        ("RERANKER", settings.reranker, ("none", "vertex"), "no model runs in a function"),
    ):
        if given not in allowed:
            expected = f"{' or '.join(allowed)} where K_SERVICE is set, got {given!r}"
            raise SettingsError(variable, f"{expected}: {why}")
    if settings.embeds_here and settings.embedding_model:
        expected = "GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI or OPENAI_BASE_URL beside it where K_SERVICE is set"
        raise SettingsError("EMBEDDING_MODEL", f"{expected}: no model runs in a function")


def _check_timeouts(settings: Settings) -> None:
    """A question waits for a model up to three times: to be made standalone, to be answered, to be judged."""
    if settings.request_timeout_seconds is None:
        return
    longest = (settings.request_timeout_seconds - SECONDS_BESIDE_MODELS) * 1000 // MODEL_WAITS
    if settings.chat_timeout_ms > longest:
        expected = f"at most {max(0, longest)} where REQUEST_TIMEOUT_SECONDS is {settings.request_timeout_seconds}"
        raise SettingsError("CHAT_TIMEOUT_MS", f"{expected}, got {settings.chat_timeout_ms}")

"""Parsers: an environment variable -> a setting's value, or ValueError saying what is expected."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar
from urllib.parse import urlsplit

from shared.errors import SettingsError

if TYPE_CHECKING:
    from shared.model.sessions import Setting
    from shared.settings import Settings

SessionValue: TypeAlias = bool | int | float | str
T = TypeVar("T")
N = TypeVar("N", int, float)

MODEL_WAITS = 3
"""Number of times that one question may wait for CHAT_TIMEOUT_MS."""
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
        raise ValueError(
            f"(default), or 4 to 63 lower-case letters, digits and hyphens, a letter first; got {value!r}",
        )
    return value


def prefix(value: str) -> str:
    if not re.fullmatch("[a-z][a-z0-9-]{0,13}", value):
        raise ValueError(
            f"1 to 14 lower-case letters, digits and hyphens, a letter first; got {value!r}",
        )
    return value


def address(value: str) -> str:
    try:
        parts = urlsplit(value)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        has_host = False
    if not has_host or parts.scheme not in ("http", "https"):
        raise ValueError(f"an address like https://host/path, got {value!r}")
    return value


def key(value: str) -> str:
    """Reads a secret, which may end with a line break from its file. Errors do not show it."""
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
    """Reads a comma-separated list."""
    items = value.split(",")
    stripped = map(str.strip, items)
    return tuple(filter(None, stripped))


def each(parse: Callable[[str], T]) -> Callable[[str], tuple[T, ...]]:
    """Returns a parser of a comma-separated list whose items `parse` reads."""

    def parse_all(value: str) -> tuple[T, ...]:
        items = names(value)
        return tuple(map(parse, items))

    return parse_all


def origins(value: str) -> tuple[str, ...]:
    """Reads origins in the form that browsers send; apps in a web view have their own schemes."""
    origins = names(value)
    for name in origins:
        if name != "*" and not _is_origin(name):
            raise ValueError(
                f"origins like https://notes.example.com, without path, or *; got {name!r}",
            )
    return origins


def _is_origin(name: str) -> bool:
    """Reports whether a name is an origin as browsers send it, in lower case and without a user."""
    if "@" in name or name != name.lower():
        return False

    try:
        parts = urlsplit(name)
        has_valid_port = parts.port != 0
    except ValueError:
        return False
    if not has_valid_port or not parts.hostname:
        return False

    return name == f"{parts.scheme}://{parts.netloc}"


def model(value: str) -> str:
    successor = RETIRED_MODELS.get(value)
    if successor is not None:
        raise ValueError(f"a live model: {value} has been shut down, its successor is {successor}")
    return value


def whole(low: int, high: int) -> Callable[[str], int]:
    return _within(low, high, int, "a whole number")


def number(low: float, high: float) -> Callable[[str], float]:
    return _within(low, high, float, "a number")


def _within(low: N, high: N, read: Callable[[str], N], kind: str) -> Callable[[str], N]:
    def parse(value: str) -> N:
        expected = f"{kind} from {low} to {high}, got {value!r}"
        try:
            result = read(value)
        except ValueError:
            raise ValueError(expected) from None
        if not low <= result <= high:  # true of NaN too
            raise ValueError(expected)
        return result

    return parse


def limit(low: float, high: float) -> Callable[[str], float | None]:
    """Returns a parser of a number of the type of `low` from `low` to `high`; 0 gives None, no limit."""
    parse: Callable[[str], float]
    if isinstance(low, int):
        parse = whole(low, int(high))
    else:
        parse = number(low, high)

    def parse_limit(value: str) -> float | None:
        if value.strip() == "0":
            return None
        try:
            return parse(value)
        except ValueError as error:
            raise ValueError(f"0 for no limit, or {error}") from None

    return parse_limit


def prices(value: str) -> tuple[tuple[str, float, float], ...]:
    """Reads prices: model, USD per million tokens that it reads, and that it writes."""
    usd = number(0, 10_000)
    prices = []
    for entry in names(value):
        expected = (
            f"MODEL=READ/WRITTEN in USD per million tokens, like my-model=0.30/2.50; got {entry!r}"
        )
        model, _, price = entry.rpartition("=")
        if not model:
            raise ValueError(expected)
        read, _, written = price.partition("/")
        try:
            price_read = usd(read)
            price_written = usd(written or "0")
        except ValueError:
            raise ValueError(expected) from None
        prices.append((model, price_read, price_written))
    return tuple(prices)


def session_defaults(value: str) -> tuple[tuple[str, SessionValue], ...]:
    """Reads the settings of a session with their values, `field=value` separated by commas."""
    from shared.model.sessions import SETTINGS  # noqa: PLC0415 - a health check needs no session

    name_of_field = {setting.field: name for name, setting in SETTINGS.items()}
    defaults: dict[str, SessionValue] = {}
    for entry in names(value):
        field, _, text = entry.partition("=")
        name = name_of_field.get(field)
        if name is None:
            fields = ", ".join(name_of_field)
            raise ValueError(f"field=value of a session's settings ({fields}), got {entry!r}")

        setting = SETTINGS[name]
        try:
            default = _session_value(setting, text)
        except ValueError as error:
            raise ValueError(f"for {field} {error}") from None
        defaults[name] = default
    return tuple(defaults.items())


def _session_value(setting: Setting, text: str) -> SessionValue:
    """Reads the value of one setting of a session."""
    low = setting.least or 0
    high = setting.most or 0
    if setting.kind is int:
        return whole(int(low), int(high))(text)
    if setting.kind is float:
        return number(low, high)(text)
    if setting.kind is bool:
        return flag(text)
    if setting.choices:
        return one_of(*setting.choices)(text)
    return text


def one_of(*choices: str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if value not in choices:
            listed = ", ".join(choices)
            raise ValueError(f"one of {listed}, got {value!r}")
        return value

    return parse


# -- settings that depend on each other


def check(settings: Settings, *, deployed: bool) -> None:
    """Raises SettingsError for the first values that do not go together.

    deployed: True if K_SERVICE is set.
    """
    total = settings.weight_vector + settings.weight_keyword + settings.weight_recency
    if not math.isclose(total, 1.0, abs_tol=1e-6):
        raise SettingsError("RETRIEVAL_WEIGHT_*", f"three weights that sum to 1, got {total:g}")

    _check_timeouts(settings)
    if deployed:
        _check_deployed(settings)
    _check_models(settings)
    _check_project(settings)


def _check_models(settings: Settings) -> None:
    """Raises SettingsError for a model that needs another setting."""
    if settings.openai_base_url and not settings.uses_gemini and not settings.chat_model:
        raise SettingsError("CHAT_MODEL", "a model of the server at OPENAI_BASE_URL")

    has_writer = settings.uses_gemini or settings.openai_base_url
    if settings.judge == "model" and not has_writer:
        raise SettingsError("JUDGE", "offline where no writing model is configured")

    if settings.reranker == "cross_encoder" and not settings.reranker_model:
        raise SettingsError(
            "RERANKER_MODEL",
            "folder or name of a model when RERANKER is cross_encoder",
        )
    if not _is_calibration(settings.embedding_unrelated, settings.embedding_alike):
        raise SettingsError(
            "EMBEDDING_ALIKE",
            "a number above EMBEDDING_UNRELATED, both or neither",
        )


def _is_calibration(unrelated: float | None, alike: float | None) -> bool:
    """Reports whether both cosines are set in ascending order, or neither is."""
    if unrelated is None or alike is None:
        return unrelated is None and alike is None
    return unrelated < alike


def _check_project(settings: Settings) -> None:
    """Raises SettingsError if a service needs a project and none is set."""
    if settings.project:
        return
    reason = ""
    if settings.store == "firestore":
        reason = "STORE is firestore"
    elif settings.use_vertexai:
        reason = "GOOGLE_GENAI_USE_VERTEXAI is set"
    elif settings.reranker == "vertex":
        reason = "RERANKER is vertex"
    if reason:
        raise SettingsError("GOOGLE_CLOUD_PROJECT", f"a project id when {reason}")


def _check_deployed(settings: Settings) -> None:
    """Refuses parts that only run locally: .gcloudignore leaves them out of the upload."""
    requirements = (
        ("STORE", settings.store, ("firestore",), "a function's disk goes with its instance"),
        ("AUTH", settings.auth, ("firebase",), "anybody can call it"),
        ("RERANKER", settings.reranker, ("none", "vertex"), "no model runs in a function"),
    )
    for variable, value, allowed, reason in requirements:
        if value in allowed:
            continue
        choices = " or ".join(allowed)
        expected = f"{choices} where K_SERVICE is set, got {value!r}"
        raise SettingsError(variable, f"{expected}: {reason}")

    if settings.embeds_here and settings.embedding_model:
        expected = "GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI or OPENAI_BASE_URL beside it where K_SERVICE is set"
        raise SettingsError("EMBEDDING_MODEL", f"{expected}: no model runs in a function")


def _check_timeouts(settings: Settings) -> None:
    """Raises SettingsError if a question could outlast its request.

    It waits for a model up to three times: to be made standalone, to be answered, to be judged.
    """
    if settings.request_timeout_seconds is None:
        return

    seconds = settings.request_timeout_seconds
    longest = (seconds - SECONDS_BESIDE_MODELS) * 1000 // MODEL_WAITS
    if settings.chat_timeout_ms <= longest:
        return

    expected = f"at most {max(0, longest)} where REQUEST_TIMEOUT_SECONDS is {seconds}"
    raise SettingsError("CHAT_TIMEOUT_MS", f"{expected}, got {settings.chat_timeout_ms}")

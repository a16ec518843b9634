"""Limits of a session's title and settings, and the title made of its first question."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from shared.errors import InvalidArgument, SettingsError
from shared.markdown.neutralize import neutralize_line
from shared.model.limits import UNKEEPABLE, is_id
from shared.model.sessions import SETTINGS, SessionSettings, Setting, SettingsPatch

MAX_TITLE = 200
MAX_DERIVED_TITLE = 80
"""Characters of a title that is made of a question."""
TITLE = f"one line of at most {MAX_TITLE} characters"

CONTEXT_WINDOWS = {"gemini-": 1_048_576}
"""Beginning of a model's name -> tokens that it reads at most, by https://ai.google.dev/gemini-api/docs/models."""
CONTEXT_SHARE = 1 / 128
"""Share of the window that a prompt takes at most: beside the most passages, 3,500 tokens, as much of the history."""

_NOT_ONE_LINE = re.compile("[\x00-\x1f\x7f\u2028\u2029\ud800-\udfff]")


def check_settings(
    patch: SettingsPatch,
    *,
    models: Collection[str],
    inside: str = "",
) -> SettingsPatch:
    """Returns the patch itself. Raises InvalidArgument for the first value out of its range.

    models: names that may be chosen.
    inside: prefix of a field's name in errors (`settings.`).
    """
    for name, value in patch.items():
        setting = SETTINGS[name]
        is_valid = _is_in_range(setting, value)
        if isinstance(value, str) and not _is_usable_text(name, value):
            is_valid = False
        if setting.choices and value not in setting.choices:
            is_valid = False
        if not is_valid:
            raise InvalidArgument(inside + setting.field, setting.expected)

    model = patch.get("model")
    if model and model not in models:
        names = ", ".join(sorted(models))
        raise InvalidArgument(f"{inside}model", f"one of {names}")
    return patch


def _is_in_range(setting: Setting, value: float | str) -> bool:
    """Reports whether a number, or the length of a text, lies within the setting's bounds."""
    size = len(value) if isinstance(value, str) else value
    is_too_small = setting.least is not None and size < setting.least
    is_too_great = setting.most is not None and size > setting.most
    return not (is_too_small or is_too_great)


def _is_usable_text(name: str, value: str) -> bool:
    """Reports whether a text can be stored; a template's must be an id."""
    if is_id(value):
        return True
    return name != "template" and not UNKEEPABLE.search(value)


def checked_defaults(
    patch: SettingsPatch,
    *,
    models: Collection[str],
    model: str,
) -> SessionSettings:
    """Returns the settings of new sessions: the built-in ones, changed by those in SESSION_DEFAULTS.

    Raises SettingsError naming the setting of a bad value.

    model: the configured model; prompts take a share of its context window. Empty without a model.
    """
    try:
        checked = check_settings(patch, models=models)
    except InvalidArgument as error:
        raise SettingsError("SESSION_DEFAULTS", f"{error.expected} for {error.field}") from None
    built_in = replace(SessionSettings(), max_context_tokens=prompt_budget(model))
    return replace(built_in, **checked)  # type: ignore[arg-type]


def prompt_budget(model: str) -> int:
    """Returns the tokens of a prompt for a model: a share of its context window, the built-in ones where that is
    unknown.
    """
    _, _, name = model.rpartition("/")
    for beginning, window in CONTEXT_WINDOWS.items():
        if name.startswith(beginning):
            return round(CONTEXT_SHARE * window)
    return SessionSettings().max_context_tokens


def check_title(title: str, *, inside: str = "") -> str:
    """Returns the title without blanks around it. Raises InvalidArgument.

    inside: prefix of the field's name in errors (`session.`).
    """
    stripped = title.strip()
    if len(stripped) > MAX_TITLE or _NOT_ONE_LINE.search(stripped):
        raise InvalidArgument(f"{inside}title", TITLE)
    return stripped


def title_of(question: str) -> str:
    """Returns the question on one line, at most 80 characters, cut between words and ended by an
    ellipsis.
    """
    line = neutralize_line(question)
    if len(line) <= MAX_DERIVED_TITLE:
        return line

    beginning = line[: MAX_DERIVED_TITLE - 1]
    whole_words, _, _ = beginning.rpartition(" ")
    title = (whole_words or beginning).rstrip(",;:.- ")
    return f"{title}…"

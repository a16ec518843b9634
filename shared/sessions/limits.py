"""Limits of a session's title and settings, and the title made of its first question."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from shared.errors import InvalidArgument, SettingsError
from shared.markdown.neutralize import neutralize_line
from shared.model.limits import UNKEEPABLE, is_id
from shared.model.sessions import SETTINGS, SessionSettings, SettingsPatch

MAX_TITLE = 200
MAX_DERIVED_TITLE = 80
"""Characters of a title that is made of a question."""
TITLE = f"one line of at most {MAX_TITLE} characters"

_NOT_ONE_LINE = re.compile("[\x00-\x1f\x7f\u2028\u2029\ud800-\udfff]")


def check_settings(patch: SettingsPatch, *, models: Collection[str], inside: str = "") -> SettingsPatch:
    """The patch itself. `models`: those that may be chosen; `inside`: the prefix of a field's name (`settings.`).

    Raises InvalidArgument for the first value out of its range.
    """
    for name, value in patch.items():
        setting = SETTINGS[name]
        size = len(value) if isinstance(value, str) else value
        fits = (setting.least is None or setting.least <= size) and (setting.most is None or size <= setting.most)
        known = not setting.choices or value in setting.choices
        usable = not isinstance(value, str) or is_id(value) or (name != "template" and not UNKEEPABLE.search(value))
        if not (fits and known and usable):
            raise InvalidArgument(inside + setting.field, setting.expected)
    if patch.get("model") and patch["model"] not in models:
        raise InvalidArgument(f"{inside}model", f"one of {', '.join(sorted(models))}")
    return patch


def checked_defaults(given: SettingsPatch, *, models: Collection[str]) -> SessionSettings:
    """Settings of new sessions, `given` by SESSION_DEFAULTS. Raises SettingsError naming the setting of a bad value."""
    try:
        return replace(SessionSettings(), **check_settings(given, models=models))  # type: ignore[arg-type]
    except InvalidArgument as wrong:
        raise SettingsError("SESSION_DEFAULTS", f"{wrong.expected} for {wrong.field}") from None


def check_title(title: str, *, inside: str = "") -> str:
    """Without blanks around it. `inside`: see `check_settings`. Raises InvalidArgument."""
    bare = title.strip()
    if len(bare) > MAX_TITLE or _NOT_ONE_LINE.search(bare):
        raise InvalidArgument(f"{inside}title", TITLE)
    return bare


def title_of(question: str) -> str:
    """The question on one line, at most 80 characters, cut between words and ended by an ellipsis."""
    line = neutralize_line(question)
    if len(line) <= MAX_DERIVED_TITLE:
        return line
    cut = line[: MAX_DERIVED_TITLE - 1]
    return f"{(cut.rpartition(' ')[0] or cut).rstrip(',;:.- ')}…"

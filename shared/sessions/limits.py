"""What a session may be called and set to: the same for every front door."""

from __future__ import annotations

import re
from collections.abc import Collection

from shared.errors import InvalidArgument
from shared.model.sessions import SETTINGS, Setting, SettingsPatch

LONGEST_TITLE = 200

TITLE = f"one line of at most {LONGEST_TITLE} characters"

_UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")
_NOT_ONE_LINE = re.compile("[\x00-\x1f\x7f\u2028\u2029\ud800-\udfff]")


def check_settings(patch: SettingsPatch, *, models: Collection[str], inside: str = "") -> SettingsPatch:
    """The patch itself. `models`: those that may be chosen; `inside`: what stands before a field's name (`settings.`).

    Raises InvalidArgument for the first value out of its range.
    """
    for name, value in patch.items():
        if not _is_allowed(SETTINGS[name], value):
            raise InvalidArgument(inside + SETTINGS[name].field, SETTINGS[name].expected)
    if patch.get("model") and patch["model"] not in models:
        raise InvalidArgument(f"{inside}model", f"one of {', '.join(sorted(models))}")
    return patch


def _is_allowed(setting: Setting, value: float | str) -> bool:
    if isinstance(value, str):
        return (setting.most is None or len(value) <= setting.most) and not _UNKEEPABLE.search(value)
    return (setting.least is None or setting.least <= value) and (setting.most is None or value <= setting.most)


def check_title(title: str, *, inside: str = "") -> str:
    """Without blanks around it. `inside` as of `check_settings`. Raises InvalidArgument."""
    bare = title.strip()
    if len(bare) > LONGEST_TITLE or _NOT_ONE_LINE.search(bare):
        raise InvalidArgument(f"{inside}title", TITLE)
    return bare

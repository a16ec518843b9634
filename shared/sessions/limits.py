"""What a session may be called and set to: the same for every front door."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import fields

from shared.errors import InvalidArgument
from shared.model.sessions import SETTING_NAMES, SettingsPatch

LONGEST_TITLE = 200
LONGEST_SYSTEM_PROMPT = 2000
"""Characters; at most 2,000 of the estimated tokens, of which a question may have 500 and more."""

TITLE = f"one line of at most {LONGEST_TITLE} characters"
SYSTEM_PROMPT = f"text of at most {LONGEST_SYSTEM_PROMPT} characters, without NUL"
RANGES: dict[str, tuple[float, float]] = {
    "top_k": (1, 20),
    "threshold": (0, 1),
    "max_context_tokens": (500, 32_000),
    "max_history": (0, 200),
}
"""Setting -> least and greatest value."""

_UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")
_NOT_ONE_LINE = re.compile("[\x00-\x1f\x7f\u2028\u2029\ud800-\udfff]")


def expected(setting: str) -> str:
    """What a caller is told of a setting with a range."""
    low, high = RANGES[setting]
    kind = "a number" if setting == "threshold" else "a whole number"
    return f"{kind} from {low:g} to {high:g}"


def check_settings(patch: SettingsPatch, *, models: Collection[str], inside: str = "") -> SettingsPatch:
    """The patch itself. `models`: those that may be chosen; `inside`: what stands before a field's name (`settings.`).

    Raises InvalidArgument for the first value out of its range.
    """
    for setting, (low, high) in RANGES.items():
        value = getattr(patch, setting)
        if value is not None and not low <= value <= high:
            raise InvalidArgument(inside + SETTING_NAMES[setting], expected(setting))
    wish = patch.system_prompt
    if wish is not None and (len(wish) > LONGEST_SYSTEM_PROMPT or _UNKEEPABLE.search(wish)):
        raise InvalidArgument(f"{inside}systemPrompt", SYSTEM_PROMPT)
    if patch.model and patch.model not in models:
        raise InvalidArgument(f"{inside}model", f"one of {', '.join(sorted(models))}")
    return patch


def check_title(title: str) -> str:
    """Without blanks around it. Raises InvalidArgument."""
    bare = title.strip()
    if len(bare) > LONGEST_TITLE or _NOT_ONE_LINE.search(bare):
        raise InvalidArgument("title", TITLE)
    return bare


def given(patch: SettingsPatch) -> dict[str, object]:
    """Setting -> value of those the patch names."""
    values = {each.name: getattr(patch, each.name) for each in fields(patch)}
    return {name: value for name, value in values.items() if value is not None}

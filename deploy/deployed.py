"""Reads the settings with which the functions serve. After a rollback these are not the ones that were deployed last."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path

from look import Deployment, Stop, variables_of
from releases import History
from resources import FUNCTIONS

PLATFORM = frozenset({"GOOGLE_CLOUD_PROJECT", "REQUEST_TIMEOUT_SECONDS"})
"""Documented settings that cloudbuild.yaml gives each function itself."""
NAMES = frozenset({"FUNCTION_PREFIX", "STORE"})
"""Settings that follow from how a deployment is called."""
PAGE = Path(__file__).parents[1] / "docs/settings.md"


def documented() -> frozenset[str]:
    """Returns the names of all settings, as docs/settings.md lists them."""
    return frozenset(
        re.findall(
            r"^\| `([A-Z0-9_]+)` \|",
            PAGE.read_text(encoding="utf-8"),
            re.MULTILINE,
        ),
    )


def by_function(deployment: Deployment, history: History) -> dict[str, dict[str, str]]:
    """Returns function -> the settings that it serves with, the function of the newest release first.

    Keys, which are kept as secrets, are no part of them.
    """
    settings: dict[str, dict[str, str]] = {}
    for function in history.newest_first:
        if function.name not in FUNCTIONS:
            continue
        revision = function.answering
        variables: Mapping[str, str] = variables_of(deployment.functions[function.name])
        if revision is not None:
            variables = revision.variables
        settings[function.name] = settings_of(variables)

    return settings


def settings_of(variables: Mapping[str, str]) -> dict[str, str]:
    """Returns those of the environment variables that are settings of a whole deployment."""
    wanted = documented() - PLATFORM
    return {
        name: value
        for name, value in variables.items()
        if name in wanted and not name.endswith("_KEY")
    }


def agreed(settings: Mapping[str, Mapping[str, str]], named: Collection[str]) -> dict[str, str]:
    """Returns the settings of the whole deployment; where functions differ, those of the newest release.

    Raises Stop if they differ in a setting that is not in `named`: after half a deployment only a person knows which
    value is meant.
    """
    merged: dict[str, str] = {}
    for variables in reversed(list(settings.values())):
        merged.update(variables)

    unsendable = [name for name, value in merged.items() if re.search("[;|]", value)]
    if unsendable:
        names = ", ".join(sorted(unsendable))
        raise Stop(
            f"{names}: expected a value without ; and |, which a build separates settings by. "
            "Nothing was changed. Somebody set it by hand: change it there.",
        )

    lines = []
    for name in sorted(merged.keys() - {*NAMES, *named}):
        values = {function: variables.get(name) for function, variables in settings.items()}
        if len(set(values.values())) > 1:
            lines.append(f"- {name}: {_by_value(values)}")
    if lines:
        differences = "\n".join(lines)
        raise Stop(
            "The functions serve with different settings, since a deployment stopped half-way or somebody changed one of "
            f"them:\n{differences}\n"
            "Nothing was changed. Name the value that all of them are to have (--set NAME=VALUE, --database NAME), or go "
            "back to one release with deploy/rollback.sh first.",
        )

    return merged


def _by_value(values: Mapping[str, str | None]) -> str:
    """Returns each value with the functions that have it."""
    functions = defaultdict[str, list[str]](list)
    for function, value in values.items():
        text = "not set"
        if value is not None:
            text = repr(value)
        functions[text].append(function)

    parts = []
    for text, names in functions.items():
        listing = ", ".join(names)
        parts.append(f"{text} in {listing}")
    return "; ".join(parts)

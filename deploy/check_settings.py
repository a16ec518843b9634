"""Whether the functions would start with these settings, before anything is made for them.

    PYTHONPATH=. python3 deploy/check_settings.py PROJECT "NAME=VALUE|NAME=VALUE" <function.json

Standard input is a deployed function as gcloud describes it, or `{}`: its settings stay where no other is given.
Needs Python 3.11, nothing else.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shared.account import prices
from shared.adapters import extras
from shared.errors import SettingsError
from shared.settings import Settings

ROOT = Path(__file__).parents[1]
PLATFORM = {"K_SERVICE": "chat", "REQUEST_TIMEOUT_SECONDS": "540", "GEMINI_API_KEY": "kept-as-a-secret"}
"""What functions get beside the settings, with the shortest timeout of those that wait for a model."""


def check(given: Mapping[str, str]) -> None:
    """Raises SettingsError for the first that would stop a function."""
    settings = Settings.from_env({**PLATFORM, **given})
    prices.check(settings)
    brought = set(re.findall(r"^([\w.-]+)==", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE))
    for variable, _, _, modules in extras.asked(settings):
        for package in (module.replace(".", "-") for module in modules):
            if package not in brought:
                raise SettingsError(variable, f"{package} in requirements.txt, which is what functions have")
    for folder in settings.template_folders:
        uploaded = (ROOT / folder).resolve()
        if not (uploaded.is_dir() and uploaded.is_relative_to(ROOT / "templates")):
            raise SettingsError("TEMPLATE_FOLDERS", f"folders in templates/, the only ones uploaded; got '{folder}'")


def _deployed(function: Mapping[str, Any]) -> dict[str, str]:
    held: dict[str, str] = function.get("serviceConfig", {}).get("environmentVariables", {})
    return held


if __name__ == "__main__":
    project, settings = sys.argv[1:]
    named = dict(each.split("=", 1) for each in settings.split("|"))
    try:
        check({**_deployed(json.load(sys.stdin)), "GOOGLE_CLOUD_PROJECT": project, **named})
    except SettingsError as error:
        sys.exit(f"--set {error.message}")

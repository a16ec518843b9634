"""Whether the functions would start with these settings, before anything is made for them."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["SettingsError", "check", "defaults", "unpriced"]

ROOT = Path(__file__).parents[1]
sys.path.insert(1, str(ROOT))

from shared.account import prices  # noqa: E402 - of the checkout that is deployed
from shared.adapters import extras  # noqa: E402 - as above
from shared.errors import SettingsError  # noqa: E402 - as above
from shared.settings import Settings  # noqa: E402 - as above

PLATFORM = {"K_SERVICE": "chat", "REQUEST_TIMEOUT_SECONDS": "540"}
"""What functions get beside the settings, with the shortest timeout of those that wait for a model."""


def unpriced(given: Mapping[str, str], key: str) -> list[str]:
    """The models whose price DAILY_PROJECT_USD needs and nobody has said. Raises SettingsError."""
    settings = _deployed(given, key)
    found = []
    for model in settings.billed_models if settings.daily_project_usd else ():
        try:
            prices.price_of(model, settings)
        except SettingsError:
            found.append(model)
    return found


def _deployed(given: Mapping[str, str], key: str) -> Settings:
    return Settings.from_env({**PLATFORM, **given, **({key: "kept-as-a-secret"} if key else {})})


def check(given: Mapping[str, str], key: str) -> None:
    """`key`: the setting that is kept as a secret, or empty. Raises SettingsError for the first that would stop one."""
    settings = _deployed(given, key)
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


def defaults(names: Sequence[str]) -> dict[str, str]:
    """Setting -> its default, of those that have one."""
    settings = Settings.from_env({**PLATFORM, "GOOGLE_CLOUD_PROJECT": "p", "GEMINI_API_KEY": "k"})
    held = {name: getattr(settings, name.lower(), None) for name in names}
    return {name: str(value).removesuffix(".0") for name, value in held.items() if value is not None}

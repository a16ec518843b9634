"""Checks that the functions would start with some settings, before anything is made for them."""

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
"""Variables that functions get beside the settings, with the shortest timeout of those that wait for a model."""


def unpriced(variables: Mapping[str, str], key: str) -> list[str]:
    """Returns the models whose price DAILY_PROJECT_USD needs and nobody has set. Raises SettingsError."""
    settings = _deployed(variables, key)
    if not settings.daily_project_usd:
        return []
    models = []
    for model in settings.billed_models:
        try:
            prices.price_of(model, settings)
        except SettingsError:
            models.append(model)

    return models


def _deployed(variables: Mapping[str, str], key: str) -> Settings:
    """Returns the settings that functions would have, the secret one with some value."""
    secrets = {}
    if key:
        secrets[key] = "kept-as-a-secret"
    return Settings.from_env({**PLATFORM, **variables, **secrets})


def check(variables: Mapping[str, str], key: str) -> None:
    """Raises SettingsError for the first setting that would keep a function from starting.

    key: the setting that is kept as a secret, or empty.
    """
    settings = _deployed(variables, key)
    prices.check(settings)
    requirements = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    deployed_packages = set(re.findall(r"^([\w.-]+)==", requirements, re.MULTILINE))
    for need in extras.needs(settings):
        for module in need.modules:
            package = module.replace(".", "-")
            if package not in deployed_packages:
                raise SettingsError(
                    need.variable,
                    f"{package} in requirements.txt, which is what functions have",
                )

    templates = ROOT / "templates"
    for folder in settings.template_folders:
        path = (ROOT / folder).resolve()
        if not (path.is_dir() and path.is_relative_to(templates)):
            raise SettingsError(
                "TEMPLATE_FOLDERS",
                f"folders in templates/, the only ones uploaded; got '{folder}'",
            )


def defaults(names: Sequence[str]) -> dict[str, str]:
    """Returns the defaults of settings, without those that have none."""
    settings = Settings.from_env({**PLATFORM, "GOOGLE_CLOUD_PROJECT": "p", "GEMINI_API_KEY": "k"})
    texts = {}
    for name in names:
        default = getattr(settings, name.lower(), None)
        if default is not None:
            texts[name] = str(default).removesuffix(".0")
    return texts

"""The steps by which docs/operate.md replaces the key are those of the deployment."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]


def _steps() -> str:
    text = (ROOT / "docs/operate.md").read_text()
    return text.partition("## Another key\n")[2].partition("\n## ")[0]


def _build() -> dict[str, Any]:
    build: dict[str, Any] = yaml.safe_load((ROOT / "cloudbuild.yaml").read_text())
    return build


def test_new_instances_come_from_the_script_that_knows_which_release_serves() -> None:
    """test_releases.py runs it after a rollback."""
    assert "3. `deploy/restart.sh PROJECT` starts new instances" in _steps()
    assert (ROOT / "deploy/restart.sh").is_file()


def test_functions_read_the_newest_version_of_the_secret_that_the_steps_name() -> None:
    bound = re.fullmatch(
        r"--set-secrets=GEMINI_API_KEY=([a-z-]+):latest", _build()["substitutions"]["_SECRETS"]
    )
    assert bound is not None
    assert f"gcloud secrets versions add {bound[1]} " in _steps()
    assert f"--secret={bound[1]} " in _steps()

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


def test_every_function_that_reads_the_key_gets_a_new_revision() -> None:
    deployed = [step["args"] for step in _build()["steps"] if "--gen2" in step.get("args", ())]
    with_key = {
        args[args.index("deploy") + 1].removeprefix("${_PREFIX}")
        for args in deployed
        if "$_SECRETS" in args
    }
    named = re.search(r"for name in ([a-z -]+); do gcloud run services update", _steps())
    assert named is not None
    assert set(named[1].split()) == with_key


def test_functions_read_the_newest_version_of_the_secret_that_the_steps_name() -> None:
    bound = re.fullmatch(
        r"--set-secrets=GEMINI_API_KEY=([a-z-]+):latest", _build()["substitutions"]["_SECRETS"]
    )
    assert bound is not None
    assert f"gcloud secrets versions add {bound[1]} " in _steps()
    assert f"--secret={bound[1]} " in _steps()

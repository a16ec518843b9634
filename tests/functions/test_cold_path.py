"""A cold start pays for nothing but what it needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.functions.world import ROOT

HEAVY = (
    "pydantic",
    "grpc",
    "numpy",
    "google.genai",
    "google.cloud.firestore",
    "google.auth",
    "shared.bootstrap",
    "shared.domain",
)

PROBE = """
import sys
import functions_framework
client = functions_framework.create_app({name!r}, "main.py").test_client()
assert client.get("/healthz").status_code == 200 or {name!r} == "on_note_write"
print([module for module in {heavy!r} if module in sys.modules])
"""


@pytest.mark.parametrize("name", ["chat", "api", "reconcile", "on_note_write"])
def test_health_is_answered_before_anything_heavy_is_imported(name: str) -> None:
    probe = PROBE.format(name=name, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

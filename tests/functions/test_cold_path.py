"""A cold start pays for nothing but what it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.absent import absent
from tests.functions.world import ROOT

HEAVY = (
    "pydantic",
    "grpc",
    "numpy",
    "mcp",
    "graphql",
    "google.genai",
    "google.cloud.firestore",
    "google.auth",
    "shared.bootstrap",
    "shared.model",
)

ANSWERING = (
    "flask",
    "shared.answering.pipeline",
    "shared.answering.extractive",
    "shared.asking.turn",
    "shared.indexing.pipeline",
    "shared.judging.support",
    "shared.notes.service",
    "shared.sessions.service",
    "shared.templates.service",
)

INDEX = "import sys; from cli.main import main; main(['index', *sys.argv[1:]])"

PROBE = """
import sys
import functions_framework
client = functions_framework.create_app({name!r}, "main.py").test_client()
assert client.get("/health").status_code == 200 or {name!r}.startswith("on_")
print([module for module in {heavy!r} if module in sys.modules])
"""


@pytest.mark.parametrize(
    ("env", "told"),
    [
        ({"AUTH": "none"}, "AUTH: expected firebase where K_SERVICE is set"),
        ({"GOOGLE_CLOUD_PROJECT": ""}, "GOOGLE_CLOUD_PROJECT: expected a project id"),
        ({"EMBEDDING_DIM": "many"}, "EMBEDDING_DIM: expected a whole number"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, "opentelemetry.sdk to be installed"),
    ],
)
def test_a_revision_with_a_bad_setting_does_not_start(env: dict[str, str], told: str) -> None:
    deployed = {
        **os.environ,
        "K_SERVICE": "chat",
        "GOOGLE_CLOUD_PROJECT": "p",
        **env,
    }
    start = f"{absent('opentelemetry')}import functions_framework; functions_framework.create_app('chat', 'main.py')"
    completed = subprocess.run(
        [sys.executable, "-c", start],
        cwd=ROOT,
        env=deployed,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode != 0
    assert told in completed.stderr


@pytest.mark.parametrize("name", ["chat", "api", "reconcile", "on_note_write", "on_template_write"])
def test_health_is_answered_before_anything_heavy_is_imported(name: str) -> None:
    probe = PROBE.format(name=name, heavy=HEAVY)
    completed = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert completed.stdout.strip() == "[]"


def test_a_search_of_the_command_loads_nothing_that_answers_or_saves(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "boat.md").write_text(
        "# Boat\n\nThe backups of the boat's charts lie in the locker.\n"
    )
    home = tmp_path / "home"
    subprocess.run(
        [sys.executable, "-c", INDEX, str(notes), "--home", str(home)], cwd=ROOT, check=True
    )
    probe = f"""
import sys
from cli.main import main
try:
    main(["search", "backups", "--home", {str(home)!r}])
except SystemExit as end:
    assert not end.code
assert "shared.retrieval.pipeline" in sys.modules
print([module for module in {ANSWERING!r} if module in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip().splitlines()[-1] == "[]"


def test_loading_the_sdks_is_seldom_stopped_to_look_for_garbage() -> None:
    probe = """
import gc
import main
def looks():
    return sum(generation["collections"] for generation in gc.get_stats())
before = looks()
import google.genai, google.cloud.firestore
print(looks() - before)
"""
    completed = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(completed.stdout) == 0  # 85 by Python's defaults


def test_certificates_are_read_once_for_all_models() -> None:
    probe = """
import sys
from shared.adapters.gemini import GeminiEmbedder, GeminiWriter
readings = []
def notice(frame, event, function):
    if event == "c_call" and function.__name__ == "load_verify_locations":
        readings.append(function)
remotes = (GeminiEmbedder(api_key="k"), GeminiWriter(api_key="k"))
sys.setprofile(notice)
for remote in remotes:
    remote.client()
print(len(readings))
"""
    completed = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(completed.stdout) == 1

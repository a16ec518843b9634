"""What cloudbuild.yaml deploys is what main.py offers, each with what it needs to run safely."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import main
from shared.settings import Settings
from tests.servers.firebase_suite import firebase_tools

ROOT = Path(__file__).parents[2]
BUILD: dict[str, Any] = yaml.safe_load((ROOT / "cloudbuild.yaml").read_text())
DEPLOYS = {step["args"][2]: step["args"] for step in BUILD["steps"] if step["args"][:2] == ["functions", "deploy"]}


def option(arguments: list[str], name: str) -> str:
    """The value of `--name=value`; fails if it is not there exactly once."""
    (found,) = [argument for argument in arguments if argument.startswith(f"--{name}=")]
    return found.partition("=")[2]


def test_every_function_is_deployed_under_its_entry_point() -> None:
    entry_points = {option(arguments, "entry-point") for arguments in DEPLOYS.values()}
    assert entry_points == set(main.__all__)
    assert {name.replace("-", "_") for name in DEPLOYS} == entry_points


@pytest.mark.parametrize("name", DEPLOYS)
def test_every_function_bounds_its_threads_instances_and_roles(name: str) -> None:
    arguments = DEPLOYS[name]
    assert "--gen2" in arguments
    assert "--source=." in arguments
    assert re.search(r"\bTHREADS=\d+", option(arguments, "update-env-vars"))
    assert int(option(arguments, "max-instances")) <= 20
    assert option(arguments, "service-account").startswith("aurora-functions@")
    assert "/aurora-build@" in option(arguments, "build-service-account")
    assert option(arguments, "set-secrets") == "GEMINI_API_KEY=gemini-api-key:latest"


def test_threads_follow_the_concurrency_of_http_functions() -> None:
    for name in ("chat", "api"):
        threads = re.search(r"THREADS=(\d+)", option(DEPLOYS[name], "update-env-vars"))
        assert threads
        assert threads[1] == option(DEPLOYS[name], "concurrency")


def test_all_functions_are_told_the_same_settings() -> None:
    """Questions come to `api` too, by /ask, GraphQL and MCP; and all must embed with one model."""
    told = {
        option(arguments, "update-env-vars").partition("|GOOGLE_CLOUD_PROJECT=")[2] for arguments in DEPLOYS.values()
    }
    assert told == {"$PROJECT_ID|$_SETTINGS"}


@pytest.mark.parametrize(
    ("name", "document"),
    [("on-note-write", "notes/{noteId}"), ("on-template-write", "templates/{templateId}")],
)
def test_each_trigger_follows_its_documents_of_every_tenant_and_retries(name: str, document: str) -> None:
    arguments = DEPLOYS[name]
    assert "--retry" in arguments
    assert "--trigger-event-filters=type=google.cloud.firestore.document.v1.written" in arguments
    path = option(arguments, "trigger-event-filters-path-pattern")
    assert path == f"document=tenants/{{tenantId}}/{document}"


def test_only_the_scheduler_may_reconcile() -> None:
    assert "--no-allow-unauthenticated" in DEPLOYS["reconcile"]
    assert "--allow-unauthenticated" not in DEPLOYS["reconcile"]


def test_no_function_is_deployed_before_the_indexes_are_ready() -> None:
    waits = {step["id"]: step.get("waitFor", []) for step in BUILD["steps"]}
    assert all(waits[name] == ["indexes-ready"] for name in DEPLOYS)
    assert waits["indexes-ready"] == ["indexes-and-rules"]


def test_every_image_and_tool_is_pinned() -> None:
    assert not [step["name"] for step in BUILD["steps"] if not re.search(r":\d+\.\d+\.\d+(-slim)?$", step["name"])]
    assert not [part for step in BUILD["steps"] for part in step["args"] if re.search(r"@\d+$", part)]


@pytest.mark.parametrize("name", DEPLOYS)
def test_every_function_knows_when_its_host_ends_a_request(name: str) -> None:
    """So that a CHAT_TIMEOUT_MS that does not fit stops the start; the default fits."""
    said = re.search(r"REQUEST_TIMEOUT_SECONDS=(\d+)", option(DEPLOYS[name], "update-env-vars"))
    assert said
    assert option(DEPLOYS[name], "timeout") == f"{said[1]}s"
    assert Settings.from_env({"REQUEST_TIMEOUT_SECONDS": said[1]}).chat_timeout_ms == 30_000


def test_firebase_json_is_what_firebase_tools_own_schema_allows() -> None:
    """Its validators of rules and indexes run in the replay, when it deploys them."""
    schema = firebase_tools().parents[1] / "firebase-tools/schema/firebase-config.json"
    jsonschema.validate(json.loads((ROOT / "firebase.json").read_text()), json.loads(schema.read_text()))


def test_shellcheck_finds_nothing_in_the_scripts() -> None:
    scripts = [ROOT / ".ci/run", *sorted((ROOT / "deploy").glob("*.sh"))]
    found = subprocess.run(
        [Path(sys.executable).parent / "shellcheck", "--external-sources", *scripts],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout

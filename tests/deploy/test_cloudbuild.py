"""Every function of main.py is deployed by cloudbuild.yaml, with what it needs to run safely."""

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
from bench.scale import GIB_MONTH, instance_usd
from shared.account.prices import READ, WRITE
from shared.model.limits import MAX_TEXT_BYTES
from shared.settings import Settings
from tests.servers.firebase_suite import firebase_tools

ROOT = Path(__file__).parents[2]
LABEL = "product=aurora-notes"
BUILD: dict[str, Any] = yaml.safe_load((ROOT / "cloudbuild.yaml").read_text())
DEPLOYS = {step["id"]: step["args"] for step in BUILD["steps"] if "deploy" in step["args"]}


def option(arguments: list[str], name: str) -> str:
    """The value of `--name=value`; fails if it is not there exactly once."""
    (argument_found,) = [argument for argument in arguments if argument.startswith(f"--{name}=")]
    return argument_found.partition("=")[2]


def test_every_function_is_deployed_under_its_entry_point() -> None:
    entry_points = {option(arguments, "entry-point") for arguments in DEPLOYS.values()}
    assert entry_points == set(main.__all__)
    assert {name.replace("-", "_") for name in DEPLOYS} == entry_points
    assert all(f"${{_PREFIX}}{name}" in arguments for name, arguments in DEPLOYS.items())


@pytest.mark.parametrize("name", DEPLOYS)
def test_every_function_bounds_its_threads_instances_and_roles(name: str) -> None:
    arguments = DEPLOYS[name]
    assert "--gen2" in arguments
    assert "--source=." in arguments
    assert re.search(r"\bTHREADS=\d+", option(arguments, "set-env-vars"))
    assert int(option(arguments, "max-instances")) <= 20
    assert option(arguments, "service-account").startswith("${_PREFIX}aurora-functions@")
    assert "/${_PREFIX}aurora-build@" in option(arguments, "build-service-account")
    assert option(arguments, "update-labels") == f"{LABEL},release=$_RELEASE,source=$_SOURCE"
    assert "$_SECRETS" in arguments
    assert "--serve-all-traffic-latest-revision" in arguments
    carried = "|RELEASE=$_RELEASE|SOURCE=$_SOURCE|REPLACES=$_REPLACES|FUNCTIONS=$_FUNCTIONS|"
    assert carried in option(arguments, "set-env-vars")


def test_threads_follow_the_concurrency_of_http_functions() -> None:
    for name in ("chat", "api"):
        threads = re.search(r"THREADS=(\d+)", option(DEPLOYS[name], "set-env-vars"))
        assert threads
        assert threads[1] == option(DEPLOYS[name], "concurrency")


def test_all_functions_are_told_the_same_settings() -> None:
    """Questions come to `api` too, by /ask, GraphQL and MCP; and all must embed with one model."""
    projects = {
        option(arguments, "set-env-vars").partition("|GOOGLE_CLOUD_PROJECT=")[2]
        for arguments in DEPLOYS.values()
    }
    assert projects == {"$PROJECT_ID|$_SETTINGS"}


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("on-note-write", "notes/{noteId}"),
        ("on-template-write", "templates/{templateId}"),
    ],
)
def test_each_trigger_follows_its_documents_of_every_tenant_and_retries(
    name: str, document: str
) -> None:
    arguments = DEPLOYS[name]
    assert "--retry" in arguments
    assert "--trigger-event-filters=type=google.cloud.firestore.document.v1.written" in arguments
    assert "--trigger-event-filters=database=$_DATABASE" in arguments
    path = option(arguments, "trigger-event-filters-path-pattern")
    assert path == f"document=tenants/{{tenantId}}/{document}"


def test_the_build_lets_nobody_call_a_function() -> None:
    """deploy/invokers.py does, as the project's owner, who sees what an organization forbids."""
    assert "allow-unauthenticated" not in str(BUILD)


def test_indexes_come_first_functions_that_follow_notes_after_the_others_and_rules_last() -> None:
    waits = {step["id"]: step.get("waitFor", []) for step in BUILD["steps"]}
    called = ("chat", "api", "reconcile")
    following = ("on-note-write", "on-template-write")
    assert waits["alone"] == ["indexes"]
    assert all(waits[name] == ["alone"] for name in called)
    assert set(waits["moved"]) == set(called)
    assert all(waits[name] == ["moved"] for name in following)
    assert set(waits["rules"]) == set(following)
    assert waits["schedule"] == ["rules"]


PUBSUB_TIB = 40
"""USD of a TiB through Pub/Sub, by https://cloud.google.com/pubsub/pricing."""


def test_the_page_s_worst_day_is_that_of_the_limits_as_deployed() -> None:
    """By list prices. One tenant's share of it is spent by tests/account/test_worst_day.py."""
    page = (ROOT / "docs/deploy.md").read_text()
    instances = sum(int(option(arguments, "max-instances")) for arguments in DEPLOYS.values())
    day = instances * instance_usd(24 * 3600)
    settings = Settings.from_env(
        {
            "K_SERVICE": "chat",
            "GOOGLE_CLOUD_PROJECT": "p",
            "GEMINI_API_KEY": "k",
        }
    )
    million = 1_000_000
    note_bytes = million * MAX_TEXT_BYTES
    # An event has the note as it was and as it is, and is paid for when it is published and when it is delivered.
    event_usd = 4 * note_bytes / 2**40 * PUBSUB_TIB
    kept_usd = note_bytes / 2**30 * GIB_MONTH / 30
    assert f"all of them busy for 24 hours | {day:.0f} |" in page
    assert f"`DAILY_PROJECT_USD` {settings.daily_project_usd:.0f}: models" in page
    assert f"documents that signed-in apps write directly | {million * WRITE:.2f} |" in page
    assert f"a million that they read | {million * READ:.2f} |" in page
    assert re.search(rf"at {PUBSUB_TIB} a TiB of .*\| {event_usd:.0f} \|", page)
    assert f"kept for a day, without versions of seven days and backups | {kept_usd:.2f} |" in page


def test_every_image_and_tool_is_pinned() -> None:
    assert not [
        step["name"]
        for step in BUILD["steps"]
        if not re.search(r":\d+\.\d+\.\d+(-slim)?$", step["name"])
    ]


@pytest.mark.parametrize("name", DEPLOYS)
def test_every_function_knows_when_its_host_ends_a_request(name: str) -> None:
    """So that a CHAT_TIMEOUT_MS that does not fit stops the start; the default fits."""
    timeout = re.search(r"REQUEST_TIMEOUT_SECONDS=(\d+)", option(DEPLOYS[name], "set-env-vars"))
    assert timeout
    assert option(DEPLOYS[name], "timeout") == f"{timeout[1]}s"
    assert Settings.from_env({"REQUEST_TIMEOUT_SECONDS": timeout[1]}).chat_timeout_ms == 30_000


def test_firebase_json_is_what_firebase_tools_own_schema_allows() -> None:
    schema = firebase_tools().parents[1] / "firebase-tools/schema/firebase-config.json"
    jsonschema.validate(
        json.loads((ROOT / "firebase.json").read_text()), json.loads(schema.read_text())
    )


def test_shellcheck_finds_nothing_in_the_scripts() -> None:
    scripts = [ROOT / ".ci/run", *sorted((ROOT / "deploy").glob("*.sh"))]
    completed = subprocess.run(
        [Path(sys.executable).parent / "shellcheck", "--external-sources", *scripts],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stdout

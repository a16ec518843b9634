"""Releases up, half up and back again, with the real up.sh and rollback.sh and the steps of cloudbuild.yaml.

Functions are deployed by the requests that gcloud sends (function_deploy.py).
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.conftest import PROJECT, Deployment, deploying
from tests.deploy.prepared import prepare
from tests.deploy.test_releases import FUNCTIONS, answering
from tests.servers.gemini import error
from tests.servers.google_cloud import GoogleCloud
from tests.servers.google_cloud.cloud_run import add_revision, serving
from tests.servers.served import Served

PLACE = f"projects/{PROJECT}/locations/europe-west1"
UP = "deploy/up.sh PROJECT --prepared --region europe-west1"
ROLLBACK = "deploy/rollback.sh PROJECT"
PATCH = "cloudfunctions.projects.locations.functions.patch"
NO_ROOM = error(400, "INVALID_ARGUMENT", message="No room.")
RELEASES = {"RELEASE", "SOURCE", "REPLACES", "FUNCTIONS"}
OWN = {"THREADS", "REQUEST_TIMEOUT_SECONDS"}
"""Settings that each function has beside the settings of all."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture
def deployment(tmp_path: Path, product: Served) -> Iterator[Deployment]:
    left_out = ("roles-known", "indexes", "rules", "schedule")
    with deploying(tmp_path, product, left_out=left_out, quick=FUNCTIONS) as deployment:
        prepare(deployment.cloud)
        yield deployment
        assert deployment.cloud.faults == []


def up(deployment: Deployment, *options: str) -> str:
    """Deploys; returns the release."""
    completed = deployment.follow(" ".join((UP, *options)))
    failed = [step.said for step in deployment.steps if step.code]
    assert completed.returncode == 0, completed.stdout + "".join(failed)
    release = completed.stdout.partition("Release ")[2].partition(";")[0]
    assert f"Every function serves release {release}." in completed.stdout
    return release


def half_up(deployment: Deployment, *options: str) -> subprocess.CompletedProcess[str]:
    """A deployment that ends when the functions that are called are there."""
    deployment.cloud.refusals[PATCH] = [None, None, None, NO_ROOM, NO_ROOM]
    completed = deployment.follow(" ".join((UP, *options)))
    assert completed.returncode == 1, completed.stdout
    assert len(set(answering(deployment.cloud, PLACE).values())) == 2
    del deployment.cloud.refusals[PATCH]
    return completed


def roll_back(deployment: Deployment) -> str:
    completed = deployment.follow(ROLLBACK)
    assert completed.returncode == 0, completed.stdout
    return completed.stdout


def settings(cloud: GoogleCloud) -> dict[str, dict[str, str]]:
    """Function -> the environment of the revision that answers, without what differs between functions and releases."""
    environments = {}
    for name in FUNCTIONS:
        revision = serving(cloud, f"{PLACE}/services/{name}")
        variables = {
            variable["name"]: variable.get("value") for variable in revision["containers"][0]["env"]
        }
        environments[name] = {
            key: value for key, value in variables.items() if key not in RELEASES | OWN
        }
    return environments


@pytest.mark.journey
def test_up_rollback_up_and_half_up_rollback_up_end_in_one_release_with_one_set_of_settings(
    deployment: Deployment,
) -> None:
    cloud = deployment.cloud
    another_setting = ("--set", "EMBEDDING_DIM=512")
    first = up(deployment, "--set", "JUDGE=model")
    settings_before = settings(cloud)
    assert settings_before["chat"]["JUDGE"] == "model"
    assert "EMBEDDING_DIM" not in settings_before["chat"]

    half_up(deployment, *another_setting)
    second = up(deployment, *another_setting)
    for environment in settings(cloud).values():
        assert environment == {**settings_before["chat"], "EMBEDDING_DIM": "512"}
    roll_back(deployment)
    assert first != second
    assert answering(cloud, PLACE) == dict.fromkeys(FUNCTIONS, first)
    assert settings(cloud) == settings_before
    third = up(deployment)
    assert answering(cloud, PLACE) == dict.fromkeys(FUNCTIONS, third)
    assert settings(cloud) == settings_before, (
        "those that were served, not those that were deployed last"
    )

    half_up(deployment, *another_setting)
    unsaid = deployment.follow(UP)
    assert unsaid.returncode == 2, unsaid.stdout
    assert "- EMBEDDING_DIM: '512' in api, chat, reconcile; not set in on-note-w" in unsaid.stdout
    assert "Nothing was changed." in unsaid.stdout
    roll_back(deployment)
    assert answering(cloud, PLACE) == dict.fromkeys(FUNCTIONS, third)
    assert settings(cloud) == settings_before


@pytest.mark.nightly
def test_a_first_deployment_that_failed_half_way_gives_the_others_the_same_settings(
    deployment: Deployment,
) -> None:
    method = PATCH.replace("patch", "create")
    deployment.cloud.refusals[method] = [None, None, None, NO_ROOM, NO_ROOM]
    failed = deployment.follow(f"{UP} --set EMBEDDING_DIM=256 --set DAILY_CHAT_LIMIT=7")
    assert failed.returncode == 1, failed.stdout
    up(deployment)
    for environment in settings(deployment.cloud).values():
        assert environment["EMBEDDING_DIM"] == "256"
        assert environment["DAILY_CHAT_LIMIT"] == "7"


@pytest.mark.nightly
def test_while_a_build_is_under_way_nothing_else_deploys_or_goes_back(
    deployment: Deployment,
) -> None:
    cloud = deployment.cloud
    up(deployment)
    build_started = threading.Event()
    go_on = threading.Event()
    build = cloud.run_build

    def wait(submitted: dict[str, Any]) -> bool:
        build_started.set()
        return go_on.wait(600) and build(submitted)

    cloud.run_build = wait
    ended: list[subprocess.CompletedProcess[str]] = []
    first = threading.Thread(target=lambda: ended.append(deployment.follow(UP)))
    first.start()
    assert build_started.wait(300)
    serves = answering(cloud, PLACE)
    for command, code in (
        (UP, 2),
        (ROLLBACK, 1),
        ("deploy/restart.sh PROJECT", 1),
    ):
        refused = deployment.follow(command)
        assert refused.returncode == code, refused.stdout
        assert "is under way since" in refused.stdout
        assert "gcloud builds cancel build" in refused.stdout
    assert answering(cloud, PLACE) == serves
    go_on.set()
    first.join()
    assert ended[0].returncode == 0, ended[0].stdout
    assert len([call for call in cloud.calls if call.id.endswith("builds.create")]) == 2


@pytest.mark.nightly
def test_a_build_that_another_release_has_overtaken_deploys_nothing(deployment: Deployment) -> None:
    """Two runs both looked before either had submitted its build."""
    cloud = deployment.cloud
    up(deployment)
    build = cloud.run_build

    def overtaken(submitted: dict[str, Any]) -> bool:
        for name in FUNCTIONS:
            function = cloud.resources[f"{PLACE}/functions/{name}"]
            function["serviceConfig"]["environmentVariables"] |= {"RELEASE": "newer"}
            add_revision(cloud, function, all_traffic=True)
        return build(submitted)

    cloud.run_build = overtaken
    completed = deployment.follow(UP)
    assert completed.returncode == 1, completed.stdout
    assert answering(cloud, PLACE) == dict.fromkeys(FUNCTIONS, "newer")
    refused = [step.said for step in deployment.steps if step.code]
    assert "Release newer was deployed since this build" in refused[0]
    cloud.run_build = build
    older = f"projects/{PROJECT}/locations/global/builds/older"
    substitutions = {"_RELEASE": "another", "_PREFIX": ""}
    cloud.resources[older] = {
        "name": older, "id": "older", "status": "WORKING", "createTime": "2026-01-01T00:00:00Z",
        "substitutions": substitutions,
    }  # fmt: skip
    step = 'python3 deploy/builds.py PROJECT "" younger newer newer'
    second = deployment.follow(step)
    assert second.returncode == 1
    assert "Build older of release another is under way since 2026-01-01" in second.stdout
    assert deployment.follow(step.replace("younger", "older")).returncode == 0


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_a_database_is_taken_over_when_the_new_functions_answer_and_not_before(
    tmp_path: Path, product: Served
) -> None:
    """If the build fails, the deployment that has the database goes on indexing; and it can be handed back."""
    left_out = ("roles-known", "indexes", "rules", "schedule")
    with deploying(tmp_path, product, "west4-", left_out=left_out, quick=FUNCTIONS) as deployment:
        cloud = deployment.cloud
        prepare(cloud)
        owner = f"projects/{PROJECT}/databases/(default)/documents/auroraOwner/deployment"
        field = ("fields", "functionPrefix", "stringValue")

        def named() -> str:
            document = cloud.contents[owner]
            for key in field:
                document = document[key]
            return str(document)

        take = (
            "FUNCTION_PREFIX=west4- deploy/up.sh PROJECT --region europe-west1 --take-over database"
        )
        cloud.refusals[PATCH.replace("patch", "create")] = [None, None, None, NO_ROOM, NO_ROOM]
        failed = deployment.follow(take, GEMINI_API_KEY="a-key")
        assert failed.returncode == 1, failed.stdout
        assert "stays the other deployment's until the functions of this one" in failed.stdout
        assert named() == ""
        completed = deployment.follow(take, GEMINI_API_KEY="a-key")
        assert completed.returncode == 0, completed.stdout
        assert "N1: We keep our notes in Firestore." in completed.stdout
        assert named() == "west4-"
        order = [call.id for call in cloud.calls]
        commit = order.index("firestore.projects.databases.documents.commit")
        assert any(method.endswith("builds.create") for method in order[:commit])
        assert cloud.faults == []

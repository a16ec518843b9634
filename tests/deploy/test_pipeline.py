"""deploy/up.sh --prepared, run by the account of a pipeline in a project that deploy/terraform has set up."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.conftest import ROOT, found_gcloud
from tests.deploy.prepared import PIPELINE, email, prepare
from tests.servers.google_cloud import GoogleCloud, tools, with_ready_token
from tests.servers.google_cloud.cloud import Call
from tests.servers.google_cloud.cloud_run import add_revision
from tests.servers.served import Served

sys.path.append(str(ROOT / "deploy"))  # its scripts run from there

import resources

PROJECT = "demo-other"
PARENT = f"projects/{PROJECT}"
REGION = f"{PARENT}/locations/europe-west1"
DATABASE = f"{PARENT}/databases/(default)"
SECRET = f"{PARENT}/secrets/gemini-api-key"
CUSTOM = f"{PARENT}/roles/auroraInvokers"
UNASKED = {"roles/logging.viewer", "roles/serviceusage.serviceUsageConsumer"}
"""Roles for what the project on loopback has not: the log of a build as it runs, and quotas."""
UP = ("deploy/up.sh", PROJECT, "--prepared", "--region", "europe-west1")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def build(cloud: GoogleCloud, submitted: dict[str, Any]) -> bool:
    """Leave what the build leaves: five functions of the release."""
    release = submitted["substitutions"]["_RELEASE"]
    for name in resources.FUNCTIONS:
        address = f"{REGION}/functions/{name}"
        function = {
            "name": address,
            "labels": dict([resources.LABEL.split("=")]),
            "url": cloud.function_url(name),
            "buildConfig": {"entryPoint": name.replace("-", "_")},
            "serviceConfig": {
                "service": f"{REGION}/services/{name}",
                "environmentVariables": {
                    "RELEASE": release,
                    "FUNCTIONS": ",".join(resources.FUNCTIONS),
                },
            },
        }
        cloud.resources[address] = function
        add_revision(cloud, function, all_traffic=True)
    return True


@pytest.fixture
def cloud(product: Served) -> Iterator[GoogleCloud]:
    found_gcloud()
    with GoogleCloud(PROJECT) as cloud:
        cloud.function_url = lambda name: f"{product.address}/{name}"
        cloud.run_build = lambda submitted: build(cloud, submitted)
        prepare(cloud)
        yield cloud
        assert cloud.faults == []


def deploy(cloud: GoogleCloud, folder: Path) -> subprocess.CompletedProcess[str]:
    account = email(PROJECT, PIPELINE["account"])
    path = with_ready_token(os.environ["PATH"], folder / "bin")
    return subprocess.run(
        UP,
        cwd=ROOT,
        env=tools(cloud, home=folder, account=account, path=path),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def submitted_builds(cloud: GoogleCloud) -> list[Call]:
    return [call for call in cloud.calls if call.id.endswith("builds.create")]


def test_a_pipeline_deploys_with_no_more_than_its_roles(cloud: GoogleCloud, tmp_path: Path) -> None:
    completed = deploy(cloud, tmp_path)
    assert completed.returncode == 0, completed.stdout
    assert "is set up already" in completed.stdout
    assert "Both answer /health." in completed.stdout
    callers = {call.caller for call in cloud.calls}
    assert callers == {email(PROJECT, PIPELINE["account"])}
    (submitted,) = submitted_builds(cloud)
    assert submitted.body["serviceAccount"].endswith(email(PROJECT, resources.DEPLOYER))
    changing = {
        call.id for call in cloud.calls if call.method.verb in ("PUT", "PATCH", "DELETE")
    } | {call.id for call in cloud.calls if call.id.endswith("setIamPolicy")}
    assert changing <= {"run.projects.locations.services.setIamPolicy"}
    for name in resources.CALLED:
        policy = cloud.access.policies[f"{REGION}/services/{name}"]
        assert policy["bindings"] == [{"role": "roles/run.invoker", "members": ["allUsers"]}]


@pytest.mark.parametrize(
    ("missing", "told"),
    [
        (DATABASE, "--prepared: there is no database (default); terraform apply"),
        (f"{SECRET}/versions/1", "gcloud secrets versions add gemini-api-key --data-file=-"),
    ],
)
def test_what_terraform_or_somebody_has_not_made_yet_is_named_and_nothing_is_built(
    cloud: GoogleCloud, tmp_path: Path, missing: str, told: str
) -> None:
    del cloud.resources[missing]
    completed = deploy(cloud, tmp_path)
    assert completed.returncode == 2, completed.stdout
    assert told in completed.stdout
    assert submitted_builds(cloud) == []


def test_a_database_that_names_nobody_is_not_taken_by_a_pipeline(
    cloud: GoogleCloud, tmp_path: Path
) -> None:
    cloud.contents.clear()
    cloud.documents.clear()
    completed = deploy(cloud, tmp_path)
    assert completed.returncode == 2, completed.stdout
    assert "does not say that it is this deployment's" in completed.stdout


def without(role: str, policy: dict[str, Any]) -> dict[str, Any]:
    bindings = [binding for binding in policy["bindings"] if binding["role"] != role]
    return {**policy, "bindings": bindings}


@pytest.mark.nightly
@pytest.mark.parametrize("role", sorted({*PIPELINE["roles"], CUSTOM} - UNASKED))
def test_no_role_of_the_pipeline_is_one_too_many(
    cloud: GoogleCloud, tmp_path: Path, role: str
) -> None:
    cloud.access.put(PARENT, without(role, cloud.access.policy(PARENT)))
    completed = deploy(cloud, tmp_path)
    assert completed.returncode != 0, completed.stdout
    (refused,) = set(cloud.faults)
    assert refused.startswith(f"{email(PROJECT, PIPELINE['account'])} lacks "), refused
    cloud.faults.clear()

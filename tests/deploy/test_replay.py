"""The deployment, replayed with Google's own tools: what they send is right, allowed, and holds what it must."""

from __future__ import annotations

import io
import zipfile

import pytest

from tests.deploy.conftest import PROJECT, Deployment

ORIGINS = "https://notes.example.com,https://app.example.com"
FUNCTIONS = ["api", "chat", "on-note-write", "on-template-write", "reconcile"]

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def deployed(deployment: Deployment) -> Deployment:
    said = deployment.run("deploy/setup.sh", PROJECT, "eur3", GEMINI_API_KEY="a-key")
    assert said.returncode == 0, said.stdout
    said = deployment.run(
        "gcloud", "builds", "submit", f"--project={PROJECT}", "--config=cloudbuild.yaml",
        "--ignore-file=deploy/build.gcloudignore",
        f"--substitutions=^;^_REGION=europe-west1;_DATABASE_LOCATION=eur3;_SETTINGS=ALLOWED_ORIGINS={ORIGINS}|JUDGE=model",
    )  # fmt: skip
    assert said.returncode == 0, said.stdout + "\n".join(step.said for step in deployment.steps)
    return deployment


def test_every_step_succeeds_and_nothing_is_sent_that_google_would_refuse(deployed: Deployment) -> None:
    assert [(step.step, step.said) for step in deployed.steps if step.code] == []
    assert deployed.cloud.faults == []
    assert deployed.cloud.named("functions") == FUNCTIONS
    assert deployed.cloud.named("jobs") == ["aurora-reconcile"]


def test_each_function_is_built_from_nothing_but_the_product(deployed: Deployment) -> None:
    sources = [content for name, content in deployed.cloud.uploads.items() if name.endswith(".zip")]
    assert len(sources) == len(FUNCTIONS)
    for source in sources:
        names = zipfile.ZipFile(io.BytesIO(source)).namelist()
        assert {name.partition("/")[0] for name in names} == {
            "main.py", "requirements.txt", "functions", "shared", "templates"
        }  # fmt: skip
        assert not [name for name in names if name.endswith((".pyc", ".env"))]


def test_the_build_gets_what_it_deploys_and_nothing_else(deployed: Deployment) -> None:
    assert {path.name for path in deployed.workspaces[0].iterdir()} == {
        ".gcloudignore", "firebase.json", "firestore.indexes.json", "firestore.rules",
        "main.py", "requirements.txt", "functions", "shared", "templates",
    }  # fmt: skip


def test_settings_reach_every_function_whole(deployed: Deployment) -> None:
    for call in deployed.cloud.called("cloudfunctions.projects.locations.functions.create"):
        given = call.body["serviceConfig"]["environmentVariables"]
        assert given["ALLOWED_ORIGINS"] == ORIGINS
        assert given["JUDGE"] == "model"
        assert given["REQUEST_TIMEOUT_SECONDS"] == str(call.body["serviceConfig"]["timeoutSeconds"])


def test_functions_go_out_once_every_index_is_ready(deployed: Deployment) -> None:
    """The recorder's indexes are being built when they are first looked at."""
    order = [call.id.rpartition("projects.")[2] for call in deployed.cloud.calls]
    looks = [at for at, name in enumerate(order) if name == "databases.collectionGroups.indexes.list"]
    first = order.index("locations.functions.create")
    made = [at for at, name in enumerate(order) if name == "databases.collectionGroups.indexes.create"]
    assert len([at for at in looks if made[-1] < at < first]) == 2


def test_only_the_functions_may_read_the_key(deployed: Deployment) -> None:
    """On the secret alone: no role in the project gives it."""
    policies = deployed.cloud.access.policies
    assert policies[f"projects/{PROJECT}/secrets/gemini-api-key"]["bindings"] == [
        {
            "role": "roles/secretmanager.secretAccessor",
            "members": [f"serviceAccount:aurora-functions@{PROJECT}.iam.gserviceaccount.com"],
        }
    ]
    in_project = {each["role"] for each in policies[f"projects/{PROJECT}"]["bindings"]}
    assert "roles/secretmanager.secretAccessor" not in in_project


def test_everybody_may_call_only_the_functions_that_check_their_callers(deployed: Deployment) -> None:
    public = [
        name.rpartition("/")[2]
        for name, policy in deployed.cloud.access.policies.items()
        if any("allUsers" in each["members"] for each in policy.get("bindings", ()))
    ]
    assert sorted(public) == ["api", "chat"]

"""docs/deploy.md, followed to the letter with Google's own tools from a fresh clone: what they send is right, allowed,
and holds what it must; an API that fails in the middle stops it, and the next run goes on from there.
"""

from __future__ import annotations

import io
import re
import subprocess
import zipfile

import pytest

from tests.deploy.conftest import PROJECT, ROOT, Deployment
from tests.servers.gemini import error
from tests.servers.google_cloud import OWNED
from tests.servers.served import Served

MADE = {
    "serviceusage.services.batchEnable": 0,
    "firestore.projects.databases.create": 0,
    "iam.projects.serviceAccounts.create": 2,
    "secretmanager.projects.secrets.create": 0,
}
"""What setting up makes: method, and how many of its calls succeed before one does not."""
FUNCTIONS = ["api", "chat", "on-note-write", "on-template-write", "reconcile"]
ACCOUNTS = [
    f"aurora-{name}@{PROJECT}.iam.gserviceaccount.com"
    for name in ("build", "deploy", "events", "functions", "scheduler")
]
UP, AGAIN, CURL, DOWN = "".join(
    re.findall(r"```sh\n(.*?)```", (ROOT / "docs/deploy.md").read_text(), re.DOTALL)
).splitlines()
"""Every command of the page."""

pytestmark = [pytest.mark.timeout(900), pytest.mark.slow]
Said = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def stopped(deployment: Deployment) -> dict[str, Said]:
    """Method -> the run in which it refuses, the first time or in the middle: each goes on where the one before it
    stopped.
    """
    ran = {}
    for method, granted in MADE.items():
        refusal = error(403, "PERMISSION_DENIED", message=f"{method} is out.")
        deployment.cloud.refusals[method] = [None] * granted + [refusal]
        ran[method] = deployment.follow(UP)
        assert deployment.cloud.refusals[method] == [], f"{method} was not asked for: {ran[method].stdout}"
    return ran


@pytest.fixture(scope="module")
def first(deployment: Deployment, stopped: dict[str, Said]) -> Said:  # noqa: ARG001 - it comes first
    return deployment.follow(UP)


@pytest.fixture(scope="module")
def again(deployment: Deployment, first: Said) -> Said:  # noqa: ARG001 - it comes first
    return deployment.follow(AGAIN)


@pytest.fixture(scope="module")
def deployed(deployment: Deployment, again: Said) -> Deployment:
    assert again.returncode == 0, again.stdout
    return deployment


def test_an_api_that_fails_in_the_middle_stops_it_with_its_words(stopped: dict[str, Said]) -> None:
    for method, said in stopped.items():
        assert said.returncode == 1, method
        assert f"{method} is out." in said.stdout
        assert "Stopped while setting up the project." in said.stdout
        assert "2. Building" not in said.stdout


def test_the_next_run_goes_on_and_ends_with_the_addresses_and_an_answer(
    deployment: Deployment, first: Said, product: Served
) -> None:
    assert first.returncode == 0, first.stdout + "\n".join(step.said for step in deployment.steps)
    assert f"questions        {product.address}/chat\n" in first.stdout
    assert f"all else         {product.address}/api\n" in first.stdout
    assert "We keep our notes in Firestore" in first.stdout
    assert "N1: We keep our notes in Firestore." in first.stdout


def test_whoever_asked_the_first_question_is_erased(first: Said, deployment: Deployment, product: Served) -> None:  # noqa: ARG001
    status, listed = product.running.call("GET", "/notes", Authorization=f"Bearer {product.alice}")
    assert (status, listed["notes"]) == (200, [])
    assert deployment.cloud.called("identitytoolkit.accounts.delete")


def test_every_step_succeeds_and_nothing_is_sent_that_google_would_refuse(deployed: Deployment) -> None:
    assert [(step.step, step.said) for step in deployed.steps if step.code] == []
    assert deployed.cloud.faults == []
    assert deployed.cloud.named("functions") == FUNCTIONS
    assert deployed.cloud.named("jobs") == ["aurora-reconcile"]
    assert deployed.cloud.named("serviceAccounts") == ACCOUNTS


def test_running_it_again_makes_nothing_twice(deployed: Deployment) -> None:
    once = [
        "iam.projects.serviceAccounts.create", "secretmanager.projects.secrets.addVersion",
        "firestore.projects.databases.create", "cloudscheduler.projects.locations.jobs.create",
        "firebase.projects.webApps.create", "identitytoolkit.projects.updateConfig",
    ]  # fmt: skip
    made = {name: [call.body for call in deployed.cloud.called(name)] for name in once}
    wanted = {**dict.fromkeys(once, 1), once[0]: len(ACCOUNTS)}
    assert {name: len(bodies) - (name in MADE) for name, bodies in made.items()} == wanted  # one was refused
    for resource, policy in deployed.cloud.access.policies.items():
        granted = [(each["role"], member) for each in policy.get("bindings", ()) for member in each["members"]]
        assert len(granted) == len(set(granted)), resource


def test_each_function_is_built_from_nothing_but_the_product(deployed: Deployment) -> None:
    sources = [content for name, content in deployed.cloud.uploads.items() if name.endswith(".zip")]
    assert len(sources) == 2 * len(FUNCTIONS)
    for source in sources:
        names = zipfile.ZipFile(io.BytesIO(source)).namelist()
        assert {name.partition("/")[0] for name in names} == {
            "main.py", "requirements.txt", "functions", "shared", "templates"
        }  # fmt: skip
        assert not [name for name in names if name.endswith((".pyc", ".env"))]


def test_the_build_gets_what_it_deploys_and_nothing_else(deployed: Deployment) -> None:
    for workspace in deployed.workspaces:
        assert {path.name for path in workspace.iterdir()} == {
            ".gcloudignore", "firebase.json", "firestore.indexes.json", "firestore.rules",
            "main.py", "requirements.txt", "functions", "shared", "templates",
        }  # fmt: skip


def test_settings_reach_every_function_whole_and_stay(deployed: Deployment) -> None:
    changed = deployed.cloud.called("cloudfunctions.projects.locations.functions.patch")
    assert len(changed) == len(FUNCTIONS)
    for call in changed:
        given = call.body["serviceConfig"]["environmentVariables"]
        assert given["ALLOWED_ORIGINS"] == "https://notes.example.com,https://app.example.com"
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


def test_the_page_s_last_check_answers(deployed: Deployment, product: Served) -> None:
    said = deployed.follow(CURL.replace("https://europe-west1-PROJECT.cloudfunctions.net", product.address))
    assert said.returncode == 0
    assert "ok" in said.stdout


@pytest.fixture(scope="module")
def refused_to_go(deployed: Deployment) -> Said:
    """Taken down without the project's name having been typed."""
    held = deployed.cloud.named("functions")
    said = deployed.follow(DOWN, typed="yes\n")
    assert deployed.cloud.named("functions") == held
    return said


def test_down_deletes_nothing_unless_the_project_is_named(refused_to_go: Said) -> None:
    assert refused_to_go.returncode == 1
    assert "Nothing was deleted." in refused_to_go.stdout


def test_down_takes_away_what_up_made_but_the_notes(deployed: Deployment, refused_to_go: Said) -> None:  # noqa: ARG001
    cloud = deployed.cloud
    said = deployed.follow(DOWN, typed=f"{PROJECT}\n")
    assert said.returncode == 0, said.stdout
    for kind in ("functions", "jobs", "secrets", "serviceAccounts"):
        assert cloud.named(kind) == [], kind
    assert cloud.access.policies[f"projects/{PROJECT}"]["bindings"] == [OWNED]
    assert cloud.named("databases") == ["(default)"]
    assert cloud.faults == []


def test_down_deletes_the_notes_only_when_told_to_and_asks_with_their_name(deployed: Deployment) -> None:
    """And it can be run again, where everything else is gone."""
    cloud = deployed.cloud
    refused = deployed.follow(f"{DOWN} --with-notes", typed="yes\n")
    assert (refused.returncode, cloud.named("databases")) == (1, ["(default)"])
    assert "ALL notes of ALL people" in refused.stdout
    said = deployed.follow(f"{DOWN} --with-notes", typed=f"{PROJECT}\n")
    assert said.returncode == 0, said.stdout
    assert "- The database is deleted." in said.stdout
    assert cloud.named("databases") == []
    again = deployed.follow(f"{DOWN} --with-notes", typed=f"{PROJECT}\n")
    assert again.returncode == 0, again.stdout
    assert cloud.faults == []

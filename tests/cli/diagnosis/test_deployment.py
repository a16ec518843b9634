"""`aurora doctor --project` against a Google Cloud on loopback: each gap is named, with the command that mends it."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from cli.diagnosis.checks import PartVerdict
from cli.diagnosis.deployment import (
    ACCESSOR,
    ACCOUNTS,
    APIS,
    CHOSEN,
    DEPLOYER,
    FUNCTIONS,
    JOB,
    LABEL,
    READER,
    ROLES,
    SECRET,
    UP,
    USER,
    examine,
)
from cli.diagnosis.google_project import GoogleProject
from cli.main import main
from desktop.product.emulator import TRIGGERS
from tests.servers.certificates import private_pem
from tests.servers.google_cloud import OWNER, GoogleCloud
from tests.servers.scripted import Reply, Request, ScriptedServer

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
PROJECT = "demo-notes"
PARENT = f"projects/{PROJECT}"
REGION = f"{PARENT}/locations/europe-west1"
KEY = "key-of-the-owner"
MODELS = ("gemini-3.5-flash-lite", "gemini-embedding-2")


def _world(request: Request) -> Reply:
    """The functions' own addresses, the Gemini API, and where tokens come from."""
    if request.path == "/token":
        return Reply(
            body={
                "access_token": f"token-of-{OWNER}",
                "expires_in": 3600,
                "token_type": "Bearer",
            }
        )
    if request.path in {f"/{name}/health" for name in FUNCTIONS}:
        return Reply(body={"status": "ok"})
    may_ask = KEY if "generativelanguage" in request.path else f"token-of-{OWNER}"
    named = request.headers.get("x-goog-api-key") or request.headers.get(
        "authorization", ""
    ).removeprefix("Bearer ")
    is_known = named == may_ask and request.path.rpartition("/")[2] in MODELS
    return Reply(body={}) if is_known else Reply(status=404, body={})


@pytest.fixture
def world() -> Iterator[ScriptedServer]:
    with ScriptedServer(_world) as server:
        yield server


@pytest.fixture
def cloud(
    world: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[GoogleCloud]:
    """A project in which everything is deployed, and the credentials of its owner."""
    account = {
        "type": "service_account",
        "project_id": PROJECT,
        "private_key_id": "1",
        "private_key": private_pem("account"),
        "client_email": OWNER,
        "token_uri": f"{world.url}/token",
    }
    (tmp_path / "account.json").write_text(json.dumps(account))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "account.json"))
    with GoogleCloud(PROJECT) as cloud:
        for api in ("serviceusage", *APIS):
            monkeypatch.setenv(
                f"CLOUDSDK_API_ENDPOINT_OVERRIDES_{api.upper()}", f"{cloud.url}/{api}/"
            )
        for api in ("generativelanguage", "aiplatform"):
            monkeypatch.setenv(
                f"CLOUDSDK_API_ENDPOINT_OVERRIDES_{api.upper()}", f"{world.url}/{api}/"
            )
        _deploy(cloud, world.url)
        yield cloud
        assert cloud.faults == []


def _member(account: str) -> str:
    return f"serviceAccount:{account}@{PROJECT}.iam.gserviceaccount.com"


def _policy(*grants: tuple[str, str]) -> dict[str, object]:
    return {
        "bindings": [{"role": role, "members": [member]} for role, member in grants],
        "etag": "AAAAAAAAAAA=",
    }


def _deploy(cloud: GoogleCloud, address: str) -> None:
    cloud.enabled |= set(APIS)
    resources = cloud.resources
    for name in ACCOUNTS:
        email = f"{name}@{PROJECT}.iam.gserviceaccount.com"
        resources[f"{PARENT}/serviceAccounts/{email}"] = {"email": email}
        if name != DEPLOYER:
            cloud.access.policies[f"{PARENT}/serviceAccounts/{email}"] = _policy(
                (USER, _member(DEPLOYER))
            )
    cloud.access.policies[PARENT] = _policy(
        *((role, _member(name)) for name in ROLES for role in ROLES[name])
    )
    cloud.access.policies[f"{PARENT}/secrets/{SECRET}"] = _policy((ACCESSOR, _member(READER)))
    resources[f"{PARENT}/secrets/{SECRET}"] = {}
    resources[f"{PARENT}/secrets/{SECRET}/versions/1"] = {"state": "ENABLED"}
    cloud.secrets[f"{PARENT}/secrets/{SECRET}"] = base64.b64encode(KEY.encode()).decode()
    for number, index in enumerate(
        json.loads((ROOT / "firestore.indexes.json").read_text())["indexes"]
    ):
        group = f"{PARENT}/databases/(default)/collectionGroups/{index['collectionGroup']}/indexes/{number}"
        fields = [*index["fields"], {"fieldPath": "__name__", "order": "ASCENDING"}]
        resources[group] = {
            "name": group,
            "fields": fields,
            "state": "READY",
        }
    rules = {"name": "firestore.rules", "content": (ROOT / "firestore.rules").read_text()}
    resources[f"{PARENT}/rulesets/r1"] = {"source": {"files": [rules]}}
    resources[f"{PARENT}/releases/cloud.firestore"] = {"rulesetName": f"{PARENT}/rulesets/r1"}
    _own("")(cloud)
    for name in FUNCTIONS:
        resources[f"{REGION}/functions/{name}"] = _function(name, address)
    resources[f"{REGION}/jobs/{JOB}"] = {"state": "ENABLED"}


def _function(name: str, address: str) -> dict[str, object]:
    variables = {"CHAT_MODEL": MODELS[0], "EMBEDDING_MODEL": MODELS[1]}
    service = {"uri": f"{address}/{name}", "environmentVariables": variables}
    function: dict[str, object] = {
        "name": f"{REGION}/functions/{name}",
        "state": "ACTIVE",
        "serviceConfig": service,
    }
    if name in TRIGGERS:
        filters = [
            {"attribute": "database", "value": "(default)"},
            {"attribute": "document", "value": TRIGGERS[name]},
        ]
        function["eventTrigger"] = {"eventFilters": filters, "retryPolicy": "RETRY_POLICY_RETRY"}
    return function


def _failed(findings: list[PartVerdict]) -> dict[str, PartVerdict]:
    return {finding.part: finding for finding in findings if finding.verdict != "ok"}


def test_a_whole_deployment_has_no_gap(cloud: GoogleCloud) -> None:
    assert cloud.url
    assert _failed(examine(GoogleProject(PROJECT))) == {}


def test_doctor_looks_for_what_setup_and_the_build_make() -> None:
    """All three read deploy/resources.json; what is left are the names in the shell."""
    setup = (ROOT / "deploy/setup.sh").read_text()
    build = (ROOT / "cloudbuild.yaml").read_text()
    script = 'source deploy/common.sh; printf "%s\\n" "${bindings[@]}" "$secret"'
    variables = {
        "project": PROJECT,
        "prefix": "",
        "region": "",
        "key": "GEMINI_API_KEY",
    }
    table = [f"{role} {name}" for name, roles in ROLES.items() for role in roles]
    completed = subprocess.run(
        ["bash", "-euc", script],
        cwd=ROOT,
        env={**os.environ, **variables, "granted": "\n".join(table)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    granted = [f"{role} {_member(name)}" for name, roles in ROLES.items() for role in roles]
    assert sorted(completed) == sorted([*granted, SECRET])
    assert f'[ "$name" != {DEPLOYER} ] || continue' in setup
    assert f'--member="serviceAccount:$(email {DEPLOYER})" --role={USER}' in setup
    assert f'--role={ACCESSOR} \\\n    --member="serviceAccount:$(email {READER})"' in setup
    assert all(f"      - ${{_PREFIX}}{name}\n" in build for name in FUNCTIONS)
    assert all(pattern in build for pattern in TRIGGERS.values())
    assert f"${{_PREFIX}}{JOB}" in build


def test_a_deployment_with_a_prefix_is_known_by_its_label(cloud: GoogleCloud) -> None:
    label = {"labels": {"product": LABEL}}
    for name in FUNCTIONS:
        function = cloud.resources.pop(f"{REGION}/functions/{name}")
        cloud.resources[f"{REGION}/functions/notes-{name}"] = {
            **function,
            **label,
            "name": f"{REGION}/functions/notes-{name}",
        }
    failures = _failed(examine(GoogleProject(PROJECT)))
    assert {"functions", "triggers", "health"}.isdisjoint(failures)
    assert "aurora-functions is missing" in failures["accounts"].detail


def _drop(name: str) -> Callable[[GoogleCloud], object]:
    return lambda cloud: cloud.resources.pop(name)


def _change(name: str, **fields: object) -> Callable[[GoogleCloud], object]:
    return lambda cloud: cloud.resources[name].update(fields)


EVENTS = f"{PARENT}/serviceAccounts/aurora-events@{PROJECT}.iam.gserviceaccount.com"
OTHER_RULES = {"files": [{"content": "allow all"}]}
NO_POLICY: dict[str, object] = {"bindings": []}


def _revoke(resource: str) -> Callable[[GoogleCloud], object]:
    return lambda cloud: cloud.access.policies.update({resource: NO_POLICY})


def _set(**variables: str) -> Callable[[GoogleCloud], object]:
    def changed(cloud: GoogleCloud) -> None:
        for name in FUNCTIONS:
            cloud.resources[f"{REGION}/functions/{name}"]["serviceConfig"][
                "environmentVariables"
            ].update(variables)

    return changed


def _own(prefix: str, database: str = "(default)") -> Callable[[GoogleCloud], object]:
    """The default database names this owner."""
    fields = {
        "project": PROJECT,
        "database": database,
        "functionPrefix": prefix,
    }
    document = {"fields": {name: {"stringValue": value} for name, value in fields.items()}}
    return lambda cloud: cloud.contents.update({OWNED_BY: document})


def _sign_up(**tenants: str | None) -> Callable[[GoogleCloud], object]:
    """People by their user ids, with the claim `tenantId`, or None without that claim."""

    def changed(cloud: GoogleCloud) -> None:
        for uid, tenant_id in tenants.items():
            person = {"localId": uid}
            if tenant_id is not None:
                person["customAttributes"] = json.dumps({"tenantId": tenant_id, "role": "member"})
            cloud.resources[f"{PARENT}/accounts/{uid}"] = person

    return changed


def _pin(name: str) -> Callable[[GoogleCloud], object]:
    """A rollback pinned the function's traffic."""

    def changed(cloud: GoogleCloud) -> None:
        function = cloud.resources[f"{REGION}/functions/{name}"]
        function["serviceConfig"]["allTrafficOnLatestRevision"] = False

    return changed


OWNED_BY = f"{PARENT}/databases/(default)/documents/auroraOwner/deployment"
ANOTHER_KEY = {f"{PARENT}/secrets/{SECRET}": "b3RoZXI="}
INDEX = f"{PARENT}/databases/(default)/collectionGroups/chunks/indexes/0"
FOLLOWER = f"{REGION}/functions/on-note-write"


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("part", "damage", "detail", "mend"),
    [
        ("apis", lambda cloud: cloud.enabled.discard("pubsub"), "pubsub", "services enable pubsub.googleapis.com"),
        ("accounts", _drop(EVENTS), "aurora-events is missing", "deploy/up.sh"),
        ("roles", _revoke(PARENT), "aurora-functions lacks roles/datastore.user", "deploy/up.sh"),
        ("roles", _revoke(EVENTS), f"{DEPLOYER} lacks {USER} on aurora-events", "deploy/up.sh"),
        ("roles", _revoke(f"{PARENT}/secrets/{SECRET}"), f"{READER} lacks {ACCESSOR}", "deploy/up.sh"),
        ("discoveryengine", _set(RERANKER="vertex"), "discoveryengine.googleapis.com", "--role=roles/discovery"),
        ("discoveryengine", _set(RERANKER="vertex"), "lacks roles/discoveryengine.viewer", "discoveryengine.viewer"),
        ("aiplatform", _set(GOOGLE_GENAI_USE_VERTEXAI="true"), "lacks roles/aiplatform.user", "services enable aipl"),
        ("secret", _change(f"{PARENT}/secrets/{SECRET}/versions/1", state="DISABLED"), SECRET, "deploy/up.sh"),
        ("indexes", _drop(INDEX), "chunks(embedding) is missing", "deploy/up.sh"),
        ("indexes", _change(INDEX, state="CREATING"), "chunks(embedding) is CREATING", "deploy/up.sh"),
        ("rules", _change(f"{PARENT}/rulesets/r1", source=OTHER_RULES), "differ from", "deploy/up.sh"),
        ("rules", _drop(f"{PARENT}/releases/cloud.firestore"), "missing", "deploy/up.sh"),
        ("owner", lambda cloud: cloud.contents.clear(), "auroraOwner/deployment is missing", "deploy/up.sh"),
        ("owner", _own("staging-"), "names the deployment 'staging-': this one", "deploy/up.sh"),
        ("owner", _own("", "production"), "was copied from", "deploy/up.sh"),
        ("functions", _change(f"{REGION}/functions/api", state="FAILED"), "api is FAILED", "deploy/up.sh"),
        ("release", _change(f"{REGION}/functions/api", labels={"release": "r2"}), "releases: none, r2", "deploy/rollback.sh"),
        ("release", _pin("api"), "api serves an older revision", "deploy/up.sh"),
        ("triggers", _change(FOLLOWER, eventTrigger={}), "does not follow", "deploy/up.sh"),
        ("health", _change(f"{REGION}/functions/chat", serviceConfig={}), "chat does not", "deploy/up.sh"),
        ("models", lambda cloud: cloud.secrets.update(ANOTHER_KEY), MODELS[0], "--set CHAT_MODEL="),
        ("scheduler", _change(f"{REGION}/jobs/{JOB}", state="PAUSED"), "PAUSED", "deploy/up.sh"),
        ("teams", _sign_up(acme=None, ann="acme"), "acme is a user id and the tenantId in somebody's", "begins with 'team:'"),
        ("teams", _sign_up(acme="acme", ann="acme", bob="acme"), "the claims of 2 people", "docs/integrate.md"),
    ],
)  # fmt: skip
def test_each_gap_is_named_with_the_command_that_mends_it(
    cloud: GoogleCloud, part: str, damage: Callable[[GoogleCloud], object], detail: str, mend: str
) -> None:
    damage(cloud)
    (failure,) = _failed(examine(GoogleProject(PROJECT))).values()
    assert failure.part == part
    assert detail in failure.detail
    assert mend in failure.mend
    assert PROJECT in failure.mend


def test_people_and_teams_with_ids_of_their_own_are_no_gap(cloud: GoogleCloud) -> None:
    _sign_up(
        ann="team:acme",
        bob="team:acme",
        carl=None,
        dora="dora",
        acme="beta",
        eve="acme",
    )(cloud)
    assert _failed(examine(GoogleProject(PROJECT))) == {}


def test_with_vertex_ai_its_models_are_looked_at_and_no_key(cloud: GoogleCloud) -> None:
    role, _ = CHOSEN["aiplatform"]
    cloud.enabled.add("aiplatform")
    cloud.access.policies[PARENT]["bindings"].append({"role": role, "members": [_member(READER)]})
    cloud.secrets.update(ANOTHER_KEY)
    _set(GOOGLE_GENAI_USE_VERTEXAI="True")(cloud)
    assert _failed(examine(GoogleProject(PROJECT))) == {}
    _set(CHAT_MODEL="gemini-of-nobody")(cloud)
    assert (
        _failed(examine(GoogleProject(PROJECT)))["models"].detail
        == "gemini-of-nobody is not available from Vertex AI"
    )


def test_the_command_prints_json_and_fails_where_there_is_a_gap(cloud: GoogleCloud) -> None:
    command = ["doctor", "--project", PROJECT, "--json"]
    readable = CliRunner().invoke(main, command)
    assert readable.exit_code == 0, readable.output
    cloud.resources.pop(f"{REGION}/functions/reconcile")
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 1
    gaps = {
        check["part"]: check for check in json.loads(result.output) if check["verdict"] == "failed"
    }
    assert set(gaps) == {"functions", "scheduler"}
    assert gaps["functions"]["mend"] == UP.format(project=PROJECT)
    assert KEY not in result.output


def test_a_viewer_without_permission_is_told_so(cloud: GoogleCloud) -> None:
    cloud.refusals["iam.projects.serviceAccounts.list"] = [Reply(status=403, body={})]
    failure = _failed(examine(GoogleProject(PROJECT)))["accounts"]
    assert "refuses (403)" in failure.detail


def test_without_credentials_one_line_says_what_to_do(tmp_path: Path) -> None:
    """In a process of its own: google-auth reads NO_GCE_CHECK once, when it is imported."""
    nobody = {
        "NO_GCE_CHECK": "true",
        "CLOUDSDK_CONFIG": str(tmp_path),
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
    }
    command = [
        sys.executable,
        "-c",
        "from cli.main import main; main()",
        "doctor",
        "--project",
        PROJECT,
    ]
    completed = subprocess.run(
        command, cwd=ROOT, env=nobody, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 1
    assert "gcloud auth application-default login" in completed.stderr


def test_triggers_follow_the_documents_with_which_they_are_deployed() -> None:
    steps = yaml.safe_load((ROOT / "cloudbuild.yaml").read_text(encoding="utf-8"))["steps"]
    option = "--trigger-event-filters-path-pattern=document="
    deployed = {}
    for step in steps:
        for argument in step.get("args", ()):
            if argument.startswith(option):
                deployed[step["id"]] = argument.removeprefix(option)
    assert deployed == TRIGGERS

"""docs/deploy.md and the restore of docs/operate.md, followed to the letter from a fresh clone into a project in which
another app lives: what Google's tools and the scripts send is right and allowed, the app stays as it is, and what fails
in the middle stops it until the next run.
"""

from __future__ import annotations

import io
import re
import subprocess
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.deploy import neighbour
from tests.deploy.conftest import PREFIX, PROJECT, ROOT, Deployment
from tests.servers.gemini import error
from tests.servers.google_cloud import OWNED
from tests.servers.google_cloud.services import back_up
from tests.servers.scripted import Reply
from tests.servers.served import Served

FUNCTIONS = ["api", "chat", "on-note-write", "on-template-write", "reconcile"]
ACCOUNTS = [f"{PREFIX}aurora-{name}@{PROJECT}.iam.gserviceaccount.com"
            for name in ("build", "deploy", "events", "functions", "scheduler")]  # fmt: skip
PARENT = f"projects/{PROJECT}"


def commands(page: str) -> list[str]:
    """Every command line of the page's blocks of shell."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    lines = "".join(blocks).replace("\\\n", "").splitlines()
    return [line.strip() for line in lines if line.strip()]


UP, BESIDE, AGAIN, ROLLBACK, CURL, DOWN = commands("docs/deploy.md")
_CHANGE_MODEL, RESTORE, SWITCH, SWEEP, BACKUPS, FROM_BACKUP, *WHEN_GONE = commands(
    "docs/operate.md"
)
KEY = {"GEMINI_API_KEY": "a-key"}
DENIED = "PERMISSION_DENIED"
MADE = {"firestore.projects.databases.create": 0, "iam.projects.serviceAccounts.create": 2}
"""Calls that set the project up: method, and how many of its calls succeed before one does not."""

pytestmark = [
    pytest.mark.timeout(1800),
    pytest.mark.slow,
    pytest.mark.nightly,
    pytest.mark.usefixtures("replay"),
]
Said = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Replay:
    """Every command of the pages in its order, with what failed in between; every test reads what came of it."""

    theirs: dict[str, Any]
    """The app that lives there, before anything is deployed."""
    refused: Said
    stopped: dict[str, Said]
    """Method -> the run in which it refuses, the first time or in the middle."""
    first: Said
    failed: Said
    rolled_back: Said
    restored: list[Said]


@pytest.fixture(scope="module")
def replay(deployment: Deployment) -> Replay:
    cloud = deployment.cloud
    neighbour.move_in(cloud)
    theirs = neighbour.state(cloud)
    refused = deployment.follow(UP.replace(" --location eur3", ""), **KEY)
    stopped = {}
    for method, granted in MADE.items():
        cloud.refusals[method] = [None] * granted + [
            error(403, DENIED, message=f"{method} is out.")
        ]
        stopped[method] = deployment.follow(BESIDE, **KEY)
        assert cloud.refusals[method] == [], f"{method} was not asked for: {stopped[method].stdout}"
    # Roles are known late, and the organization lets nobody in.
    cloud.refusals["cloudresourcemanager.projects.testIamPermissions"] = [Reply(body={})]
    message = "One or more users named in the policy do not belong to a permitted customer."
    cloud.refusals["run.projects.locations.services.setIamPolicy"] = [
        error(400, "FAILED_PRECONDITION", message=message)
    ]
    first = deployment.follow(f"{BESIDE} --budget 50 --backups daily", **KEY)
    # The build fails at the first function that follows notes.
    no_room = error(400, "INVALID_ARGUMENT", message="No room.")
    cloud.refusals["cloudfunctions.projects.locations.functions.patch"] = [
        None,
        None,
        None,
        no_room,
        no_room,
    ]
    old = {"source": {"files": [{"name": "aurora-notes.rules", "content": "old"}]}}
    cloud.resources[f"{PARENT}/rulesets/old"] = old
    cloud.resources[f"{PARENT}/releases/cloud.firestore/notes"]["rulesetName"] = (
        f"{PARENT}/rulesets/old"
    )
    failed = deployment.follow(AGAIN)
    rolled_back = deployment.follow(ROLLBACK)
    # A backup was made meanwhile.
    backup = f"{PARENT}/locations/eur3/backups/b1"
    back_up(cloud, f"{PARENT}/databases/notes", backup)
    anew = FROM_BACKUP.replace("BACKUP", backup)
    an_hour_ago = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    minute = re.sub(r"--at \S+", f"--at {an_hour_ago}", RESTORE)
    restored = [deployment.follow(line) for line in (BACKUPS, anew, minute, SWITCH)]
    steps = [f"{step.step}: {step.said}" for step in deployment.steps[-10:] if step.code]
    assert [completed.stdout for completed in restored if completed.returncode] == [], "\n".join(
        steps
    )
    return Replay(theirs, refused, stopped, first, failed, rolled_back, restored)


def test_an_app_that_lives_there_stops_it_with_a_flag_for_each_thing_and_the_way_beside(
    replay: Replay,
) -> None:
    assert replay.refused.returncode == 2
    for flag in ("function:api", "secret:gemini-api-key", "rules", "group:notes"):
        assert f"--take-over {flag}\n" in replay.refused.stdout
    assert "holds rooms/1/notes/2" in replay.refused.stdout
    assert "FUNCTION_PREFIX=notes- FIRESTORE_DATABASE=notes deploy/up.sh" in replay.refused.stdout
    assert "1. Setting up" not in replay.refused.stdout


def test_an_api_that_fails_in_the_middle_stops_it_with_its_words(replay: Replay) -> None:
    for method, completed in replay.stopped.items():
        assert completed.returncode == 1, method
        assert f"{method} is out." in completed.stdout
        assert "Stopped while setting up the project." in completed.stdout
        assert "2. Building" not in completed.stdout


def test_the_next_run_goes_on_and_waits_where_waiting_is_the_cure(
    deployment: Deployment, replay: Replay
) -> None:
    built = deployment.steps[:10]
    assert [(step.step, step.said) for step in built if step.code] == [], replay.first.stdout
    outputs = {step.step: step.said for step in built}
    assert "Not granted yet: " in outputs["roles-known"]
    assert "cloudfunctions.functions.create" in outputs["roles-known"]
    assert (
        "Eventarc's service agent is not known everywhere yet; wait"
        in outputs["on-note-write"] + outputs["on-template-write"]
    )


def test_a_policy_that_lets_nobody_in_is_named_and_the_rest_is_deployed(
    deployment: Deployment, replay: Replay
) -> None:
    assert replay.first.returncode == 1
    assert "constraints/iam.allowedPolicyMemberDomains" in replay.first.stdout
    assert "again with --no-invoker-iam-check" in replay.first.stdout
    order = [call.id for call in deployment.cloud.calls]
    assert (
        "cloudscheduler.projects.locations.jobs.create"
        in order[: order.index("run.projects.locations.services.setIamPolicy")]
    )


def test_a_failed_build_leaves_the_rules_as_old_as_the_functions_that_follow_notes(
    deployment: Deployment, replay: Replay
) -> None:
    assert replay.failed.returncode == 1
    assert "No room." in "".join(step.said for step in deployment.steps), deployment.steps[-5:]
    assert f"deploy/rollback.sh {PROJECT} brings" in replay.failed.stdout
    assert "Stopped while deploying" in replay.failed.stdout


def test_rolled_back_every_function_serves_the_revision_before(replay: Replay) -> None:
    assert replay.rolled_back.returncode == 0, replay.rolled_back.stdout
    assert "- chat serves notes-chat-00001 now." in replay.rolled_back.stdout
    assert "- on-note-write serves notes-on-note-write-00001 already." in replay.rolled_back.stdout


def test_a_minute_and_a_backup_come_back_beside_what_is_damaged_and_answer(
    deployment: Deployment, replay: Replay, product: Served
) -> None:
    output = replay.restored[-1].stdout
    assert f"questions        {product.address}/notes-chat" not in output
    assert f"questions        {product.address}/chat\n" in output
    assert f"all else         {product.address}/api\n" in output
    assert (
        "region           europe-west1\n  function         notes-chat\n  database         restored\n"
        in output
    )
    assert "N1: We keep our notes in Firestore." in output
    cloud = deployment.cloud
    assert cloud.named("databases") == ["(default)", "from-backup", "notes", "restored"]
    for restored in ("from-backup", "restored"):
        database = cloud.resources[f"{PARENT}/databases/{restored}"]
        assert database["deleteProtectionState"] == "DELETE_PROTECTION_ENABLED"
        assert database["pointInTimeRecoveryEnablement"] == "POINT_IN_TIME_RECOVERY_ENABLED"
        schedules = [
            schedule
            for name, schedule in cloud.resources.items()
            if f"/{restored}/backupSchedules/" in name
        ]
        assert [schedule["dailyRecurrence"] for schedule in schedules] == [{}]
    for name in ("on-note-write", "on-template-write"):
        trigger = deployment.cloud.resources[
            f"{PARENT}/locations/europe-west1/functions/notes-{name}"
        ]["eventTrigger"]
        assert {"attribute": "database", "value": "restored"} in trigger["eventFilters"]
    ran = deployment.follow(SWEEP.replace("aurora-", f"{PREFIX}aurora-"))
    assert ran.returncode == 0, ran.stdout


def test_whoever_asked_the_first_question_is_erased(
    deployment: Deployment, product: Served
) -> None:
    status, listed = product.running.call("GET", "/notes", Authorization=f"Bearer {product.alice}")
    assert status == 200
    assert listed["notes"] == []
    assert [
        name for name in deployment.cloud.resources if name.startswith(f"{PARENT}/accounts/")
    ] == []


def test_the_app_that_lives_there_is_as_it_was(deployment: Deployment, replay: Replay) -> None:
    assert neighbour.state(deployment.cloud) == replay.theirs
    assert deployment.cloud.called("identitytoolkit.projects.updateConfig") == []
    assert deployment.cloud.called("identitytoolkit.projects.identityPlatform.initializeAuth") == []


def test_nothing_is_sent_that_google_would_refuse(deployment: Deployment) -> None:
    cloud = deployment.cloud
    assert cloud.faults == []
    assert cloud.named("functions") == ["api", *(PREFIX + name for name in FUNCTIONS)]
    assert cloud.named("jobs") == [f"{PREFIX}aurora-reconcile"]
    assert [
        account for account in cloud.named("serviceAccounts") if "gcp-sa" not in account
    ] == ACCOUNTS
    (database,) = (call.body for call in cloud.called("firestore.projects.databases.create")[1:])
    assert database["locationId"] == "eur3"
    assert database["deleteProtectionState"] == "DELETE_PROTECTION_ENABLED"
    assert database["pointInTimeRecoveryEnablement"] == "POINT_IN_TIME_RECOVERY_ENABLED"
    assert (
        cloud.called("firestore.projects.databases.backupSchedules.create")[0].body[
            "dailyRecurrence"
        ]
        == {}
    )
    (budget,) = (
        call.body for call in cloud.called("billingbudgets.billingAccounts.budgets.create")
    )
    assert budget["amount"]["specifiedAmount"]["units"] == "50"


def test_running_it_again_makes_nothing_twice(deployment: Deployment) -> None:
    once = {
        "iam.projects.serviceAccounts.create": len(ACCOUNTS), "secretmanager.projects.secrets.addVersion": 1,
        "firestore.projects.databases.create": 1, "cloudscheduler.projects.locations.jobs.create": 1,
        "firebase.projects.webApps.create": 0, "storage.buckets.insert": 1,
    }  # fmt: skip
    call_counts = {
        name: len(deployment.cloud.called(name)) - (name in MADE) for name in once
    }  # one was refused
    assert call_counts == once
    for resource, policy in deployment.cloud.access.policies.items():
        granted = [
            (binding["role"], member)
            for binding in policy.get("bindings", ())
            for member in binding["members"]
        ]
        assert len(granted) == len(set(granted)), resource


def test_the_key_and_what_is_built_stay_in_the_region_and_out_of_the_build_s_record(
    deployment: Deployment,
) -> None:
    cloud = deployment.cloud
    (secret,) = cloud.called("secretmanager.projects.secrets.create")
    assert secret.body["replication"]["userManaged"]["replicas"] == [{"location": "europe-west1"}]
    assert secret.body["labels"] == {"product": "aurora-notes"}
    (bucket,) = cloud.called("storage.buckets.insert")
    assert bucket.body["location"].lower() == "europe-west1"
    builds = [call for call in cloud.calls if call.id.endswith("builds.create")]
    assert builds
    for build in builds:
        assert build.body["source"]["storageSource"]["bucket"] == bucket.body["name"]
        assert "a-key" not in str(build.body)
    policy = cloud.access.policies[f"{PARENT}/secrets/notes-gemini-api-key"]
    assert [(binding["role"], binding["members"]) for binding in policy["bindings"]] == [
        ("roles/secretmanager.secretAccessor", [f"serviceAccount:{ACCOUNTS[3]}"])
    ]
    assert "roles/secretmanager.secretAccessor" not in str(cloud.access.policies[PARENT])


def test_the_page_s_table_names_everything_that_was_made(deployment: Deployment) -> None:
    cloud = deployment.cloud
    page = (ROOT / "docs/deploy.md").read_text()
    table = page[page.index("\n| functions |") : page.index("\n[build.gcloudignore]")]
    theirs = neighbour.app(PARENT)
    kinds = ("functions", "jobs", "secrets", "serviceAccounts")
    resource_names = [
        name
        for name in cloud.resources
        if name.split("/")[-2:-1] in [[kind] for kind in kinds] and name not in theirs
    ]
    accounts = {account.partition("@")[0].removeprefix(PREFIX) for account in ACCOUNTS}
    account_names = {
        name.rpartition("/")[2].partition("@")[0].removeprefix(PREFIX) for name in resource_names
    } | {"PROJECT-aurora-build"}
    roles: dict[str, set[str]] = {}
    for binding in cloud.access.policies[PARENT]["bindings"]:
        for member in binding["members"]:
            who = member.partition(":")[2].partition("@")[0].removeprefix(PREFIX)
            roles.setdefault(who if who in accounts else "", set()).add(binding["role"])
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (.*) \|$", table, re.MULTILINE))
    assert {who: set(re.findall(r"`(roles/[\w.]+)`", row)) for who, row in rows.items()} == {
        who: role_set for who, role_set in roles.items() if who
    }
    enabled = {
        api
        for call in cloud.called("serviceusage.services.batchEnable")
        for api in call.body["serviceIds"]
    }
    apis = {api.partition(".")[0] for api in enabled}
    assert set(re.findall(r"`([\w.-]+)`", table)) == account_names | apis


def test_each_function_is_built_from_nothing_but_the_product(deployment: Deployment) -> None:
    sources = [
        content for name, content in deployment.cloud.uploads.items() if name.endswith(".zip")
    ]
    assert len(sources) >= 2 * len(FUNCTIONS)
    for source in sources:
        names = zipfile.ZipFile(io.BytesIO(source)).namelist()
        assert {name.partition("/")[0] for name in names} == {
            "main.py", "requirements.txt", "functions", "shared", "templates"
        }  # fmt: skip
        assert not [name for name in names if name.endswith((".pyc", ".env"))]
    for workspace in deployment.workspaces:
        assert {path.name for path in workspace.iterdir()} - {"__pycache__"} == {
            ".gcloudignore", "deploy", "firestore.indexes.json", "firestore.rules",
            "main.py", "requirements.txt", "functions", "shared", "templates",
        }  # fmt: skip


def test_settings_reach_every_function_whole_and_stay(deployment: Deployment) -> None:
    """Also those that were made anew for another database. What was half deployed and rolled back does not stay."""
    per_function = {"THREADS", "REQUEST_TIMEOUT_SECONDS"}
    environments = []
    for name in FUNCTIONS:
        function = deployment.cloud.resources[
            f"{PARENT}/locations/europe-west1/functions/{PREFIX}{name}"
        ]
        variables = function["serviceConfig"]["environmentVariables"]
        assert function["labels"]["product"] == "aurora-notes"
        assert variables["REQUEST_TIMEOUT_SECONDS"] == str(
            function["serviceConfig"]["timeoutSeconds"]
        )
        environments.append({key: variables[key] for key in variables if key not in per_function})
    assert environments == [environments[0]] * len(FUNCTIONS)
    assert environments[0]["FIRESTORE_DATABASE"] == "restored"
    assert environments[0]["DAILY_CHAT_LIMIT"] == "200"
    assert "JUDGE" not in environments[0]


def test_indexes_come_first_and_rules_last(deployment: Deployment) -> None:
    """The recorder's indexes are being built when they are first looked at."""
    order = [call.id.rpartition("projects.")[2] for call in deployment.cloud.calls]
    looks = [
        place
        for place, name in enumerate(order)
        if name == "databases.collectionGroups.indexes.list"
    ]
    first = order.index("locations.functions.create")
    index_creations = [
        place
        for place, name in enumerate(order)
        if name == "databases.collectionGroups.indexes.create"
    ]
    assert len([look for look in looks if index_creations[-1] < look < first]) == 2
    last = max(
        place
        for place, name in enumerate(order[: order.index("rulesets.create")])
        if name == "locations.functions.create"
    )
    assert first < last


def test_everybody_may_call_only_the_functions_that_check_their_callers(
    deployment: Deployment,
) -> None:
    cloud = deployment.cloud
    public = [
        name.rpartition("/")[2]
        for name, policy in cloud.access.policies.items()
        if any("allUsers" in binding["members"] for binding in policy.get("bindings", ()))
    ]
    assert sorted(public) == ["notes-api", "notes-chat"]
    line = f"python3 deploy/invokers.py PROJECT europe-west1 {PREFIX} --no-invoker-iam-check"
    assert deployment.follow(line).returncode == 0
    services = {
        name: cloud.resources[f"{PARENT}/locations/europe-west1/services/{PREFIX}{name}"]
        for name in FUNCTIONS
    }
    assert [name for name, service in services.items() if service.get("invokerIamDisabled")] == [
        "api",
        "chat",
    ]


def test_the_page_s_last_check_answers(deployment: Deployment, product: Served) -> None:
    completed = deployment.follow(
        CURL.replace(
            "https://europe-west1-PROJECT.cloudfunctions.net/notes-", f"{product.address}/"
        )
    )
    assert completed.returncode == 0
    assert "ok" in completed.stdout


def test_down_deletes_nothing_unless_the_project_is_named_and_then_only_what_is_ours(
    deployment: Deployment, replay: Replay
) -> None:
    cloud = deployment.cloud
    refused = deployment.follow(f"{DOWN} --with-notes", typed="yes\n")
    assert refused.returncode == 1
    assert len(cloud.named("functions")) == 1 + len(FUNCTIONS)
    assert "ALL notes of ALL people" in refused.stdout
    assert "Nothing was deleted." in refused.stdout
    completed = deployment.follow(DOWN, typed=f"{PROJECT}\n")
    assert completed.returncode == 0, completed.stdout
    assert neighbour.state(cloud) == replay.theirs
    assert cloud.named("functions") == ["api"]
    assert cloud.named("secrets") == ["gemini-api-key"]
    for kind in ("jobs", "serviceAccounts", "b"):
        assert cloud.named(kind) == [], kind
    agents = [
        binding
        for binding in cloud.access.policies[PARENT]["bindings"]
        if "gcp-sa-" not in str(binding["members"])
    ]
    assert agents == [OWNED]
    assert cloud.named("databases") == ["(default)", "from-backup", "notes", "restored"]


def test_down_deletes_a_database_only_where_it_says_that_it_is_ours(
    deployment: Deployment,
) -> None:
    """And it can be run again, where everything else is gone."""
    cloud = deployment.cloud
    shared = deployment.follow(f"{DOWN} --with-notes", typed=f"{PROJECT}\n")
    assert shared.returncode == 1
    assert "Database (default) stays, because\n- it has no auroraOwner/deployment" in shared.stdout
    assert "It holds rooms." in shared.stdout
    ours = deployment.follow(f"{DOWN} --with-notes --database notes", typed=f"{PROJECT} notes\n")
    assert ours.returncode == 0, ours.stdout
    assert "- Database notes is deleted." in ours.stdout
    assert cloud.named("databases") == ["(default)", "from-backup", "restored"]
    assert cloud.faults == []

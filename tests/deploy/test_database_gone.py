"""docs/operate.md, "The database was deleted": its commands bring the notes back into another database and deploy to it.

With the real scripts and the steps of cloudbuild.yaml, beside an app that lives in the project. Functions are deployed by
the requests that gcloud sends (function_deploy.py).
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.deploy import neighbour
from tests.deploy.conftest import PREFIX, PROJECT, Deployment, deploying
from tests.deploy.test_releases import FUNCTIONS
from tests.deploy.test_replay import BESIDE, DOWN, KEY, ROLLBACK, WHEN_GONE
from tests.servers.google_cloud import GoogleCloud
from tests.servers.google_cloud.cloud_run import serving
from tests.servers.google_cloud.services import back_up
from tests.servers.served import Served

pytestmark = [pytest.mark.slow, pytest.mark.nightly, pytest.mark.timeout(1800)]

PARENT = f"projects/{PROJECT}"
PLACE = f"{PARENT}/locations/europe-west1"
GONE = f"{PARENT}/databases/notes"
RESTORED = f"{PARENT}/databases/restored"
BACKUP = f"{PARENT}/locations/eur3/backups/b1"
OWNER_DOCUMENT = f"{RESTORED}/documents/auroraOwner/deployment"
BACKUPS, RESTORE, UP, SWEEP = WHEN_GONE
WRITTEN = (
    "bookmarks/reconcile",
    "tenants/ann/notes/1",
    "tenants/ann/index/1",
    "tenants/ann/chunks/1",
    "tenants/ann/templates/1",
    "tenants/ann/auroraTrash/2",
    "tenants/ann/auroraRequests/3",
)
"""Paths of documents that the product has written, of every collection group that has settings of its own."""
DEPLOYED_ANEW = ("/functions/", "/services/", "/builds/", "/jobs/", "/o/source/")
"""Parts of the names of resources that every deployment changes."""


def run(deployment: Deployment, line: str, *, typed: str = "", **given: str) -> str:
    """Runs a command that must succeed; returns what it said."""
    completed = deployment.follow(line, typed=typed, **given)
    failed = [step.said for step in deployment.steps if step.code]
    assert completed.returncode == 0, "\n".join([completed.stdout, *failed])
    return completed.stdout


def lose(deployment: Deployment) -> None:
    """Has the owner delete the deployed database, of which there is a backup."""
    options = f"--database=notes --project={PROJECT} --quiet"
    run(deployment, f"gcloud firestore databases update --no-delete-protection {options}")
    run(deployment, f"gcloud firestore databases delete {options}")
    assert [name for name in deployment.cloud.resources if name.startswith(GONE)] == []


def times_to_live(cloud: GoogleCloud, database: str) -> set[str]:
    """Returns the fields by which documents of the database expire."""
    names = set()
    for name, resource in cloud.resources.items():
        if name.startswith(f"{database}/") and "ttlConfig" in resource:
            names.add(name.removeprefix(f"{database}/collectionGroups/"))
    return names


def composites(cloud: GoogleCloud, database: str) -> int:
    """Returns how many indexes of several fields the database has."""
    return sum(name.startswith(f"{database}/") and "/indexes/" in name for name in cloud.resources)


def databases_served(cloud: GoogleCloud) -> set[str]:
    """Returns the databases in the environment of the revisions that get the requests."""
    databases = set()
    for name in FUNCTIONS:
        (container,) = serving(cloud, f"{PLACE}/services/{PREFIX}{name}")["containers"]
        variables = {entry["name"]: entry.get("value") for entry in container["env"]}
        databases.add(variables["FIRESTORE_DATABASE"])
    return databases


def databases_followed(cloud: GoogleCloud) -> list[str]:
    """Returns the database of each trigger."""
    followed = []
    for name in ("on-note-write", "on-template-write"):
        filters = cloud.resources[f"{PLACE}/functions/{PREFIX}{name}"]["eventTrigger"][
            "eventFilters"
        ]
        for condition in filters:
            if condition["attribute"] == "database":
                followed.append(condition["value"])
    return followed


def standing(cloud: GoogleCloud) -> dict[str, Any]:
    """Returns everything in the project that another deployment of the same must leave as it is, by name."""
    things: dict[str, Any] = dict.fromkeys(cloud.documents)
    things |= cloud.contents
    for name, resource in cloud.resources.items():
        if not any(part in name for part in DEPLOYED_ANEW):
            things[name] = resource
    return copy.deepcopy(things)


def changed(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    """Returns the names of what came, went or is another."""
    differing = {name for name in before.keys() & after.keys() if before[name] != after[name]}
    return differing | (before.keys() ^ after.keys())


def test_a_deleted_database_comes_back_from_its_backup_and_every_script_knows_its_name(
    tmp_path: Path, product: Served
) -> None:
    with deploying(tmp_path, product, PREFIX, quick=FUNCTIONS) as deployment:
        cloud = deployment.cloud
        neighbour.move_in(cloud)
        theirs = neighbour.state(cloud)
        run(deployment, f"{BESIDE} --backups daily", **KEY)
        cloud.documents |= {f"{GONE}/documents/{path}" for path in WRITTEN}
        expiring = times_to_live(cloud, GONE)
        indexes = composites(cloud, GONE)
        back_up(cloud, GONE, BACKUP)
        lose(deployment)

        # The commands of the page, as they stand there.
        assert "b1" in run(deployment, BACKUPS)
        said = run(deployment, RESTORE.replace(" BACKUP", f" {BACKUP}"))
        assert f"\n  {UP.replace('PROJECT', PROJECT)}\n" in said
        assert times_to_live(cloud, RESTORED) == set(), "a backup holds none"
        said = run(deployment, UP)
        assert "N1: We keep our notes in Firestore." in said
        assert "function         notes-chat\n  database         restored\n" in said
        run(deployment, SWEEP.replace("aurora-", f"{PREFIX}aurora-"))

        assert {f"{RESTORED}/documents/{path}" for path in WRITTEN} < cloud.documents
        assert times_to_live(cloud, RESTORED) == expiring
        assert len(expiring) == 2
        assert composites(cloud, RESTORED) == indexes
        release = cloud.resources[f"{PARENT}/releases/cloud.firestore/restored"]["rulesetName"]
        rules = cloud.resources[release]["source"]["files"][0]["content"]
        assert "match /tenants/" in rules
        owner = cloud.contents[OWNER_DOCUMENT]["fields"]
        assert owner["database"] == {"stringValue": "restored"}
        assert owner["shared"] == {"booleanValue": False}
        assert databases_followed(cloud) == ["restored", "restored"]
        assert databases_served(cloud) == {"restored"}
        assert cloud.resources[RESTORED]["deleteProtectionState"] == "DELETE_PROTECTION_ENABLED"
        schedules = [name for name in cloud.resources if f"{RESTORED}/backupSchedules/" in name]
        assert len(schedules) == 1
        assert cloud.named("databases") == ["(default)", "restored"]
        assert neighbour.state(cloud) == theirs

        # The release before used the database that is gone.
        refused = deployment.follow(ROLLBACK)
        assert refused.returncode == 1
        assert "It used database notes; the functions use restored now" in refused.stdout
        assert "Nothing was changed." in refused.stdout
        assert databases_served(cloud) == {"restored"}

        before = standing(cloud)
        looked = len(cloud.calls)
        assert "database restored, functions in europe-west1" in run(deployment, UP)
        assert changed(before, standing(cloud)) == set()
        made = {
            call.id.rpartition(".")[2] for call in cloud.calls[looked:] if "firestore" in call.id
        }
        assert made <= {"get", "list", "listCollectionIds", "runQuery"}

        said = run(deployment, ROLLBACK)
        assert "- chat serves notes-chat-00002 now." in said
        assert "Rules, indexes, database restored, its owner and the schedule stay." in said
        assert databases_served(cloud) == {"restored"}

        said = run(deployment, DOWN, typed=f"{PROJECT}\n")
        again = (
            f"deploy/down.sh {PROJECT} --with-notes --database 'restored' --function-prefix notes-"
        )
        assert (
            f"Database restored stays with all notes. To delete it, too, for good:\n    {again}\n"
            in said
        )
        assert {f"{RESTORED}/documents/{path}" for path in WRITTEN} < cloud.documents
        assert cloud.named("databases") == ["(default)", "restored"]
        said = run(deployment, again, typed=f"{PROJECT} restored\n")
        assert "- Database restored is deleted." in said
        assert cloud.named("databases") == ["(default)"]
        assert cloud.named("backups") == ["b1"]
        assert neighbour.state(cloud) == theirs
        assert cloud.faults == []

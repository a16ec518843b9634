"""A project as `terraform apply` of deploy/terraform leaves it, for deploy/up.sh --prepared."""

from __future__ import annotations

import sys
from typing import Any

from shared.adapters.firestore import roots
from tests.deploy.conftest import ROOT
from tests.servers.google_cloud import GoogleCloud
from tests.servers.google_cloud.environment import GCLOUD_APIS
from tests.servers.google_cloud.services import EVENTARC

sys.path.append(str(ROOT / "deploy"))  # its scripts run from there

import resources

PIPELINE: dict[str, Any] = resources.TABLE["pipeline"]


def email(project: str, account: str) -> str:
    return f"{account}@{project}.iam.gserviceaccount.com"


def binding(project: str, role: str, *accounts: str) -> dict[str, Any]:
    """A binding of a policy for service accounts of the project."""
    members = [f"serviceAccount:{email(project, account)}" for account in accounts]
    return {"role": role, "members": members}


def prepare(cloud: GoogleCloud) -> None:
    """Make what `terraform apply` leaves, by the table that the module reads (test_terraform.py), and the key."""
    project = cloud.project
    parent = f"projects/{project}"
    region = f"{parent}/locations/europe-west1"
    database = f"{parent}/databases/(default)"
    secret = f"{parent}/secrets/gemini-api-key"
    custom = f"{parent}/roles/auroraInvokers"
    cloud.enabled |= set(GCLOUD_APIS) | set(resources.APIS)
    accounts = (*resources.ACCOUNTS, PIPELINE["account"])
    for account in accounts:
        name = f"{parent}/serviceAccounts/{email(project, account)}"
        cloud.resources[name] = {
            "name": name,
            "email": email(project, account),
            "description": resources.LABEL,
        }
    granted = [
        binding(project, role, account)
        for account, roles in resources.ROLES.items()
        for role in roles
    ]
    granted += [
        binding(project, role, PIPELINE["account"]) for role in (*PIPELINE["roles"], custom)
    ]
    cloud.access.custom_roles[custom] = PIPELINE["permissions"]
    policy_before = cloud.access.policy(parent)
    cloud.access.put(parent, {**policy_before, "bindings": [*policy_before["bindings"], *granted]})
    act = binding(project, resources.TABLE["actAsRole"], PIPELINE["account"])
    deployer = f"{parent}/serviceAccounts/{email(project, resources.DEPLOYER)}"
    cloud.access.put(deployer, {"bindings": [act]})
    for account in resources.RUNNING:
        act = binding(project, resources.TABLE["actAsRole"], resources.DEPLOYER)
        name = f"{parent}/serviceAccounts/{email(project, account)}"
        cloud.access.put(name, {"bindings": [act]})
    reader = binding(project, resources.TABLE["keyReaderRole"], resources.TABLE["keyReader"])
    cloud.access.put(secret, {"bindings": [reader]})
    cloud.agents.add(EVENTARC)
    label = dict([resources.LABEL.split("=")])
    bucket = f"{project}-{resources.TABLE['bucket']}"
    cloud.resources[f"b/{bucket}"] = {
        "name": bucket,
        "labels": label,
        "location": "EUROPE-WEST1",
    }
    cloud.access.put(
        f"b/{bucket}", {"bindings": [binding(project, PIPELINE["bucketRole"], PIPELINE["account"])]}
    )
    cloud.resources[database] = {
        "name": database,
        "type": "FIRESTORE_NATIVE",
        "locationId": "eur3",
        "deleteProtectionState": "DELETE_PROTECTION_ENABLED",
    }
    owner = f"{database}/documents/{roots.OWNER_PATH}"
    cloud.documents.add(owner)
    cloud.contents[owner] = {
        "name": owner,
        "updateTime": "2026-11-23T00:00:00Z",
        "fields": {
            roots.PROJECT_FIELD: {"stringValue": project},
            roots.DATABASE_FIELD: {"stringValue": "(default)"},
            roots.PREFIX_FIELD: {"stringValue": ""},
            roots.SHARED_FIELD: {"booleanValue": False},
        },
    }
    cloud.resources[secret] = {"name": secret, "labels": label}
    cloud.resources[f"{secret}/versions/1"] = {"name": f"{secret}/versions/1", "state": "ENABLED"}
    job = f"{region}/jobs/{resources.JOB}"
    cloud.resources[job] = {"name": job, "description": resources.LABEL}

"""Waits until the account of a build may do what it was just granted: Google knows it everywhere only after minutes.

python3 deploy/await_roles.py PROJECT PREFIX
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cloud import Google, Refused, pause, tell
from resources import RUNNING

NEEDED = (
    "cloudbuild.builds.list",
    "cloudfunctions.functions.create",
    "cloudscheduler.jobs.create",
    "datastore.indexes.create",
    "firebaserules.releases.create",
    "run.services.get",
)


def lacking(google: Google, prefix: str) -> list[str]:
    """Returns the permissions that the caller has not, or not yet."""
    needed: dict[str, tuple[str, ...]] = {f"cloudresourcemanager/v1/{google.name}": NEEDED}
    for name in RUNNING:  # the build lets functions run as these
        account = f"{prefix}{name}@{google.project}.iam.gserviceaccount.com"
        address = f"iam/v1/{google.name}/serviceAccounts/{account}"
        needed[address] = ("iam.serviceAccounts.actAs",)

    lines = []
    for address, permissions in needed.items():
        resource = address.rpartition("/")[2]
        granted = granted_permissions(google, address, permissions)
        for permission in permissions:
            if permission not in granted:
                lines.append(f"{permission} on {resource}")

    return lines


def granted_permissions(google: Google, address: str, permissions: Sequence[str]) -> Sequence[str]:
    """Returns those of the permissions that the caller has on what lies at the address."""
    try:
        reply = google(
            "POST",
            f"{address}:testIamPermissions",
            {"permissions": permissions},
        )
    except Refused as refused:
        if refused.status not in (403, 404):
            raise
        return ()

    granted: Sequence[str] = reply.get("permissions", ())
    return granted


if __name__ == "__main__":
    google = Google(sys.argv[1])
    for seconds in (2, 4, 8, 16, 32, 60, 60, 60, 60, 0):
        missing = lacking(google, sys.argv[2])
        if not missing:
            sys.exit()
        tell(f"Not granted yet: {', '.join(missing)}. Wait, next look in {seconds} s.")
        pause(seconds)
    sys.exit("Roles are still not known. Wait some minutes, and run deploy/up.sh again.")

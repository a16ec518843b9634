"""Waits until the account of a build may do what it was just granted: Google knows it everywhere only after minutes.

python3 deploy/await_roles.py PROJECT PREFIX
"""

from __future__ import annotations

import sys

from cloud import Google, Refused, pause, tell

NEEDED = (
    "cloudfunctions.functions.create",
    "cloudscheduler.jobs.create",
    "datastore.indexes.create",
    "firebaserules.releases.create",
    "run.services.get",
)
USED = ("aurora-functions", "aurora-events", "aurora-scheduler", "aurora-build")
"""Accounts that the build lets functions run as."""


def lacking(google: Google, prefix: str) -> list[str]:
    """Permissions that the caller has not, or not yet."""
    asked: dict[str, tuple[str, ...]] = {f"cloudresourcemanager/v1/{google.name}": NEEDED}
    for name in USED:
        account = f"{prefix}{name}@{google.project}.iam.gserviceaccount.com"
        asked[f"iam/v1/{google.name}/serviceAccounts/{account}"] = ("iam.serviceAccounts.actAs",)
    found = []
    for address, permissions in asked.items():
        try:
            said = google("POST", f"{address}:testIamPermissions", {"permissions": permissions})
        except Refused as refused:
            if refused.status not in (403, 404):
                raise
            said = {}
        held = said.get("permissions", ())
        found += [f"{each} on {address.rpartition('/')[2]}" for each in permissions if each not in held]
    return found


if __name__ == "__main__":
    google = Google(sys.argv[1])
    for seconds in (2, 4, 8, 16, 32, 60, 60, 60, 60, 0):
        if not (missing := lacking(google, sys.argv[2])):
            sys.exit()
        tell(f"Not granted yet: {', '.join(missing)}. Wait, next look in {seconds} s.")
        pause(seconds)
    sys.exit("Roles are still not known. Wait some minutes, and run deploy/up.sh again.")

"""What deploy/restore.sh does: a second database with what the deployed one held, protected and backed up."""

from __future__ import annotations

import argparse
import os
import sys
from datetime import UTC, datetime

import look
from cloud import JSON, Google, Refused, tell
from look import Stop
from plan import Parser, matching

PROTECTED = {
    "deleteProtectionState": "DELETE_PROTECTION_ENABLED",
    "pointInTimeRecoveryEnablement": "POINT_IN_TIME_RECOVERY_ENABLED",
}


def minute(text: str) -> datetime:
    """A moment with its zone -> the minute in UTC: Firestore keeps a version of each."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a moment like 2026-11-22T08:15:00Z, got {text!r}") from None
    if at.tzinfo is None:
        raise argparse.ArgumentTypeError(f"expected a zone, as in {text}Z or {text}+01:00")
    return at.astimezone(UTC).replace(second=0, microsecond=0)


def asked_of(source: JSON, asked: argparse.Namespace) -> tuple[str, JSON]:
    """The method of `databases` and what it is asked for. Raises Stop for a minute that is not kept."""
    if asked.backup:
        return "restore", {"databaseId": asked.database, "backup": asked.backup}
    earliest = datetime.fromisoformat(source["earliestVersionTime"])
    if not earliest <= asked.at <= datetime.now(UTC):
        raise Stop(
            f"--at: expected a minute since {earliest:%Y-%m-%dT%H:%M}Z, the earliest that is kept, and until now"
        )
    snapshot = {"database": source["name"], "snapshotTime": f"{asked.at:%Y-%m-%dT%H:%M:00Z}"}
    return "clone", {"databaseId": asked.database, "pitrSnapshot": snapshot}


def main(asked: argparse.Namespace) -> None:
    """Raises Refused and Stop."""
    google = Google(asked.project)
    found = look.deployments(google)
    deployment = found.get(look.prefix_of(found, asked.function_prefix))
    if deployment is None:
        raise Stop(f"Nothing of ours is deployed in {asked.project}.")
    source = f"firestore/v1/{deployment.database.name}"
    method, body = asked_of(google("GET", source), asked)
    tell(f"- Database {asked.database}, beside {deployment.database.id}: some minutes; billed by its size.")
    made = f"firestore/v1/{google.name}/databases"
    google.done("firestore/v1", google("POST", f"{made}:{method}", body))
    made = f"{made}/{asked.database}"
    google.done("firestore/v1", google("PATCH", f"{made}?updateMask={','.join(PROTECTED)}", PROTECTED))
    for schedule in google.items(f"{source}/backupSchedules", "backupSchedules"):
        kept = {
            name: schedule[name] for name in ("retention", "dailyRecurrence", "weeklyRecurrence") if name in schedule
        }
        google("POST", f"{made}/backupSchedules", kept)
    tell(
        f"It is protected as {deployment.database.id} is, and nobody uses it yet: it has no rules. Then\n"
        f"  deploy/up.sh {asked.project} --database {asked.database}"
    )


if __name__ == "__main__":
    parser = Parser(prog="deploy/restore.sh")
    parser.add_argument("project", metavar="PROJECT", type=matching(r"[a-z][a-z0-9-]{4,28}[a-z0-9]"))
    parser.add_argument("database", metavar="DATABASE", type=matching(r"[a-z][a-z0-9-]{2,61}[a-z0-9]"))
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--at", type=minute, metavar="MOMENT", help="of the last seven days, with its zone")
    source.add_argument("--backup", metavar="NAME", help="as `gcloud firestore backups list` names it")
    parser.add_argument("--function-prefix", default=os.environ.get("FUNCTION_PREFIX"), metavar="PREFIX")
    try:
        main(parser.parse_args())
    except (Refused, Stop) as stop:
        sys.exit(str(stop))

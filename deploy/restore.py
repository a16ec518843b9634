"""Restores the deployed database into a second one, protected and backed up: the work of deploy/restore.sh."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime

import look
from arguments import Parser, matching
from cloud import JSON, Google, Refused, tell
from look import Stop

PROTECTED = {
    "deleteProtectionState": "DELETE_PROTECTION_ENABLED",
    "pointInTimeRecoveryEnablement": "POINT_IN_TIME_RECOVERY_ENABLED",
}

COPIED = ("retention", "dailyRecurrence", "weeklyRecurrence")
"""The fields of a schedule of backups that somebody chose."""


def minute(text: str) -> datetime:
    """Returns the minute in UTC of a moment with its zone: Firestore keeps a version of each minute."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected a moment like 2026-11-22T08:15:00Z, got {text!r}",
        ) from None

    if moment.tzinfo is None:
        raise argparse.ArgumentTypeError(f"expected a zone, as in {text}Z or {text}+01:00")
    return moment.astimezone(UTC).replace(second=0, microsecond=0)


def request(source: JSON, options: argparse.Namespace) -> tuple[str, JSON]:
    """Returns the method of `databases` and its body. Raises Stop for a minute that is not kept."""
    if options.backup:
        return "restore", {"databaseId": options.database, "backup": options.backup}

    earliest = datetime.fromisoformat(source["earliestVersionTime"])
    if not earliest <= options.at <= datetime.now(UTC):
        raise Stop(
            f"--at: expected a minute since {earliest:%Y-%m-%dT%H:%M}Z, the earliest that is kept, and until now",
        )
    snapshot = {
        "database": source["name"],
        "snapshotTime": f"{options.at:%Y-%m-%dT%H:%M:00Z}",
    }
    return "clone", {"databaseId": options.database, "pitrSnapshot": snapshot}


def protect(google: Google, source: str, restored: str) -> None:
    """Protects the restored database from deletion and backs it up as often as the source."""
    mask = ",".join(PROTECTED)
    operation = google("PATCH", f"{restored}?updateMask={mask}", PROTECTED)
    google.done("firestore/v1", operation)
    for schedule in google.items(f"{source}/backupSchedules", "backupSchedules"):
        copy = {}
        for name in COPIED:
            if name in schedule:
                copy[name] = schedule[name]
        google("POST", f"{restored}/backupSchedules", copy)


def main(options: argparse.Namespace) -> None:
    """Restores the notes into a new database. Raises Refused and Stop."""
    google = Google(options.project)
    deployment = look.deployed(google, options.function_prefix)
    damaged = deployment.database.id
    restored = options.database
    source = f"firestore/v1/{deployment.database.name}"
    method, body = request(google("GET", source), options)
    tell(
        f"Apps must follow: the notes come back in a database of another name, {restored}. Apps that use Firestore\n"
        f'directly go on with {damaged} until they are released with getFirestore(app, "{restored}"); what they write\n'
        f"until then stays in {damaged} alone. Apps that call the functions follow by the last command below.",
    )
    tell(f"- Database {restored}, beside {damaged}: some minutes; billed by its size.")

    databases = f"firestore/v1/{google.name}/databases"
    operation = google("POST", f"{databases}:{method}", body)
    google.done("firestore/v1", operation)
    protect(google, source, f"{databases}/{restored}")
    tell(
        f"It is protected as {damaged} is, and nobody uses it yet: it has no rules. Then\n"
        f"  deploy/up.sh {options.project} --database {restored}",
    )


if __name__ == "__main__":
    parser = Parser(prog="deploy/restore.sh")
    parser.add_project()
    parser.add_argument(
        "database",
        metavar="DATABASE",
        type=matching(r"[a-z][a-z0-9-]{2,61}[a-z0-9]"),
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--at",
        type=minute,
        metavar="MOMENT",
        help="of the last seven days, with its zone",
    )
    source.add_argument(
        "--backup",
        metavar="NAME",
        help="as `gcloud firestore backups list` names it",
    )
    parser.add_prefix()
    try:
        main(parser.parse_args())
    except (Refused, Stop) as stop:
        sys.exit(str(stop))

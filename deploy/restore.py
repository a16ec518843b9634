"""Restores a database, the deployed one or a backup's, into a second one, protected and backed up: the work of
deploy/restore.sh.
"""

from __future__ import annotations

import argparse
import hashlib
import shlex
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import look
import owner
from arguments import Parser, matching
from cloud import JSON, Google, Refused, tell
from firestore import Database
from look import Deployment, Stop

sys.path.insert(1, str(Path(__file__).parents[1]))

from shared.adapters.firestore.roots import ERASURES, TENANTS

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


def request(source: JSON | None, options: argparse.Namespace) -> tuple[str, JSON]:
    """Returns the method of `databases` and its body.

    source: the deployed database; None if it is gone. Raises Stop for a minute that is not kept.
    """
    if options.backup:
        return "restore", {"databaseId": options.database, "backup": options.backup}
    if source is None:
        raise Stop(
            "--at: the database is gone, and the versions of each minute with it. Backups stay: give --backup NAME, as\n"
            f"    gcloud firestore backups list --project={options.project}\nnames it",
        )

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


def erased_since(source: Database, restored: Database) -> Iterator[str]:
    """Yields the tenants of the restored database that were erased after its minute."""
    numbers_then = _erasures(restored)
    erased = set()
    for digest, number in _erasures(source).items():
        if number != numbers_then.get(digest):
            erased.add(digest)
    if not erased:
        return
    address = f"firestore/v1/{restored.name}/documents/{TENANTS}?showMissing=true&pageSize=300"
    for document in restored.google.items(address, "documents"):
        tenant_id = document["name"].rpartition("/")[2]
        if hashlib.sha256(tenant_id.encode()).hexdigest() in erased:
            yield tenant_id


def _erasures(database: Database) -> dict[str, str]:
    """Returns the number of erasures of each tenant that was ever erased, by the digest of its id."""
    numbers = {}
    for document in database.documents({"from": [{"collectionId": ERASURES}]}):
        digest = document["name"].rpartition("/")[2]
        number = document.get("fields", {}).get("number", {})
        numbers[digest] = str(number.get("integerValue"))
    return numbers


def _tell_of_erased(source: Database, restored: Database) -> None:
    """Names who erased everything and is back, with the command that erases them again."""
    tenant_ids = list(erased_since(source, restored))
    if not tenant_ids:
        return
    tell(
        f"These erased everything after that moment, and are back in {restored.id}. Erase them before it is deployed:"
    )
    for tenant_id in tenant_ids:
        if not tenant_id.isprintable():
            # What an id does to a terminal, and to a line that is pasted, is its owner's choice.
            tell(f"  {TENANTS}/{tenant_id!a}, by hand: its id cannot be pasted")
            continue
        path = shlex.quote(f"{TENANTS}/{tenant_id}")
        tell(
            f"  firebase firestore:delete {path} --recursive --database {restored.id} "
            f"--project {restored.google.project}",
        )


def damaged_database(
    google: Google,
    options: argparse.Namespace,
    by_prefix: Mapping[str, Deployment],
) -> Database:
    """Returns the database whose notes come back: the backup's, the one that was named, or that of the functions.

    Raises Stop where nothing says which it is, and where two things do.
    """
    if options.backup and options.source:
        raise Stop(
            "--from goes with --at; a backup says itself which database it is of. Nothing was restored."
        )
    if options.backup:
        backup = google.found(f"firestore/v1/{options.backup}")
        if not backup:
            raise Stop(
                f"--backup {options.backup}: there is no such backup, or no more. This names them:\n"
                f"    gcloud firestore backups list --project={options.project}",
            )
        return Database(google, backup["database"].rpartition("/")[2])
    if options.source:
        return Database(google, options.source)
    deployment = by_prefix.get(look.prefix_of(by_prefix, options.function_prefix))
    if deployment is not None:
        return deployment.database

    moment = f"{options.at:%Y-%m-%dT%H:%MZ}"
    again = f"deploy/restore.sh {options.project} {options.database} --at {moment} --from"
    databases = google.items(f"firestore/v1/{google.name}/databases", "databases")
    ids = [database["name"].rpartition("/")[2] for database in databases]
    lines = [f"\n    {again} {shlex.quote(database_id)}" for database_id in ids]
    raise Stop(
        f"No function is deployed in {options.project} that says which database the notes are in. Name it:"
        + "".join(lines),
    )


def up_command(
    options: argparse.Namespace,
    by_prefix: Mapping[str, Deployment],
    restored: Database,
) -> str:
    """Returns the command that deploys to the restored database, as the deployment that wrote its notes."""
    command = f"deploy/up.sh {options.project} --database {restored.id}"
    prefix = options.function_prefix
    if not by_prefix and not prefix:
        owner_then = owner.read(restored)
        if owner_then is not None:
            prefix = owner_then.prefix
    if prefix:
        command += f" --function-prefix {prefix}"
    return command


def main(options: argparse.Namespace) -> None:
    """Restores the notes into a new database. Raises Refused and Stop."""
    google = Google(options.project)
    by_prefix = look.deployments(google)
    damaged = damaged_database(google, options, by_prefix)
    restored = Database(google, options.database)
    source_address = f"firestore/v1/{damaged.name}"
    source = google.found(source_address)
    method, body = request(source, options)
    tell(
        f"Apps must follow: the notes come back in a database of another name, {restored.id}. Apps that use Firestore\n"
        f'directly go on with {damaged.id} until they are released with getFirestore(app, "{restored.id}"); what they '
        f"write\nuntil then stays in {damaged.id} alone. Apps that call the functions follow by the last command below.",
    )
    tell(f"- Database {restored.id}, beside {damaged.id}: some minutes; billed by its size.")

    operation = google("POST", f"firestore/v1/{google.name}/databases:{method}", body)
    google.done("firestore/v1", operation)
    protect(google, source_address, f"firestore/v1/{restored.name}")
    command = up_command(options, by_prefix, restored)
    if source is None:
        command += " --backups daily"
        tell(
            f"{damaged.id} is gone: nobody can tell who erased everything after the backup and is back."
        )
    else:
        _tell_of_erased(damaged, restored)
    tell(
        f"{restored.id} is protected from deletion, and nobody uses it yet: it has no rules. Then\n  {command}"
    )


if __name__ == "__main__":
    parser = Parser(prog="deploy/restore.sh")
    parser.add_project()
    parser.add_argument(
        "database",
        metavar="DATABASE",
        type=matching(r"[a-z][a-z0-9-]{2,61}[a-z0-9]"),
    )
    point = parser.add_mutually_exclusive_group(required=True)
    point.add_argument(
        "--at",
        type=minute,
        metavar="MOMENT",
        help="of the last seven days, with its zone",
    )
    point.add_argument(
        "--backup",
        metavar="NAME",
        type=matching(r"projects/[^/]+/locations/[^/]+/backups/[^/]+"),
        help="as `gcloud firestore backups list` names it",
    )
    parser.add_argument(
        "--from",
        dest="source",
        metavar="DATABASE",
        help="whose versions are kept; without it the one that the functions use",
        type=matching(r"\(default\)|[a-z][a-z0-9-]{2,61}[a-z0-9]"),
    )
    parser.add_prefix()
    try:
        main(parser.parse_args())
    except (Refused, Stop) as stop:
        sys.exit(str(stop))

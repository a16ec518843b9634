"""What deploy/down.sh does: takes away what carries our label, after asking."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from urllib.parse import quote

import look
from cloud import LABEL, Google, Refused
from firestore import ROOTS, Database
from look import ACCOUNTS, JOB, SECRETS, Deployment, Stop
from plan import Parser, matching
from policy import changed


def made(deployment: Deployment) -> Iterator[tuple[str, str, str]]:
    """(what it is called, API and version, name) of everything ours, in the order in which it goes."""
    google, prefix = deployment.google, deployment.prefix
    place = f"{google.name}/locations/{deployment.region}"
    yield "The schedule", "cloudscheduler/v1", f"{place}/jobs/{prefix}{JOB}"
    for each in deployment.functions.values():
        yield f"Function {each['name'].rpartition('/')[2]}", "cloudfunctions/v2", each["name"]
    for name in SECRETS:
        yield f"Secret {prefix}{name}", "secretmanager/v1", f"{google.name}/secrets/{prefix}{name}"
    for name in ACCOUNTS:
        yield f"Account {prefix}{name}", "iam/v1", f"{google.name}/serviceAccounts/{deployment.email(name)}"


def revoke(deployment: Deployment) -> None:
    """Takes every role in the project from our accounts. Another change at the same time is not undone."""
    google = deployment.google
    address = f"cloudresourcemanager/v1/{google.name}"
    policy = google("POST", f"{address}:getIamPolicy", {})
    members = {f"serviceAccount:{deployment.email(name)}" for name in ACCOUNTS}
    pairs = [
        [binding["role"], member]
        for binding in policy.get("bindings", ())
        for member in binding["members"]
        if member in members
    ]
    if pairs:
        google("POST", f"{address}:setIamPolicy", {"policy": changed(policy, "remove", pairs)})


def delete_database(deployment: Deployment) -> None:
    """Raises SystemExit where others keep something in it."""
    database, google = deployment.database, deployment.google
    if not google.found(f"firestore/v1/{database.name}"):
        return
    if others := database.roots() - ROOTS:
        sys.exit(f"Database {database.id} was kept: it holds {', '.join(sorted(others))}, which are not ours.")
    body = {"deleteProtectionState": "DELETE_PROTECTION_DISABLED"}
    google.done("firestore/v1", google("PATCH", f"firestore/v1/{database.name}?updateMask=deleteProtectionState", body))
    google.done("firestore/v1", google("DELETE", f"firestore/v1/{database.name}"))
    print(f"- Database {database.id} is deleted.")


def main(arguments: list[str]) -> None:
    parser = Parser(prog="deploy/down.sh")
    parser.add_argument("project", metavar="PROJECT", type=matching(r"[a-z][a-z0-9-]{4,28}[a-z0-9]"))
    parser.add_argument("--region", default="europe-west1", help="where no function is left to tell it")
    parser.add_argument("--function-prefix", default=os.environ.get("FUNCTION_PREFIX"), metavar="PREFIX")
    parser.add_argument("--database", default=os.environ.get("FIRESTORE_DATABASE") or "(default)", help="likewise")
    parser.add_argument("--with-notes", action="store_true", help="the database, too, for good")
    asked = parser.parse_args(arguments)
    google = Google(asked.project)
    found = look.deployments(google)
    prefix = look.prefix_of(found, asked.function_prefix)
    gone = Deployment(google, prefix, asked.region, Database(google, asked.database))
    deployment = found.get(prefix, gone)
    print(f"In {asked.project}, what deploy/up.sh made and labelled {LABEL}:")
    there = [each for each in made(deployment) if is_there(google, each[1], each[2])]
    for what, _, _ in there:
        print(f"- {what}")
    if asked.with_notes:
        print(f"And the database {deployment.database.id} with ALL notes of ALL people, for good.")
    print("Rules, indexes, services that were switched on and sign-in stay.")
    if input("Type the project's id to delete them: ") != asked.project:
        sys.exit("Nothing was deleted.")
    revoke(deployment)
    for what, api, name in there:
        google.done(api, google("DELETE", f"{api}/{name}"))
        print(f"- {what} is deleted.")
    bucket = f"{asked.project}-{deployment.prefix}aurora-build"
    if is_there(google, "storage", f"b/{bucket}"):
        for each in list(google.items(f"storage/b/{bucket}/o", "items")):
            google("DELETE", f"storage/b/{bucket}/o/{quote(each['name'], safe='')}")
        google("DELETE", f"storage/b/{bucket}")
        print(f"- Bucket {bucket} is deleted.")
    if asked.with_notes:
        delete_database(deployment)
    print("Done.")


def is_there(google: Google, api: str, name: str) -> bool:
    """Whether it is there and ours."""
    held = google.found(f"{api}/{name}")
    return held is not None and look.is_ours(held)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except EOFError:
        sys.exit("Nothing was deleted.")
    except (Refused, Stop) as stop:
        sys.exit(str(stop))

"""Takes away, after asking, what carries our label: the work of deploy/down.sh.

1. Look at everything, and stop with the reasons if the database that `--with-notes` asks for may not go.
2. List what goes, and ask.
3. Look at the database once more, then delete: roles, labelled resources, the bucket, the database.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

import look
import owner
from cloud import Google, Refused
from firestore import Database
from look import Deployment, Stop
from plan import Parser
from policy import changed
from resources import ACCOUNTS, JOB, LABEL, SECRETS, TABLE


@dataclass(frozen=True, slots=True)
class Resource:
    """One thing that deploy/up.sh makes."""

    title: str
    """Name in messages."""
    api: str
    """API and version."""
    name: str


def resources(deployment: Deployment) -> Iterator[Resource]:
    """Yields everything that a deployment consists of, in the order in which it goes. Not all of it need exist."""
    google = deployment.google
    prefix = deployment.prefix
    place = f"{google.name}/locations/{deployment.region}"
    yield Resource("The schedule", "cloudscheduler/v1", f"{place}/jobs/{prefix}{JOB}")
    for function in deployment.functions.values():
        name = function["name"].rpartition("/")[2]
        yield Resource(f"Function {name}", "cloudfunctions/v2", function["name"])
    for base in SECRETS:
        secret = f"{google.name}/secrets/{prefix}{base}"
        yield Resource(f"Secret {prefix}{base}", "secretmanager/v1", secret)
    for base in ACCOUNTS:
        account = f"{google.name}/serviceAccounts/{deployment.email(base)}"
        yield Resource(f"Account {prefix}{base}", "iam/v1", account)


def is_there(google: Google, api: str, name: str) -> bool:
    """Reports whether the resource exists and carries our label."""
    resource = google.found(f"{api}/{name}")
    return resource is not None and look.is_ours(resource)


def revoke(deployment: Deployment) -> None:
    """Takes every role in the project from our accounts. Another change at the same time is not undone."""
    google = deployment.google
    address = f"cloudresourcemanager/v1/{google.name}"
    policy = google("POST", f"{address}:getIamPolicy", {})
    members = {f"serviceAccount:{deployment.email(name)}" for name in ACCOUNTS}
    pairs = []
    for binding in policy.get("bindings", ()):
        for member in members.intersection(binding["members"]):
            pairs.append([binding["role"], member])
    if pairs:
        google("POST", f"{address}:setIamPolicy", {"policy": changed(policy, "remove", pairs)})


def delete_bucket(google: Google, bucket: str) -> None:
    for item in list(google.items(f"storage/b/{bucket}/o", "items")):
        google("DELETE", f"storage/b/{bucket}/o/{quote(item['name'], safe='')}")
    google("DELETE", f"storage/b/{bucket}")


def check_database(deployment: Deployment) -> bool:
    """Reports whether there is a database to delete. Raises Stop with every reason why it must stay."""
    database = deployment.database
    if not deployment.google.found(f"firestore/v1/{database.name}"):
        return False
    by_prefix = look.deployments(deployment.google)
    reasons = owner.why_kept(deployment, by_prefix, owner.read(database))
    if reasons:
        lines = "\n".join(f"- {reason}." for reason in reasons)
        raise Stop(
            f"Database {database.id} stays, because\n{lines}\n"
            "Nothing was deleted. Without --with-notes everything but the database goes. To delete the database all "
            f"the same:\n    gcloud firestore databases delete --database='{database.id}' "
            f"--project={deployment.google.project}"
        )
    return True


def delete_database(deployment: Deployment) -> None:
    """Deletes the database, after switching its protection off."""
    google = deployment.google
    unprotected = {"deleteProtectionState": "DELETE_PROTECTION_DISABLED"}
    address = f"firestore/v1/{deployment.database.name}"
    operation = google("PATCH", f"{address}?updateMask=deleteProtectionState", unprotected)
    google.done("firestore/v1", operation)
    google.done("firestore/v1", google("DELETE", address))


def chosen(google: Google, options: argparse.Namespace) -> Deployment:
    """Returns the deployment to remove. Raises Stop.

    Where no function is left to say its names, the database does.
    """
    by_prefix = look.deployments(google)
    prefix = look.prefix_of(by_prefix, options.function_prefix)
    if prefix in by_prefix:
        return by_prefix[prefix]
    database = Database(google, options.database)
    if options.function_prefix is None:
        named_owner = owner.read(database)
        if named_owner and named_owner.project == google.project:
            prefix = named_owner.prefix
    return Deployment(google, prefix, options.region, database)


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(prog="deploy/down.sh")
    parser.add_project()
    parser.add_argument(
        "--region", default="europe-west1", help="where no function is left to tell it"
    )
    parser.add_prefix()
    parser.add_argument(
        "--database", default=os.environ.get("FIRESTORE_DATABASE") or "(default)", help="likewise"
    )
    parser.add_argument("--with-notes", action="store_true", help="the database, too, for good")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> None:
    """Raises Refused; Stop before anything was deleted."""
    options = parsed(arguments)
    google = Google(options.project)
    deployment = chosen(google, options)
    database = deployment.database
    deletes_database = options.with_notes and check_database(deployment)
    existing = [
        resource
        for resource in resources(deployment)
        if is_there(google, resource.api, resource.name)
    ]
    bucket = f"{options.project}-{deployment.prefix}{TABLE['bucket']}"
    has_bucket = is_there(google, "storage", f"b/{bucket}")

    print(f"In {options.project}, what deploy/up.sh made and labelled {LABEL}:")
    for resource in existing:
        print(f"- {resource.title}")
    if has_bucket:
        print(f"- Bucket {bucket}")
    if deletes_database:
        print(f"And the database {database.id} with ALL notes of ALL people, for good.")
    elif options.with_notes:
        print(f"There is no database {database.id}.")
    print("Rules, indexes, services that were switched on and sign-in stay.")
    if input("Type the project's id to delete them: ") != options.project:
        raise Stop("Nothing was deleted.")

    if deletes_database:
        check_database(deployment)  # somebody may have moved in while the question was open
    revoke(deployment)
    for resource in existing:
        operation = google("DELETE", f"{resource.api}/{resource.name}")
        google.done(resource.api, operation)
        print(f"- {resource.title} is deleted.")
    if has_bucket:
        delete_bucket(google, bucket)
        print(f"- Bucket {bucket} is deleted.")
    if deletes_database:
        delete_database(deployment)
        print(f"- Database {database.id} is deleted.")
    print("Done.")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except EOFError:
        sys.exit("Nothing was deleted.")
    except (Refused, Stop) as stop:
        sys.exit(str(stop))

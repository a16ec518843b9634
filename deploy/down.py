"""Takes away, after asking, what carries our label: the work of deploy/down.sh.

1. Look at everything, and stop with the reasons if the database that `--with-notes` asks for may not go.
2. List what goes, and ask.
3. Look at the database once more, then delete: roles, labelled resources, the bucket, the database.

`--only-database NAME` does 1 to 3 for a database that no function uses any more, such as the damaged one after a restore.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

import builds
import look
import owner
from arguments import Parser
from cloud import Google, Refused, tell
from firestore import Database
from look import Deployment, Stop
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
    yield Resource(
        "The schedule",
        "cloudscheduler/v1",
        f"{place}/jobs/{prefix}{JOB}",
    )
    for function in deployment.functions.values():
        name = function["name"].rpartition("/")[2]
        yield Resource(
            f"Function {name}",
            "cloudfunctions/v2",
            function["name"],
        )

    for base in SECRETS:
        secret = f"{google.name}/secrets/{prefix}{base}"
        yield Resource(
            f"Secret {prefix}{base}",
            "secretmanager/v1",
            secret,
        )

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
        google(
            "POST",
            f"{address}:setIamPolicy",
            {"policy": changed(policy, "remove", pairs)},
        )


def delete_bucket(google: Google, bucket: str) -> None:
    """Deletes a bucket with everything in it."""
    address = f"storage/b/{bucket}"
    items = list(google.items(f"{address}/o", "items"))
    for item in items:
        name = quote(item["name"], safe="")
        google("DELETE", f"{address}/o/{name}")
    google("DELETE", address)


def check_database(deployment: Deployment) -> bool:
    """Reports whether there is a database to delete. Raises Stop with every reason why it must stay."""
    database = deployment.database
    if not deployment.google.found(f"firestore/v1/{database.name}"):
        return False
    by_prefix = look.deployments(deployment.google)
    reasons = owner.why_kept(deployment, by_prefix, owner.read(database))
    if reasons:
        lines = "\n".join(f"- {reason}." for reason in reasons)
        options = f"--database='{database.id}' --project={deployment.google.project}"
        raise Stop(
            f"Database {database.id} stays, because\n{lines}\n"
            "Nothing was deleted. Without --with-notes everything but the database goes. To delete the database all "
            f"the same:\n    gcloud firestore databases update --no-delete-protection {options}\n"
            f"    gcloud firestore databases delete {options}",
        )

    return True


def delete_database(deployment: Deployment) -> None:
    """Deletes the database, after switching its protection off. If that fails, the protection is on again."""
    database = deployment.database
    google = deployment.google
    protect(database, "DISABLED")
    try:
        google.done("firestore/v1", google("DELETE", f"firestore/v1/{database.name}"))
    except BaseException:  # Ctrl-C too
        try:
            protect(database, "ENABLED")
        except Refused as refused:
            tell(
                f"Database {database.id} may be there still, without its protection from deletion ({refused}). Switch it "
                f"on:\n    gcloud firestore databases update --delete-protection --database='{database.id}' "
                f"--project={google.project}",
            )
        else:
            tell(f"Database {database.id} was not deleted, and is protected from deletion again.")
        raise


def protect(database: Database, state: str) -> None:
    """Sets the protection from deletion to ENABLED or DISABLED. Raises Refused."""
    address = f"firestore/v1/{database.name}?updateMask=deleteProtectionState"
    body = {"deleteProtectionState": f"DELETE_PROTECTION_{state}"}
    database.google.done("firestore/v1", database.google("PATCH", address, body))


def chosen(google: Google, options: argparse.Namespace) -> Deployment:
    """Returns the deployment to remove. Raises Stop.

    Where no function is left to say its names, the database does.
    """
    by_prefix = look.deployments(google)
    prefix = look.prefix_of(by_prefix, options.function_prefix)
    database_id = options.database or "(default)"
    if prefix in by_prefix:
        deployment = by_prefix[prefix]
        used = look.databases_of(deployment)
        if options.with_notes and len(used) > 1:
            raise Stop(
                f"The functions were deployed to several databases, {' and '.join(sorted(used))}: a deployment stopped "
                "half-way. Nothing was deleted. Run deploy/up.sh with the --database that is meant, then this again.",
            )
        if options.with_notes and options.database not in (None, deployment.database.id):
            raise Stop(
                f"--database {database_id}: the functions use {deployment.database.id}, and with --with-notes that one "
                "would go with them. Nothing was deleted. To delete only the other one, which no function uses:\n"
                f"    deploy/down.sh {google.project} --only-database '{database_id}'",
            )
        return deployment

    database = Database(google, database_id)
    if options.function_prefix is None:
        prefix = _named_prefix(database) or prefix
    return Deployment(google, prefix, options.region, database)


def _named_prefix(database: Database) -> str:
    """Returns the prefix of the deployment that the database names, or the empty text."""
    named_owner = owner.read(database)
    if named_owner and named_owner.project == database.google.project:
        return named_owner.prefix
    return ""


def unused_database(google: Google, options: argparse.Namespace) -> Deployment:
    """Returns the deployment that `--only-database` names, without functions. Raises Stop if a function uses it."""
    database = Database(google, options.only_database)
    for deployment in look.deployments(google).values():
        if database.id in look.databases_of(deployment):
            raise Stop(
                f"Database {database.id} stays: functions of {owner.deployment_name(deployment.prefix)} use it. Nothing "
                f"was deleted. With --with-notes instead of --only-database it goes together with them.",
            )

    prefix = options.function_prefix
    if prefix is None:
        prefix = _named_prefix(database)
    return Deployment(google, prefix, options.region, database)


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(prog="deploy/down.sh")
    parser.add_project()
    parser.add_argument(
        "--region",
        default="europe-west1",
        help="where no function is left to tell it",
    )
    parser.add_prefix()
    parser.add_argument(
        "--database",
        default=os.environ.get("FIRESTORE_DATABASE"),
        help="likewise",
    )
    parser.add_argument(
        "--with-notes",
        action="store_true",
        help="the database, too, for good",
    )
    parser.add_argument(
        "--only-database",
        metavar="NAME",
        help="nothing but this database, which no function uses any more, for good",
    )
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> None:
    """Raises Refused; Stop before anything was deleted."""
    options = parsed(arguments)
    google = Google(options.project)
    if options.only_database:
        delete_unused(google, options)
        return

    deployment = chosen(google, options)
    builds.require_none(google, deployment.prefix)  # it would make functions again
    database = deployment.database
    deletes_database = options.with_notes and check_database(deployment)
    existing = [
        resource
        for resource in resources(deployment)
        if is_there(google, resource.api, resource.name)
    ]
    bucket = f"{options.project}-{deployment.prefix}{TABLE['bucket']}"
    titles = [resource.title for resource in existing]
    has_bucket = is_there(google, "storage", f"b/{bucket}")
    if has_bucket:
        titles.append(f"Bucket {bucket}")

    print(f"In {options.project}, what deploy/up.sh made and labelled {LABEL}:")
    for title in titles:
        print(f"- {title}")
    if deletes_database:
        print(f"And the database {database.id} with ALL notes of ALL people, for good.")
    elif options.with_notes:
        print(f"There is no database {database.id}.")
    else:
        tell_of_kept(deployment)
    print("Rules, indexes, services that were switched on, sign-in and a budget stay.")
    chosen_prefix = f" --function-prefix {deployment.prefix}" if deployment.prefix else ""
    print("Alerts stay too, and will fire, until you run")
    print(f"    deploy/monitor.sh {options.project} --remove{chosen_prefix}")
    confirm(options.project, database.id if deletes_database else "")

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


def tell_of_kept(deployment: Deployment) -> None:
    """Names each database that stays, with the command that deletes it when the functions are gone."""
    google = deployment.google
    database_ids = look.databases_of(deployment) or {deployment.database.id}
    for database_id in sorted(database_ids):
        if not google.found(f"firestore/v1/{google.name}/databases/{database_id}"):
            continue
        command = f"deploy/down.sh {google.project} --with-notes --database '{database_id}'"
        if deployment.prefix:
            command += f" --function-prefix {deployment.prefix}"
        print(
            f"Database {database_id} stays with all notes. To delete it, too, for good:\n    {command}"
        )


def delete_unused(google: Google, options: argparse.Namespace) -> None:
    """Deletes the database of `--only-database`, after asking. Raises Refused; Stop before anything was deleted."""
    database_id = options.only_database
    if not check_database(unused_database(google, options)):
        raise Stop(f"There is no database {database_id}.")
    print(f"The database {database_id} with ALL notes in it, for good, and nothing else.")
    confirm(google.project, database_id)
    deployment = unused_database(google, options)  # somebody may have moved in meanwhile
    check_database(deployment)
    delete_database(deployment)
    print(f"- Database {database_id} is deleted.")


def confirm(project: str, database_id: str) -> None:
    """Asks for the project's id and, if a database goes, for its name. Raises Stop for any other answer."""
    if database_id:
        expected = f"{project} {database_id}"
        question = f"Type the project's id and the database's name ({expected}) to delete them: "
    else:
        expected = project
        question = "Type the project's id to delete them: "

    if input(question).split() != expected.split():
        raise Stop("Nothing was deleted.")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except EOFError:
        sys.exit("Nothing was deleted.")
    except (Refused, Stop) as stop:
        sys.exit(str(stop))

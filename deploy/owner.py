"""Reads and writes the owner of a Firestore database: the deployment that writes the index.

The document `auroraOwner/deployment` names it.

deploy/up.sh writes it, deploy/down.sh deletes no database without it, and the functions index nothing in a database
that names another deployment.

    python3 deploy/owner.py PROJECT DATABASE PREFIX own|shared [UPDATED]    writes the document

Needs gcloud and Python 3.11, nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import look
from cloud import JSON, Google, Refused, tell
from firestore import Database
from look import Deployment

sys.path.insert(1, str(Path(__file__).parents[1]))

from shared.adapters.firestore.roots import (
    DATABASE_FIELD,
    OWNER_PATH,
    PREFIX_FIELD,
    PROJECT_FIELD,
    ROOTS,
    SHARED_FIELD,
    deployment_name,
    is_path_of_product,
)

__all__ = [
    "Owner",
    "OwnerChange",
    "claim",
    "deployment_name",
    "holds_ours",
    "other_owners",
    "read",
    "why_kept",
    "write",
]

NAMED_AT_MOST = 5
"""Documents of somebody else that a message names; none beyond them is looked for."""
LINE_EVERY = 100_000
"""Documents between two lines of progress."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner that a database names."""

    project: str
    database: str
    prefix: str
    """FUNCTION_PREFIX of the deployment."""
    shared: bool
    """True if the database held something else when the deployment came."""
    updated: str
    """Time of the document's last change, as Firestore writes it."""

    def names(self, database: Database) -> bool:
        """Reports whether the document is about this database: a restored or imported one holds another's."""
        return (self.project, self.database) == (database.google.project, database.id)


@dataclass(frozen=True, slots=True)
class OwnerChange:
    """Document that a deployment writes to become the owner."""

    shared: bool
    strangers: tuple[str, ...]
    """Names of things in the database that are not ours."""
    updated: str
    """Time of the last change of the document that this one replaces; empty if there is none."""


def read(database: Database) -> Owner | None:
    """Returns None if the database names no owner, or does not exist."""
    document = database.google.found(f"firestore/v1/{database.name}/documents/{OWNER_PATH}")
    if document is None:
        return None
    fields = document.get("fields", {})
    return Owner(
        project=_text(fields, PROJECT_FIELD),
        database=_text(fields, DATABASE_FIELD),
        prefix=_text(fields, PREFIX_FIELD),
        shared=bool(fields.get(SHARED_FIELD, {}).get("booleanValue")),
        updated=document["updateTime"],
    )


def write(
    database: Database,
    prefix: str,
    *,
    shared: bool,
    updated: str = "",
) -> None:
    """Makes the deployment with this prefix the owner. Raises Refused if the document was written since `updated`."""
    fields = {
        PROJECT_FIELD: {"stringValue": database.google.project},
        DATABASE_FIELD: {"stringValue": database.id},
        PREFIX_FIELD: {"stringValue": prefix},
        SHARED_FIELD: {"booleanValue": shared},
    }
    expected: JSON = {"updateTime": updated} if updated else {"exists": False}
    name = f"{database.name}/documents/{OWNER_PATH}"
    change = {"update": {"name": name, "fields": fields}, "currentDocument": expected}
    database.google(
        "POST",
        f"firestore/v1/{database.name}/documents:commit",
        {"writes": [change]},
    )


def holds_ours(database: Database) -> bool:
    """Reports whether the owner's document shows that what lies below `tenants` is the product's.

    A restored copy has no rules that could tell. A database that was shared from the first, and is no copy, is left to
    its rules: an up.sh that was stopped may have written the document, and nothing else.
    """
    owner = read(database)
    if owner is None:
        return False
    is_copy = not owner.names(database)
    return is_copy or not owner.shared


def other_owners(deployment: Deployment, by_prefix: Mapping[str, Deployment]) -> list[str]:
    """Returns the prefixes of other deployments that the database belongs to.

    Those are the one it names; if it names none, the project's deployments that use it.
    """
    owner = read(deployment.database)
    if owner and owner.names(deployment.database):
        return [] if owner.prefix == deployment.prefix else [owner.prefix]
    return other_users(deployment, by_prefix)


def other_users(deployment: Deployment, by_prefix: Mapping[str, Deployment]) -> list[str]:
    """Returns the prefixes of the project's other deployments whose functions use the database."""
    prefixes = []
    for prefix, neighbour in sorted(by_prefix.items()):
        uses_it = deployment.database.id in look.databases_of(neighbour)
        if uses_it and prefix != deployment.prefix:
            prefixes.append(prefix)
    return prefixes


def claim(
    deployment: Deployment,
    by_prefix: Mapping[str, Deployment],
    *,
    exists: bool,
) -> OwnerChange | None:
    """Returns the change that makes the deployment the owner of its database; None if it is the owner.

    A database that names no owner is wholly ours beyond doubt if it is new or empty, or if this deployment uses it
    already and it holds nothing that the product does not write. Every other one counts as shared, for good.
    """
    database = deployment.database
    if not exists:
        return OwnerChange(shared=False, strangers=(), updated="")
    owner = read(database)
    if owner and owner.names(database) and owner.prefix == deployment.prefix:
        return None
    deployed = by_prefix.get(deployment.prefix)
    is_in_use = deployed is not None and deployed.database.id == database.id
    strangers = foreign_parts(database)
    if owner is not None:  # of another deployment that is taken over, or a copy
        was_ours = not owner.shared
    else:
        was_ours = is_in_use or not database.roots()

    if was_ours and not strangers:
        strangers = foreign_documents(database)
    updated = owner.updated if owner else ""
    is_shared = bool(strangers) or not was_ours
    return OwnerChange(
        shared=is_shared,
        strangers=tuple(strangers),
        updated=updated,
    )


def foreign_parts(database: Database) -> list[str]:
    """Returns names of collections at the root that the product does not have, and of rules that it did not write."""
    names = [f"collection {name}" for name in sorted(database.roots() - ROOTS)]
    if database.has_other_rules():
        names.append("Firestore rules of somebody else")
    return names


def foreign_documents(database: Database) -> list[str]:
    """Returns names of documents that the product does not write, the first few. Reads the path of every document."""
    names: list[str] = []
    for count, path in enumerate(database.paths(), start=1):
        if count % LINE_EVERY == 0:
            tell(f"  {count:,} documents of database {database.id} are looked at, each a read.")
        if not is_path_of_product(path):
            names.append(f"document {path}")
        if len(names) == NAMED_AT_MOST:
            break

    return names


def why_kept(
    deployment: Deployment,
    by_prefix: Mapping[str, Deployment],
    owner: Owner | None,
) -> list[str]:
    """Returns reasons why deploy/down.sh must not delete the database; none if it may."""
    database = deployment.database
    if owner is None:
        collections = ", ".join(sorted(database.roots())) or "nothing"
        reason = (
            f"it has no {OWNER_PATH}, by which deploy/up.sh says that a database is its own. It holds {collections}. "
            "If it is ours and was deployed by an older deploy/up.sh, run deploy/up.sh again with the same names: it "
            "adds the document where it finds nothing of anybody else"
        )
        return [reason]

    reasons = []
    if owner.project != database.google.project:
        reasons.append(f"it was imported from project {owner.project}")
    elif owner.database != database.id:
        reasons.append(f"it is a copy of database {owner.database}, and nobody was deployed to it")

    if owner.prefix != deployment.prefix:
        reasons.append(
            f"it belongs to {deployment_name(owner.prefix)}, and you named {deployment_name(deployment.prefix)}: "
            f"choose with --function-prefix '{owner.prefix}'",
        )

    if owner.shared:
        reasons.append("it held something else when we were deployed to it")
    reasons += [
        f"{deployment_name(prefix)} uses it: take that away first"
        for prefix in other_users(deployment, by_prefix)
    ]
    strangers = foreign_parts(database)
    if not strangers and not reasons:
        strangers = foreign_documents(database)
    reasons += [f"it holds {stranger}, not ours" for stranger in strangers]
    return reasons


def _text(fields: JSON, name: str) -> str:
    return str(fields.get(name, {}).get("stringValue", ""))


def main(
    project: str,
    id: str,  # noqa: A002 - Firestore's word
    prefix: str,
    kind: str,
    updated: str = "",
) -> int:
    try:
        write(
            Database(Google(project), id),
            prefix,
            shared=kind == "shared",
            updated=updated,
        )
    except Refused as refused:
        if refused.status in (400, 409):
            tell(f"Somebody else has made database {id} theirs meanwhile: run it again to see who.")
        tell(str(refused))
        return 1

    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

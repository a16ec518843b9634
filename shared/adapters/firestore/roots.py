"""Collections of the product in its database, and the document that names the owner of the database.

The scripts in deploy/ read this file too, by a Python that has no packages.
"""

from __future__ import annotations

TENANTS = "tenants"
"""Everything a tenant owns lies below one document of it, which need not exist itself."""
BOOKMARKS = "bookmarks"
"""Progress of the sweep."""
PROJECT_USAGE = "auroraUsage"
"""Sums that all tenants together have spent in a day."""
ERASED = "auroraErased"
"""`{day}:{tenantId}` for each tenant whose usage of that day outlasts its erasure; without a field."""
ERASURES = "auroraErasures"
"""`{digest of tenantId}` for each tenant that was ever erased: `number` of its erasures."""
OWNER = "auroraOwner"
"""Holds the document OWNER_ID, which names the deployment that writes the index; deploy/up.sh writes it."""
REQUESTS = "auroraRequests"
"""A name that no other app of the project has: documents of all such collections are dropped when they expire."""
TRASH = "auroraTrash"
"""Named so for the same reason."""
DELETED_SESSIONS = "deletedSessions"
"""Ids of sessions whose messages are still to be removed."""
_OF_PERSONS = frozenset({"feedback", REQUESTS, DELETED_SESSIONS, "sessions", "sessions/*/messages"})
"""Collections below a tenant whose one person is the tenant, and below each person of a team."""
_OF_TENANTS = _OF_PERSONS | {
    "changes",
    "chunks",
    "folders",
    "index",
    "notes",
    TRASH,
    "templates",
    "usage",
    "usage/*/embedded",
    "usage/*/indexed",
}
COLLECTIONS = frozenset(
    {
        BOOKMARKS,
        f"{PROJECT_USAGE}/*/spent",
        ERASED,
        ERASURES,
        OWNER,
        *(f"{TENANTS}/*/{name}" for name in _OF_TENANTS),
        *(f"{TENANTS}/*/people/*/{name}" for name in _OF_PERSONS),
    },
)
"""Every collection that holds documents of the product, with `*` for the id of a document above it."""
ROOTS = frozenset({name.partition("/")[0] for name in COLLECTIONS})
"""Every collection that the product has at the root of its database."""

OWNER_ID = "deployment"
OWNER_PATH = f"{OWNER}/{OWNER_ID}"
BOOKMARK_PATH = f"{BOOKMARKS}/reconcile"
PROJECT_FIELD = "project"
"""Field with the project of the owner's database. A restored or imported database holds the document of the database
that it was copied from: that document names another project or database, and so no owner.
"""
DATABASE_FIELD = "database"
"""Field with the id of the owner's database."""
PREFIX_FIELD = "functionPrefix"
"""Field with the owner's FUNCTION_PREFIX."""
SHARED_FIELD = "shared"
"""Boolean field: true if the database held something else when the deployment came. deploy/down.sh never deletes it."""


def is_path_of_product(path: str) -> bool:
    """Reports whether the product writes documents at a path, relative to the database's root."""
    names = path.split("/")
    if names[0] == BOOKMARKS:
        return path == BOOKMARK_PATH
    if names[0] == OWNER:
        return path == OWNER_PATH
    *above, _ = names
    for index in range(1, len(above), 2):
        above[index] = "*"  # the id of a document
    collection = "/".join(above)
    return collection in COLLECTIONS


def deployment_name(prefix: str) -> str:
    """Returns the name that messages give to the deployment with this FUNCTION_PREFIX."""
    if not prefix:
        return "the deployment without a prefix"
    return f"the deployment '{prefix}'"

"""The collections of the product in its database, and the document that says whose the database is.

The scripts in deploy/ read this file too, by a Python that has no packages.
"""

from __future__ import annotations

TENANTS = "tenants"
"""Everything a tenant owns lies below one document of it, which need not exist itself."""
BOOKMARKS = "bookmarks"
"""How far the sweep has come."""
PROJECT_USAGE = "auroraUsage"
"""What all tenants together have spent in a day."""
ERASED = "auroraErased"
"""`{day}:{tenantId}` for each tenant whose erasure has kept what was used that day; without a field."""
ERASURES = "auroraErasures"
"""`{digest of tenantId}` for each tenant that was ever erased: `number`, how often."""
OWNER = "auroraOwner"
"""Its document OWNER_ID names the deployment that writes the index: deploy/up.sh writes it."""
ROOTS = frozenset({TENANTS, BOOKMARKS, PROJECT_USAGE, ERASED, ERASURES, OWNER})
"""Every collection that the product has at the root of its database."""

REQUESTS = "auroraRequests"
"""A name that no other app of the project has: documents of all such collections are dropped when they expire."""
TRASH = "auroraTrash"
"""Named so for the same reason."""
DELETED_SESSIONS = "deletedSessions"
"""Ids of sessions whose messages are still to be removed."""
OF_TENANTS = frozenset(
    {
        "changes",
        "chunks",
        DELETED_SESSIONS,
        "feedback",
        "folders",
        "index",
        "notes",
        "people",
        REQUESTS,
        TRASH,
        "sessions",
        "templates",
        "usage",
    }
)
"""Every collection that the product has directly below a tenant."""

OWNER_ID = "deployment"
OWNER_PATH = f"{OWNER}/{OWNER_ID}"
PROJECT_FIELD, DATABASE_FIELD, PREFIX_FIELD = "project", "database", "functionPrefix"
"""Strings that name the owner: its project, its database, and FUNCTION_PREFIX. A restored or imported database holds
the document of the one it was copied from: it names another database or project, and so nobody.
"""
SHARED_FIELD = "shared"
"""A boolean: whether the database held something else when the deployment came. deploy/down.sh never deletes it."""


def deployment_name(prefix: str) -> str:
    """How messages call the deployment with this FUNCTION_PREFIX."""
    return f"the deployment '{prefix}'" if prefix else "the deployment without a prefix"

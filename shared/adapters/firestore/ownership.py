"""Decides whether this process may write the index: the database names the deployment that does.

Two deployments with different settings on one database would index every note in turns, without end.
"""

from __future__ import annotations

import threading
import time

from shared.adapters.firestore.connection import Connection
from shared.adapters.firestore.protocol import values_of
from shared.adapters.firestore.roots import (
    DATABASE_FIELD,
    OWNER_PATH,
    PREFIX_FIELD,
    PROJECT_FIELD,
    deployment_name,
)
from shared.errors import NotOwner

OWNER_SECONDS = 60.0
"""Seconds until the owner is read again: a busy instance reads it once a minute, whatever it indexes."""


class Ownership:
    """Compares the owner that the database names with this deployment. Safe between threads."""

    def __init__(self, project: str, database: str, prefix: str) -> None:
        """Makes the check. `prefix`: FUNCTION_PREFIX of this deployment."""
        self._project = project
        self._database = database
        self._prefix = prefix
        self._lock = threading.Lock()
        self._read_at: float | None = None
        self._other: str | None = None
        """FUNCTION_PREFIX of another deployment that owns the database; None if there is none."""

    def check(self, connection: Connection) -> None:
        """Raises NotOwner if the database belongs to another deployment; one without an owner belongs to all."""
        with self._lock:
            now = time.monotonic()
            if self._read_at is None or now - self._read_at >= OWNER_SECONDS:
                self._other = self._read_other(connection)
                self._read_at = now
            other = self._other
        if other is None:
            return
        raise NotOwner(
            f"database {self._database} of {self._project} belongs to {deployment_name(other)}, and this is "
            f"{deployment_name(self._prefix)}: nothing was indexed, for the two would index every note in turns. "
            "Deploy this one with a database of its own (deploy/up.sh --database NAME), or let it take this one over "
            "(deploy/up.sh --take-over database). A command on your machine that acts for the owner needs its settings, "
            f"FUNCTION_PREFIX='{other}' among them",
        )

    def _read_other(self, connection: Connection) -> str | None:
        document = connection.read(f"{connection.root}/{OWNER_PATH}")
        if document is None:
            return None
        fields = values_of(document)
        names_project = fields.get(PROJECT_FIELD) == self._project
        names_database = fields.get(DATABASE_FIELD) == self._database
        owner = str(fields.get(PREFIX_FIELD, ""))
        if not names_project or not names_database or owner == self._prefix:
            return None
        return owner

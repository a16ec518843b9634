"""Sets up one Firestore database: indexes, settings of fields, rules. Says what these would change there.

    python3 deploy/firestore.py PROJECT DATABASE indexes    makes what is missing and waits until it is ready (indexes.py)
    python3 deploy/firestore.py PROJECT DATABASE rules      releases firestore.rules

Nothing is deleted. Needs gcloud and Python 3.11, nothing else.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from cloud import JSON, Google, Refused, tell
from indexes import Indexes

ROOT = Path(__file__).parents[1]
RULES = (ROOT / "firestore.rules").read_text(encoding="utf-8")
RULES_FILE = "aurora-notes.rules"
"""The file's name within a ruleset: how rules of an earlier version are known as ours."""
BELOW = "tenants/\0"
ABOVE = "tenants\0/\0"
"""Every path of a document under `tenants` lies between these two."""
PATHS_A_PAGE = 5_000


class Database:
    """`id` is `(default)` or the name of a database."""

    def __init__(self, google: Google, id: str) -> None:  # noqa: A002 - Firestore's word
        self.google = google
        self.id = id
        self.name = f"{google.name}/databases/{id}"
        self.indexes = Indexes(google, self.name)
        self.release = f"{google.name}/releases/cloud.firestore"
        if id != "(default)":
            self.release += f"/{id}"

    def released(self) -> list[JSON]:
        """Returns the files of the rules that are in force."""
        release = self.google.found(f"firebaserules/v1/{self.release}")
        if not release:
            return []
        name = release["rulesetName"]
        ruleset = self.google.found(f"firebaserules/v1/{name}")
        if not ruleset:
            return []
        files: list[JSON] = ruleset["source"]["files"]
        return files

    def has_our_rules(self) -> bool:
        """Reports whether the rules in force are those of some version of the product."""
        names = [file["name"] for file in self.released()]
        return names == [RULES_FILE] or self._contents() == [RULES]

    def has_other_rules(self) -> bool:
        """Reports whether rules are in force that somebody else wrote and that allow anything."""
        if self.has_our_rules():
            return False
        bare = ""
        for content in self._contents():
            for line in content.splitlines():
                bare += re.sub(r"//.*|\s+", "", line)
        conditions = re.findall(r"\ballow[a-z,]+(?::if([^;]*))?;", bare)
        return any(condition != "false" for condition in conditions)

    def _contents(self) -> list[str]:
        return [file["content"] for file in self.released()]

    def document(self, group: str, *, beside_ours: bool) -> str:
        """The path of a document of the collection group; `beside_ours`: outside `tenants/`. Empty: there is none."""
        if not beside_ours:
            return self._first(group)
        before_tenants = self._first(group, "LESS_THAN", BELOW)
        return before_tenants or self._first(group, "GREATER_THAN_OR_EQUAL", ABOVE)

    def _first(self, group: str, operator: str = "", bound: str = "") -> str:
        """The path of one document of the group, whose path compares so with `bound`; empty if there is none."""
        query: JSON = {
            "from": [{"collectionId": group, "allDescendants": True}],
            "select": {"fields": [{"fieldPath": "__name__"}]},
            "limit": 1,
        }
        if operator:
            query["where"] = {
                "fieldFilter": {
                    "field": {"fieldPath": "__name__"},
                    "op": operator,
                    "value": {"referenceValue": f"{self.name}/documents/{bound}"},
                },
            }

        address = f"firestore/v1/{self.name}/documents:runQuery"
        rows = self.google("POST", address, {"structuredQuery": query})
        names = [row["document"]["name"] for row in rows if "document" in row]
        if not names:
            return ""
        return str(names[0]).partition("/documents/")[2]

    def roots(self) -> set[str]:
        """The collections at the root of the database."""
        names: set[str] = set()
        token = ""
        while True:
            body = {"pageSize": 300, "pageToken": token}
            address = f"firestore/v1/{self.name}/documents:listCollectionIds"
            page = self.google("POST", address, body)
            names.update(page.get("collectionIds", ()))
            token = page.get("nextPageToken", "")
            if not token:
                return names

    def paths(self) -> Iterator[str]:
        """Yields the path of every document of the database, in all collections. Each is billed as a read."""
        query: JSON = {
            "from": [{"allDescendants": True}],
            "select": {"fields": [{"fieldPath": "__name__"}]},
        }
        for document in self.documents(query):
            yield str(document["name"]).partition("/documents/")[2]

    def documents(self, query: JSON) -> Iterator[JSON]:
        """Yields the documents of a query from the root, in the order of their names, page by page."""
        root = f"{self.name}/documents"
        page = {
            **query,
            "orderBy": [{"field": {"fieldPath": "__name__"}, "direction": "ASCENDING"}],
            "limit": PATHS_A_PAGE,
        }
        while True:
            rows = self.google(
                "POST",
                f"firestore/v1/{root}:runQuery",
                {"structuredQuery": page},
            )
            documents = [row["document"] for row in rows if "document" in row]
            yield from documents
            if len(documents) < PATHS_A_PAGE:
                return
            last_name = documents[-1]["name"]
            page["startAt"] = {"values": [{"referenceValue": last_name}], "before": False}

    def release_rules(self) -> None:
        """Leaves them where they are in force already."""
        if self._contents() == [RULES]:
            return
        source = {"source": {"files": [{"name": RULES_FILE, "content": RULES}]}}
        ruleset = self.google(
            "POST",
            f"firebaserules/v1/{self.google.name}/rulesets",
            source,
        )
        release = {"name": self.release, "rulesetName": ruleset["name"]}
        try:
            self.google(
                "PATCH",
                f"firebaserules/v1/{self.release}",
                {"release": release},
            )
        except Refused as refused:
            if refused.status != 404:
                raise
            self.google(
                "POST",
                f"firebaserules/v1/{self.google.name}/releases",
                release,
            )


if __name__ == "__main__":
    database = Database(Google(sys.argv[1]), sys.argv[2])
    try:
        {"indexes": database.indexes.make, "rules": database.release_rules}[sys.argv[3]]()
    except Refused as refused:
        tell(f"{sys.argv[3]} of database {database.id}: {refused}")
        sys.exit(1)

"""What the product needs of one Firestore database: indexes, settings of fields, rules; and what these change there.

    python3 deploy/firestore.py PROJECT DATABASE indexes    makes what is missing and waits until it is ready
    python3 deploy/firestore.py PROJECT DATABASE rules      releases firestore.rules

Nothing is deleted. Needs gcloud and Python 3.11, nothing else.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from cloud import JSON, Google, Refused, pause, tell

ROOT = Path(__file__).parents[1]
WANTED: JSON = json.loads((ROOT / "firestore.indexes.json").read_text(encoding="utf-8"))
RULES = (ROOT / "firestore.rules").read_text(encoding="utf-8")
RULES_FILE = "aurora-notes.rules"
"""The file's name within a ruleset: how rules of an earlier version are known as ours."""
ROOTS = {"tenants"}
"""The collections that the product has at the root of its database."""
BELOW, ABOVE = "tenants/\0", "tenants\0/\0"
"""Every path of a document under `tenants` lies between these two."""
READY_SECONDS = 1800


class Database:
    """`id` is `(default)` or the name of a database."""

    def __init__(self, google: Google, id: str) -> None:  # noqa: A002 - Firestore's word
        self.google, self.id = google, id
        self.name = f"{google.name}/databases/{id}"
        self.release = f"{google.name}/releases/cloud.firestore" + ("" if id == "(default)" else f"/{id}")

    def released(self) -> list[JSON]:
        """The files of the rules that are in force."""
        release = self.google.found(f"firebaserules/v1/{self.release}")
        ruleset = release and self.google.found(f"firebaserules/v1/{release['rulesetName']}")
        files: list[JSON] = ruleset["source"]["files"] if ruleset else []
        return files

    def has_our_rules(self) -> bool:
        """Whether the rules in force are those of some version of the product."""
        return [each["name"] for each in self.released()] == [RULES_FILE] or self._contents() == [RULES]

    def has_other_rules(self) -> bool:
        """Whether rules are in force that somebody else wrote and that allow anything."""
        said = "".join(re.sub(r"//.*|\s+", "", line) for each in self._contents() for line in each.splitlines())
        conditions = re.findall(r"\ballow[a-z,]+(?::if([^;]*))?;", said)
        return not self.has_our_rules() and any(condition != "false" for condition in conditions)

    def _contents(self) -> list[str]:
        return [each["content"] for each in self.released()]

    @cached_property
    def fields(self) -> Mapping[str, JSON]:
        """Name -> field, of all fields that have settings of their own."""
        filtered = "indexConfig.usesAncestorConfig:false OR ttlConfig:*"
        listing = f"firestore/v1/{self.name}/collectionGroups/-/fields?filter={filtered}"
        return {each["name"]: each for each in self.google.items(listing, "fields")}

    def fields_to_change(self) -> list[JSON]:
        """Entries of `fieldOverrides` that the database does not have as they are."""
        wanted = ((each, self.fields.get(self.field(each))) for each in WANTED["fieldOverrides"])
        return [each for each, held in wanted if held is None or _setting(held) != _setting(_field(each))]

    def document(self, group: str, *, beside_ours: bool) -> str:
        """The path of a document of the collection group; `beside_ours`: outside `tenants/`. Empty: there is none."""
        for operator, bound in (("LESS_THAN", BELOW), ("GREATER_THAN_OR_EQUAL", ABOVE)) if beside_ours else (("", ""),):
            query: JSON = {
                "from": [{"collectionId": group, "allDescendants": True}],
                "select": {"fields": [{"fieldPath": "__name__"}]},
                "limit": 1,
            }
            if operator:
                value = {"referenceValue": f"{self.name}/documents/{bound}"}
                query["where"] = {"fieldFilter": {"field": {"fieldPath": "__name__"}, "op": operator, "value": value}}
            rows = self.google("POST", f"firestore/v1/{self.name}/documents:runQuery", {"structuredQuery": query})
            if found := [row["document"]["name"] for row in rows if "document" in row]:
                return str(found[0]).partition("/documents/")[2]
        return ""

    def roots(self) -> set[str]:
        """The collections at the root of the database."""
        said = self.google("POST", f"firestore/v1/{self.name}/documents:listCollectionIds", {})
        return set(said.get("collectionIds", ()))

    def make_indexes(self) -> None:
        """Raises SystemExit where they are not ready in time."""
        for field in self.fields_to_change():
            mask = "indexConfig,ttlConfig" if field.get("ttl") else "indexConfig"
            self.google("PATCH", f"firestore/v1/{self.field(field)}?updateMask={mask}", _field(field))
        held = self._composites()
        for index in WANTED["indexes"]:
            if _key(index["collectionGroup"], index) not in held:
                asked = {name: index[name] for name in ("queryScope", "fields")}
                self.google(
                    "POST", f"firestore/v1/{self.name}/collectionGroups/{index['collectionGroup']}/indexes", asked
                )
        ours = {_key(index["collectionGroup"], index) for index in WANTED["indexes"]}
        for _ in range(READY_SECONDS // 5):
            held = self._composites()
            if all(held.get(each) == "READY" for each in ours):
                return
            pause(5)
        sys.exit("Indexes are still being built; the functions stay as they were. Wait, and run deploy/up.sh again.")

    def release_rules(self) -> None:
        """Leaves them where they are in force already."""
        if self._contents() == [RULES]:
            return
        source = {"source": {"files": [{"name": RULES_FILE, "content": RULES}]}}
        made = self.google("POST", f"firebaserules/v1/{self.google.name}/rulesets", source)
        release = {"name": self.release, "rulesetName": made["name"]}
        try:
            self.google("PATCH", f"firebaserules/v1/{self.release}", {"release": release})
        except Refused as refused:
            if refused.status != 404:
                raise
            self.google("POST", f"firebaserules/v1/{self.google.name}/releases", release)

    def _composites(self) -> Mapping[tuple[object, ...], str]:
        """Index -> its state."""
        listing = f"firestore/v1/{self.name}/collectionGroups/-/indexes"
        found = self.google.items(listing, "indexes")
        groups = ((each["name"].rpartition("/collectionGroups/")[2].partition("/")[0], each) for each in found)
        return {_key(group, each): each.get("state", "") for group, each in groups}

    def field(self, override: Mapping[str, str]) -> str:
        return f"{self.name}/collectionGroups/{override['collectionGroup']}/fields/{override['fieldPath']}"


def _field(override: Mapping[str, Any]) -> JSON:
    """As the API has it."""
    path = override["fieldPath"]
    indexes = [
        {
            "queryScope": each["queryScope"],
            "fields": [{"fieldPath": path, **{name: each[name] for name in ("order", "arrayConfig") if name in each}}],
        }
        for each in override["indexes"]
    ]
    return {"indexConfig": {"indexes": indexes}, **({"ttlConfig": {}} if override.get("ttl") else {})}


def _setting(field: JSON) -> object:
    """What of a field's settings can differ."""
    indexes = field.get("indexConfig", {}).get("indexes", ())
    shapes = {
        (each["queryScope"], *(part.get("order") or part.get("arrayConfig") for part in each["fields"]))
        for each in indexes
    }
    return frozenset(shapes), "ttlConfig" in field


def _key(group: str, index: JSON) -> tuple[object, ...]:
    """Firestore adds the document's name to the fields."""
    return (group, index["queryScope"], *_parts(index))


def _parts(index: JSON) -> Iterator[tuple[str, str]]:
    for each in index["fields"]:
        if each["fieldPath"] != "__name__":
            kind = each.get("order") or each.get("arrayConfig") or str(each["vectorConfig"]["dimension"])
            yield each["fieldPath"], kind


if __name__ == "__main__":
    database = Database(Google(sys.argv[1]), sys.argv[2])
    try:
        {"indexes": database.make_indexes, "rules": database.release_rules}[sys.argv[3]]()
    except Refused as refused:
        tell(f"{sys.argv[3]} of database {database.id}: {refused}")
        sys.exit(1)

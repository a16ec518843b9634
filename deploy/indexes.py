"""The indexes and single-field settings that the product needs of one Firestore database (firestore.indexes.json).

A state or a kind of index that only a newer version of Firestore's API knows stops nothing: the state counts as ready,
and an index of an unknown kind is somebody else's.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from cloud import JSON, Google, Refused, pause, tell

ROOT = Path(__file__).parents[1]
WANTED: JSON = json.loads((ROOT / "firestore.indexes.json").read_text(encoding="utf-8"))
BUILDING, FAILED = "CREATING", "NEEDS_REPAIR"
"""The states of an index in which it cannot be used."""
LONGEST_WAIT = 22 * 3600
"""Seconds. cloudbuild.yaml allows 24 hours, Cloud Build's most, which leaves two for the functions."""
LINE_EVERY = 60
"""Seconds between two lines of progress."""
GOES_ON = (
    "Firestore goes on building them whether or not anybody waits. The functions stay as they were until then. When this\n"
    "build has ended, or you have ended it, run the same deploy/up.sh again: it goes on from there. Nothing is built twice."
)


@dataclass(frozen=True, slots=True)
class Status:
    """Progress of the indexes and fields of firestore.indexes.json."""

    building: tuple[str, ...]
    failed: tuple[str, ...]
    """The failed ones, each with its reason if Firestore gives one."""
    total: int
    read: int
    """Documents read so far by the builds under way."""
    to_read: int
    """Documents that these builds will read, as Firestore estimates."""

    def line(self, minutes: int) -> str:
        """Returns a line of progress for the person who waits."""
        unready = len(self.building)
        names = ", ".join(self.building[:3])
        if unready > 3:
            names = f"{names} and {unready - 3} more"
        documents = ""
        if self.to_read:
            documents = f", {self.read:,} of about {self.to_read:,} documents read"
        ready = self.total - unready
        return (
            f"{ready} of {self.total} indexes are ready after {minutes} min{documents}. "
            f"Building: {names}"
        )


class Indexes:
    """The indexes of the database with this resource name (`projects/P/databases/D`)."""

    def __init__(self, google: Google, database: str) -> None:
        self.google = google
        self.database = database

    @cached_property
    def fields(self) -> Mapping[str, JSON]:
        """Name -> field, of all fields that have settings of their own, as they were at the first look."""
        return self._read_fields()

    def fields_to_change(self) -> list[JSON]:
        """Entries of `fieldOverrides` that the database did not have at the first look."""
        return [
            override
            for override in WANTED["fieldOverrides"]
            if not _is_set(self.fields.get(self.field(override)), override)
        ]

    def field(self, override: Mapping[str, str]) -> str:
        """The field's resource name."""
        group = f"{self.database}/collectionGroups/{override['collectionGroup']}"
        return f"{group}/fields/{override['fieldPath']}"

    def make(self) -> None:
        """Makes what is missing and waits until it is ready. Raises Refused, and SystemExit if that fails."""
        for override in self.fields_to_change():
            mask = "indexConfig"
            if override.get("ttl"):
                mask = "indexConfig,ttlConfig"
            address = f"firestore/v1/{self.field(override)}?updateMask={mask}"
            self._begin("PATCH", address, _field(override))

        existing = self._composites()
        for index in WANTED["indexes"]:
            group = index["collectionGroup"]
            if _key(group, index) in existing:
                continue
            address = f"firestore/v1/{self.database}/collectionGroups/{group}/indexes"
            body = {
                "queryScope": index["queryScope"],
                "fields": index["fields"],
            }
            self._begin("POST", address, body)

        self.wait()

    def _begin(self, verb: str, address: str, body: JSON) -> None:
        """Starts a build, unless an earlier run has started the same."""
        try:
            self.google(verb, address, body)
        except Refused as refused:
            if refused.status != 409:
                raise

    def wait(self) -> None:
        """Returns when everything is ready. Raises SystemExit if a build failed or none ends in LONGEST_WAIT."""
        started = time.monotonic()
        next_line = 0.0
        while True:
            status = self.status()
            if status.failed:
                lines = "\n".join(f"- {failure}" for failure in status.failed)
                sys.exit(
                    f"Firestore could not build these indexes; the functions stay as they were:\n{lines}\n"
                    "Delete each (gcloud firestore indexes composite delete, or the console for a single field), then\n"
                    "run deploy/up.sh again: it makes them again.",
                )
            if not status.building:
                return
            waited = time.monotonic() - started
            if waited > LONGEST_WAIT:
                sys.exit(
                    f"Indexes are still being built. {GOES_ON}\n{status.line(int(waited // 60))}",
                )
            if waited >= next_line:
                if not next_line:
                    tell(GOES_ON)
                tell(status.line(int(waited // 60)))
                next_line = waited + LINE_EVERY
            pause(5)

    def status(self) -> Status:
        """Looks at every wanted index and field, and at the operations under way."""
        states = {**self._index_states(), **self._field_states()}
        failed = [name for name, state in states.items() if state == FAILED]
        read = 0
        to_read = 0
        for name, operation in self._latest_field_operations().items():
            if not operation.get("done"):
                states[name] = BUILDING
                progress = operation["metadata"].get("progressDocuments", {})
                read += int(progress.get("completedWork", 0))
                to_read += int(progress.get("estimatedWork", 0))
            elif "error" in operation and states[name] == BUILDING:
                reason = operation["error"].get("message", "for no given reason")
                failed.append(f"{name}: {reason}")

        building = [name for name, state in states.items() if state == BUILDING]
        return Status(
            building=tuple(building),
            failed=tuple(failed),
            total=len(states),
            read=read,
            to_read=to_read,
        )

    def _index_states(self) -> dict[str, str]:
        """Name for a person -> state, of each wanted index. A new one is listed after a moment."""
        composites = self._composites()
        states = {}
        for index in WANTED["indexes"]:
            key = _key(index["collectionGroup"], index)
            states[_index_name(index)] = composites.get(key, BUILDING)
        return states

    def _field_states(self) -> dict[str, str]:
        """`group.field` -> state, of each wanted field."""
        fields = self._read_fields()
        states = {}
        for override in WANTED["fieldOverrides"]:
            field = fields.get(self.field(override))
            states[_field_name(override)] = _field_state(field, override)
        return states

    def _latest_field_operations(self) -> dict[str, JSON]:
        """`group.field` -> the operation that was started last, of the wanted fields."""
        labels = {}
        for override in WANTED["fieldOverrides"]:
            labels[self.field(override)] = _field_name(override)

        operations = []
        for operation in self.google.items(
            f"firestore/v1/{self.database}/operations",
            "operations",
        ):
            metadata = operation.get("metadata", {})
            if metadata.get("field") in labels:
                operations.append(operation)

        operations.sort(key=lambda operation: str(operation["metadata"].get("startTime", "")))
        latest = {}
        for operation in operations:
            field = operation["metadata"]["field"]
            latest[labels[field]] = operation
        return latest

    def _read_fields(self) -> dict[str, JSON]:
        filtered = "indexConfig.usesAncestorConfig:false OR ttlConfig:*"
        listing = f"firestore/v1/{self.database}/collectionGroups/-/fields?filter={filtered}"
        return {field["name"]: field for field in self.google.items(listing, "fields")}

    def _composites(self) -> Mapping[tuple[object, ...], str]:
        """Index -> its state."""
        listing = f"firestore/v1/{self.database}/collectionGroups/-/indexes"
        states = {}
        for index in self.google.items(listing, "indexes"):
            path_in_database = index["name"].rpartition("/collectionGroups/")[2]
            group = path_in_database.partition("/")[0]
            states[_key(group, index)] = index.get("state", "")
        return states


def _is_set(field: JSON | None, override: JSON) -> bool:
    """Reports whether the field has the settings of the override, ready or not."""
    return field is not None and _setting(field) == _setting(_field(override))


def _field_state(field: JSON | None, override: JSON) -> str:
    """FAILED before BUILDING before the empty text, which is ready. Old documents may wait for their time to live."""
    if field is None or not _is_set(field, override):
        return BUILDING
    states = [index.get("state") for index in field.get("indexConfig", {}).get("indexes", ())]
    if FAILED in states:
        return FAILED
    if BUILDING in states:
        return BUILDING
    return ""


def _field(override: Mapping[str, Any]) -> JSON:
    """Returns the override in the API's form."""
    indexes = []
    for index in override["indexes"]:
        part = {"fieldPath": override["fieldPath"]}
        for kind in ("order", "arrayConfig"):
            if kind in index:
                part[kind] = index[kind]
        indexes.append({"queryScope": index["queryScope"], "fields": [part]})

    field: JSON = {"indexConfig": {"indexes": indexes}}
    if override.get("ttl"):
        field["ttlConfig"] = {}
    return field


def _setting(field: JSON) -> object:
    """Returns the settings of a field that can differ."""
    configuration = field.get("indexConfig", {})
    shapes = set()
    for index in configuration.get("indexes", ()):
        kinds = [_kind(part) for part in index["fields"]]
        shapes.add((index.get("queryScope"), *kinds))

    return frozenset(shapes), "ttlConfig" in field


def _key(group: str, index: JSON) -> tuple[object, ...]:
    """Identifies an index. Firestore adds the document's name to the fields that were asked for."""
    return (group, index.get("queryScope"), *_parts(index["fields"]))


def _parts(fields: Sequence[JSON]) -> Iterator[tuple[str, str]]:
    for part in fields:
        if part["fieldPath"] != "__name__":
            yield part["fieldPath"], _kind(part)


def _kind(part: JSON) -> str:
    """Returns the kind of index of one field; a kind that is unknown here stands for itself."""
    if "vectorConfig" in part:
        return f"vector of {part['vectorConfig'].get('dimension')}"
    kind = part.get("order") or part.get("arrayConfig")
    return kind or json.dumps(part, sort_keys=True)


def _field_name(override: JSON) -> str:
    return f"{override['collectionGroup']}.{override['fieldPath']}"


def _index_name(index: JSON) -> str:
    parts = []
    for path, kind in _parts(index["fields"]):
        parts.append(f"{path} {kind}".lower())
    listing = ", ".join(parts)
    return f"{index['collectionGroup']}({listing})"

"""Firestore's indexes and settings of single fields, which are built for a while after they were asked for."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from tests.servers.google_cloud.standard import Handler

if TYPE_CHECKING:
    from tests.servers.google_cloud.cloud import Call, GoogleCloud

JSON = dict[str, Any]


def _create_index(cloud: GoogleCloud, call: Call) -> JSON:
    """With `__name__` in it as Firestore puts it there: last, but before a vector."""
    name = f"{call.resource}/index{len(cloud.resources)}"
    fields = list(call.body["fields"])
    if "__name__" not in [part["fieldPath"] for part in fields]:
        order = next((part["order"] for part in reversed(fields) if "order" in part), "ASCENDING")
        fields.insert(
            len(fields) - ("vectorConfig" in fields[-1]), {"fieldPath": "__name__", "order": order}
        )
    cloud.resources[name] = {
        **call.body,
        "fields": fields,
        "name": name,
        "state": "CREATING",
    }
    cloud.building[name] = cloud.index_looks
    return _under_way(cloud, call, {"index": name})


def _patch_field(cloud: GoogleCloud, call: Call) -> JSON:
    """Every field is there, with the settings of its database until it gets its own."""
    field = {**copy.deepcopy(call.body), "name": call.resource}
    for part in _parts(field):
        part["state"] = "CREATING"
    cloud.resources[call.resource] = field
    cloud.building[call.resource] = cloud.index_looks
    return _under_way(cloud, call, {"field": call.resource})


def _parts(resource: JSON) -> list[JSON]:
    """The parts of an index or a field that have a state."""
    if "indexConfig" not in resource and "ttlConfig" not in resource:
        return [resource]
    ttl = [resource["ttlConfig"]] if "ttlConfig" in resource else []
    return [*resource.get("indexConfig", {}).get("indexes", ()), *ttl]


def _under_way(cloud: GoogleCloud, call: Call, metadata: JSON) -> JSON:
    """An operation of the database that has not ended."""
    name = f"{_database(call)}operations/operation{len(cloud.calls):06d}"
    progress = {"completedWork": "1000", "estimatedWork": "5000"}
    started = f"2026-01-01T00:00:00.{len(cloud.calls):06d}Z"
    metadata = {
        **metadata,
        "progressDocuments": progress,
        "startTime": started,
    }
    cloud.operations[name] = {"name": name, "metadata": metadata}
    cloud.building[name] = cloud.index_looks
    return cloud.operations[name]


def _list_indexes(cloud: GoogleCloud, call: Call) -> JSON:
    return {"indexes": _listed(cloud, cloud.resources, call, "/indexes/")}


def _list_fields(cloud: GoogleCloud, call: Call) -> JSON:
    return {"fields": _listed(cloud, cloud.resources, call, "/fields/")}


def _list_operations(cloud: GoogleCloud, call: Call) -> JSON:
    return {"operations": _listed(cloud, cloud.operations, call, "/operations/")}


def _listed(cloud: GoogleCloud, store: dict[str, JSON], call: Call, kind: str) -> list[JSON]:
    """Resources of the database as they are; what has been listed as being built often enough is ready next time."""
    names = [name for name in store if name.startswith(_database(call)) and kind in name]
    indexes = [copy.deepcopy(store[name]) for name in names]
    for name in names:
        if name not in cloud.building:
            continue
        cloud.building[name] -= 1
        if cloud.building[name] <= 0:
            del cloud.building[name]
            _end(store[name])
    return indexes


def _end(resource: JSON) -> None:
    if "/operations/" in resource["name"]:
        resource["done"] = True
        return
    for part in _parts(resource):
        part["state"] = "READY"
    if "ttlConfig" in resource:
        resource["ttlConfig"]["state"] = "ACTIVE"


def _database(call: Call) -> str:
    """Everything in the database begins with this."""
    beyond = call.resource.partition("/databases/")[2]
    prefix = call.resource.removesuffix(beyond)
    return f"{prefix}{beyond.partition('/')[0]}/"


HANDLERS: dict[str, Handler] = {
    "firestore.projects.databases.collectionGroups.indexes.create": _create_index,
    "firestore.projects.databases.collectionGroups.indexes.list": _list_indexes,
    "firestore.projects.databases.collectionGroups.fields.list": _list_fields,
    "firestore.projects.databases.collectionGroups.fields.patch": _patch_field,
    "firestore.projects.databases.operations.list": _list_operations,
}

"""Firestore's documents in the project's databases: names, the fields of a few, or the real emulator's.

With `GoogleCloud.firestore` set, every call goes to the emulator there: what lies in a database, and what a write with
a precondition does, is then Firestore's own answer.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tests.servers.gemini import error
from tests.servers.google_cloud.standard import Handler, missing
from tests.servers.scripted import Reply

if TYPE_CHECKING:
    from tests.servers.google_cloud.cloud import Call, GoogleCloud

JSON = dict[str, Any]


def _forwarded(handler: Handler) -> Handler:
    def handle(cloud: GoogleCloud, call: Call) -> Reply | JSON:
        if not cloud.firestore:
            return handler(cloud, call)
        request = urllib.request.Request(
            f"http://{cloud.firestore}/{call.sent.path.removeprefix('/firestore/')}",
            call.sent.body or None,
            {"Authorization": "Bearer owner", "Content-Type": "application/json"},
            method=call.method.verb,
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return Reply(body=json.loads(reply.read()))
        except urllib.error.HTTPError as refused:
            with refused:
                return Reply(status=refused.code, body=json.loads(refused.read()))

    return handle


def _query(cloud: GoogleCloud, call: Call) -> Reply:
    """The documents of a collection group, or of all, whose names lie on one side of a bound or after one."""
    query = call.body["structuredQuery"]
    group = query["from"][0].get("collectionId")
    names = sorted(_below(cloud, call.resource), key=_segments)
    if group is not None:
        names = [name for name in names if name.split("/")[-2] == group]
    if "where" in query:
        condition = query["where"]["fieldFilter"]
        bound = _segments(condition["value"]["referenceValue"])
        is_before = condition["op"] == "LESS_THAN"
        names = [name for name in names if (_segments(name) < bound) is is_before]
    if "startAt" in query:
        (after,) = query["startAt"]["values"]
        bound = _segments(after["referenceValue"])
        names = [name for name in names if _segments(name) > bound]
    return Reply(
        body=[{"document": {"name": name}} for name in names[: query["limit"]]]
        or [{"readTime": "now"}]
    )


def _segments(name: str) -> list[str]:
    """The parts of a name, by which Firestore orders documents."""
    return name.split("/")


def _collections(cloud: GoogleCloud, call: Call) -> JSON:
    """List the collections directly below the root or a document."""
    parent = f"{call.resource}/"
    names = {
        name.removeprefix(parent).split("/")[0]
        for name in cloud.documents
        if name.startswith(parent)
    }
    return {"collectionIds": sorted(names)}


def _list(cloud: GoogleCloud, call: Call) -> JSON:
    """The documents of a collection, those too that only stand above others."""
    parent = f"{call.resource}/"
    ids = {name.removeprefix(parent).split("/")[0] for name in _below(cloud, parent)}
    return {"documents": [{"name": f"{parent}{document_id}"} for document_id in sorted(ids)]}


def _get(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    return cloud.contents.get(call.resource) or missing(call.resource)


def _commit(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    """One write, with a precondition or without."""
    (write,) = call.body["writes"]
    name = write["update"]["name"]
    expected = write.get("currentDocument", {})
    content = cloud.contents.get(name)
    if "exists" in expected and expected["exists"] is not (content is not None):
        return error(409, "ALREADY_EXISTS", message=f"{name} already exists.")
    if "updateTime" in expected and (
        not content or content["updateTime"] != expected["updateTime"]
    ):
        return error(400, "FAILED_PRECONDITION", message=f"{name} has changed.")
    cloud.documents.add(name)
    cloud.contents[name] = {**write["update"], "updateTime": datetime.now(UTC).isoformat()}
    return {"writeResults": [{"updateTime": cloud.contents[name]["updateTime"]}]}


def _below(cloud: GoogleCloud, parent: str) -> list[str]:
    return [name for name in cloud.documents if name.startswith(parent)]


def copy(cloud: GoogleCloud, source: str, target: str) -> None:
    """Everything in a database, as a restore or a clone copies it."""
    for name in _below(cloud, f"{source}/"):
        renamed = name.replace(source, target, 1)
        cloud.documents.add(renamed)
        if name in cloud.contents:
            cloud.contents[renamed] = {**cloud.contents[name], "name": renamed}


def delete(cloud: GoogleCloud, database: str) -> None:
    """Everything in a database."""
    for name in _below(cloud, f"{database}/"):
        cloud.documents.discard(name)
        cloud.contents.pop(name, None)


HANDLERS: dict[str, Handler] = {
    f"firestore.projects.databases.documents.{method}": _forwarded(handler)
    for method, handler in {
        "commit": _commit,
        "get": _get,
        "list": _list,
        "listCollectionIds": _collections,
        "listDocuments": _list,
        "runQuery": _query,
    }.items()
}

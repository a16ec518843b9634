"""The standard methods of Google's APIs on the project's resources: create, get, list, patch, delete, and policies."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.servers.gemini import error
from tests.servers.google_cloud.access import StaleError
from tests.servers.scripted import Reply

if TYPE_CHECKING:
    from tests.servers.google_cloud.cloud import Call, GoogleCloud

JSON = dict[str, Any]
Handler = Callable[["GoogleCloud", "Call"], Reply | JSON]


def generic(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    """The standard methods, on `cloud.resources`."""
    verb = call.id.rpartition(".")[2]
    if verb in STANDARD:
        return STANDARD[verb](cloud, call)
    stored = cloud.resources.get(call.resource)
    if stored is None:
        return missing(call.resource)
    if verb == "delete":
        for name in [
            resource
            for resource in cloud.resources
            if f"{resource}/".startswith(f"{call.resource}/")
        ]:
            del cloud.resources[name]
        return done(cloud, call, {})
    if verb in ("patch", "updateConfig"):
        stored.update(call.body)
    return done(cloud, call, stored)


def done(cloud: GoogleCloud, call: Call, resource: JSON) -> JSON:
    """The resource, or the finished operation that brought it about where the method returns one."""
    if not call.method.returns.endswith("Operation"):
        return resource
    where = re.sub(r"(/locations/[^/]+).*", r"\1", call.resource)
    name = f"{where}/operations/operation{len(cloud.calls)}"
    api = call.id.partition(".")[0]
    kind = {
        "metadata": {
            "@type": "type.googleapis.com/google.cloud.functions.v2.OperationMetadata",
            "stages": [],
        }
    }
    cloud.operations[name] = {
        "name": name,
        "done": True,
        **(kind if api == "cloudfunctions" else {}),
    }
    cloud.operations[name]["response"] = {
        "@type": "type.googleapis.com/google.protobuf.Struct",
        **resource,
    }
    return cloud.operations[name]


def missing(resource: str) -> Reply:
    return error(404, "NOT_FOUND", message=f"{resource} was not found.")


def _create(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    resource_id = next((value for key, value in call.query.items() if key.endswith("Id")), None)
    short = resource_id or str(call.body.get("name", len(cloud.resources))).rpartition("/")[2]
    name = f"{call.resource}/{short}"
    if name in cloud.resources:
        return error(409, "ALREADY_EXISTS", message=f"{name} already exists.")
    cloud.resources[name] = {**call.body, "name": name}
    return done(cloud, call, cloud.resources[name])


def listed(cloud: GoogleCloud, call: Call) -> JSON:
    pattern = re.escape(call.resource).replace(r"/\-/", "/[^/]+/")
    resources = [
        resource
        for name, resource in cloud.resources.items()
        if re.fullmatch(rf"{pattern}/[^/]+", name)
    ]
    kind = call.resource.rpartition("/")[2]
    return {
        {"b": "items", "o": "items", "serviceAccounts": "accounts", "webApps": "apps"}.get(
            kind, kind
        ): resources
    }


def _policy(cloud: GoogleCloud, call: Call) -> JSON:
    return cloud.access.policy(call.resource)


def _set_policy(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    policy: JSON = call.body["policy"]
    members = {member for binding in policy.get("bindings", ()) for member in binding["members"]}
    accounts = {
        member.partition(":")[2] for member in members if member.startswith("serviceAccount:")
    }
    if unknown := [account for account in accounts if not cloud.has_heard_of(account)]:
        return error(
            400, "INVALID_ARGUMENT", message=f"Service account {unknown[0]} does not exist."
        )
    try:
        return cloud.access.put(call.resource, policy)
    except StaleError:
        return error(409, "ABORTED", message="There were concurrent policy changes.")


STANDARD: dict[str, Handler] = {
    "create": _create,
    "list": listed,
    "getIamPolicy": _policy,
    "setIamPolicy": _set_policy,
}

"""The Cloud Run service behind each function: its revisions, and which of them gets the requests.

Traffic stays where it was put: a deployment moves it only where it follows the latest revision, or where the deployment
asks for all traffic (`allTrafficOnLatestRevision` of the Cloud Functions API). A function's labels stay on the function:
its service and its revisions do not get them (firebase-tools issue 7850); environment variables they do.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tests.servers.gemini import error
from tests.servers.google_cloud.standard import Handler, done, generic, missing
from tests.servers.scripted import Reply

if TYPE_CHECKING:
    from tests.servers.google_cloud.cloud import Call, GoogleCloud

JSON = dict[str, Any]
LATEST: JSON = {"type": "TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST", "percent": 100}


def add_revision(cloud: GoogleCloud, function: JSON, *, all_traffic: bool) -> str:
    """Adds a ready revision with the function's environment; returns the name of the service."""
    name: str = function["name"].replace("/functions/", "/services/")
    short = name.rpartition("/")[2]
    service = cloud.resources.setdefault(name, {"name": name})
    service.setdefault("traffic", [dict(LATEST)])
    number = 1 + sum(each.startswith(f"{name}/revisions/") for each in cloud.resources)
    revision = f"{name}/revisions/{short}-{number:05d}"
    variables = function["serviceConfig"].get("environmentVariables", {})
    cloud.resources[revision] = {
        "name": revision,
        "service": short,
        "createTime": datetime.now(UTC).isoformat(),
        "conditions": [{"type": "Ready", "state": "CONDITION_SUCCEEDED"}],
        "containers": [{"env": [{"name": key, "value": variables[key]} for key in variables]}],
    }
    service["latestCreatedRevision"] = revision
    service["latestReadyRevision"] = revision
    if all_traffic:
        service["traffic"] = [dict(LATEST)]
    _route(cloud, service)
    return name


def serving(cloud: GoogleCloud, service: str) -> JSON:
    """The revision that gets every request of the service. Raises ValueError where several share them."""
    (status,) = cloud.resources[service]["trafficStatuses"]
    return cloud.resources[f"{service}/revisions/{status['revision']}"]


def _route(cloud: GoogleCloud, service: JSON) -> None:
    """Brings what is observed in line with the targets."""
    latest = service["latestReadyRevision"].rpartition("/")[2]
    service["trafficStatuses"] = [{"revision": latest, **target} for target in service["traffic"]]
    function = cloud.resources.get(service["name"].replace("/services/", "/functions/"))
    if function:
        shares = {target["revision"]: target["percent"] for target in service["trafficStatuses"]}
        function["serviceConfig"]["allTrafficOnLatestRevision"] = shares == {latest: 100}


def _patch_service(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    service = cloud.resources.get(call.resource)
    if service is None:
        return missing(call.resource)
    if call.query.get("updateMask") != "traffic":
        return generic(cloud, call)
    targets: list[JSON] = call.body["traffic"]
    if sum(target["percent"] for target in targets) != 100:
        return error(400, "INVALID_ARGUMENT", message="Traffic must add up to 100 percent.")
    for target in targets:
        revision = f"{call.resource}/revisions/{target.get('revision')}"
        if "revision" in target and revision not in cloud.resources:
            return missing(revision)
    service["traffic"] = targets
    _route(cloud, service)
    return done(cloud, call, service)


def _delete_function(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    """With its service and all its revisions."""
    service = call.resource.replace("/functions/", "/services/")
    for name in [each for each in cloud.resources if f"{each}/".startswith(f"{service}/")]:
        del cloud.resources[name]
    return generic(cloud, call)


HANDLERS: dict[str, Handler] = {
    "cloudfunctions.projects.locations.functions.delete": _delete_function,
    "run.projects.locations.services.patch": _patch_service,
}

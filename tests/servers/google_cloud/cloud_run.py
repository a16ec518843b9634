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
    config = function["serviceConfig"]
    variables = config.get("environmentVariables", {})
    env: list[JSON] = [{"name": key, "value": variables[key]} for key in variables]
    for secret in config.get("secretEnvironmentVariables", ()):
        reference = {"secret": secret["secret"], "version": secret["version"]}
        env.append({"name": secret["key"], "valueSource": {"secretKeyRef": reference}})
    source = function["buildConfig"].get("source", {}).get("storageSource", {})
    container = {"image": f"image-of-{source.get('object', 'nothing')}", "env": env}
    template = {
        "containers": [container],
        "labels": {"goog-managed-by": "cloudfunctions"},
        "serviceAccount": config.get("serviceAccountEmail", ""),
    }
    service = cloud.resources.setdefault(name, {"name": name})
    service.setdefault("traffic", [dict(LATEST)])
    if all_traffic:
        service["traffic"] = [dict(LATEST)]
    _add(cloud, service, template)
    return name


def _add(cloud: GoogleCloud, service: JSON, template: JSON) -> None:
    """Adds a ready revision of the template, which is then that of the service."""
    name = service["name"]
    short = name.rpartition("/")[2]
    number = 1 + sum(resource.startswith(f"{name}/revisions/") for resource in cloud.resources)
    revision = f"{name}/revisions/{short}-{number:05d}"
    cloud.resources[revision] = {
        **template,
        "name": revision,
        "service": short,
        "createTime": datetime.now(UTC).isoformat(),
        "conditions": [{"type": "Ready", "state": "CONDITION_SUCCEEDED"}],
    }
    service["template"] = template
    service["latestCreatedRevision"] = revision
    service["latestReadyRevision"] = revision
    _route(cloud, service)


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
    if call.query.get("updateMask") == "template":
        if call.body["template"] != service["template"]:
            _add(cloud, service, call.body["template"])
        return done(cloud, call, service)
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
    for name in [
        resource for resource in cloud.resources if f"{resource}/".startswith(f"{service}/")
    ]:
        del cloud.resources[name]
    return generic(cloud, call)


HANDLERS: dict[str, Handler] = {
    "cloudfunctions.projects.locations.functions.delete": _delete_function,
    "run.projects.locations.services.patch": _patch_service,
}

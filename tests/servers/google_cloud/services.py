"""Methods that are not standard, and their effects on the project."""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.servers.gemini import error
from tests.servers.google_cloud import cloud_run, documents, indexes, people
from tests.servers.google_cloud.standard import Handler, done, generic, listed, missing
from tests.servers.scripted import Reply

if TYPE_CHECKING:
    from tests.servers.google_cloud.cloud import Call, GoogleCloud

JSON = dict[str, Any]
NUMBER = "123456789012"
"""The project's number."""
RUNTIMES = ("python311", "python312", "python313", "python314")
EVENTARC = f"service-{NUMBER}@gcp-sa-eventarc.iam.gserviceaccount.com"
ENABLED_BY = {"run", "cloudbuild", "artifactregistry", "logging"}
"""APIs without which no function is built."""
ENABLED_BY_TRIGGERS = {"eventarc", "pubsub"}


def _enable(cloud: GoogleCloud, call: Call) -> JSON:
    """One that the path names, or those of a batch."""
    for service in call.body.get("serviceIds") or [call.resource.rpartition("/")[2]]:
        cloud.enabled.add(service.partition(".")[0])
    return done(cloud, call, {})


def _service(cloud: GoogleCloud, call: Call) -> JSON:
    name = call.resource.rpartition("/")[2].partition(".")[0]
    return {"name": call.resource, "state": "ENABLED" if name in cloud.enabled else "DISABLED"}


def _put(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    """Made or replaced under the name in its path; what it refers to must be there."""
    if (
        topic := call.body.get("topic", call.resource)
    ) != call.resource and topic not in cloud.resources:
        return missing(topic)
    cloud.resources[call.resource] = {"name": call.resource, **call.body}
    return cloud.resources[call.resource]


def _subscription(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    """Dead letters go to a topic that is there."""
    resource = cloud.resources.get(call.resource)
    dead = call.body["subscription"].get(call.body["updateMask"])
    if resource is None or (dead and dead["deadLetterTopic"] not in cloud.resources):
        return missing(call.resource if resource is None else dead["deadLetterTopic"])
    resource.pop(call.body["updateMask"], None)
    resource.update({call.body["updateMask"]: dead} if dead else {})
    return resource


def _delete_check(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    check_id = call.resource.rpartition("/")[2]
    watching = [
        name
        for name, resource in cloud.resources.items()
        if "/alertPolicies/" in name and "conditions" in resource
    ]
    if any(
        f'"{check_id}"' in str(cloud.resources[name]["conditions"])  # ids stand quoted in filters
        for name in watching
    ):
        return error(
            400, "FAILED_PRECONDITION", message=f"An alert policy watches {call.resource}."
        )
    return generic(cloud, call)


def _project(cloud: GoogleCloud, _call: Call) -> JSON:
    return {
        "projectId": cloud.project,
        "projectNumber": NUMBER,
        "lifecycleState": "ACTIVE",
    }


def _permissions(cloud: GoogleCloud, call: Call) -> JSON:
    """Return the caller's permissions of those requested. Firestore's `indexes` are `schemas` in the roles since March 2026."""
    permission_names = {
        permission: permission.replace("datastore.indexes.", "datastore.schemas.")
        for permission in call.body["permissions"]
    }
    lacking = cloud.access.lacks(call.caller, list(permission_names.values()), call.resource)
    return {
        "permissions": [
            permission for permission, named in permission_names.items() if named not in lacking
        ]
    }


def _agent(cloud: GoogleCloud, call: Call) -> JSON:
    """Google's own account for a service, which policies and triggers know only after a while."""
    service = call.resource.rpartition("/")[2].partition(".")[0]
    email = EVENTARC.replace("-eventarc.", f"-{service}.")
    if email not in cloud.agents:
        cloud.agents.add(email)
        cloud.news.add(email)
        cloud.unused.add(email)
    return done(cloud, call, {"email": email})


def _account(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    email = f"{call.body['accountId']}@{cloud.project}.iam.gserviceaccount.com"
    name = f"{call.resource}/{email}"
    if name in cloud.resources:
        return error(409, "ALREADY_EXISTS", message=f"{email} already exists.")
    cloud.resources[name] = {
        "name": name,
        "email": email,
        **call.body.get("serviceAccount", {}),
    }
    cloud.news.add(email)
    return cloud.resources[name]


def _versions(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    secret = call.resource.removesuffix("/versions")
    return listed(cloud, call) if secret in cloud.resources else missing(secret)


def _add_version(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    if call.resource not in cloud.resources:
        return missing(call.resource)
    versions = [
        resource
        for resource in cloud.resources
        if resource.startswith(f"{call.resource}/versions/")
    ]
    name = f"{call.resource}/versions/{1 + len(versions)}"
    cloud.resources[name] = {
        "name": name,
        "state": "ENABLED",
        "clientSpecifiedPayloadChecksum": True,
    }
    cloud.secrets[call.resource] = call.body["payload"]["data"]
    return cloud.resources[name]


def _payload(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    """Return the payload of a version; `latest` is the one added last."""
    secret = call.resource.rpartition("/versions/")[0]
    named = [name for name in cloud.resources if name.startswith(f"{secret}/versions/")]
    return (
        {"name": named[-1], "payload": {"data": cloud.secrets[secret]}}
        if named
        else missing(call.resource)
    )


def _delete_database(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    if (
        cloud.resources.get(call.resource, {}).get("deleteProtectionState")
        == "DELETE_PROTECTION_ENABLED"
    ):
        return error(400, "FAILED_PRECONDITION", message="Deletion protection is on.")
    documents.delete(cloud, call.resource)
    return generic(cloud, call)


def _database_held(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    """With the earliest minute of which versions are kept."""
    resource = generic(cloud, call)
    if isinstance(resource, Reply):
        return resource
    recoverable = resource.get("pointInTimeRecoveryEnablement") == "POINT_IN_TIME_RECOVERY_ENABLED"
    earliest = datetime.now(UTC) - (timedelta(days=7) if recoverable else timedelta(hours=1))
    return {**resource, "earliestVersionTime": earliest.isoformat()}


def _restore(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    """Another database from a backup, whether or not the one that it was made of is still there."""
    backup: str = call.body["backup"]
    if backup not in cloud.resources:
        return missing(backup)
    return _copied(cloud, call, backup, backup.split("/")[3])


def _clone(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    """Another database as one was at a whole minute."""
    snapshot = call.body["pitrSnapshot"]
    if snapshot["database"] not in cloud.resources:
        return missing(snapshot["database"])
    if datetime.fromisoformat(snapshot["snapshotTime"]).second:
        return error(400, "INVALID_ARGUMENT", message="snapshotTime must be a whole minute.")
    location = cloud.resources[snapshot["database"]]["locationId"]
    return _copied(cloud, call, snapshot["database"], location)


def _copied(cloud: GoogleCloud, call: Call, source: str, location: str) -> Reply | JSON:
    """Restores documents and indexes; not rules, protection, times to live or the schedule of backups."""
    name = f"{call.resource}/{call.body['databaseId']}"
    if name in cloud.resources:
        return error(409, "ALREADY_EXISTS", message=f"{name} already exists.")
    _copy(cloud, source, name)
    cloud.resources[name] = {
        "name": name,
        "type": "FIRESTORE_NATIVE",
        "locationId": location,
    }
    return done(cloud, call, cloud.resources[name])


def back_up(cloud: GoogleCloud, database: str, backup: str) -> None:
    """Makes a backup with this resource name, which holds a copy of the database as it is now."""
    cloud.resources[backup] = {
        "name": backup,
        "database": database,
        "state": "READY",
    }
    _copy(cloud, database, backup)


def _copy(cloud: GoogleCloud, source: str, target: str) -> None:
    """Copies what a backup holds: documents, and indexes without the times to live of fields."""
    indexes = {
        name: value
        for name, value in cloud.resources.items()
        if name.startswith(f"{source}/collectionGroups/")
    }
    for name, value in indexes.items():
        renamed = name.replace(source, target, 1)
        cloud.resources[renamed] = {**value, "name": renamed}
        cloud.resources[renamed].pop("ttlConfig", None)
    documents.copy(cloud, source, target)


def _ruleset(cloud: GoogleCloud, call: Call) -> JSON:
    name = f"{call.resource}/ruleset{len(cloud.resources)}"
    cloud.resources[name] = {**call.body, "name": name}
    return cloud.resources[name]


def _new_release(cloud: GoogleCloud, call: Call) -> JSON:
    cloud.resources[call.body["name"]] = dict(call.body)
    return cloud.resources[call.body["name"]]


def _release(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    if call.resource not in cloud.resources:
        return missing(call.resource)
    cloud.resources[call.resource] = dict(call.body["release"])
    return cloud.resources[call.resource]


def _upload_url(cloud: GoogleCloud, _call: Call) -> JSON:
    name = f"source{len(cloud.calls)}.zip"
    source = {"bucket": "gcf-v2-uploads", "object": name}
    return {"uploadUrl": f"{cloud.url}/uploads/{name}", "storageSource": source}


def _runtimes(_cloud: GoogleCloud, _call: Call) -> JSON:
    return {
        "runtimes": [
            {
                "name": name,
                "environment": "GEN_2",
                "stage": "GA",
            }
            for name in RUNTIMES
        ]
    }


def _deploy(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    """Creates or updates a function with its Cloud Run service, where all that it needs is there."""
    if refused := _refused_function(cloud, call):
        return refused
    answer = generic(cloud, call)
    if isinstance(answer, Reply):
        return answer
    resource = cloud.resources[answer["response"]["name"]]
    short = resource["name"].rpartition("/")[2]
    is_all_traffic = call.body["serviceConfig"].get("allTrafficOnLatestRevision", False)
    service = cloud_run.add_revision(cloud, resource, all_traffic=is_all_traffic)
    address = cloud.function_url(short)
    resource.update(state="ACTIVE", environment="GEN_2", url=address)
    resource["serviceConfig"] |= {"uri": address, "service": service}
    if "eventTrigger" in resource:
        resource["eventTrigger"]["trigger"] = _trigger(cloud, resource)
    return answer


def _trigger(cloud: GoogleCloud, function: JSON) -> str:
    """The name of the function's trigger, which comes with a subscription of its own."""
    project = f"projects/{cloud.project}"
    short = function["name"].rpartition("/")[2]
    name = (
        f"{project}/locations/{function['eventTrigger']['triggerRegion']}/triggers/{short}-123456"
    )
    subscription = f"{project}/subscriptions/eventarc-{short}-123456-sub-789"
    cloud.resources.setdefault(subscription, {"name": subscription})
    cloud.resources[name] = {"name": name, "transport": {"pubsub": {"subscription": subscription}}}
    return name


def _refused_function(cloud: GoogleCloud, call: Call) -> Reply | None:
    """Refuse what the service refuses before it builds: APIs, accounts that may be used, a secret that may be read."""
    trigger = call.body.get("eventTrigger")
    needed = ENABLED_BY | (ENABLED_BY_TRIGGERS if trigger else set())
    if missing := needed - cloud.enabled:
        return error(400, "FAILED_PRECONDITION", message=f"Enable {', '.join(sorted(missing))}.")
    if trigger and _is_new(cloud, EVENTARC):
        return error(
            400,
            "INVALID_ARGUMENT",
            message="Permission denied while using the Eventarc Service Agent.",
        )
    service = call.body["serviceConfig"]
    build = call.body["buildConfig"].get("serviceAccount", "").rpartition("/")[2]
    used = [
        service.get("serviceAccountEmail"),
        build,
        *([trigger.get("serviceAccountEmail")] if trigger else []),
    ]
    for account in used:
        if refused := may_use(cloud, call, account or ""):
            return refused
    for secret in service.get("secretEnvironmentVariables", ()):
        resource = f"projects/{cloud.project}/secrets/{secret['secret']}"
        if refused := cloud.denied(
            service["serviceAccountEmail"], ["secretmanager.versions.access"], resource
        ):
            return refused
    return None


def _is_new(cloud: GoogleCloud, agent: str) -> bool:
    """Tell whether it is missing, or made so recently that the first trigger cannot act as it."""
    new = agent not in cloud.agents or agent in cloud.unused
    cloud.unused.discard(agent)
    return new


def may_use(cloud: GoogleCloud, call: Call, account: str) -> Reply | None:
    """The reply to a caller who lets something run as an account that it may not use, or that is none of ours."""
    if not cloud.knows(account):
        return error(
            400, "INVALID_ARGUMENT", message=f"Service account {account!r} does not exist."
        )
    resource = f"projects/{cloud.project}/serviceAccounts/{account}"
    return cloud.denied(call.caller, ["iam.serviceAccounts.actAs"], resource)


def _job(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    account = call.body.get("httpTarget", {}).get("oidcToken", {}).get("serviceAccountEmail", "")
    return may_use(cloud, call, account) or generic(cloud, call)


def _build(cloud: GoogleCloud, call: Call) -> Reply | JSON:
    account = (
        call.body.get("serviceAccount", "").rpartition("/")[2].replace("$PROJECT_ID", cloud.project)
    )
    if refused := may_use(cloud, call, account):
        return refused
    name = f"projects/{cloud.project}/locations/global/builds/build{len(cloud.calls)}"
    build = {
        **call.body,
        "name": name,
        "id": name.rpartition("/")[2],
        "status": "WORKING",
        "createTime": datetime.now(UTC).isoformat(),
        "projectId": cloud.project,
        "logUrl": f"{cloud.url}/log",
    }
    cloud.start_build(build)
    return {"name": f"operations/build/{cloud.project}/{build['id']}", "metadata": {"build": build}}


def _bucket(cloud: GoogleCloud, call: Call) -> JSON:
    return cloud.resources.setdefault(
        f"b/{call.body['name']}", {**call.body, "id": call.body["name"]}
    )


def _object(cloud: GoogleCloud, call: Call) -> JSON:
    """A multipart upload: what is said of the object, then the object."""
    boundary = call.sent.headers["content-type"].partition("boundary=")[2].strip("'\"").encode()
    part = call.sent.body.split(b"--" + boundary)[2]
    content = re.split(rb"\r?\n\r?\n", part, maxsplit=1)[1].removesuffix(b"\n")
    name = call.query["name"]
    cloud.uploads[name] = content
    resource = cloud.resources[f"{call.resource}/{name}"] = {
        "name": name,
        "bucket": call.resource.split("/")[1],
        "generation": "1",
        "size": str(len(content)),
        "md5Hash": base64.b64encode(hashlib.md5(content, usedforsecurity=False).digest()).decode(),
    }
    return resource


def _operation(cloud: GoogleCloud, call: Call) -> JSON:
    return cloud.operations[call.resource]


def _build_held(cloud: GoogleCloud, call: Call) -> JSON:
    return cloud.resources[
        f"projects/{cloud.project}/locations/global/builds/{call.resource.rpartition('/')[2]}"
    ]


def _builds(cloud: GoogleCloud, call: Call) -> JSON:
    """List the builds under way, which is what the filter asks for; any other filter is a fault."""
    if call.query.get("filter") != 'status="WORKING" OR status="QUEUED"':
        cloud.faults.append(f"no filter of builds under way: {call.query}")
    builds = [
        build
        for name, build in cloud.resources.items()
        if "/builds/" in name and build["status"] in ("WORKING", "QUEUED")
    ]
    return {"builds": builds}


HANDLERS: dict[str, Handler] = {
    **cloud_run.HANDLERS,
    **documents.HANDLERS,
    **indexes.HANDLERS,
    **people.HANDLERS,
    "logging.projects.metrics.update": _put,
    "monitoring.projects.uptimeCheckConfigs.delete": _delete_check,
    "pubsub.projects.subscriptions.create": _put,
    "pubsub.projects.subscriptions.patch": _subscription,
    "pubsub.projects.topics.create": _put,
    "serviceusage.services.batchEnable": _enable,
    "serviceusage.services.enable": _enable,
    "serviceusage.services.get": _service,
    "cloudresourcemanager.projects.get": _project,
    "cloudresourcemanager.projects.testIamPermissions": _permissions,
    "iam.projects.serviceAccounts.create": _account,
    "secretmanager.projects.secrets.versions.list": _versions,
    "secretmanager.projects.secrets.addVersion": _add_version,
    "secretmanager.projects.secrets.versions.access": _payload,
    "firebaserules.projects.rulesets.create": _ruleset,
    "firebaserules.projects.releases.create": _new_release,
    "firebaserules.projects.releases.patch": _release,
    "firestore.projects.databases.delete": _delete_database,
    "firestore.projects.databases.clone": _clone,
    "firestore.projects.databases.get": _database_held,
    "firestore.projects.databases.restore": _restore,
    "iam.projects.serviceAccounts.testIamPermissions": _permissions,
    "serviceusage.services.generateServiceIdentity": _agent,
    "cloudfunctions.projects.locations.functions.generateUploadUrl": _upload_url,
    "cloudfunctions.projects.locations.operations.get": _operation,
    "cloudfunctions.projects.locations.runtimes.list": _runtimes,
    "cloudfunctions.projects.locations.functions.create": _deploy,
    "cloudfunctions.projects.locations.functions.patch": _deploy,
    "cloudscheduler.projects.locations.jobs.create": _job,
    "cloudscheduler.projects.locations.jobs.patch": _job,
    "storage.buckets.insert": _bucket,
    "storage.objects.insert": _object,
    "cloudbuild.projects.builds.create": _build,
    "cloudbuild.projects.builds.get": _build_held,
    "cloudbuild.projects.builds.list": _builds,
    "cloudbuild.projects.locations.builds.get": _build_held,
    "cloudbuild.projects.locations.builds.create": _build,
}

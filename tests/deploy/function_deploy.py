"""Sends what `gcloud functions deploy` sends, without gcloud's seconds of start: the same requests to the recorder.

test_up.py holds them to those of the real gcloud.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any

from tests.servers.google_cloud import GoogleCloud
from tests.servers.google_cloud.services import NUMBER

JSON = dict[str, Any]


def deploy(
    cloud: GoogleCloud, arguments: Sequence[str], account: str, region: str
) -> tuple[int, str]:
    """Deploys a function as `account`; returns the exit code and what is said."""
    tries = 7 if "deploy/patient.sh" in arguments else 1
    for _ in range(tries):
        code, output = _deploy(cloud, arguments, account, region)
        if "Eventarc Service Agent" not in output:
            break
    return code, output


def _deploy(
    cloud: GoogleCloud, arguments: Sequence[str], account: str, region: str
) -> tuple[int, str]:
    name = _name(cloud, arguments, region)
    parent, _, short = name.rpartition("/")
    try:
        upload = _call(cloud, account, "POST", f"{parent}:generateUploadUrl", {})
        body = request(cloud, arguments, region, upload["storageSource"])
        if name in cloud.resources:
            _call(cloud, account, "PATCH", name, body)
        else:
            _call(cloud, account, "POST", f"{parent}?functionId={short}", body)
    except urllib.error.HTTPError as refused:
        with refused:
            return 1, refused.read().decode()
    return 0, ""


def request(cloud: GoogleCloud, arguments: Sequence[str], region: str, source: JSON) -> JSON:
    """The body that creates or updates the function."""
    options = [argument.partition("=") for argument in arguments if argument.startswith("--")]
    option_values = {name: value for name, _, value in options}
    existing = cloud.resources.get(_name(cloud, arguments, region), {})
    labels = {"deployment-tool": "cli-gcloud", **existing.get("labels", {})}
    labels |= dict(pair.split("=") for pair in option_values["--update-labels"].split(","))
    variables = option_values["--set-env-vars"].removeprefix("^|^").split("|")
    service: JSON = {
        "allTrafficOnLatestRevision": "--serve-all-traffic-latest-revision" in option_values,
        "availableCpu": option_values["--cpu"],
        "availableMemory": option_values["--memory"],
        "environmentVariables": dict(pair.split("=", 1) for pair in variables),
        "maxInstanceCount": int(option_values["--max-instances"]),
        "maxInstanceRequestConcurrency": int(option_values["--concurrency"]),
        "serviceAccountEmail": option_values["--service-account"],
        "timeoutSeconds": int(option_values["--timeout"].removesuffix("s")),
    }
    if "--min-instances" in option_values:
        service["minInstanceCount"] = int(option_values["--min-instances"])
    if "--set-secrets" in option_values:
        key, _, reference = option_values["--set-secrets"].partition("=")
        secret, _, version = reference.partition(":")
        service["secretEnvironmentVariables"] = [
            {
                "key": key,
                "projectId": NUMBER,
                "secret": secret,
                "version": version,
            }
        ]
    body: JSON = {
        "name": _name(cloud, arguments, region),
        "labels": labels,
        "serviceConfig": service,
        "buildConfig": {
            "entryPoint": option_values["--entry-point"],
            "environmentVariables": {},
            "runtime": option_values["--runtime"],
            "serviceAccount": option_values["--build-service-account"],
            "source": {"storageSource": source},
        },
    }
    if "--retry" in option_values:
        body["eventTrigger"] = _trigger(arguments, option_values)
    return body


def _trigger(arguments: Sequence[str], given: dict[str, str]) -> JSON:
    filters = dict(
        argument.partition("=")[2].split("=")
        for argument in arguments
        if argument.startswith("--trigger-event-filters=")
    )
    document = given["--trigger-event-filters-path-pattern"].partition("=")[2]
    pattern = {
        "attribute": "document",
        "operator": "match-path-pattern",
        "value": document,
    }
    return {
        "eventFilters": [{"attribute": "database", "value": filters["database"]}, pattern],
        "eventType": filters["type"],
        "retryPolicy": "RETRY_POLICY_RETRY",
        "serviceAccountEmail": given["--trigger-service-account"],
        "triggerRegion": given["--trigger-location"],
    }


def _name(cloud: GoogleCloud, arguments: Sequence[str], region: str) -> str:
    place = f"projects/{cloud.project}/locations/{region}/functions"
    return f"{place}/{arguments[list(arguments).index('deploy') + 1]}"


def _call(cloud: GoogleCloud, account: str, verb: str, path: str, body: JSON) -> JSON:
    headers = {"Authorization": f"Bearer token-of-{account}", "Content-Type": "application/json"}
    url = f"{cloud.url}/cloudfunctions/v2/{path}"
    sent = urllib.request.Request(url, json.dumps(body).encode(), headers, method=verb)
    with urllib.request.urlopen(sent, timeout=60) as reply:
        answer: JSON = json.loads(reply.read())
    return answer

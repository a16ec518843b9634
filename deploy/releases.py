"""Releases: which run of deploy/up.sh deployed each revision, and which release answers.

    python3 deploy/releases.py PROJECT PREFIX RELEASE    fails unless the deployed functions serve RELEASE

Each revision carries its release in its environment (RELEASE, SOURCE, FUNCTIONS, REPLACES). Cloud Functions keeps
labels on the function and gives none to the revisions of its Cloud Run service.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import look
from cloud import JSON, Google, Refused, pause, tell
from look import Deployment, Stop
from resources import FUNCTIONS

UNNAMED = "unnamed"
"""The release of all revisions that do not say theirs."""
PAUSES = (2, 4, 8, 16, 32, 0)
"""Seconds between two looks at the traffic, which follows a deployment after a moment."""


@dataclass(frozen=True, slots=True)
class Revision:
    """One deployed version of one function."""

    name: str
    """Short name, such as `chat-00003-abc`."""
    release: str
    source: str
    """Hash of the source (deploy/source.py), or empty."""
    release_functions: tuple[str, ...]
    """All functions that its release deploys, without prefix."""
    replaces: str
    """The release that served when this one was deployed, or empty."""
    created: datetime
    is_ready: bool
    variables: Mapping[str, str]
    """Its environment, without what it reads from secrets."""


@dataclass(frozen=True, slots=True)
class ServedFunction:
    """A function with its revisions."""

    name: str
    """Without the prefix."""
    service: str
    """Resource name of its Cloud Run service."""
    revisions: tuple[Revision, ...]
    """The newest first."""
    serving: str
    """Short name of the revision that gets every request; empty if there is none, or if several share them."""

    def revision_of(self, release: str) -> Revision | None:
        """The newest ready revision of the release."""
        for revision in self.revisions:
            if revision.release == release and revision.is_ready:
                return revision
        return None

    @property
    def serving_revision(self) -> Revision | None:
        """The revision that gets every request."""
        for revision in self.revisions:
            if revision.name == self.serving:
                return revision
        return None

    @property
    def serving_release(self) -> str:
        """Release of the revision that gets every request; empty if there is none."""
        revision = self.serving_revision
        return revision.release if revision else ""

    @property
    def answering(self) -> Revision | None:
        """The revision that gets every request; where several share them, the newest that is ready."""
        if self.serving_revision:
            return self.serving_revision
        for revision in self.revisions:
            if revision.is_ready:
                return revision
        return None


@dataclass(frozen=True, slots=True)
class Release:
    """One run of deploy/up.sh."""

    id: str
    source: str
    functions: tuple[str, ...]
    """The functions that it deploys, without prefix."""
    replaces: str
    created: datetime


@dataclass(frozen=True, slots=True)
class History:
    """The deployed functions and the releases that they have revisions of."""

    functions: tuple[ServedFunction, ...]

    @property
    def releases(self) -> list[Release]:
        """The newest first. A release is as old as its first revision: deploy/restart.sh adds some later."""
        revisions = [revision for function in self.functions for revision in function.revisions]
        revisions.sort(key=lambda revision: revision.created)
        releases: dict[str, Release] = {}
        for revision in revisions:
            release = Release(
                id=revision.release,
                source=revision.source,
                functions=revision.release_functions or self._names,
                replaces=revision.replaces,
                created=revision.created,
            )
            releases.setdefault(release.id, release)

        return list(reversed(releases.values()))

    @property
    def newest(self) -> str:
        """Id of the release that was deployed last, complete or not; empty if there is none."""
        releases = self.releases
        return releases[0].id if releases else ""

    @property
    def newest_first(self) -> list[ServedFunction]:
        """The functions, those that serve the newest release first, those without a revision last."""
        order = [release.id for release in self.releases]
        ranks = {}
        for function in self.functions:
            revision = function.answering
            ranks[function.name] = order.index(revision.release) if revision else len(order)
        return sorted(self.functions, key=lambda function: ranks[function.name])

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(function.name for function in self.functions)

    @property
    def serving(self) -> set[str]:
        """Ids of the releases that functions serve."""
        return {function.serving_release for function in self.functions} - {""}

    def lacking(self, release: Release) -> list[str]:
        """Functions of the release that have no ready revision of it; empty if the release can be restored."""
        ready = {function.name for function in self.functions if function.revision_of(release.id)}
        return [name for name in release.functions if name not in ready]

    @property
    def complete(self) -> list[Release]:
        """The releases that can be gone back to, the newest first."""
        return [release for release in self.releases if not self.lacking(release)]

    @property
    def current(self) -> Release | None:
        """The newest complete release that a function serves."""
        serving = self.serving
        for release in self.complete:
            if release.id in serving:
                return release
        return None


def new_id(source: str) -> str:
    """A release's id, fit for a label: the time in UTC and the beginning of the source's hash."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{source[:7]}"


def history(google: Google, deployment: Deployment | None) -> History:
    """Raises Refused."""
    deployed = deployment.functions if deployment else {}
    return History(
        tuple(_served_function(google, name, deployed[name]) for name in sorted(deployed)),
    )


def _served_function(google: Google, name: str, function: JSON) -> ServedFunction:
    """Reads the function's service; one whose first deployment failed may have none."""
    address = function.get("serviceConfig", {}).get("service", "")
    service = google.found(f"run/v2/{address}") if address else None
    if service is None:
        return ServedFunction(
            name=name,
            service=address,
            revisions=(),
            serving="",
        )

    listed = google.items(f"run/v2/{address}/revisions", "revisions")
    revisions = [_revision(resource) for resource in listed]
    revisions.sort(key=lambda revision: revision.created, reverse=True)
    return ServedFunction(
        name=name,
        service=address,
        revisions=tuple(revisions),
        serving=serving(service),
    )


def _revision(resource: JSON) -> Revision:
    containers: list[JSON] = resource.get("containers") or [{}]
    variables = {}
    for entry in containers[0].get("env", ()):
        if "valueSource" not in entry:
            variables[entry["name"]] = entry.get("value", "")

    functions: tuple[str, ...] = ()
    if variables.get("FUNCTIONS"):
        functions = tuple(variables["FUNCTIONS"].split(","))
    conditions = resource.get("conditions", ())
    return Revision(
        name=resource["name"].rpartition("/")[2],
        release=variables.get("RELEASE") or UNNAMED,
        source=variables.get("SOURCE", ""),
        release_functions=functions,
        replaces=variables.get("REPLACES", ""),
        created=datetime.fromisoformat(resource["createTime"]),
        is_ready=any(_says_ready(condition) for condition in conditions),
        variables=variables,
    )


def _says_ready(condition: JSON) -> bool:
    return condition.get("type") == "Ready" and condition.get("state") == "CONDITION_SUCCEEDED"


def serving(service: JSON) -> str:
    """The revision that gets every request of the service, by its short name, or empty."""
    latest = service.get("latestReadyRevision", "")
    targets = service.get("trafficStatuses") or service.get("traffic") or [{"percent": 100}]
    for target in targets:
        if target.get("percent") == 100:
            name: str = target.get("revision") or latest
            return name.rpartition("/")[2]
    return ""


def pinned(revision: str) -> JSON:
    """Returns the target of traffic by which a revision, given by its short name, gets every request."""
    return {
        "type": "TRAFFIC_TARGET_ALLOCATION_TYPE_REVISION",
        "revision": revision,
        "percent": 100,
    }


def not_serving(deployed: History, release: str) -> Iterator[str]:
    """Yields one line for each function that serves another release than this one."""
    for function in deployed.functions:
        if function.serving_release == release:
            continue
        name = function.name
        revision = function.revision_of(release)
        if revision is None:
            yield f"- {name} has no ready revision of release {release}."
        elif function.serving:
            serving = f"{function.serving} (release {function.serving_release})"
            yield f"- {name} serves {serving} and not {revision.name}."
        else:
            yield f"- {name} shares its requests between revisions; {revision.name} gets some at most."


def check(project: str, prefix: str, release: str) -> None:
    """Raises Stop if a function of this checkout does not serve the release, and Refused."""
    google = Google(project)
    lines: list[str] = []
    for seconds in PAUSES:
        deployment = look.deployments(google).get(prefix)
        deployed = history(google, deployment)
        of_checkout = [function for function in deployed.functions if function.name in FUNCTIONS]
        there = {function.name for function in of_checkout}
        lines = [f"- {name} is not there." for name in FUNCTIONS if name not in there]
        lines += not_serving(History(tuple(of_checkout)), release)
        if not lines:
            tell(f"   Every function serves release {release}.")
            return
        pause(seconds)

    problems = "\n".join(lines)
    option = ""
    if prefix:
        option = f" --function-prefix {prefix}"
    raise Stop(
        f"Release {release} was built, and not all of it answers:\n{problems}\n"
        "Somebody has pinned these functions' traffic to a revision, or deployed at the same time. To switch every\n"
        "function to this release:\n"
        f"    deploy/rollback.sh {project}{option} --to {release}\n"
        "Where a function or a revision is missing or not ready, the log says why; then run deploy/up.sh again.",
    )


if __name__ == "__main__":
    try:
        check(*sys.argv[1:])
    except (Refused, Stop) as stop:
        sys.exit(str(stop))

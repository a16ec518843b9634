"""Finds builds of deploy/up.sh that are under way, so that two never deploy in turns.

    python3 deploy/builds.py PROJECT PREFIX BUILD RELEASE NEWEST    a step of the build BUILD, before the functions

The step fails if an older build of the same deployment is under way, or if another release than RELEASE was deployed
since deploy/up.sh looked and saw NEWEST.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

import look
import releases
from cloud import Google, Refused
from look import Stop

UNDER_WAY = 'status="WORKING" OR status="QUEUED"'


@dataclass(frozen=True, slots=True)
class Build:
    """One build of a deployment."""

    id: str
    release: str
    created: str
    """Time in UTC, as Cloud Build writes it."""


def under_way(google: Google, prefix: str) -> Iterator[Build]:
    """Yields the builds of the deployment with this prefix that have not ended. Raises Refused."""
    address = f"cloudbuild/v1/{google.name}/builds?filter={UNDER_WAY}"
    for build in google.items(address, "builds"):
        substitutions = build.get("substitutions", {})
        release = substitutions.get("_RELEASE")
        is_ours = substitutions.get("_PREFIX", "") == prefix
        if release and is_ours:
            yield Build(
                build["id"],
                release,
                build["createTime"],
            )


def require_none(google: Google, prefix: str) -> None:
    """Raises Stop if a build of the deployment is under way, and Refused."""
    for build in under_way(google, prefix):
        raise Stop(
            f"Build {build.id} of release {build.release} is under way since {build.created}: it may be waiting for "
            "indexes, and deploys when they are ready. Nothing was changed. Wait for its end:\n"
            f"    gcloud builds log --stream {build.id} --project={google.project}\n"
            "or end it; Firestore goes on building the indexes. Then run the same command again:\n"
            f"    gcloud builds cancel {build.id} --project={google.project}",
        )


def require_first(google: Google, prefix: str, build_id: str) -> None:
    """Raises Stop if another build of the deployment is under way and began before this one, and Refused."""
    builds = sorted(under_way(google, prefix), key=attrgetter("created", "id"))
    if not builds:
        return
    first = builds[0]
    if first.id != build_id:
        raise Stop(
            f"Build {first.id} of release {first.release} is under way since {first.created} and deploys the "
            "same functions. This build has changed nothing; when the other has ended, run deploy/up.sh again.",
        )


def require_newest(
    google: Google,
    prefix: str,
    release: str,
    newest: str,
) -> None:
    """Raises Stop if another release was deployed since `newest` was the newest one, and Refused."""
    deployed = releases.history(google, look.deployments(google).get(prefix))
    now_newest = deployed.newest
    if now_newest not in (newest, release):
        raise Stop(
            f"Release {now_newest} was deployed since this build of release {release} was planned, and would be replaced "
            "by it. This build has changed nothing; run deploy/up.sh again with the version that is meant.",
        )


if __name__ == "__main__":
    project, prefix, build_id, release, newest = sys.argv[1:]
    google = Google(project)
    try:
        require_first(google, prefix, build_id)
        require_newest(google, prefix, release, newest)
    except (Refused, Stop) as stop:
        sys.exit(str(stop))

"""Starts new instances of every function, so that they read another key: the work of deploy/restart.sh.

1. Make a revision of each function like the one that serves. After a rollback that is not the newest one.
2. Where requests are pinned to a revision, send them to the new one when it is ready.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime

import builds
import look
import releases
from arguments import Parser
from cloud import JSON, Google, Refused
from look import Stop
from releases import ServedFunction, pinned

COPIED = (
    "annotations", "containers", "encryptionKey", "executionEnvironment", "labels", "maxInstanceRequestConcurrency",
    "scaling", "serviceAccount", "sessionAffinity", "timeout", "volumes", "vpcAccess",
)  # fmt: skip
"""Fields of a revision by which Cloud Run makes another one like it."""


def restart(google: Google, function: ServedFunction) -> str:
    """Makes the new revision, and returns its short name when it gets every request. Raises Refused."""
    address = f"run/v2/{function.service}"
    revision = google("GET", f"{address}/revisions/{function.serving}")
    template: JSON = {name: revision[name] for name in COPIED if name in revision}
    # Cloud Run makes no revision from a template that has not changed.
    restarted = {"restarted": f"{datetime.now(UTC):%Y%m%d-%H%M%S}"}
    template["labels"] = {**template.get("labels", {}), **restarted}
    # The traffic is not touched yet: requests stay where they are until the new revision is ready.
    google.done(
        "run/v2",
        google(
            "PATCH",
            f"{address}?updateMask=template",
            {"template": template},
        ),
    )
    service = google("GET", address)
    created: str = service["latestCreatedRevision"].rpartition("/")[2]
    if service["latestReadyRevision"].rpartition("/")[2] != created:
        raise Refused(
            503,
            address,
            f"revision {created} does not become ready; see its log",
        )
    if releases.serving(service) != created:
        body = {"traffic": [pinned(created)]}
        google.done("run/v2", google("PATCH", f"{address}?updateMask=traffic", body))

    return created


def main(options: argparse.Namespace) -> None:
    """Raises Refused, and Stop before anything was changed."""
    google = Google(options.project)
    deployment = look.deployed(google, options.function_prefix)
    builds.require_none(google, deployment.prefix)
    deployed = releases.history(google, deployment)
    shared = [function.name for function in deployed.functions if not function.serving]
    if shared:
        raise Stop(
            f"Requests of {', '.join(shared)} are shared between revisions, or there is none. Nothing was changed. Choose "
            "one release with deploy/rollback.sh first.",
        )

    for function in deployed.functions:
        name = restart(google, function)
        print(
            f"- {function.name} serves {name} now, release {function.serving_release}.",
            flush=True,
        )


if __name__ == "__main__":
    parser = Parser(prog="deploy/restart.sh")
    parser.add_project()
    parser.add_prefix()
    try:
        main(parser.parse_args())
    except (Refused, Stop) as stop:
        sys.exit(str(stop))

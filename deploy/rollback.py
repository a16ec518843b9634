"""What deploy/rollback.sh does: every function serves the revision before its newest again."""

from __future__ import annotations

import argparse
import os
import sys

import look
from cloud import Google, Refused
from plan import Parser, matching


def before(google: Google, service: str) -> str:
    """The revision before the newest that was ready; empty: there is none."""
    revisions = list(google.items(f"run/v2/{service}/revisions", "revisions"))
    newest = sorted(revisions, key=lambda each: str(each["createTime"]), reverse=True)
    ready = [each for each in newest[1:] if any(_is_ready(one) for one in each.get("conditions", ()))]
    return str(ready[0]["name"]).rpartition("/")[2] if ready else ""


def _is_ready(condition: dict[str, str]) -> bool:
    return condition.get("type") == "Ready" and condition.get("state") == "CONDITION_SUCCEEDED"


def main(asked: argparse.Namespace) -> None:
    google = Google(asked.project)
    found = look.deployments(google)
    deployment = found.get(look.prefix_of(found, asked.function_prefix))
    if deployment is None:
        sys.exit(f"Nothing of ours is deployed in {asked.project}.")
    for function in deployment.functions.values():
        service = function["serviceConfig"]["service"]
        name = service.rpartition("/")[2]
        if revision := before(google, service):
            traffic = {"type": "TRAFFIC_TARGET_ALLOCATION_TYPE_REVISION", "revision": revision, "percent": 100}
            google.done("run/v2", google("PATCH", f"run/v2/{service}?updateMask=traffic", {"traffic": [traffic]}))
            print(f"- {name} serves {revision} again.")
        else:
            print(f"- {name} has no revision before its newest; it stays.")
    print("Rules and indexes stay. The next deploy/up.sh sends every request to the newest revision again.")


if __name__ == "__main__":
    parser = Parser(prog="deploy/rollback.sh")
    parser.add_argument("project", metavar="PROJECT", type=matching(r"[a-z][a-z0-9-]{4,28}[a-z0-9]"))
    parser.add_argument("--function-prefix", default=os.environ.get("FUNCTION_PREFIX"), metavar="PREFIX")
    try:
        main(parser.parse_args())
    except (Refused, look.Stop) as stop:
        sys.exit(str(stop))

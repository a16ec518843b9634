"""Lets everybody call the functions that check their callers themselves, chat and api, and nobody call the others.

    python3 deploy/invokers.py PROJECT REGION PREFIX [--no-invoker-iam-check]

Where an organization forbids `allUsers` (domain-restricted sharing), Cloud Run's check can be switched off instead.
"""

from __future__ import annotations

import sys

from cloud import Google, Refused, tell
from resources import CALLED, FUNCTIONS

UNCALLED = tuple(name for name in FUNCTIONS if name not in CALLED)
"""Functions that Google's own accounts call; one that was taken over may have been open."""
FORBIDDEN = (
    "{said}\n"
    "An organization policy (constraints/iam.allowedPolicyMemberDomains) keeps everybody from being let in. The rest\n"
    "is deployed, and nobody can call chat and api yet. Run the same command again with --no-invoker-iam-check, which\n"
    "switches Cloud Run's check off for these two (they check each caller's Firebase token themselves), or ask for an\n"
    "exception from that constraint for {project}."
)


def let_in(
    google: Google,
    region: str,
    prefix: str,
    *,
    without_check: bool,
) -> None:
    """Raises Refused."""
    place = f"run/v2/{google.name}/locations/{region}/services/{prefix}"
    for name in UNCALLED:
        google.grant(
            f"{place}{name}",
            "roles/run.invoker",
            "allUsers",
            remove=True,
        )
    for name in CALLED:
        service = f"{place}{name}"
        if without_check:
            body = {"invokerIamDisabled": True}
            google.done(
                "run/v2",
                google(
                    "PATCH",
                    f"{service}?updateMask=invokerIamDisabled",
                    body,
                ),
            )
        elif not google("GET", service).get("invokerIamDisabled"):
            google.grant(service, "roles/run.invoker", "allUsers")


if __name__ == "__main__":
    project, region, prefix, *flags = sys.argv[1:]
    try:
        let_in(
            Google(project),
            region,
            prefix,
            without_check="--no-invoker-iam-check" in flags,
        )
    except Refused as refused:
        is_policy = refused.status in (400, 412) or "permitted customer" in refused.said
        tell(FORBIDDEN.format(said=refused, project=project) if is_policy else str(refused))
        sys.exit(1)

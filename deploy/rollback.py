"""Brings every function to one earlier release: the work of deploy/rollback.sh."""

from __future__ import annotations

import argparse
import sys

import builds
import look
import releases
from arguments import Parser
from cloud import JSON, Google, Refused
from look import Stop
from releases import History, Release, ServedFunction, pinned

ORDER = ("on-note-write", "on-template-write", "reconcile", "api", "chat")
"""The other way round than the build: what writes the index goes back before what reads it."""


def chosen(deployed: History, requested: str | None) -> Release:
    """Returns the release to go back to: the requested one, or the one before the last deployment. Raises Stop."""
    by_id = {release.id: release for release in deployed.releases}
    if not by_id:
        raise Stop("No function has a revision yet: there is no release to go back to.")
    release_id = requested or _previous(deployed)
    release = by_id.get(release_id)
    if release is None:
        raise Stop(
            f"--to: expected one of the releases below, got {release_id!r}\n{table(deployed)}",
        )

    lacking = deployed.lacking(release)
    if lacking:
        raise Stop(
            f"Release {release.id} cannot be gone back to: {', '.join(lacking)} has no revision of it. It was never\n"
            f"deployed whole, or the function was deleted or made again since. {_moved_since(deployed, release)}"
            "Name another release with --to, or check\n"
            f"that version out and run deploy/up.sh. Nothing was changed.\n{table(deployed)}",
        )

    return release


def _moved_since(deployed: History, release: Release) -> str:
    """Returns a sentence about the release's database where the functions use another one now; else the empty text."""
    database_then = _database_of(deployed, release.id)
    for release_id in deployed.serving:
        database_now = _database_of(deployed, release_id)
        if database_now != database_then:
            return (
                f"It used database {database_then}; the functions use {database_now} now, and a\n"
                "trigger follows one database for good. "
            )
    return ""


def _database_of(deployed: History, release_id: str) -> str:
    """Returns the database of a release, as its revisions name it."""
    for function in deployed.functions:
        revision = function.revision_of(release_id)
        if revision is not None:
            return revision.variables.get("FIRESTORE_DATABASE") or "(default)"
    return "(default)"


def _previous(deployed: History) -> str:
    """Returns the release that served before the newest. A rollback that was done already gives the same again."""
    serving = deployed.serving
    newest, *older = deployed.releases
    if newest.id not in serving:
        if len(serving) != 1:
            raise Stop(
                f"Functions serve {', '.join(sorted(serving))}: say with --to which one is meant. Nothing was changed.\n"
                f"{table(deployed)}",
            )
        return serving.pop()

    if newest.replaces:
        return newest.replaces
    for release in older:
        if not deployed.lacking(release):
            return release.id

    raise Stop(
        f"There is no release before {newest.id} that every function has. Nothing was changed.\n{table(deployed)}",
    )


def table(deployed: History) -> str:
    """Returns a line for each release, the newest first: which functions serve it, and which lack it."""
    width = 0
    for release in deployed.releases:
        width = max(width, len(release.id))

    lines = []
    for release in deployed.releases:
        line = _line(deployed, release)
        lines.append(f"{release.id:{width}}  {line}")
    return "\n".join(lines)


def _line(deployed: History, release: Release) -> str:
    source = release.source or "unknown"
    parts = [
        f"{release.created:%Y-%m-%d %H:%M %Z}",
        f"source {source}",
    ]
    serving = []
    for function in deployed.functions:
        if function.serving_release == release.id:
            serving.append(function.name)
    if serving:
        parts.append(f"serves: {', '.join(serving)}")
    lacking = deployed.lacking(release)
    if lacking:
        parts.append(f"cannot be gone back to, without: {', '.join(lacking)}")

    return "  ".join(parts)


def switch(google: Google, function: ServedFunction, release: Release) -> str:
    """Sends all requests of the function to its revision of the release; returns what was done."""
    revision = function.revision_of(release.id)
    if revision is None:
        return (
            f"- {function.name} is no part of release {release.id}; it stays at {function.serving}."
        )

    if function.serving == revision.name:
        return f"- {function.name} serves {revision.name} already."
    body: JSON = {"traffic": [pinned(revision.name)]}
    google.done(
        "run/v2",
        google(
            "PATCH",
            f"run/v2/{function.service}?updateMask=traffic",
            body,
        ),
    )
    return f"- {function.name} serves {revision.name} now."


def _rank(function: ServedFunction) -> int:
    """Functions that this version does not know go first."""
    return ORDER.index(function.name) if function.name in ORDER else -1


def added_since(deployed: History, release: Release) -> list[ServedFunction]:
    """Returns the functions that only later releases have, which go on serving one of them."""
    newest_first = [known.id for known in deployed.releases]
    later = newest_first[: newest_first.index(release.id)]
    added = []
    for function in deployed.functions:
        revision = function.answering
        is_later = revision is not None and revision.release in later
        if is_later and function.name not in release.functions:
            added.append(function)

    return added


def main(options: argparse.Namespace) -> None:
    """Raises Refused and Stop; SystemExit if a function is left that the release does not have."""
    google = Google(options.project)
    deployment = look.deployed(google, options.function_prefix)
    deployed = releases.history(google, deployment)
    if options.list:
        print(table(deployed))
        return

    builds.require_none(google, deployment.prefix)  # it would deploy over what this does
    release = chosen(deployed, options.to)
    print(f"Every function to release {release.id}, source {release.source or 'unknown'}:")
    for function in sorted(deployed.functions, key=_rank):
        print(switch(google, function, release), flush=True)
    print(
        f"Rules, indexes, database {_database_of(deployed, release.id)}, its owner and the schedule stay. The next\n"
        "deploy/up.sh keeps the settings with which these revisions were deployed, unless --set changes them, and sends\n"
        "every request to what it deploys.",
    )
    added = added_since(deployed, release)
    if added:
        commands = "".join(
            f"\n    gcloud functions delete {deployment.prefix}{function.name} --gen2 --region={deployment.region} "
            f"--project={google.project}"
            for function in added
        )
        sys.exit(
            "Functions that came with a later release are left, and go on serving it beside the older ones. Take them away;\n"
            f"the next deploy/up.sh of a release that has them makes them again:{commands}",
        )


if __name__ == "__main__":
    parser = Parser(prog="deploy/rollback.sh")
    parser.add_project()
    parser.add_prefix()
    parser.add_argument(
        "--to",
        metavar="RELEASE",
        help="as --list names it; otherwise the one before the newest",
    )
    parser.add_argument(
        "--list",
        action="store_true",
        help="the releases; nothing is changed",
    )
    try:
        main(parser.parse_args())
    except (Refused, Stop) as stop:
        sys.exit(str(stop))

"""Decides what deploy/up.sh does before anything is changed, and prints it as shell assignments.

decision.py makes the plan. This stops with a list where the deployment would take over what somebody else made
(look.py), and where --prepared finds something missing. Needs gcloud and Python 3.11, nothing else.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterable

import look
import owner
import releases
from arguments import Parser, matching
from check_settings import SettingsError
from cloud import Google, Refused, tell
from decision import Plan, ask, decided
from look import Deployment, ForeignResource, Stop
from resources import ACCOUNTS, APIS, CHOSEN, FUNCTIONS, ROLES, TABLE
from source import source


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(
        prog="deploy/up.sh",
        description="Everything, from a project with billing to an answer.",
    )
    parser.add_project()
    parser.add_argument(
        "--region",
        default=os.environ.get("REGION"),
        help="of the functions",
    )
    parser.add_argument(
        "--location",
        help="where a new database keeps the notes, for good: eur3, nam5 or a region",
    )
    parser.add_argument(
        "--database",
        default=os.environ.get("FIRESTORE_DATABASE"),
        help="of its own, by its name",
        type=matching(r"\(default\)|[a-z][a-z0-9-]{2,61}[a-z0-9]"),
    )
    parser.add_argument(
        "--new-database",
        action="store_true",
        help="make an empty database where the one that the functions use is gone",
    )
    parser.add_prefix()
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the functions",
        type=matching(r"[A-Z][A-Z0-9_]*=[^;|]*"),
    )
    parser.add_argument(
        "--take-over",
        action="append",
        default=[],
        metavar="WHAT",
        help="as the list names it",
    )
    parser.add_argument(
        "--prepared",
        action="store_true",
        help="build and deploy into what deploy/terraform made, and set nothing up",
    )
    parser.add_argument(
        "--no-invoker-iam-check",
        action="store_true",
        help="callers without allUsers, which domain-restricted sharing forbids",
    )
    parser.add_argument(
        "--budget",
        type=matching(r"\d+"),
        help="of a month, in the billing account's currency; 0: makes none, and one that is there stays",
    )
    parser.add_argument(
        "--warm",
        metavar="N",
        type=matching(r"[0-9]|1[0-9]|20"),
        help="instances of chat that are kept waiting, so that a question seldom waits for a start; each costs",
    )
    parser.add_argument("--backups", choices=("daily", "none"))
    return parser.parse_args(arguments)


def require_prepared(plan: Plan) -> None:
    """Raises Stop if something is missing that only setting up makes."""
    database = plan.deployment.database
    if plan.new_database:
        raise Stop(
            f"--prepared: there is no database {database.id}; terraform apply in deploy/terraform makes it.",
        )

    if plan.claim is not None:
        raise Stop(
            f"--prepared: database {database.id} does not say that it is this deployment's. Let terraform make it, or run "
            "deploy/up.sh once as an owner of the project without --prepared.",
        )

    if plan.key:
        _require_key(plan.deployment, plan.key)


def _require_key(deployment: Deployment, setting: str) -> None:
    """Raises Stop if the secret of a setting has no usable version."""
    google = deployment.google
    secret = f"{deployment.prefix}{TABLE['secrets'].get(setting)}"
    address = f"secretmanager/v1/{google.name}/secrets/{secret}/versions"
    for version in google.items(address, "versions"):
        if version.get("state") == "ENABLED":
            return

    raise Stop(
        f"--prepared: the secret {secret} has no key yet. Add it:\n"
        f"    gcloud secrets versions add {secret} --data-file=- --project={google.project}",
    )


def taken_over(plan: Plan, options: argparse.Namespace) -> None:
    """Raises Stop with the list of things that are somebody else's and were not named."""
    lines = []
    deployment = plan.deployment
    foreign = look.taken_over(deployment, holds_ours=owner.holds_ours(deployment.database))
    for thing in (*_owned_by_others(plan), *foreign):
        if thing.flag not in options.take_over:
            lines.append(f"- {thing.description}\n    --take-over {thing.flag}")
    if not lines:
        return
    unnamed = "\n".join(lines)
    raise Stop(
        f"In {options.project} this is not ours, and deploying would change it:\n{unnamed}\n"
        "Nothing was changed. To deploy beside them, use names and a database of its own:\n"
        f"    FUNCTION_PREFIX=notes- FIRESTORE_DATABASE=notes deploy/up.sh {options.project} …\n"
        "To take them over instead, name each with the flag below it.",
    )


def _owned_by_others(plan: Plan) -> list[ForeignResource]:
    if not plan.other_owners:
        return []
    names = " and ".join(owner.deployment_name(prefix) for prefix in plan.other_owners)
    description = (
        f"database {plan.deployment.database.id}, which belongs to {names}: two deployments on one database would "
        "index every note in turns. Give this one a database of its own (--database NAME). Taken over, the other "
        "answers questions and indexes nothing until it takes the database over itself"
    )
    return [ForeignResource("database", description)]


def _claim(plan: Plan) -> str:
    """Returns the arguments of owner.py; empty where there is nothing to write."""
    if plan.claim is None:
        return ""
    kind = "own"
    if plan.claim.shared:
        kind = "shared"
    return f"{kind} {plan.claim.updated}".strip()


def granted(plan: Plan) -> list[str]:
    """Returns every role that our accounts get in the project, as `ROLE ACCOUNT`."""
    pairs = []
    for account, roles in ROLES.items():
        for role in roles:
            pairs.append(f"{role} {account}")
    return pairs + chosen_grants(plan.wanted_apis)


def chosen_grants(apis: Iterable[str]) -> list[str]:
    """Returns the roles of the functions for APIs that settings need, as `ROLE ACCOUNT`."""
    account = TABLE["keyReader"]
    pairs = []
    for api in apis:
        role = CHOSEN[api]["role"]
        pairs.append(f"{role} {account}")
    return pairs


def assignments(plan: Plan, options: argparse.Namespace) -> dict[str, str]:
    """Returns the shell variables of up.sh, setup.sh and common.sh."""
    budget_and_backups = _asked_at_first(plan, options)
    deployment = plan.deployment
    source_hash = source()
    replaces = ""
    if plan.history.current:
        replaces = plan.history.current.id
    strangers = ""
    if plan.claim:
        strangers = ", ".join(plan.claim.strangers)
    settings = [f"{name}={value}" for name, value in plan.all_settings.items()]
    apis = [*APIS, *plan.wanted_apis]
    return {
        "project": options.project,
        "prefix": deployment.prefix,
        "region": deployment.region,
        "location": plan.location,
        "database": deployment.database.id,
        "new_database": _flag(plan.new_database, "yes"),
        "claim": _claim(plan),
        "takes_over": _flag(bool(plan.other_owners), "yes"),
        "strangers": strangers,
        "settings": "|".join(settings),
        "key": plan.key,
        "source": source_hash,
        "release": releases.new_id(source_hash),
        "replaces": replaces,
        "newest": plan.history.newest,
        "functions": ",".join(FUNCTIONS),
        "leaving": " ".join(_leaving(plan)),
        "retired": " ".join(_retired(plan)),
        "apis": " ".join(apis),
        "accounts": " ".join(ACCOUNTS),
        "granted": "\n".join(granted(plan)),
        "prepared": _flag(options.prepared, "yes"),
        "moves": " ".join(plan.moves),
        "warm": options.warm or str(look.warm_instances(deployment)),
        "invokers": _flag(options.no_invoker_iam_check, "--no-invoker-iam-check"),
        "app_check": plan.all_settings.get("APP_CHECK", "off"),
        **budget_and_backups,
    }


def _leaving(plan: Plan) -> list[str]:
    """Returns the functions that this release no longer has, and the one before it has: kept, so that it can come back."""
    retired = _retired(plan)
    leaving = _surplus(plan).difference(retired)
    return sorted(leaving)


def _retired(plan: Plan) -> list[str]:
    """Returns the functions that neither this release has nor the one that it replaces."""
    current = plan.history.current
    if current is None:
        return []
    replaced = {f"{plan.deployment.prefix}{name}" for name in current.functions}
    return sorted(_surplus(plan) - replaced)


def _surplus(plan: Plan) -> set[str]:
    """Returns the deployed functions that this release does not have."""
    deployment = plan.deployment
    surplus = set()
    for name in deployment.functions:
        if name not in FUNCTIONS:
            surplus.add(f"{deployment.prefix}{name}")
    return surplus


def _flag(is_set: bool, value: str) -> str:  # noqa: FBT001 - a shell's truth: some text, or none
    if is_set:
        return value
    return ""


def _asked_at_first(plan: Plan, options: argparse.Namespace) -> dict[str, str]:
    """Returns the shell variables of budget and backups, which a first deployment asks for."""
    is_first = not plan.deployed_settings
    budget = options.budget
    if is_first and not budget:
        budget = ask("Mail about a month's costs beyond (0: no budget)", "50")
    backups = options.backups
    if is_first and not backups:
        usual = "none"
        if sys.stdin.isatty():
            usual = "daily"
        backups = ask("Backups of the notes (daily, none)", usual)

    return {"budget": budget or "", "backups": backups or "none"}


def main(arguments: list[str]) -> int:
    options = parsed(arguments)
    google = Google(options.project)
    try:
        plan = decided(google, options)
        taken_over(plan, options)
        if options.prepared:
            require_prepared(plan)
        for name, value in assignments(plan, options).items():
            print(f"{name}={shlex.quote(value)}")
    except SettingsError as problem:
        tell(f"--set {problem.message}")
        return 2
    except Stop as stop:
        tell(str(stop))
        return 2
    except Refused as refused:
        tell(str(refused))
        return 1

    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

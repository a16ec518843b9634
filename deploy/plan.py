"""Decides what deploy/up.sh does before anything is changed, and prints it as shell assignments.

It asks on a terminal for what is not given, and stops with a list where the deployment would take over what somebody
else made (look.py). Needs gcloud and Python 3.11, nothing else.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import builds
import check_settings
import deployed
import look
import owner
import releases
from check_settings import SettingsError
from cloud import JSON, Google, Refused, tell
from firestore import Database
from look import Deployment, ForeignResource, Stop
from releases import History
from resources import ACCOUNTS, APIS, CHOSEN, FUNCTIONS, ROLES, TABLE
from source import source

ROOT = Path(__file__).parents[1]
MULTI_REGIONS = {"eur3": ("europe-west1", "europe-west4"), "nam5": ("us-central1",)}
"""Location of Firestore -> regions of functions within it, the nearest first."""
LIMITS = (
    "DAILY_CHAT_LIMIT",
    "DAILY_SEARCH_LIMIT",
    "DAILY_EMBED_TOKENS",
    "DAILY_INDEX_WRITES",
    "DAILY_PROJECT_USD",
)
JURISDICTIONS = {"eu": r"eur3|europe-(?!west2$|west6$).*", "us": r"nam\d+|us-.*"}
"""Multi-region within which Vertex AI keeps a request -> places of notes there. London and Zurich are in none."""
VERTEX = tuple(CHOSEN["aiplatform"]["settings"]["GOOGLE_GENAI_USE_VERTEXAI"])


@dataclass(frozen=True, slots=True)
class Plan:
    """A deployment with the settings of its functions."""

    deployment: Deployment
    location: str
    new_database: bool
    settings: Mapping[str, str]
    """Settings of this run; all others stay as they are."""
    deployed_settings: Mapping[str, str]
    """Settings with which the functions serve now."""
    history: History
    """The functions that are deployed now, with their revisions."""
    moves: tuple[str, ...]
    """Functions that follow another database: a trigger keeps its database, so these are made anew."""
    claim: owner.OwnerChange | None = None
    """Change that makes the deployment the owner of its database; None if it is the owner."""
    other_owners: tuple[str, ...] = ()
    """Prefixes of the deployments that the database belongs to."""

    @property
    def all_settings(self) -> Mapping[str, str]:
        """All settings that each function will have."""
        return {**self.deployed_settings, **self.settings}

    @property
    def wanted_apis(self) -> list[str]:
        """APIs beyond those of every deployment, which some setting needs."""
        return [api for api, chosen in CHOSEN.items() if self._is_wanted(chosen["settings"])]

    def _is_wanted(self, values: Mapping[str, Sequence[str]]) -> bool:
        """Reports whether a setting has one of the values that need an API."""
        for name, needing in values.items():
            if self.all_settings.get(name, "").lower() in needing:
                return True
        return False

    @property
    def key(self) -> str:
        """The setting that is kept as a secret; empty with Vertex AI, which takes none."""
        if "aiplatform" in self.wanted_apis:
            return ""
        if self.all_settings.get("OPENAI_BASE_URL"):
            return "OPENAI_API_KEY"
        return "GEMINI_API_KEY"


class Parser(argparse.ArgumentParser):
    """Answers what it does not understand with the usage and status 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.format_usage()}{message}\n")

    def add_project(self) -> None:
        self.add_argument(
            "project",
            metavar="PROJECT",
            type=matching(r"[a-z][a-z0-9-]{4,28}[a-z0-9]"),
        )

    def add_prefix(self) -> None:
        self.add_argument(
            "--function-prefix",
            default=os.environ.get("FUNCTION_PREFIX"),
            metavar="PREFIX",
            help="before the names of functions, accounts, schedule and secret",
            type=matching(r"([a-z][a-z0-9-]{0,13})?"),
        )


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
        help="of a month, in the billing account's currency; 0: none",
    )
    parser.add_argument(
        "--warm",
        metavar="N",
        type=matching(r"[0-9]|1[0-9]|20"),
        help="instances of chat that are kept waiting, so that a question seldom waits for a start; each costs",
    )
    parser.add_argument("--backups", choices=("daily", "none"))
    return parser.parse_args(arguments)


def matching(pattern: str) -> Callable[[str], str]:
    """Returns a type of argument that takes the texts of a pattern."""

    def value(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise argparse.ArgumentTypeError(f"expected {pattern}, got {text!r}")
        return text

    return value


def settings_given(assignments: list[str]) -> dict[str, str]:
    """Returns NAME=VALUE texts as settings.

    Raises Stop for a name that is no setting, and for a value that a build's record must not hold.
    """
    settings = dict(assignment.split("=", 1) for assignment in assignments)
    documented = deployed.documented()
    for name in settings:
        if name.endswith("_KEY"):
            raise Stop(
                f"--set {name}: the build's record would keep it. Export {name}, or wait to be asked for it.",
            )
        if name in ("FIRESTORE_DATABASE", "FUNCTION_PREFIX", "STORE"):
            raise Stop(f"--set {name}: it is --database, --function-prefix or firestore.")
        if name not in documented:
            raise Stop(f"--set: no setting {name}; see docs/settings.md")

    return settings


def ask(question: str, default: str) -> str:
    """Returns what a person types, or the default without a terminal."""
    if not sys.stdin.isatty():
        return default
    sys.stderr.write(f"{question} [{default}]: ")
    sys.stderr.flush()
    return sys.stdin.readline().strip() or default


def decided(google: Google, options: argparse.Namespace) -> Plan:
    """Returns the plan. Raises Stop, Refused and SettingsError."""
    settings = settings_given(options.set)
    by_prefix = look.deployments(google)
    prefix = look.prefix_of(by_prefix, options.function_prefix)
    builds.require_none(google, prefix)

    current = by_prefix.get(prefix)
    history = releases.history(google, current)
    deployed_settings: dict[str, str] = {}
    deployed_region = ""
    deployed_functions: Mapping[str, JSON] = {}
    if current:
        named = _settings_that_may_differ(settings, options)
        deployed_settings = deployed.agreed(deployed.by_function(current, history), named)
        deployed_region = current.region
        deployed_functions = current.functions

    database_id = options.database or deployed_settings.get("FIRESTORE_DATABASE") or "(default)"
    database_location = _database_location(google, database_id)
    region, location = places(options, deployed_region, database_location)

    settings["STORE"] = "firestore"
    settings["FIRESTORE_DATABASE"] = database_id
    if prefix:
        settings["FUNCTION_PREFIX"] = prefix
    all_settings = {**deployed_settings, **settings}
    settings.update(model_of(all_settings, location, first=current is None))

    deployment = Deployment(
        google=google,
        prefix=prefix,
        region=region,
        database=Database(google, database_id),
        functions=deployed_functions,
    )
    plan = Plan(
        deployment=deployment,
        location=location,
        new_database=not database_location,
        settings=settings,
        deployed_settings=deployed_settings,
        history=history,
        moves=look.following(current, beside=database_id),
    )
    prices = _checked_prices(plan)
    return replace(
        plan,
        settings={**limits(plan), **settings, **prices},
        claim=owner.claim(
            deployment,
            by_prefix,
            exists=bool(database_location),
        ),
        other_owners=tuple(owner.other_owners(deployment, by_prefix)),
    )


def _settings_that_may_differ(
    settings: Mapping[str, str],
    options: argparse.Namespace,
) -> set[str]:
    """Returns the settings that the functions need not agree on: this run sets them, or an earlier one chose them itself."""
    named = {*settings, *LIMITS, "MODEL_PRICES"}
    if options.database:
        named.add("FIRESTORE_DATABASE")
    return named


def _database_location(google: Google, database_id: str) -> str:
    """Returns where the database keeps the notes; empty if there is none. Raises Stop for one that cannot hold them."""
    database = google.found(f"firestore/v1/{google.name}/databases/{database_id}")
    if not database:
        return ""
    if database.get("type") == "DATASTORE_MODE":
        raise Stop(
            f"Database {database_id} is in Datastore mode, which cannot be changed: "
            "give --database a name of its own.",
        )
    location: str = database["locationId"]
    return location


def _checked_prices(plan: Plan) -> dict[str, str]:
    """Checks all settings as the functions will read them, and returns MODEL_PRICES if some were given when asked.

    Raises SettingsError.
    """
    # The functions read the project from their surroundings; prices and the first start depend on it.
    settings = {**plan.all_settings, "GOOGLE_CLOUD_PROJECT": plan.deployment.google.project}
    prices = {}
    entries = asked_prices(settings, plan.key)
    if entries:
        prices["MODEL_PRICES"] = entries

    check_settings.check({**settings, **prices}, plan.key)
    return prices


def asked_prices(settings: Mapping[str, str], key: str) -> str:
    """Asks for the prices that are not known, and returns MODEL_PRICES with them; empty if none was given."""
    entries = []
    for model in check_settings.unpriced(settings, key):
        price = ask(f"USD per million tokens of {model} (READ/WRITTEN, READ where it embeds)", "")
        if price:
            entries.append(f"{model}={price}")

    if not entries:
        return ""
    if settings.get("MODEL_PRICES"):
        entries.insert(0, settings["MODEL_PRICES"])
    return ",".join(entries)


def model_of(settings: Mapping[str, str], location: str, *, first: bool) -> dict[str, str]:
    """Returns the settings by which models run where the notes are kept.

    Only a first deployment that names no other model gets them. Without a terminal it is the Gemini
    API, whose key comes from the environment and which promises no region.
    """
    if not first or settings.get("OPENAI_BASE_URL"):
        return {}
    jurisdiction = location
    for name, pattern in JURISDICTIONS.items():
        if re.fullmatch(pattern, location):
            jurisdiction = name
            break

    uses_vertex = settings.get("GOOGLE_GENAI_USE_VERTEXAI", "")
    has_key = bool(os.environ.get("GEMINI_API_KEY"))
    if not uses_vertex and sys.stdin.isatty() and not has_key:
        question = (
            f"Models (vertex: Vertex AI in {jurisdiction}, no key; "
            "key: the Gemini API, in no region that it names)"
        )
        if ask(question, "vertex") == "vertex":
            uses_vertex = "true"

    if uses_vertex.lower() not in VERTEX:
        return {}
    return {
        "GOOGLE_GENAI_USE_VERTEXAI": uses_vertex,
        "GOOGLE_CLOUD_LOCATION": settings.get("GOOGLE_CLOUD_LOCATION", jurisdiction),
    }


def places(
    options: argparse.Namespace,
    deployed_region: str,
    database_location: str,
) -> tuple[str, str]:
    """Returns the region of the functions and the location of the notes.

    deployed_region, database_location: empty where nothing is deployed, or there is no database.

    Raises Stop rather than choose another continent for notes.
    """
    if deployed_region and options.region and options.region != deployed_region:
        # In two regions every note would be indexed twice.
        raise Stop(
            f"The functions are in {deployed_region}; deploy/down.sh {options.project} takes them away, "
            "then they can move.",
        )

    if database_location and options.location and options.location != database_location:
        raise Stop(
            f"--location {options.location}: the database is in {database_location}, for good; "
            "--database makes one of its own.",
        )

    region: str = deployed_region or options.region or ""
    location = database_location or options.location or _location_near(region)
    if not location:
        raise Stop(
            "--location: expected where the notes are kept, for good: eur3 (Europe), nam5 (America) or a region",
        )

    if not region:
        nearest = MULTI_REGIONS.get(location, (location,))[0]
        region = ask("Region of the functions, near the notes", nearest)

    return region, location


def _location_near(region: str) -> str:
    """Asks where the notes are kept. The default is the multi-region of the region, else the region itself."""
    near = region
    for location, regions in MULTI_REGIONS.items():
        if region in regions:
            near = location
    return ask(
        "Where the notes are kept, for good (eur3: Europe, nam5: America, or a region)",
        near,
    )


def limits(plan: Plan) -> dict[str, str]:
    """Asks for the limits that neither this run nor an earlier one has set, and returns them."""
    chosen = {}
    for name, default in check_settings.defaults(LIMITS).items():
        if name not in plan.all_settings:
            chosen[name] = ask(f"{name} (0: none)", default)
    return chosen


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
    """Raises Stop if the secret of a setting has no version that can be used."""
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
    things = [*_owned_by_others(plan), *look.taken_over(plan.deployment)]
    unnamed = [thing for thing in things if thing.flag not in options.take_over]
    if not unnamed:
        return
    lines = "\n".join(f"- {thing.description}\n    --take-over {thing.flag}" for thing in unnamed)
    raise Stop(
        f"In {options.project} this is not ours, and deploying would change it:\n{lines}\n"
        "Nothing was changed. The way beside them is names and a database of its own:\n"
        f"    FUNCTION_PREFIX=notes- FIRESTORE_DATABASE=notes deploy/up.sh {options.project} …\n"
        "To take them over all the same, name each by the flag below it.",
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
    kind = "shared" if plan.claim.shared else "own"
    return f"{kind} {plan.claim.updated}".strip()


def granted(plan: Plan) -> list[str]:
    """Returns every role that our accounts get in the project, as `ROLE ACCOUNT`."""
    pairs = [f"{role} {account}" for account, roles in ROLES.items() for role in roles]
    return pairs + chosen_grants(plan.wanted_apis)


def chosen_grants(apis: Iterable[str]) -> list[str]:
    """Returns the roles of the functions for APIs that settings need, as `ROLE ACCOUNT`."""
    return [f"{CHOSEN[api]['role']} {TABLE['keyReader']}" for api in apis]


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
    leaving = _surplus(plan) - set(_retired(plan))
    return sorted(leaving)


def _retired(plan: Plan) -> list[str]:
    """Returns the functions that neither this release has nor the one that it replaces."""
    current = plan.history.current
    if current is None:
        return []
    replaced = {f"{plan.deployment.prefix}{name}" for name in current.functions}
    return sorted(_surplus(plan) - replaced)


def _surplus(plan: Plan) -> set[str]:
    prefix = plan.deployment.prefix
    return {f"{prefix}{name}" for name in plan.deployment.functions if name not in FUNCTIONS}


def _flag(is_set: bool, value: str) -> str:  # noqa: FBT001 - a shell's truth: some text, or none
    return value if is_set else ""


def _asked_at_first(plan: Plan, options: argparse.Namespace) -> dict[str, str]:
    """Returns the shell variables of budget and backups, which a first deployment asks for."""
    is_first = not plan.deployed_settings
    budget = options.budget
    if is_first and not budget:
        budget = ask("Mail about a month's costs beyond (0: no budget)", "50")
    backups = options.backups
    if is_first and not backups:
        usual = "daily" if sys.stdin.isatty() else "none"
        backups = ask("Backups of the notes (daily, none)", usual)

    if budget in (None, "0"):
        budget = ""
    return {"budget": budget, "backups": backups or "none"}


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

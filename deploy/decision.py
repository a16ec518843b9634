"""Arguments, answers and what is deployed -> the plan of a deployment: place, database, settings, model and limits.

It asks on a terminal for what is not given; without one it takes the defaults.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus

import builds
import check_settings
import deployed
import look
import owner
import releases
from cloud import JSON, Google, Refused
from firestore import Database
from look import Deployment, Stop
from releases import History
from resources import CHOSEN

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
    """Functions that follow another database: a trigger keeps its database, so these are made again."""
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
        apis = []
        for api, chosen in CHOSEN.items():
            if self._is_wanted(chosen["settings"]):
                apis.append(api)
        return apis

    def _is_wanted(self, values: Mapping[str, Sequence[str]]) -> bool:
        """Reports whether a setting has one of the values that need an API."""
        settings = self.all_settings
        for name, needing in values.items():
            value = settings.get(name, "")
            if value.lower() in needing:
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


def settings_given(assignments: list[str]) -> dict[str, str]:
    """Returns NAME=VALUE texts as settings.

    Raises Stop for a name that is no setting, and for a value that a build's record must not hold.
    """
    settings = {}
    for assignment in assignments:
        name, _, value = assignment.partition("=")
        settings[name] = value
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
    answer = sys.stdin.readline().strip()
    return answer or default


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
        may_differ = _settings_that_may_differ(settings, options)
        by_function = deployed.by_function(current, history)
        deployed_settings = deployed.agreed(by_function, may_differ)
        deployed_region = current.region
        deployed_functions = current.functions

    database_id = options.database or deployed_settings.get("FIRESTORE_DATABASE") or "(default)"
    database_location = _database_location(google, database_id)
    if current and not database_location and not options.new_database:
        _require_database(current, database_id)
    region, location = places(options, deployed_region, database_location)

    settings["STORE"] = "firestore"
    settings["FIRESTORE_DATABASE"] = database_id
    if prefix:
        settings["FUNCTION_PREFIX"] = prefix
    all_settings = {**deployed_settings, **settings}
    model_settings = model_of(all_settings, location, first=current is None)
    settings.update(model_settings)

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
    claim = owner.claim(
        deployment,
        by_prefix,
        exists=bool(database_location),
    )
    other_owners = owner.other_owners(deployment, by_prefix)
    return replace(
        plan,
        settings={**limits(plan), **settings, **prices},
        claim=claim,
        other_owners=tuple(other_owners),
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
    """Returns where the database keeps the notes; empty if there is no database. Raises Stop if it cannot hold them."""
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


def _require_database(current: Deployment, chosen: str) -> None:
    """Raises Stop if the databases of the deployed functions are gone, or cannot be looked for.

    Otherwise an empty one would take their place in silence.

    chosen: the database of this run, which does not exist.
    """
    google = current.google
    used = sorted(look.databases_of(current))
    for database_id in used:
        try:
            google("GET", f"firestore/v1/{google.name}/databases/{database_id}")
        except Refused as refused:
            if refused.is_of_unused_api:
                raise Stop(
                    f"The Firestore API is switched off in {google.project}, so nothing tells whether the functions' notes\n"
                    "are still there. Nothing was changed. Switch it on, and run this again:\n"
                    f"    gcloud services enable firestore.googleapis.com --project={google.project}",
                ) from refused
            if refused.status != HTTPStatus.NOT_FOUND:
                raise
        else:
            return
    names = " and ".join(used)
    chosen_is_missing = ""
    if chosen not in used:
        chosen_is_missing = f", and there is no database {chosen}"
    prefix = f" --function-prefix {current.prefix}" if current.prefix else ""
    raise Stop(
        f"The functions use database {names}, which is gone{chosen_is_missing}: up.sh would make an empty\n"
        "one, and every note would be gone from the apps. Nothing was changed. The notes come back from a backup:\n"
        f"    gcloud firestore backups list --project={google.project}\n"
        f"    deploy/restore.sh {google.project} restored --backup BACKUP{prefix}\n"
        f"    deploy/up.sh {google.project} --database restored --backups daily{prefix}\n"
        "If they are restored already, the last line names their database. To begin without notes, add --new-database.",
    )


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

    settings_with_prices = {**settings, **prices}
    check_settings.check(settings_with_prices, plan.key)
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
            f"--location {options.location}: the database is in {database_location} and cannot move; "
            "--database makes another one.",
        )

    region: str = deployed_region or options.region or ""
    location = database_location or options.location or _location_near(region)
    if not location:
        raise Stop(
            "--location: expected the location of the notes, which cannot be changed later: "
            "eur3 (Europe), nam5 (America) or a region",
        )

    if not region:
        nearest, *_ = MULTI_REGIONS.get(location, (location,))
        region = ask("Region of the functions, near the notes", nearest)

    return region, location


def _location_near(region: str) -> str:
    """Asks where the notes are kept. The default is the multi-region of the region, else the region itself."""
    near = region
    for location, regions in MULTI_REGIONS.items():
        if region in regions:
            near = location
    return ask(
        "Location of the notes, which cannot be changed later (eur3: Europe, nam5: America, or a region)",
        near,
    )


def limits(plan: Plan) -> dict[str, str]:
    """Asks for the limits that neither this run nor an earlier one has set, and returns them."""
    chosen = {}
    for name, default in check_settings.defaults(LIMITS).items():
        if name not in plan.all_settings:
            chosen[name] = ask(f"{name} (0: none)", default)
    return chosen

"""What deploy/up.sh is to do, decided before anything is changed; shell assignments on standard output.

It asks on a terminal for what is not given, and stops with a list where the deployment would take over what somebody
else made (look.py). Needs gcloud and Python 3.11, nothing else.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import check_settings
import look
from check_settings import SettingsError
from cloud import Google, Refused, tell
from firestore import Database
from look import Deployment, Stop
from source import source

ROOT = Path(__file__).parents[1]
MULTI_REGIONS = {"eur3": ("europe-west1", "europe-west4"), "nam5": ("us-central1",)}
"""Where Firestore keeps notes -> regions of functions within it, the nearest first."""
LIMITS = ("DAILY_CHAT_LIMIT", "DAILY_SEARCH_LIMIT", "DAILY_EMBED_TOKENS", "DAILY_PROJECT_USD")
JURISDICTIONS = {"eu": r"eur3|europe-(?!west2$|west6$).*", "us": r"nam\d+|us-.*"}
"""Multi-region within which Vertex AI keeps a request -> places of notes there. London and Zurich are in none."""
VERTEX = ("true", "1", "yes", "on")
ROLES: Mapping[str, tuple[str, Mapping[str, Sequence[str]]]] = {
    "aiplatform": ("roles/aiplatform.user", {"GOOGLE_GENAI_USE_VERTEXAI": VERTEX}),
    "identitytoolkit": ("roles/firebaseauth.viewer", {"CHECK_REVOKED": ("true", "1", "yes", "on")}),
    "discoveryengine": ("roles/discoveryengine.viewer", {"JUDGE": ("check_grounding",), "RERANKER": ("vertex",)}),
}
"""API -> the role of the functions for it, and the settings that want both."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A deployment with the settings of its functions."""

    deployment: Deployment
    location: str
    new_database: bool
    settings: Mapping[str, str]
    """What this run sets; what is not named stays as it was deployed."""
    held: Mapping[str, str]
    """What is deployed now."""
    moves: tuple[str, ...]
    """Functions that follow another database: a trigger keeps its database, so these are made anew."""

    @property
    def all_settings(self) -> Mapping[str, str]:
        return {**self.held, **self.settings}

    @property
    def wanted_apis(self) -> list[str]:
        return [
            api
            for api, (_, wanting) in ROLES.items()
            if any(self.all_settings.get(name, "").lower() in values for name, values in wanting.items())
        ]

    @property
    def key(self) -> str:
        """The setting that is kept as a secret; empty with Vertex AI, which takes none."""
        if "aiplatform" in self.wanted_apis:
            return ""
        return "OPENAI_API_KEY" if self.all_settings.get("OPENAI_BASE_URL") else "GEMINI_API_KEY"


class Parser(argparse.ArgumentParser):
    """Answers what it does not understand with the usage and status 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.format_usage()}{message}\n")


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(prog="deploy/up.sh", description="Everything, from a project with billing to an answer.")
    parser.add_argument("project", metavar="PROJECT", type=matching(r"[a-z][a-z0-9-]{4,28}[a-z0-9]"))
    parser.add_argument("--region", default=os.environ.get("REGION"), help="of the functions")
    parser.add_argument("--location", help="where a new database keeps the notes, for good: eur3, nam5 or a region")
    parser.add_argument("--database", default=os.environ.get("FIRESTORE_DATABASE"), help="of its own, by its name",
                        type=matching(r"\(default\)|[a-z][a-z0-9-]{2,61}[a-z0-9]"))  # fmt: skip
    parser.add_argument("--function-prefix", default=os.environ.get("FUNCTION_PREFIX"), metavar="PREFIX",
                        help="before the names of functions, accounts, schedule and secret",
                        type=matching(r"([a-z][a-z0-9-]{0,13})?"))  # fmt: skip
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the functions",
                        type=matching(r"[A-Z][A-Z0-9_]*=[^;|]*"))  # fmt: skip
    parser.add_argument("--take-over", action="append", default=[], metavar="WHAT", help="as the list names it")
    parser.add_argument("--no-invoker-iam-check", action="store_true",
                        help="callers without allUsers, which domain-restricted sharing forbids")  # fmt: skip
    parser.add_argument(
        "--budget", type=matching(r"\d+"), help="of a month, in the billing account's currency; 0: none"
    )
    parser.add_argument("--backups", choices=("daily", "none"))
    return parser.parse_args(arguments)


def matching(pattern: str) -> Callable[[str], str]:
    def value(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise argparse.ArgumentTypeError(f"expected {pattern}, got {text!r}")
        return text

    return value


def settings_given(given: list[str]) -> dict[str, str]:
    """Raises Stop for what is no setting, or must not be written into a build's record."""
    named = dict(each.split("=", 1) for each in given)
    known = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    for name in named:
        if name.endswith("_KEY"):
            raise Stop(f"--set {name}: the build's record would keep it. Export {name}, or wait to be asked for it.")
        if name in ("FIRESTORE_DATABASE", "FUNCTION_PREFIX", "STORE"):
            raise Stop(f"--set {name}: it is --database, --function-prefix or firestore.")
        if f"| `{name}` |" not in known:
            raise Stop(f"--set: no setting {name}; see docs/settings.md")
    return named


def ask(question: str, default: str) -> str:
    """What is typed on a terminal; the default where there is none."""
    if not sys.stdin.isatty():
        return default
    sys.stderr.write(f"{question} [{default}]: ")
    sys.stderr.flush()
    return sys.stdin.readline().strip() or default


def decided(google: Google, asked: argparse.Namespace) -> Plan:
    """Raises Stop, Refused and SettingsError."""
    settings = settings_given(asked.set)
    found = look.deployments(google)
    prefix = look.prefix_of(found, asked.function_prefix)
    ours = found.get(prefix)
    held = look.environment(ours)
    id = asked.database or held.get("FIRESTORE_DATABASE") or "(default)"  # noqa: A001 - Firestore's word
    kept = google.found(f"firestore/v1/{google.name}/databases/{id}")
    if kept and kept.get("type") == "DATASTORE_MODE":
        raise Stop(f"Database {id} is in Datastore mode, which cannot be changed: give --database a name of its own.")
    region, location = places(asked, ours.region if ours else "", kept["locationId"] if kept else "")
    deployment = Deployment(google, prefix, region, Database(google, id), ours.functions if ours else {})
    settings |= {"STORE": "firestore", "FIRESTORE_DATABASE": id}
    settings |= model_of({**held, **settings}, location, first=ours is None)
    plan = Plan(deployment, location, kept is None, settings, held, look.following(ours, beside=id))
    together = {**held, **settings, "GOOGLE_CLOUD_PROJECT": google.project}
    for model in check_settings.unpriced(together, plan.key):
        if price := ask(f"USD per million tokens of {model} (READ/WRITTEN, READ where it embeds)", ""):
            known = [each for each in (together.get("MODEL_PRICES"), f"{model}={price}") if each]
            settings["MODEL_PRICES"] = together["MODEL_PRICES"] = ",".join(known)
    check_settings.check(together, plan.key)
    return replace(plan, settings={**limits(plan), **plan.settings})


def model_of(settings: Mapping[str, str], location: str, *, first: bool) -> dict[str, str]:
    """The settings by which models run where the notes are kept, at a first deployment that names no other model.

    Without a terminal it is the Gemini API, whose key comes from the environment and which promises no region.
    """
    if not first or settings.get("OPENAI_BASE_URL"):
        return {}
    near = next((each for each, places in JURISDICTIONS.items() if re.fullmatch(places, location)), location)
    chosen = settings.get("GOOGLE_GENAI_USE_VERTEXAI", "")
    if not chosen and sys.stdin.isatty() and not os.environ.get("GEMINI_API_KEY"):
        question = f"Models (vertex: Vertex AI in {near}, no key; key: the Gemini API, in no region that it names)"
        chosen = "true" if ask(question, "vertex") == "vertex" else ""
    if chosen.lower() not in VERTEX:
        return {}
    return {"GOOGLE_GENAI_USE_VERTEXAI": chosen, "GOOGLE_CLOUD_LOCATION": settings.get("GOOGLE_CLOUD_LOCATION", near)}


def places(asked: argparse.Namespace, deployed: str, kept: str) -> tuple[str, str]:
    """(region of the functions, location of the notes). Raises Stop rather than choose another continent for notes."""
    if deployed and asked.region and asked.region != deployed:  # every note would be indexed twice
        raise Stop(
            f"The functions are in {deployed}; deploy/down.sh {asked.project} takes them away, then they can move."
        )
    region = deployed or asked.region or ""
    if kept and asked.location and asked.location != kept:
        raise Stop(
            f"--location {asked.location}: the database is in {kept}, for good; --database makes one of its own."
        )
    location = kept or asked.location or ""
    if not location:
        near = next((each for each, regions in MULTI_REGIONS.items() if region in regions), region)
        location = ask("Where the notes are kept, for good (eur3: Europe, nam5: America, or a region)", near)
    if not location:
        raise Stop("--location: expected where the notes are kept, for good: eur3 (Europe), nam5 (America) or a region")
    return region or ask(
        "Region of the functions, near the notes", MULTI_REGIONS.get(location, (location,))[0]
    ), location


def limits(plan: Plan) -> dict[str, str]:
    """The limits that neither this run nor an earlier one has set, at their defaults: shown, asked for, deployed."""
    defaults = check_settings.defaults(LIMITS)
    missing = {name: value for name, value in defaults.items() if name not in plan.all_settings}
    return {name: ask(f"{name} (0: none)", value) for name, value in missing.items()}


def taken_over(plan: Plan, asked: argparse.Namespace) -> None:
    """Raises Stop with the list of what is somebody else's and was not named."""
    found = look.taken_over(plan.deployment)
    unnamed = [each for each in found if each.flag not in asked.take_over]
    if not unnamed:
        return
    lines = "\n".join(f"- {each.what}\n    --take-over {each.flag}" for each in unnamed)
    raise Stop(
        f"In {asked.project} this is not ours, and deploying would change it:\n{lines}\n"
        "Nothing was changed. The way beside them is names and a database of its own:\n"
        f"    FUNCTION_PREFIX=notes- FIRESTORE_DATABASE=notes deploy/up.sh {asked.project} …\n"
        "To take them over all the same, name each by the flag below it."
    )


def assignments(plan: Plan, asked: argparse.Namespace) -> dict[str, str]:
    """The shell variables of up.sh, setup.sh and common.sh."""
    first = not plan.held
    budget = asked.budget or (ask("Mail about a month's costs beyond (0: no budget)", "50") if first else "0")
    backups = asked.backups or (
        "none" if not first else ask("Backups of the notes (daily, none)", "daily" if sys.stdin.isatty() else "none")
    )
    deployment = plan.deployment
    return {
        "project": asked.project,
        "prefix": deployment.prefix,
        "region": deployment.region,
        "location": plan.location,
        "database": deployment.database.id,
        "new_database": "yes" if plan.new_database else "",
        "settings": "|".join(f"{name}={value}" for name, value in plan.settings.items()),
        "key": plan.key,
        "source": source(),
        "chosen_apis": " ".join(plan.wanted_apis),
        "chosen_roles": " ".join(ROLES[api][0] for api in plan.wanted_apis),
        "moves": " ".join(plan.moves),
        "invokers": "--no-invoker-iam-check" if asked.no_invoker_iam_check else "",
        "app_check": plan.all_settings.get("APP_CHECK", "off"),
        "budget": "" if budget == "0" else budget,
        "backups": backups,
    }


def main(arguments: list[str]) -> int:
    asked = parsed(arguments)
    google = Google(asked.project)
    try:
        plan = decided(google, asked)
        taken_over(plan, asked)
        for name, value in assignments(plan, asked).items():
            print(f"{name}={shlex.quote(value)}")
    except (Stop, SettingsError) as stop:
        tell(f"--set {stop.message}" if isinstance(stop, SettingsError) else str(stop))
        return 2
    except Refused as refused:
        tell(str(refused))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

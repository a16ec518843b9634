"""`aurora doctor --project`: what a deployed product needs, whether it is there, and what mends each gap."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from cli.diagnosis.checks import Verdict
from cli.diagnosis.google_project import GoogleProject
from cli.product import emulator
from shared.errors import OperatorError, PermissionDenied, Unavailable

ROOT = Path(__file__).resolve().parents[2]
APIS = (
    "cloudfunctions", "run", "eventarc", "pubsub", "cloudbuild", "artifactregistry", "firestore", "firebaserules",
    "cloudscheduler", "secretmanager", "logging", "iam", "compute", "cloudresourcemanager", "storage", "firebase",
    "iamcredentials", "identitytoolkit",
)  # fmt: skip
"""What deploy/setup.sh switches on."""
ROLES = {
    "aurora-functions": ("roles/datastore.user",),
    "aurora-events": ("roles/eventarc.eventReceiver", "roles/run.invoker"),
    "aurora-scheduler": ("roles/run.invoker",),
    "aurora-build": ("roles/cloudbuild.builds.builder",),
    "aurora-deploy": (
        "roles/cloudfunctions.developer", "roles/run.viewer", "roles/firebaserules.admin", "roles/datastore.indexAdmin",
        "roles/cloudscheduler.admin", "roles/serviceusage.serviceUsageConsumer", "roles/logging.logWriter",
        "roles/storage.objectViewer",
    ),
}  # fmt: skip
"""Account -> what deploy/setup.sh grants it in the project."""
ACCOUNTS = tuple(ROLES)
DEPLOYER, READER = "aurora-deploy", "aurora-functions"
"""Who may use every other account, and who may read the key."""
USER, ACCESSOR = "roles/iam.serviceAccountUser", "roles/secretmanager.secretAccessor"
VERTEX_AI = {"GOOGLE_GENAI_USE_VERTEXAI": ("true", "1", "yes", "on")}
CHOSEN: Mapping[str, tuple[str, Mapping[str, Sequence[str]]]] = {
    "aiplatform": ("roles/aiplatform.user", VERTEX_AI),
    "identitytoolkit": ("roles/firebaseauth.viewer", {"CHECK_REVOKED": ("1", "true", "yes", "on")}),
    "discoveryengine": ("roles/discoveryengine.viewer", {"JUDGE": ("check_grounding",), "RERANKER": ("vertex",)}),
}
"""API -> the role that the functions need for it, and the settings that use it: not everybody's, so not setup.sh's."""
FUNCTIONS = ("chat", "api", "on-note-write", "on-template-write", "reconcile")
TRIGGERS = {"on-note-write": emulator.NOTES, "on-template-write": emulator.TEMPLATES}
"""Function -> the documents whose writes call it."""
ANSWERING = ("chat", "api")
"""Functions that anybody may ask for their health."""
SECRET, JOB = "gemini-api-key", "aurora-reconcile"
UP = "deploy/up.sh {project}"
LABEL = "aurora-notes"
"""`product` of everything that deploy/up.sh makes."""
ALLOW = (
    "gcloud services enable {api}.googleapis.com --project={project} && "
    "gcloud projects add-iam-policy-binding {project} --role={role} "
    "--member=serviceAccount:aurora-functions@{project}.iam.gserviceaccount.com"
)


@dataclass(frozen=True)
class Deployment:
    """What `project` holds, looked at once."""

    project: GoogleProject

    @cached_property
    def functions(self) -> Mapping[str, Mapping[str, Any]]:
        """Name without the prefix -> what Cloud Functions says of it."""
        return {name.removeprefix(self.prefix): each for name, each in self._functions.items()}

    @cached_property
    def _functions(self) -> Mapping[str, Mapping[str, Any]]:
        found = self.project.items("cloudfunctions", f"v2/{self.name}/locations/-/functions", "functions")
        return {each["name"].rpartition("/")[2]: each for each in found}

    @cached_property
    def prefix(self) -> str:
        """FUNCTION_PREFIX, by the function `chat` that carries the product's label."""
        labelled = (name for name, each in self._functions.items() if each.get("labels", {}).get("product") == LABEL)
        return next((name.removesuffix("chat") for name in labelled if name.endswith("chat")), "")

    @property
    def settings(self) -> list[Mapping[str, str]]:
        """Environment variables of each function."""
        return [each.get("serviceConfig", {}).get("environmentVariables", {}) for each in self.functions.values()]

    def chooses(self, settings: Mapping[str, Sequence[str]]) -> bool:
        """Whether one of them has one of its values in some function."""
        return any(each.get(name, "").lower() in values for each in self.settings for name, values in settings.items())

    @property
    def database(self) -> str:
        named = (each.get("FIRESTORE_DATABASE") for each in self.settings)
        return next((name for name in named if name), "(default)")

    @property
    def name(self) -> str:
        return f"projects/{self.project.id}"

    def email(self, account: str) -> str:
        return f"{self.prefix}{account}@{self.project.id}.iam.gserviceaccount.com"

    def member(self, account: str) -> str:
        """As policies name it."""
        return f"serviceAccount:{self.email(account)}"


def examine(project: GoogleProject) -> list[Verdict]:
    """Every part, in the order in which one is built on the other. Raises OperatorError without credentials."""
    held = Deployment(project)
    parts: dict[str, tuple[Callable[[Deployment], Iterable[str]], str]] = {
        "apis": (_apis, "gcloud services enable {gaps} --project={project}"),
        "accounts": (_accounts, UP),
        "roles": (_roles, UP),
        "secret": (_secret, UP),
        "indexes": (_indexes, UP),
        "rules": (_rules, UP),
        "functions": (_functions, UP),
        "triggers": (_triggers, UP),
        "health": (_health, UP),
        **{
            api: (partial(_chosen, api=api), ALLOW.replace("{api}", api).replace("{role}", role))
            for api, (role, _) in CHOSEN.items()
        },
        "models": (_models, UP + " --set CHAT_MODEL=… --set EMBEDDING_MODEL=…"),
        "scheduler": (_scheduler, UP),
    }
    return [_found(part, check, mend, held) for part, (check, mend) in parts.items()]


def _found(part: str, check: Callable[[Deployment], Iterable[str]], mend: str, held: Deployment) -> Verdict:
    try:
        gaps = list(check(held))
    except (PermissionDenied, Unavailable) as error:
        mend = "look at it as an owner of the project, its APIs switched on: {project}"
        return Verdict(part=part, verdict="failed", detail=error.message, mend=mend.format(project=held.project.id))
    if not gaps:
        return Verdict(part=part, verdict="ok", detail="")
    named = " ".join(gap.split()[0] for gap in gaps)
    command = mend.replace("{gaps}", named).replace("{project}", held.project.id)
    return Verdict(part=part, verdict="failed", detail="; ".join(gaps), mend=command)


def _apis(held: Deployment) -> Iterator[str]:
    for api in APIS:
        if not _is_on(held, api):
            yield f"{api}.googleapis.com is switched off"


def _is_on(held: Deployment, api: str) -> bool:
    service = held.project.get("serviceusage", f"v1/{held.name}/services/{api}.googleapis.com")
    return service is not None and service.get("state") == "ENABLED"


def _accounts(held: Deployment) -> Iterator[str]:
    there = {each["email"] for each in held.project.items("iam", f"v1/{held.name}/serviceAccounts", "accounts")}
    for name in ACCOUNTS:
        if held.email(name) not in there:
            yield f"{name} is missing"


def _roles(held: Deployment) -> Iterator[str]:
    granted = held.project.grants("cloudresourcemanager", f"v1/{held.name}")
    for name, roles in ROLES.items():
        yield from (f"{name} lacks {role}" for role in roles if (role, held.member(name)) not in granted)
    for name in ACCOUNTS:
        path = f"v1/{held.name}/serviceAccounts/{held.email(name)}"
        if name != DEPLOYER and (USER, held.member(DEPLOYER)) not in held.project.grants("iam", path):
            yield f"{DEPLOYER} lacks {USER} on {name}"
    secret = f"v1/{held.name}/secrets/{held.prefix}{SECRET}"
    if not held.chooses(VERTEX_AI) and (ACCESSOR, held.member(READER)) not in held.project.grants(
        "secretmanager", secret
    ):
        yield f"{READER} lacks {ACCESSOR} on {SECRET}"


def _chosen(held: Deployment, *, api: str) -> Iterator[str]:
    role, settings = CHOSEN[api]
    if not held.chooses(settings):
        return
    if not _is_on(held, api):
        yield f"{api}.googleapis.com is switched off, and {' or '.join(settings)} uses it"
    if (role, held.member(READER)) not in held.project.grants("cloudresourcemanager", f"v1/{held.name}"):
        yield f"{READER} lacks {role}"


def _secret(held: Deployment) -> Iterator[str]:
    if held.chooses(VERTEX_AI):
        return
    path = f"v1/{held.name}/secrets/{held.prefix}{SECRET}/versions"
    versions = held.project.items("secretmanager", path, "versions")
    if not any(each.get("state") == "ENABLED" for each in versions):
        yield f"{SECRET} has no version that can be used"


def _indexes(held: Deployment) -> Iterator[str]:
    path = f"v1/{held.name}/databases/{held.database}/collectionGroups/-/indexes"
    states = {}
    for each in held.project.items("firestore", path, "indexes"):
        group = str(each["name"]).rpartition("/collectionGroups/")[2].partition("/")[0]
        states[_kind(group, each["fields"])] = each["state"]
    for wanted in json.loads((ROOT / "firestore.indexes.json").read_text())["indexes"]:
        kind = _kind(wanted["collectionGroup"], wanted["fields"])
        if (state := states.get(kind, "missing")) != "READY":
            yield f"{kind} is {state}"


def _kind(group: str, fields: Iterable[Mapping[str, Any]]) -> str:
    """`chunks(month,embedding)`. Firestore adds the document's name, which nobody asks for."""
    return f"{group}({','.join(each['fieldPath'] for each in fields if each['fieldPath'] != '__name__')})"


def _rules(held: Deployment) -> Iterator[str]:
    of_database = "" if held.database == "(default)" else f"/{held.database}"
    release = held.project.get("firebaserules", f"v1/{held.name}/releases/cloud.firestore{of_database}")
    ruleset = held.project.get("firebaserules", f"v1/{release['rulesetName']}") if release else None
    files = ruleset["source"]["files"] if ruleset else []
    if [each["content"] for each in files] != [(ROOT / "firestore.rules").read_text()]:
        yield "rules of Firestore are not those of firestore.rules" if files else "rules of Firestore are missing"


def _functions(held: Deployment) -> Iterator[str]:
    for name in FUNCTIONS:
        state = held.functions[name].get("state") if name in held.functions else "missing"
        if state != "ACTIVE":
            yield f"{name} is {state}"


def _triggers(held: Deployment) -> Iterator[str]:
    for name, pattern in TRIGGERS.items():
        trigger = held.functions.get(name, {}).get("eventTrigger", {})
        if not {pattern, held.database} <= {each.get("value") for each in trigger.get("eventFilters", ())}:
            yield f"{name} does not follow {pattern} of the database {held.database}"
        elif trigger.get("retryPolicy") != "RETRY_POLICY_RETRY":
            yield f"{name} does not try again"


def _health(held: Deployment) -> Iterator[str]:
    for name in ANSWERING:
        address = held.functions.get(name, {}).get("serviceConfig", {}).get("uri")
        if address is None or not held.project.answers(f"{address}/health"):
            yield f"{name} does not answer /health"


def _models(held: Deployment) -> Iterator[str]:
    """Models that are set; the defaults of a version are known to be had."""
    named = (each[name] for each in held.settings for name in ("CHAT_MODEL", "EMBEDDING_MODEL") if each.get(name))
    models = tuple(dict.fromkeys(named))
    if held.chooses(VERTEX_AI):
        for model in models:
            if held.project.get("aiplatform", f"v1/publishers/google/models/{model}") is None:
                yield f"{model} is not to be had from Vertex AI"
        return
    path = f"v1/{held.name}/secrets/{held.prefix}{SECRET}/versions/latest:access"
    if (found := held.project.get("secretmanager", path)) is None:
        yield f"{SECRET} is missing"
        return
    key = base64.b64decode(found["payload"]["data"]).decode()
    for model in models:
        if not held.project.model(model, key):
            yield f"{model} is not to be had with this key"


def _scheduler(held: Deployment) -> Iterator[str]:
    region = next((each["name"].split("/")[3] for name, each in held.functions.items() if name == "reconcile"), "")
    path = f"v1/{held.name}/locations/{region}/jobs/{held.prefix}{JOB}"
    job = held.project.get("cloudscheduler", path) if region else None
    if job is None or job.get("state", "ENABLED") != "ENABLED":
        yield f"{JOB} is {'missing' if job is None else job['state']}"


def require_checkout() -> None:
    """Raises OperatorError where what was deployed cannot be compared with anything."""
    if not (ROOT / "firestore.indexes.json").is_file():
        raise OperatorError("doctor --project: expected a checkout of the product, to compare with")

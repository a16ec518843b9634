"""Checks of `aurora doctor --project`: the parts of a deployed product, and what mends each gap."""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from cli.diagnosis.checks import PartVerdict
from cli.diagnosis.google_project import GoogleProject
from desktop.product.emulator import TRIGGERS
from shared.adapters.firestore.roots import (
    DATABASE_FIELD,
    OWNER_PATH,
    PREFIX_FIELD,
    PROJECT_FIELD,
    deployment_name,
)
from shared.errors import PermissionDenied, Unavailable
from shared.settings import shipped

_TABLE = json.loads(shipped.CLOUD_RESOURCES.read_text(encoding="utf-8"))
"""Resources that deploy/up.sh and deploy/terraform make."""
APIS = tuple(_TABLE["apis"])
ROLES = {account: tuple(roles) for account, roles in _TABLE["accounts"].items()}
"""Account -> roles that it has in the project."""
ACCOUNTS = tuple(ROLES)
DEPLOYER: str = _TABLE["deployer"]
"""Account that may use every other account."""
READER: str = _TABLE["keyReader"]
"""Account that may read the key."""
USER: str = _TABLE["actAsRole"]
ACCESSOR: str = _TABLE["keyReaderRole"]
CHOSEN: Mapping[str, tuple[str, Mapping[str, Sequence[str]]]] = {
    api: (chosen["role"], chosen["settings"]) for api, chosen in _TABLE["chosenApis"].items()
}
"""API -> the role that the functions need for it, and the settings that use it: not everybody's."""
VERTEX_AI = CHOSEN["aiplatform"][1]
FUNCTIONS = tuple(_TABLE["functions"])
ANSWERING = tuple(_TABLE["calledFunctions"])
"""Functions that anybody may ask for their health."""
SECRET: str = _TABLE["secrets"]["GEMINI_API_KEY"]
JOB: str = _TABLE["schedule"]["name"]
UP = "deploy/up.sh {project}"
TEAMS = (
    "give these people other user ids, or their team a tenantId that begins with 'team:', in {project}; "
    "docs/integrate.md, 'A team', says how"
)
RELEASE = "deploy/up.sh {project}, or deploy/rollback.sh {project} to return every function to the previous release"
LABEL: str = _TABLE["label"].removeprefix("product=")
"""Value of the label `product` on everything that deploy/up.sh makes."""
ALLOW = (
    "gcloud services enable {api}.googleapis.com --project={project} && "
    "gcloud projects add-iam-policy-binding {project} --role={role} "
    f"--member=serviceAccount:{READER}@{{project}}.iam.gserviceaccount.com"
)


@dataclass(frozen=True, slots=True)
class PartCheck:
    """Check of a part, and the command that mends the part."""

    gaps: Callable[[DeployedProduct], Iterable[str]]
    """Yields a sentence for each gap."""
    mend: str
    """Command with the fields `{project}` and `{gaps}`."""


@dataclass(frozen=True)
class DeployedProduct:
    """Deployed product of a project; everything is read once."""

    project: GoogleProject

    @cached_property
    def functions(self) -> Mapping[str, Mapping[str, Any]]:
        """Functions by name without the prefix, as Cloud Functions describes them."""
        functions = {}
        for name, function in self._functions.items():
            functions[name.removeprefix(self.prefix)] = function
        return functions

    @cached_property
    def _functions(self) -> Mapping[str, Mapping[str, Any]]:
        """Functions of the project by name."""
        path = f"v2/{self.name}/locations/-/functions"
        functions = {}
        for function in self.project.items("cloudfunctions", path, "functions"):
            name = function["name"].rpartition("/")[2]
            functions[name] = function
        return functions

    @cached_property
    def prefix(self) -> str:
        """Value of FUNCTION_PREFIX, by the function `chat` that carries the product's label."""
        for name, function in self._functions.items():
            labels = function.get("labels", {})
            is_ours = labels.get("product") == LABEL
            if is_ours and name.endswith("chat"):
                return name.removesuffix("chat")
        return ""

    @property
    def settings(self) -> list[Mapping[str, str]]:
        """Environment variables of each function."""
        return [
            function.get("serviceConfig", {}).get("environmentVariables", {})
            for function in self.functions.values()
        ]

    def chooses(self, settings: Mapping[str, Sequence[str]]) -> bool:
        """Reports whether one of the settings has one of these values in some function."""
        for variables in self.settings:
            for name, values in settings.items():
                if variables.get(name, "").lower() in values:
                    return True
        return False

    @property
    def database(self) -> str:
        """Name of the Firestore database."""
        for variables in self.settings:
            name = variables.get("FIRESTORE_DATABASE")
            if name:
                return name
        return "(default)"

    @property
    def path_of_database(self) -> str:
        """Name of the database in paths."""
        return f"{self.name}/databases/{self.database}"

    @property
    def name(self) -> str:
        """Name of the project in paths."""
        return f"projects/{self.project.id}"

    @property
    def secret(self) -> str:
        """Path of the secret that holds the key."""
        return f"v1/{self.name}/secrets/{self.prefix}{SECRET}"

    def email(self, account: str) -> str:
        """Returns the address of a service account."""
        return f"{self.prefix}{account}@{self.project.id}.iam.gserviceaccount.com"

    def member(self, account: str) -> str:
        """Returns the name of a service account in policies."""
        return f"serviceAccount:{self.email(account)}"

    def has_role(self, account: str, role: str) -> bool:
        """Reports whether a service account has a role in the project."""
        return (role, self.member(account)) in self._grants

    @cached_property
    def _grants(self) -> set[tuple[str, str]]:
        """(role, member) of the project's policy."""
        return self.project.grants("cloudresourcemanager", f"v1/{self.name}")


def examine(project: GoogleProject) -> list[PartVerdict]:
    """Returns a verdict on every part, each after the parts that it is built on.

    Raises OperatorError without credentials.
    """
    deployment = DeployedProduct(project)
    checks = {
        "apis": PartCheck(_apis, "gcloud services enable {gaps} --project={project}"),
        "accounts": PartCheck(_accounts, UP),
        "roles": PartCheck(_roles, UP),
        "secret": PartCheck(_secret, UP),
        "indexes": PartCheck(_indexes, UP),
        "rules": PartCheck(_rules, UP),
        "owner": PartCheck(_owner, UP),
        "functions": PartCheck(_functions, UP),
        "release": PartCheck(_release, RELEASE),
        "triggers": PartCheck(_triggers, UP),
        "health": PartCheck(_health, UP),
        **_checks_of_chosen_apis(),
        "models": PartCheck(_models, UP + " --set CHAT_MODEL=… --set EMBEDDING_MODEL=…"),
        "scheduler": PartCheck(_scheduler, UP),
        "teams": PartCheck(_teams, TEAMS),
    }
    return [_verdict(part, check, deployment) for part, check in checks.items()]


def _checks_of_chosen_apis() -> dict[str, PartCheck]:
    """Returns a check for each API that only some settings use."""
    checks = {}
    for api, (role, _) in CHOSEN.items():
        mend = ALLOW.replace("{api}", api).replace("{role}", role)
        checks[api] = PartCheck(partial(_chosen, api=api), mend)
    return checks


def _verdict(part: str, check: PartCheck, deployment: DeployedProduct) -> PartVerdict:
    """Runs a check; what cannot be read is a failure too."""
    project = deployment.project.id
    try:
        gaps = list(check.gaps(deployment))
    except (PermissionDenied, Unavailable) as error:
        return PartVerdict(
            part=part,
            verdict="failed",
            detail=error.message,
            mend=f"run this as an owner of the project, with its APIs switched on: {project}",
        )

    if not gaps:
        return PartVerdict(part=part, verdict="ok", detail="")
    subjects = " ".join(gap.split()[0] for gap in gaps)
    command = check.mend.replace("{gaps}", subjects).replace("{project}", project)
    return PartVerdict(
        part=part,
        verdict="failed",
        detail="; ".join(gaps),
        mend=command,
    )


def _apis(deployment: DeployedProduct) -> Iterator[str]:
    """Yields the APIs that are switched off."""
    for api in APIS:
        if not _is_on(deployment, api):
            yield f"{api}.googleapis.com is switched off"


def _is_on(deployment: DeployedProduct, api: str) -> bool:
    """Reports whether an API is switched on."""
    path = f"v1/{deployment.name}/services/{api}.googleapis.com"
    service = deployment.project.get("serviceusage", path) or {}
    state: str | None = service.get("state")
    return state == "ENABLED"


def _accounts(deployment: DeployedProduct) -> Iterator[str]:
    """Yields the service accounts that are missing."""
    path = f"v1/{deployment.name}/serviceAccounts"
    accounts = deployment.project.items("iam", path, "accounts")
    emails = {account["email"] for account in accounts}
    for name in ACCOUNTS:
        if deployment.email(name) not in emails:
            yield f"{name} is missing"


def _roles(deployment: DeployedProduct) -> Iterator[str]:
    """Yields the roles that accounts lack in the project, on each other and on the key."""
    for name, roles in ROLES.items():
        for role in roles:
            if not deployment.has_role(name, role):
                yield f"{name} lacks {role}"

    may_use = (USER, deployment.member(DEPLOYER))
    for name in ACCOUNTS:
        if name == DEPLOYER:
            continue
        path = f"v1/{deployment.name}/serviceAccounts/{deployment.email(name)}"
        grants = deployment.project.grants("iam", path)
        if may_use not in grants:
            yield f"{DEPLOYER} lacks {USER} on {name}"

    if deployment.chooses(VERTEX_AI):
        return
    may_read_key = (ACCESSOR, deployment.member(READER))
    grants = deployment.project.grants("secretmanager", deployment.secret)
    if may_read_key not in grants:
        yield f"{READER} lacks {ACCESSOR} on {SECRET}"


def _chosen(deployment: DeployedProduct, *, api: str) -> Iterator[str]:
    """Yields what an API lacks that some settings use."""
    role, settings = CHOSEN[api]
    if not deployment.chooses(settings):
        return
    if not _is_on(deployment, api):
        names = " or ".join(settings)
        yield f"{api}.googleapis.com is switched off, and {names} uses it"

    if not deployment.has_role(READER, role):
        yield f"{READER} lacks {role}"


def _secret(deployment: DeployedProduct) -> Iterator[str]:
    """Yields a gap if the key has no usable version."""
    if deployment.chooses(VERTEX_AI):
        return
    versions = deployment.project.items(
        "secretmanager",
        f"{deployment.secret}/versions",
        "versions",
    )
    states = [version.get("state") for version in versions]
    if "ENABLED" not in states:
        yield f"{SECRET} has no usable version"


def _indexes(deployment: DeployedProduct) -> Iterator[str]:
    """Yields the indexes of this version that the database lacks or still builds."""
    states = {}
    listed_indexes = deployment.project.items(
        "firestore",
        f"v1/{deployment.path_of_database}/collectionGroups/-/indexes",
        "indexes",
    )
    for index in listed_indexes:
        path_in_database = index["name"].rpartition("/collectionGroups/")[2]
        group = path_in_database.partition("/")[0]
        label = _index_label(group, index["fields"])
        states[label] = index["state"]

    configuration = json.loads(shipped.INDEXES.read_text(encoding="utf-8"))
    for index in configuration["indexes"]:
        label = _index_label(index["collectionGroup"], index["fields"])
        state = states.get(label, "missing")
        if state != "READY":
            yield f"{label} is {state}"


def _index_label(group: str, fields: Iterable[Mapping[str, Any]]) -> str:
    """Returns a label like `chunks(month,embedding)`.

    Firestore adds the document's name to the fields, which firestore.indexes.json does not name.
    """
    paths = []
    for field in fields:
        if field["fieldPath"] != "__name__":
            paths.append(field["fieldPath"])

    listing = ",".join(paths)
    return f"{group}({listing})"


def _rules(deployment: DeployedProduct) -> Iterator[str]:
    """Yields a gap if the rules of the database are not those of this version."""
    release_name = "cloud.firestore"
    if deployment.database != "(default)":
        release_name = f"{release_name}/{deployment.database}"
    project = deployment.project
    release = project.get("firebaserules", f"v1/{deployment.name}/releases/{release_name}")
    ruleset = None
    if release:
        ruleset = project.get("firebaserules", f"v1/{release['rulesetName']}")
    contents = []
    if ruleset:
        contents = [file["content"] for file in ruleset["source"]["files"]]
    rules = shipped.RULES.read_text(encoding="utf-8")
    if not contents:
        yield "rules of Firestore are missing"
    elif contents != [rules]:
        yield "the rules of the database differ from firestore.rules"


def _functions(deployment: DeployedProduct) -> Iterator[str]:
    """Yields the functions that are missing or do not run."""
    for name in FUNCTIONS:
        function = deployment.functions.get(name)
        state = "missing" if function is None else function.get("state")
        if state != "ACTIVE":
            yield f"{name} is {state}"


def _release(deployment: DeployedProduct) -> Iterator[str]:
    """Yields what does not belong to the newest release."""
    functions = {}
    releases = set()
    for name in FUNCTIONS:
        if name in deployment.functions:
            function = deployment.functions[name]
            functions[name] = function
            labels = function.get("labels", {})
            releases.add(labels.get("release", "none"))

    if len(releases) > 1:
        listing = ", ".join(sorted(releases))
        yield f"functions were deployed by different releases: {listing}"

    for name, function in functions.items():
        service = function.get("serviceConfig", {})
        if service.get("allTrafficOnLatestRevision") is False:
            yield f"{name} serves an older revision than its newest"


def _triggers(deployment: DeployedProduct) -> Iterator[str]:
    """Yields the triggers that follow other documents, or do not try again after a failure."""
    for name, pattern in TRIGGERS.items():
        function = deployment.functions.get(name, {})
        trigger = function.get("eventTrigger", {})
        values = set()
        for event_filter in trigger.get("eventFilters", ()):
            values.add(event_filter.get("value"))

        follows_documents = pattern in values
        follows_database = deployment.database in values
        if not follows_documents or not follows_database:
            yield f"{name} does not follow {pattern} of the database {deployment.database}"
        elif trigger.get("retryPolicy") != "RETRY_POLICY_RETRY":
            yield f"{name} does not retry after a failure"


def _health(deployment: DeployedProduct) -> Iterator[str]:
    """Yields the functions that do not answer."""
    for name in ANSWERING:
        function = deployment.functions.get(name, {})
        service = function.get("serviceConfig", {})
        address = service.get("uri")
        if address is None or not deployment.project.answers(f"{address}/health"):
            yield f"{name} does not answer /health"


def _models(deployment: DeployedProduct) -> Iterator[str]:
    """Yields the models that are set and cannot be had. The defaults of a version always can."""
    project = deployment.project
    models = _models_set(deployment)
    if deployment.chooses(VERTEX_AI):
        for model in models:
            if project.get("aiplatform", f"v1/publishers/google/models/{model}") is None:
                yield f"{model} is not available from Vertex AI"
        return

    version = project.get("secretmanager", f"{deployment.secret}/versions/latest:access")
    if version is None:
        yield f"{SECRET} is missing"
        return

    data = version["payload"]["data"]
    key = base64.b64decode(data).decode()
    for model in models:
        if not project.model(model, key):
            yield f"{model} is not available with this key"


def _models_set(deployment: DeployedProduct) -> list[str]:
    """Returns the models that the settings of some function name, each once."""
    models: list[str] = []
    for variables in deployment.settings:
        for name in ("CHAT_MODEL", "EMBEDDING_MODEL"):
            model = variables.get(name)
            if model and model not in models:
                models.append(model)
    return models


def _scheduler(deployment: DeployedProduct) -> Iterator[str]:
    """Yields a gap if the job that calls `reconcile` is missing or does not run."""
    job = None
    function = deployment.functions.get("reconcile")
    if function is not None:
        region = function["name"].split("/")[3]
        name = f"{deployment.prefix}{JOB}"
        path = f"v1/{deployment.name}/locations/{region}/jobs/{name}"
        job = deployment.project.get("cloudscheduler", path)

    if job is None:
        yield f"{JOB} is missing"
        return

    state = job.get("state", "ENABLED")
    if state != "ENABLED":
        yield f"{JOB} is {state}"


def _owner(deployment: DeployedProduct) -> Iterator[str]:
    """Yields a gap if the database does not name this deployment as its owner."""
    document = deployment.project.get(
        "firestore",
        f"v1/{deployment.path_of_database}/documents/{OWNER_PATH}",
    )
    if document is None:
        yield f"{OWNER_PATH} is missing in database {deployment.database}"
        return

    values = {}
    for name, field in document.get("fields", {}).items():
        values[name] = field.get("stringValue")
    names_this_database = (
        values.get(PROJECT_FIELD) == deployment.project.id
        and values.get(DATABASE_FIELD) == deployment.database
    )
    prefix = values.get(PREFIX_FIELD)
    if not names_this_database:
        yield f"{OWNER_PATH} names the database that {deployment.database} was copied from"
    elif prefix != deployment.prefix:
        owner = deployment_name(str(prefix))
        this_one = deployment_name(deployment.prefix)
        yield f"{OWNER_PATH} names {owner}: this one, {this_one}, indexes nothing"


def _claimed_tenants(deployment: DeployedProduct) -> dict[str, object]:
    """Returns user id -> the claim `tenantId`; None for a user without it."""
    tenants = {}
    for user in deployment.project.users():
        claims = json.loads(user.get("customAttributes") or "{}")
        tenants[user["localId"]] = claims.get("tenantId")
    return tenants


def _teams(deployment: DeployedProduct) -> Iterator[str]:
    """Yields the people whose user id is the tenant in somebody else's claim."""
    tenant_of = _claimed_tenants(deployment)
    members = defaultdict(set)
    for uid, tenant_id in tenant_of.items():
        if isinstance(tenant_id, str):
            members[tenant_id].add(uid)

    user_ids_of_teams = members.keys() & tenant_of.keys()
    for tenant_id in sorted(user_ids_of_teams):
        other_members = members[tenant_id] - {tenant_id}
        opens_it = tenant_of[tenant_id] in (None, tenant_id)
        if not other_members or not opens_it:
            continue
        holders = "somebody's claim"
        if len(other_members) > 1:
            holders = f"the claims of {len(other_members)} people"
        yield f"{tenant_id} is a user id and the tenantId in {holders}: the person with that user id owns the team"

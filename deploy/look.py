"""What a project holds already: deployments of the product, and what deploying would take over from somebody else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from cloud import JSON, LABEL, Google
from firestore import Database

FUNCTIONS = ("chat", "api", "on-note-write", "on-template-write", "reconcile")
ACCOUNTS = ("aurora-functions", "aurora-events", "aurora-scheduler", "aurora-build", "aurora-deploy")
SECRETS = ("gemini-api-key", "openai-api-key")
JOB = "aurora-reconcile"


class Stop(Exception):
    """Nothing was changed; says why."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """One deployment: everything of it begins with the prefix."""

    google: Google
    prefix: str
    region: str
    database: Database
    functions: Mapping[str, JSON] = field(default_factory=dict)
    """Name without the prefix -> the function, of those that carry our label."""

    def email(self, account: str) -> str:
        return f"{self.prefix}{account}@{self.google.project}.iam.gserviceaccount.com"


@dataclass(frozen=True, slots=True)
class Taken:
    """One thing that is somebody else's."""

    flag: str
    """What `--take-over` is given for it."""
    what: str
    """What it is, and what deploying would do to it."""


def functions(google: Google) -> list[JSON]:
    """All functions of the project, of both generations."""
    return list(google.items(f"cloudfunctions/v2/{google.name}/locations/-/functions", "functions"))


def is_ours(resource: JSON) -> bool:
    """Whether it carries the label, or has it as its description where there are no labels."""
    name, _, value = LABEL.partition("=")
    return resource.get("labels", {}).get(name) == value or resource.get("description") == LABEL


def deployments(google: Google) -> dict[str, Deployment]:
    """Prefix -> deployment, of those whose functions carry our label."""
    found: dict[str, Deployment] = {}
    for each in filter(is_ours, functions(google)):
        _, _, _, region, _, name = each["name"].split("/")
        base = each["buildConfig"]["entryPoint"].replace("_", "-")
        prefix = name.removesuffix(base)
        variables = each.get("serviceConfig", {}).get("environmentVariables", {})
        database = Database(google, variables.get("FIRESTORE_DATABASE") or "(default)")
        held = found[prefix].functions if prefix in found else {}
        found[prefix] = Deployment(google, prefix, region, database, {**held, base: each})
    return found


def prefix_of(found: Mapping[str, Deployment], asked: str | None) -> str:
    """The prefix that was asked for, else that of the only deployment. Raises Stop where there are several."""
    if asked is None and len(found) > 1:
        raise Stop(f"FUNCTION_PREFIX: expected one of {', '.join(map(repr, found))}, which are deployed here")
    return next(iter(found), "") if asked is None else asked


def environment(deployment: Deployment | None) -> dict[str, str]:
    """The settings that its functions were deployed with."""
    for each in deployment.functions.values() if deployment else ():
        held: dict[str, str] = each.get("serviceConfig", {}).get("environmentVariables", {})
        return held
    return {}


def following(deployment: Deployment | None, *, beside: str) -> tuple[str, ...]:
    """Its functions whose trigger follows another database than `beside`."""
    if not deployment:
        return ()
    filters = {
        each["name"].rpartition("/")[2]: {
            one["attribute"]: one["value"] for one in each["eventTrigger"]["eventFilters"]
        }
        for each in deployment.functions.values()
        if "eventTrigger" in each
    }
    return tuple(name for name, held in filters.items() if held.get("database", "(default)") != beside)


def taken_over(deployment: Deployment) -> list[Taken]:
    """Everything that is not ours and that deploying would change."""
    return [*_named(deployment), *_in_the_database(deployment)]


def _named(deployment: Deployment) -> Iterator[Taken]:
    google, prefix = deployment.google, deployment.prefix
    for each in functions(google):
        name = each["name"].rpartition("/")[2]
        if name in {prefix + base for base in FUNCTIONS} and not is_ours(each):
            place = each["name"].split("/")[3]
            yield Taken(
                f"function:{name}", f"function {name} in {place}, which has not our label: it would be replaced"
            )
    read = {
        each["secret"]
        for function in deployment.functions.values()
        for each in function.get("serviceConfig", {}).get("secretEnvironmentVariables", ())
    }
    for base in (name for name in SECRETS if prefix + name not in read):  # what ours read was named in an earlier run
        secret = google.found(f"secretmanager/v1/{google.name}/secrets/{prefix}{base}")
        if secret and not is_ours(secret):
            yield Taken(f"secret:{prefix}{base}", f"secret {prefix}{base}: it would get another version")
    jobs = f"cloudscheduler/v1/{google.name}/locations/{deployment.region}/jobs"
    job = google.found(f"{jobs}/{prefix}{JOB}")
    if job and not is_ours(job):
        yield Taken(f"job:{prefix}{JOB}", f"scheduler job {prefix}{JOB}: it would be replaced")
    if deployment.functions:  # its accounts were named, or made, in an earlier run
        return
    for account in google.items(f"iam/v1/{google.name}/serviceAccounts", "accounts"):
        name = account["email"].partition("@")[0]
        if name in {prefix + base for base in ACCOUNTS} and not is_ours(account):
            yield Taken(f"account:{name}", f"service account {name}: it would get roles")


def _in_the_database(deployment: Deployment) -> Iterator[Taken]:
    database = deployment.database
    if not deployment.google.found(f"firestore/v1/{database.name}"):
        return
    if database.has_other_rules():
        yield Taken(
            "rules", f"the Firestore rules of database {database.id}: they would be replaced by firestore.rules"
        )
    ours = database.has_our_rules()
    for group in sorted({each["collectionGroup"] for each in database.fields_to_change()}):
        changed = [each for each in database.fields_to_change() if each["collectionGroup"] == group]
        document = database.document(group, beside_ours=ours)
        overridden = [each["fieldPath"] for each in changed if database.field(each) in database.fields]
        if document or (overridden and not ours):
            fields = ", ".join(each["fieldPath"] + (" (TTL)" if each.get("ttl") else "") for each in changed)
            holder = f"holds {document}" if document else f"has settings of its own for {', '.join(overridden)}"
            yield Taken(
                f"group:{group}",
                f"collection group {group} of database {database.id}, which {holder}: "
                f"single-field indexes would change for {fields}",
            )

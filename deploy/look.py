"""Looks at a project: deployments of the product, and things of others that deploying would take over."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cloud import JSON, Google
from firestore import Database
from resources import ACCOUNTS, FUNCTIONS, JOB, LABEL, SECRETS


class Stop(Exception):
    """Ends a script before anything was changed; the message says why."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """One deployment: everything of it begins with the prefix."""

    google: Google
    prefix: str
    region: str
    database: Database
    functions: Mapping[str, JSON] = field(default_factory=dict)
    """Functions that carry our label, by name without the prefix."""

    def email(self, account: str) -> str:
        """Returns the address of one of our service accounts."""
        return f"{self.prefix}{account}@{self.google.project}.iam.gserviceaccount.com"


@dataclass(frozen=True, slots=True)
class ForeignResource:
    """A resource that belongs to others and that deploying would change."""

    flag: str
    """Value of `--take-over` that allows it."""
    description: str
    """Name of the resource and the change, for the person who decides."""


def functions(google: Google) -> list[JSON]:
    """Returns all functions of the project, of both generations."""
    address = f"cloudfunctions/v2/{google.name}/locations/-/functions"
    return list(google.items(address, "functions"))


def is_ours(resource: JSON) -> bool:
    """Reports whether a resource carries our label, or has it as its description where there are no labels."""
    name, _, value = LABEL.partition("=")
    labels = resource.get("labels", {})
    return labels.get(name) == value or resource.get("description") == LABEL


def deployments(google: Google) -> dict[str, Deployment]:
    """Returns the deployments whose functions carry our label, by prefix."""
    by_prefix: dict[str, Deployment] = {}
    for function in functions(google):
        if not is_ours(function):
            continue
        _, _, _, region, _, name = function["name"].split("/")
        base = function["buildConfig"]["entryPoint"].replace("_", "-")
        prefix = name.removesuffix(base)
        database_id = variables_of(function).get("FIRESTORE_DATABASE") or "(default)"
        siblings: Mapping[str, JSON] = {}
        if prefix in by_prefix:
            siblings = by_prefix[prefix].functions
        by_prefix[prefix] = Deployment(
            google=google,
            prefix=prefix,
            region=region,
            database=Database(google, database_id),
            functions={**siblings, base: function},
        )

    return by_prefix


def variables_of(function: JSON) -> dict[str, str]:
    """Returns the environment variables of a function."""
    variables: dict[str, str] = function.get("serviceConfig", {}).get("environmentVariables", {})
    return variables


def warm_instances(deployment: Deployment) -> int:
    """Returns how many instances of chat are kept waiting."""
    config: JSON = deployment.functions.get("chat", {}).get("serviceConfig", {})
    return int(config.get("minInstanceCount", 0))


def databases_of(deployment: Deployment) -> set[str]:
    """Returns the ids of the databases that the functions were deployed to: more than one after half a deployment."""
    return {
        variables_of(function).get("FIRESTORE_DATABASE") or "(default)"
        for function in deployment.functions.values()
    }


def prefix_of(by_prefix: Mapping[str, Deployment], chosen: str | None) -> str:
    """Returns the chosen prefix, else that of the only deployment. Raises Stop where there are several."""
    if chosen is not None:
        return chosen
    if len(by_prefix) > 1:
        prefixes = ", ".join(map(repr, by_prefix))
        raise Stop(f"FUNCTION_PREFIX: expected one of {prefixes}, which are deployed here")
    return next(iter(by_prefix), "")


def deployed(google: Google, chosen: str | None) -> Deployment:
    """Returns the deployment with the chosen prefix, else the only one. Raises Stop if there is none."""
    by_prefix = deployments(google)
    deployment = by_prefix.get(prefix_of(by_prefix, chosen))
    if deployment is None:
        raise Stop(f"Nothing of ours is deployed in {google.project}.")
    return deployment


def following(deployment: Deployment | None, *, beside: str) -> tuple[str, ...]:
    """Returns the names of the functions whose trigger follows another database than `beside`."""
    if deployment is None:
        return ()
    names = []
    for function in deployment.functions.values():
        if "eventTrigger" not in function:
            continue
        database = "(default)"
        for condition in function["eventTrigger"]["eventFilters"]:
            if condition["attribute"] == "database":
                database = condition["value"]
        if database != beside:
            names.append(function["name"].rpartition("/")[2])

    return tuple(names)


def taken_over(deployment: Deployment, *, holds_ours: bool) -> list[ForeignResource]:
    """Returns everything that is not ours and that deploying would change.

    holds_ours: the database says that what lies below `tenants` is ours (owner.py).
    """
    return [
        *_functions_of_others(deployment),
        *_secrets_of_others(deployment),
        *_jobs_of_others(deployment),
        *_accounts_of_others(deployment),
        *_in_the_database(deployment, holds_ours=holds_ours),
    ]


def _functions_of_others(deployment: Deployment) -> Iterator[ForeignResource]:
    names = {f"{deployment.prefix}{base}" for base in FUNCTIONS}
    for function in functions(deployment.google):
        _, _, _, region, _, name = function["name"].split("/")
        if name not in names or is_ours(function):
            continue
        description = f"function {name} in {region}, which has not our label: it would be replaced"
        yield ForeignResource(f"function:{name}", description)


def _secrets_of_others(deployment: Deployment) -> Iterator[ForeignResource]:
    """Yields secrets without our label, except those that our functions read: an earlier run named them."""
    google = deployment.google
    secrets_read = set()
    for function in deployment.functions.values():
        config = function.get("serviceConfig", {})
        for variable in config.get("secretEnvironmentVariables", ()):
            secrets_read.add(variable["secret"])

    for base in SECRETS:
        name = f"{deployment.prefix}{base}"
        if name in secrets_read:
            continue
        secret = google.found(f"secretmanager/v1/{google.name}/secrets/{name}")
        if secret and not is_ours(secret):
            yield ForeignResource(f"secret:{name}", f"secret {name}: it would get another version")


def _jobs_of_others(deployment: Deployment) -> Iterator[ForeignResource]:
    google = deployment.google
    name = f"{deployment.prefix}{JOB}"
    place = f"{google.name}/locations/{deployment.region}"
    job = google.found(f"cloudscheduler/v1/{place}/jobs/{name}")
    if job and not is_ours(job):
        description = f"scheduler job {name}: it would be replaced"
        yield ForeignResource(f"job:{name}", description)


def _accounts_of_others(deployment: Deployment) -> Iterator[ForeignResource]:
    if deployment.functions:  # an earlier run made its accounts, or named them
        return
    google = deployment.google
    names = {f"{deployment.prefix}{base}" for base in ACCOUNTS}
    for account in google.items(f"iam/v1/{google.name}/serviceAccounts", "accounts"):
        name = account["email"].partition("@")[0]
        if name not in names or is_ours(account):
            continue
        description = f"service account {name}: it would get roles"
        yield ForeignResource(f"account:{name}", description)


def _in_the_database(deployment: Deployment, *, holds_ours: bool) -> Iterator[ForeignResource]:
    database = deployment.database
    if not deployment.google.found(f"firestore/v1/{database.name}"):
        return
    if database.has_other_rules():
        description = f"the Firestore rules of database {database.id}: they would be replaced by firestore.rules"
        yield ForeignResource("rules", description)

    is_in_use = holds_ours or database.has_our_rules()
    overrides_by_group = defaultdict[str, list[JSON]](list)
    for override in database.indexes.fields_to_change():
        overrides_by_group[override["collectionGroup"]].append(override)

    for group, overrides in sorted(overrides_by_group.items()):
        usage = _usage_by_others(
            database,
            group,
            overrides,
            is_in_use=is_in_use,
        )
        if not usage:
            continue
        labels = [_field_label(override) for override in overrides]
        fields = ", ".join(labels)
        description = (
            f"collection group {group} of database {database.id}, which {usage}: "
            f"single-field indexes would change for {fields}"
        )
        yield ForeignResource(f"group:{group}", description)


def _usage_by_others(
    database: Database,
    group: str,
    overrides: Sequence[JSON],
    *,
    is_in_use: bool,
) -> str:
    """Returns what shows that somebody else uses a collection group; empty if nothing does.

    is_in_use: the product uses the database already.
    """
    document = database.document(group, beside_ours=is_in_use)
    if document:
        return f"holds {document}"
    if is_in_use:  # the fields' settings are those of an earlier version of ours
        return ""
    fields = [
        override["fieldPath"]
        for override in overrides
        if database.indexes.field(override) in database.indexes.fields
    ]
    if fields:
        return f"has settings of its own for {', '.join(fields)}"
    return ""


def _field_label(override: JSON) -> str:
    path = str(override["fieldPath"])
    if override.get("ttl"):
        return f"{path} (TTL)"
    return path

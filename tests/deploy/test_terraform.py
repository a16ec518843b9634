"""deploy/terraform: every resource is what the provider takes, and the module makes what deploy/up.sh makes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hcl2
import pytest

from shared.adapters.firestore import roots
from tests.deploy.conftest import ROOT
from tests.servers import terraform_provider
from tests.servers.terraform_provider import Member, Resource

sys.path.append(str(ROOT / "deploy"))  # its scripts run from there

import plan
import resources

MODULE = ROOT / "deploy/terraform"
FILES = sorted(MODULE.glob("*.tf"))
TEXT = "".join(file.read_text(encoding="utf-8") for file in FILES)
META = {"for_each", "count", "depends_on", "provider", "dynamic", "__is_block__"}
"""Arguments that Terraform itself takes in every resource."""
GIVEN = {
    "project": "demo-notes",
    "region": "europe-west1",
    "location": "eur3",
    "prefix": "notes-",
}
JSON = dict[str, Any]
Members = Mapping[str, Member]

pytestmark = [pytest.mark.timeout(600), pytest.mark.slow]


@dataclass(frozen=True, slots=True)
class Declared:
    """A resource of the module."""

    kind: str
    name: str
    body: JSON

    @property
    def schema(self) -> Resource:
        schema = terraform_provider.resource(self.kind, self.body.get("provider", "google"))
        assert schema, f"no resource {self.kind}"
        return schema


def declared() -> Iterator[Declared]:
    for file in FILES:
        with file.open(encoding="utf-8") as content:
            parsed = hcl2.load(content)
        for block in parsed.get("resource", ()):
            for kind, named in block.items():
                for name, body in named.items():
                    yield Declared(_unquoted(kind), _unquoted(name), body)


def _unquoted(text: str) -> str:
    return text.strip('"')


RESOURCES = list(declared())


def is_block(value: object) -> bool:
    return isinstance(value, list) and any(
        isinstance(item, dict) and "__is_block__" in item for item in value
    )


def nested_blocks(body: JSON) -> list[tuple[str, JSON]]:
    """Name and content of every block below, those that Terraform repeats (`dynamic`) included."""
    blocks = []
    for name, value in body.items():
        if is_block(value) and name != "dynamic":
            blocks += [(name, block) for block in value]
    for dynamic in body.get("dynamic", ()):
        blocks += [
            (_unquoted(name), block["content"][0])
            for name, block in dynamic.items()
            if name != "__is_block__"
        ]
    return blocks


def is_outside(value: object, values: tuple[str, ...]) -> bool:
    """Tell whether a text of the module is none that the provider takes."""
    is_literal = isinstance(value, str) and value.startswith('"') and "$" not in value
    return bool(values) and is_literal and _unquoted(str(value)) not in values


def faults(body: JSON, members: Members, schema: Resource, place: str) -> Iterator[str]:
    """Everything in a block that the provider would refuse."""
    nested = nested_blocks(body)
    blocks = {name for name, _ in nested}
    arguments = {name for name, value in body.items() if not is_block(value)} - META
    for name in sorted(blocks | arguments):
        if name not in members:
            yield f"{place}: no argument or block {name}"
        elif bool(members[name].block) != (name in blocks):
            yield f"{place}: {name} is written as an argument and is a block, or the reverse"
    for name, member in members.items():
        if member.is_required and name not in blocks | arguments:
            yield f"{place}: {name} is required"
        if is_outside(body.get(name), member.values):
            yield f"{place}: {name} is one of {member.values}, got {body[name]}"
    for name, block in nested:
        if name in members and members[name].block:
            inner = schema.interfaces[members[name].block]
            yield from faults(block, inner, schema, f"{place}.{name}")


@pytest.mark.parametrize("made", RESOURCES, ids=lambda made: f"{made.kind}.{made.name}")
def test_a_resource_has_what_the_provider_s_schema_takes_and_requires(made: Declared) -> None:
    schema = made.schema
    body = {name: value for name, value in made.body.items() if name != "lifecycle"}
    members = schema.interfaces[schema.arguments]
    assert list(faults(body, members, schema, made.kind)) == []
    assert schema.provider.startswith("6.50."), "the version that versions.tf asks for"


def test_arguments_unknown_to_the_schema_are_found() -> None:
    """The check itself: a misspelled argument, a value that is none, a block too few."""
    schema = terraform_provider.resource("google_firestore_database")
    assert schema
    members = schema.interfaces[schema.arguments]
    wrong = {
        "nam": '"x"',
        "type": '"NATIVE"',
        "location_id": '"eur3"',
        "cmek_config": '"y"',
    }
    fault_text = " ".join(faults(wrong, members, schema, "db"))
    for words in (
        "no argument or block nam",
        "name is required",
        "type is one of",
        "cmek_config is",
    ):
        assert words in fault_text
    assert terraform_provider.resource("google_firestore_databases") is None


def test_every_attribute_that_is_read_exists() -> None:
    kinds = {(resource.kind, resource.name): resource for resource in RESOURCES}
    read = set(re.findall(r"\b(google_\w+)\.(\w+)(?:\[[^\]]*\])?\.(\w+)", TEXT))
    read |= {
        ("google_monitoring_uptime_check_config", "health", name)
        for name in re.findall(r"\bcheck\.(\w+)", TEXT)
    }
    assert read
    for kind, name, attribute in read:
        assert attribute in kinds[kind, name].schema.attributes, (kind, name, attribute)
    for kind, name in re.findall(r"\b(google_\w+)\.(\w+)", TEXT):
        assert (kind, name) in kinds, f"{kind}.{name} is not declared"


def test_every_variable_and_local_that_is_used_is_declared() -> None:
    variables = set(re.findall(r'^variable "(\w+)"', TEXT, re.MULTILINE))
    assert set(re.findall(r"\bvar\.(\w+)", TEXT)) == variables
    blocks = re.findall(r"^locals \{.*?^\}", TEXT, re.MULTILINE | re.DOTALL)
    locals_ = set(re.findall(r"^  (\w+) +=", "".join(blocks), re.MULTILINE))
    assert set(re.findall(r"\blocal\.(\w+)", TEXT)) == locals_
    for path in set(re.findall(r"\blocal\.table\.(\w+(?:\.\w+)?)", TEXT)):
        first, _, second = path.partition(".")
        assert first in resources.TABLE, path
        assert not second or second in resources.TABLE[first], path


def test_the_module_has_no_list_of_its_own() -> None:
    """Accounts, roles, services and names come from the table that deploy/up.sh reads."""
    assert re.findall(r'"(roles/[^"]*)"', TEXT) == ["roles/iam.workloadIdentityUser"]
    assert re.findall(r"aurora-[a-z]+", re.sub(r"#.*", "", TEXT)) == []
    assert set(re.findall(r'"(\w+)"', re.findall(r"setsubtract\((.*?)\)\)", TEXT)[0])) == set(
        resources.CHOSEN
    )
    assert set(resources.TABLE["secrets"]) <= set(re.findall(r'"(\w+)"', TEXT))


def test_the_document_of_the_owner_is_the_one_that_up_sh_writes() -> None:
    (document,) = (
        resource for resource in RESOURCES if resource.kind == "google_firestore_document"
    )
    path = f"{_unquoted(document.body['collection'])}/{_unquoted(document.body['document_id'])}"
    assert path == roots.OWNER_PATH
    fields = set(re.findall(r"(\w+) += \{ \w+Value", (MODULE / "main.tf").read_text()))
    assert fields == {
        roots.PROJECT_FIELD,
        roots.DATABASE_FIELD,
        roots.PREFIX_FIELD,
        roots.SHARED_FIELD,
    }


def keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys(inner)
    if isinstance(value, list):
        for inner in value:
            yield from keys(inner)


@pytest.mark.parametrize("folder", ["metrics", "alerts"])
def test_nothing_of_the_monitoring_s_files_is_left_out(folder: str) -> None:
    text = (MODULE / "monitoring.tf").read_text(encoding="utf-8")
    free = {"product", "kind", "refusal"}  # names of labels, which are handed on whole
    for file in (ROOT / "deploy/monitoring" / folder).glob("*.json"):
        for key in set(keys(json.loads(file.read_text(encoding="utf-8")))) - free:
            assert re.search(rf'[."]{key}\b', text), f"{file.name}: {key}"


def terraform(*arguments: str, folder: Path, typed: str = "") -> subprocess.CompletedProcess[str]:
    program = shutil.which("terraform")
    if program is None:
        pytest.skip("terraform is not installed; the schema is checked without it")
    return subprocess.run(
        [program, *arguments],
        cwd=folder,
        input=typed,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_module_is_formatted() -> None:
    completed = terraform("fmt", "-check", "-diff", "-recursive", folder=MODULE)
    assert completed.returncode == 0, completed.stdout


@pytest.mark.parametrize(
    "chosen",
    [
        (),
        ("aiplatform", "identitytoolkit"),
    ],
)
def test_it_makes_the_accounts_roles_and_services_of_up_sh(
    tmp_path: Path, chosen: tuple[str, ...]
) -> None:
    """Terraform computes what it would make, beside what plan.py tells the scripts."""
    module = tmp_path / "deploy/terraform"
    module.mkdir(parents=True)
    shutil.copy(ROOT / "deploy/resources.json", tmp_path / "deploy")
    for name in ("locals.tf", "variables.tf"):
        shutil.copy(MODULE / name, module)
    settings = {**GIVEN, "chosen_apis": list(chosen)}
    (module / "terraform.tfvars.json").write_text(json.dumps(settings))
    expression = "{apis=local.apis, grants=local.grants, running=local.running, email=local.email,"
    expression += " bucket=local.bucket, secret=local.secret, job=local.job, labels=local.labels}"
    completed = terraform(
        "console", "-no-color", folder=module, typed=f"jsonencode({expression})\n"
    )
    assert completed.returncode == 0, completed.stderr
    planned = json.loads(json.loads(completed.stdout))
    granted = [f"{role} {account}" for account, roles in resources.ROLES.items() for role in roles]
    granted += plan.chosen_grants(chosen)
    assert sorted(planned["grants"]) == sorted(granted)
    assert set(planned["apis"]) == {*resources.APIS, *chosen}
    assert set(planned["running"]) == set(resources.RUNNING)
    assert set(planned["email"]) == set(resources.ACCOUNTS)
    assert (
        planned["email"]["aurora-build"] == "notes-aurora-build@demo-notes.iam.gserviceaccount.com"
    )
    assert planned["bucket"] == "demo-notes-notes-aurora-build"
    assert planned["secret"] == "notes-gemini-api-key"
    assert planned["job"] == "notes-aurora-reconcile"
    assert planned["labels"] == dict([resources.LABEL.split("=")])

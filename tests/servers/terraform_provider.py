"""Schemas of Terraform's providers for Google Cloud, read from the bindings that npm has of them (@cdktf/provider-…).

Each binding is generated from the provider's own schema: a TypeScript interface for each resource and nested block, in
which the comment of a member has its name in Terraform, and `?` stands for optional.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.missing import missing

VERSION = "16.12.1"
"""Version of the bindings."""
_INTERFACE = re.compile(
    r"^export interface (\w+)(?: extends [\w.]+)? \{\n(.*?)^\}", re.MULTILINE | re.DOTALL
)
_MEMBER = re.compile(
    r"/\*\*(?P<comment>(?:(?!\*/).)*?#(?P<name>\w+) \w+#\w+\}(?:(?!\*/).)*)\*/\s*"
    r"readonly \w+(?P<optional>\??): (?P<type>\w+|\{)",
    re.DOTALL,
)
_VALUES = re.compile(r'Possible values: \[("[^\]]*")\]')
_GETTER = re.compile(r"^    get (\w+)\(\)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Member:
    """One argument or nested block."""

    is_required: bool
    block: str
    """The interface of a nested block; empty for an argument."""
    values: tuple[str, ...]
    """The only values that the provider takes, where it names them."""


@dataclass(frozen=True, slots=True)
class Resource:
    """Arguments and attributes of a type of resource."""

    arguments: str
    """The interface of the resource itself."""
    interfaces: Mapping[str, Mapping[str, Member]]
    """Interface -> its members by their names in Terraform."""
    attributes: frozenset[str]
    """Names, in Terraform, of everything that can be read of it."""
    provider: str
    """Version of the provider."""


@cache
def resource(kind: str, provider: str = "google") -> Resource | None:
    """The schema of `google_storage_bucket`; None if the provider has no such resource."""
    name = kind.replace("_", "-")
    if provider == "google":
        name = name.removeprefix("google-")
    file = _bindings(provider) / name / "index.d.ts"
    if not file.is_file():
        return None
    text = file.read_text(encoding="utf-8")
    bodies = {match[1]: match[2] for match in _INTERFACE.finditer(text)}
    interfaces = {interface: _members(body, bodies) for interface, body in bodies.items()}
    (arguments,) = re.findall(r"export interface (\w+) extends cdktf\.TerraformMetaArguments", text)
    attributes = frozenset(_snake_case(getter) for getter in _GETTER.findall(text))
    (version,) = set(re.findall(rf"/{provider}/([\d.]+)/docs/", text))
    return Resource(arguments, interfaces, attributes, version)


def _members(body: str, interfaces: Mapping[str, str]) -> dict[str, Member]:
    members = {}
    for match in _MEMBER.finditer(body):
        listed = _VALUES.search(" ".join(match["comment"].replace("*", " ").split()))
        members[match["name"]] = Member(
            is_required=not match["optional"],
            block=match["type"] if match["type"] in interfaces else "",
            values=tuple(re.findall(r'"([^"]*)"', listed[1])) if listed else (),
        )
    return members


def _snake_case(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


@cache
def _bindings(provider: str) -> Path:
    """The folder with the interfaces of every resource, kept between runs: of the package no more than these."""
    if shutil.which("npm") is None:
        missing("npm is not installed")
    cache_home = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    folder = Path(cache_home) / "aurora-tests" / f"provider-{provider}-{VERSION}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            _unpack(provider, folder)
            (folder / "complete").touch()
    return folder / "lib"


def _unpack(provider: str, folder: Path) -> None:
    package = f"@cdktf/provider-{provider}@{VERSION}"
    command = ["npm", "pack", package, "--silent", "--pack-destination", str(folder)]
    subprocess.run(
        command,
        check=True,
        capture_output=True,
        timeout=300,
    )
    (packed,) = folder.glob("*.tgz")
    with tarfile.open(packed) as archive:
        for member in archive:
            if re.fullmatch(r"package/lib/[\w-]+/index\.d\.ts", member.name):
                member.name = member.name.removeprefix("package/")
                archive.extract(member, folder, filter="data")
    packed.unlink()

"""Packages that functions install: pinned as the tests have them, and each wheel known by its hash."""

from __future__ import annotations

import re
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PIN = re.compile(r"^([\w.-]+)==([^\s\\]+)", re.MULTILINE)
REQUIREMENT = re.compile(r"[\w.-]+==[\w.]+ \\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+")


def _pins(file: str) -> dict[str, str]:
    pins = PIN.findall((ROOT / file).read_text(encoding="utf-8"))
    return {_normal(name): version for name, version in pins}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _with_what_they_need(requirements: list[Requirement]) -> set[str]:
    """Names of the packages that pip would install, by the metadata of those that are installed."""
    extras: dict[str, set[str]] = {}
    while requirements:
        requirement = requirements.pop()
        name = _normal(requirement.name)
        chosen = {"", *requirement.extras}
        if chosen <= extras.get(name, set()):
            continue
        extras.setdefault(name, set()).update(chosen)
        for line in requires(name) or ():
            needed = Requirement(line)
            if needed.marker is None or any(
                needed.marker.evaluate({"extra": extra}) for extra in extras[name]
            ):
                requirements.append(needed)
    return set(extras)


def test_functions_install_the_part_of_the_dependencies_that_is_deployed_and_nothing_else() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    deployed, _, at_home = project.partition("# At home alone: ")
    _, _, deployed = deployed.partition("# Deployed too: ")
    at_home, _, _ = at_home.partition("\n]")
    lines = re.findall(r'^    "([^"]+)"', deployed, re.MULTILINE)
    assert _with_what_they_need([Requirement(line) for line in lines]) == set(
        _pins("requirements.txt")
    )
    names = [
        Requirement(line).name for line in re.findall(r'^    "([^"]+)"', at_home, re.MULTILINE)
    ]
    assert "onnxruntime" in names
    assert {"rich", "numpy", "openai"} <= set(names) - set(_pins("requirements.txt"))


def test_the_deployed_release_is_the_tested_one() -> None:
    deployed = _pins("requirements.txt")
    tested = _pins("constraints.txt")
    assert len(deployed) > 50
    assert {name: tested.get(name) for name in deployed} == deployed


def test_every_deployed_package_has_a_hash_and_nothing_else_stands_there() -> None:
    _, _, requirements = (ROOT / "requirements.txt").read_text(encoding="utf-8").partition("\n")
    assert REQUIREMENT.sub("", requirements) == ""


@pytest.mark.parametrize("file", ["requirements.txt", "constraints.txt"])
def test_no_pin_names_an_index(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert not re.search(r"://|^\s*-", re.sub(r"--hash=", "", text), re.MULTILINE)

"""One deployment for all tests here: what a stranger does with a fresh clone, against a Google Cloud on loopback."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.deploy import cloud_build, function_deploy
from tests.missing import missing
from tests.servers.google_cloud import OWNER, GoogleCloud, tools, with_ready_token
from tests.servers.google_cloud.environment import GCLOUD_APIS
from tests.servers.served import Served, served

ROOT = Path(__file__).parents[2]
PROJECT = "demo-notes"
"""The project that the documentation calls PROJECT."""
PREFIX = "notes-"
"""The FUNCTION_PREFIX that the documentation recommends beside another app."""
SECONDS = 600
"""Longest a command may take; two minutes are usual, a busy machine gets more."""


Owned = tuple[GoogleCloud, Callable[..., subprocess.CompletedProcess[str]]]
"""A project, and what runs a script for its owner."""


@dataclass
class Deployment:
    """A clone, the cloud that it is deployed to, and what was run."""

    cloud: GoogleCloud
    clone: Path
    folder: Path
    """Holds homes and workspaces."""
    path: str
    """PATH."""
    left_out: tuple[str, ...] = ()
    """Steps of a build that are not run."""
    quick: tuple[str, ...] = ()
    """Steps of a build that deploy a function without gcloud, by the requests that it sends (function_deploy.py)."""
    steps: list[cloud_build.Ran] = field(default_factory=list)
    workspaces: list[Path] = field(default_factory=list)
    """The folders in which builds ran, with what had been uploaded."""

    def follow(
        self, line: str, *, typed: str = "", **given: str
    ) -> subprocess.CompletedProcess[str]:
        """A command line of the documentation, in the clone, by the project's owner; output and errors together.

        `given`: variables of their environment.
        """
        return subprocess.run(
            ["bash", "-c", line.replace("PROJECT", PROJECT)],
            cwd=self.clone,
            env={
                **tools(
                    self.cloud,
                    home=self.folder / "owner",
                    account=OWNER,
                    path=self.path,
                ),
                **given,
            },
            input=typed,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def build(self, build: dict[str, Any]) -> bool:
        """Run the build that was submitted, on its source and as its account."""
        source = self.cloud.uploads[build["source"]["storageSource"]["object"]]
        workspace = cloud_build.unpack(source, self.folder / f"workspace{len(self.workspaces)}")
        self.workspaces.append(workspace)
        substitutions = {
            **build.get("substitutions", {}),
            "PROJECT_ID": self.cloud.project,
            "BUILD_ID": build["id"],
        }
        parts = {name: build[name] for name in ("options", "serviceAccount")}
        parts["steps"] = [step for step in build["steps"] if step["id"] not in self.left_out]
        account = cloud_build.substituted(parts, substitutions)["serviceAccount"].rpartition("/")[2]
        environment = tools(
            self.cloud,
            home=self.folder / "build",
            account=account,
            path=self.path,
        )

        def instead(step: dict[str, Any]) -> cloud_build.Ran | None:
            if step["id"] not in self.quick:
                return None
            region = substitutions["_REGION"]
            code, output = function_deploy.deploy(self.cloud, step["args"], account, region)
            return cloud_build.Ran(step["id"], code, output)

        ran = cloud_build.run(
            cloud_build.substituted(parts, substitutions), workspace, environment, instead
        )
        self.steps += ran
        return not any(step.code for step in ran)


def call_directly(cloud: GoogleCloud, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the scripts that run in this process talk to the recorder, as the project's owner and without gcloud."""
    cloud.enabled |= set(GCLOUD_APIS)
    for api in GCLOUD_APIS:
        variable = f"CLOUDSDK_API_ENDPOINT_OVERRIDES_{api.upper()}"
        address = f"{cloud.url}/{api}/"
        monkeypatch.setenv(variable, f"{address}storage/v1/" if api == "storage" else address)
    monkeypatch.setenv("DEPLOY_PAUSE", "0")
    monkeypatch.setattr("cloud.Google.headers", {"Authorization": f"Bearer token-of-{OWNER}"})


def found_gcloud() -> None:
    if shutil.which("gcloud") is None:
        missing("gcloud is not installed (Debian: google-cloud-cli)")


def cloned(folder: Path) -> Path:
    """Make what a fresh clone of this working tree holds."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The product that answers where functions are deployed to."""
    with served(tmp_path_factory.mktemp("product")) as running:
        yield running


@contextmanager
def deploying(
    folder: Path,
    product: Served,
    prefix: str = "",
    left_out: tuple[str, ...] = (),
    quick: tuple[str, ...] = (),
) -> Iterator[Deployment]:
    """A fresh clone and a project in which nothing is deployed yet; `prefix`: the functions' FUNCTION_PREFIX."""
    found_gcloud()
    with GoogleCloud(PROJECT) as cloud:
        path = os.environ["PATH"]
        if quick:
            path = with_ready_token(path, folder / "bin")
        deployment = Deployment(cloud, cloned(folder / "clone"), folder, path, left_out, quick)
        cloud.run_build = deployment.build
        cloud.resources[f"projects/{PROJECT}/billingInfo"] = {
            "billingAccountName": "billingAccounts/0A-1B-2C"
        }
        cloud.function_url = lambda name: f"{product.address}/{name.removeprefix(prefix)}"
        cloud.id_token = product.alice
        yield deployment


@pytest.fixture(scope="session")
def deployment(tmp_path_factory: pytest.TempPathFactory, product: Served) -> Iterator[Deployment]:
    with deploying(tmp_path_factory.mktemp("deployment"), product, PREFIX) as deployment:
        yield deployment


@pytest.fixture
def direct(monkeypatch: pytest.MonkeyPatch) -> Iterator[GoogleCloud]:
    """A project whose owner calls the scripts in this process."""
    with GoogleCloud("demo-other") as cloud:
        call_directly(cloud, monkeypatch)
        yield cloud
        assert cloud.faults == []


@pytest.fixture
def owned(tmp_path: Path) -> Iterator[Owned]:
    found_gcloud()
    path = with_ready_token(os.environ["PATH"], tmp_path / "bin")
    with GoogleCloud("demo-other") as cloud:

        def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
            tool = tools(
                cloud,
                home=tmp_path,
                account=OWNER,
                path=path,
            )
            return subprocess.run(
                command, cwd=ROOT, env={**tool, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, check=False,
            )  # fmt: skip

        yield cloud, run

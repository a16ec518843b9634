"""deploy/up.sh before it does anything: what it asks, what it refuses."""

from __future__ import annotations

import base64
import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.deploy.conftest import ROOT, found_gcloud
from tests.servers.gemini import error
from tests.servers.google_cloud import OWNER, GoogleCloud, tools
from tests.servers.served import Served


def on_a_terminal(command: list[str], environment: dict[str, str], typed: str) -> str:
    """Everything that the command shows somebody who types that."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=follower, stdout=follower, stderr=follower
    ) as process:
        os.close(follower)
        os.write(leader, typed.encode())
        shown = b""
        try:
            while piece := os.read(leader, 4096):
                shown += piece
        except OSError:
            process.wait(10)  # the command has closed its end
    os.close(leader)
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_what_is_not_given_is_asked_for_on_a_terminal(tmp_path: Path) -> None:
    found_gcloud()
    with GoogleCloud("demo-other") as cloud:
        environment = tools(cloud, home=tmp_path, account=OWNER, path=os.environ["PATH"])
        cloud.refusals["serviceusage.services.batchEnable"] = [error(403, "PERMISSION_DENIED", message="Not yours.")]
        shown = on_a_terminal(["deploy/up.sh", "demo-other"], environment, "nam5\n\na-key\n")
    assert "Where the notes are kept" in shown
    assert "Region of the functions, near the notes [us-central1]" in shown
    assert "Gemini API key" in shown
    assert "1. Setting up demo-other, notes in nam5" in shown
    assert "Not yours." in shown
    assert "Stopped while setting up the project." in shown


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["Not A Project"],
        ["demo-notes", "--region"],
        ["demo-notes", "--set", "judge"],
        ["demo-notes", "--set", "A=1|B=2"],
        ["demo-notes", "--set", "Judge=model"],
    ],
)
def test_a_command_line_that_is_wrong_gets_the_usage(arguments: list[str]) -> None:
    said = subprocess.run(
        [ROOT / "deploy/up.sh", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert said.returncode == 2
    assert "Usage: deploy/up.sh PROJECT" in said.stderr


def test_the_usage_is_said_from_any_folder() -> None:
    said = subprocess.run(
        ["./up.sh", "demo-notes", "--all"], cwd=ROOT / "deploy", capture_output=True, text=True, check=False
    )
    assert said.returncode == 2
    assert "Usage: deploy/up.sh PROJECT" in said.stderr


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("ALLOWED_ORIGIN=https://notes.example.com", "no setting ALLOWED_ORIGIN"),
        ("GEMINI_API_KEY=a", "would log the key"),
    ],
)
def test_a_setting_that_would_do_nothing_or_harm_is_refused_before_anything_is_done(setting: str, told: str) -> None:
    said = subprocess.run(
        ["deploy/up.sh", "demo-notes", "--set", setting], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert said.returncode == 2
    assert told in said.stderr


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("JUDGE=foo", "JUDGE: expected one of offline, model, check_grounding, got 'foo'"),
        ("AUTH=nobody", "AUTH: expected one of firebase, emulator, none, got 'nobody'"),
        ("AUTH=none", "AUTH: expected firebase where K_SERVICE is set, got 'none'"),
        ("CHAT_TIMEOUT_MS=300000", "CHAT_TIMEOUT_MS: expected at most 170000"),
        ("STORE=embedded", "STORE: expected firestore where K_SERVICE is set"),
        ("RERANKER=cross_encoder|RERANKER_MODEL=a-model", "RERANKER: expected none or vertex"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT=https://otel.example", "OTEL_EXPORTER_OTLP_ENDPOINT: expected opentelemetry-sdk"),
        ("TEMPLATE_FOLDERS=templates,docs", "TEMPLATE_FOLDERS: expected folders in templates/"),
        ("RETRIEVAL_WEIGHT_VECTOR=0.7", "RETRIEVAL_WEIGHT_*: expected three weights that sum to 1, got 1.1"),
    ],
)
def test_a_value_with_which_no_function_would_start_is_told_with_its_name(setting: str, told: str) -> None:
    said = checked(setting)
    assert said.returncode == 1
    assert f"--set {told}" in said.stderr


def test_values_are_checked_together_with_those_that_are_deployed_and_stay() -> None:
    held = {"RETRIEVAL_WEIGHT_VECTOR": "0.5", "RETRIEVAL_WEIGHT_KEYWORD": "0.35"}
    assert checked("JUDGE=model|ALLOWED_ORIGINS=https://a.example,https://b.example", held).returncode == 0
    assert "sum to 1, got 0.95" in checked("RETRIEVAL_WEIGHT_RECENCY=0.1", held).stderr


def checked(settings: str, held: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """deploy/check_settings.py by a Python that has nothing else; `held`: what is deployed."""
    function = {"serviceConfig": {"environmentVariables": held}} if held else {}
    return subprocess.run(
        [sys.executable, "-S", "deploy/check_settings.py", "demo-notes", f"STORE=firestore|{settings}"],
        cwd=ROOT, env={"PYTHONPATH": "."}, input=json.dumps(function), capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_without_gcloud_it_says_so_and_that_it_stopped(tmp_path: Path) -> None:
    for name in ("bash", "dirname", "sed", "grep"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    said = subprocess.run(
        ["deploy/up.sh", "demo-notes"],
        cwd=ROOT,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 1
    assert "gcloud is not installed" in said.stderr
    assert "Stopped while checking what is needed." in said.stderr


@pytest.fixture
def owned(tmp_path: Path) -> Iterator[tuple[GoogleCloud, Callable[..., subprocess.CompletedProcess[str]]]]:
    """A project, and what runs a script for its owner."""
    found_gcloud()
    with GoogleCloud("demo-other") as cloud:

        def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
            tool = tools(cloud, home=tmp_path, account=OWNER, path=os.environ["PATH"])
            return subprocess.run(
                command, cwd=ROOT, env={**tool, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, check=False,
            )  # fmt: skip

        yield cloud, run


SETUP = ("deploy/setup.sh", "demo-other")
KEY_OF = "projects/demo-other/secrets/gemini-api-key"


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_another_key_replaces_the_first_and_no_key_is_never_kept_as_one(
    owned: tuple[GoogleCloud, Callable[..., subprocess.CompletedProcess[str]]],
) -> None:
    cloud, run = owned
    cloud.enabled.add("secretmanager")
    keep = ("bash", "-euc", "project=demo-other; source deploy/common.sh; keep_key")
    nothing = run(*keep, GEMINI_API_KEY=" ")
    assert (nothing.returncode, cloud.named("secrets")) == (1, [])
    assert "GEMINI_API_KEY: set it to your Gemini API key" in nothing.stdout
    for given, kept, versions in (
        (" a-$(key) 'of' \\n\n", "a-$(key)'of'\\n", 1),
        ("", "a-$(key)'of'\\n", 1),
        ("a-$(key)'of'\\n", "a-$(key)'of'\\n", 1),
        ("the-right-one", "the-right-one", 2),
    ):
        said = run(*keep, GEMINI_API_KEY=given)
        assert said.returncode == 0, said.stdout
        assert base64.b64decode(cloud.secrets[KEY_OF]).decode() == kept
        assert len(cloud.named("versions")) == versions
        assert kept not in said.stdout
    assert cloud.faults == []


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_what_cannot_hold_notes_or_would_index_them_twice_is_refused(
    owned: tuple[GoogleCloud, Callable[..., subprocess.CompletedProcess[str]]],
) -> None:
    cloud, run = owned
    cloud.enabled |= {"firestore", "cloudfunctions"}
    database = "projects/demo-other/databases/(default)"
    cloud.resources[database] = {"name": database, "type": "DATASTORE_MODE", "locationId": "eur3"}
    old = run(*SETUP, GEMINI_API_KEY="a-key")
    assert old.returncode == 1
    assert "is in Datastore mode" in old.stdout
    chat = "projects/demo-other/locations/europe-west1/functions/chat"
    cloud.resources[chat] = {"name": chat, "state": "ACTIVE", "environment": "GEN_2"}
    elsewhere = run("deploy/up.sh", "demo-other", "--region", "us-central1", GEMINI_API_KEY="a-key")
    assert elsewhere.returncode == 1
    assert "The functions are in europe-west1; deploy/down.sh demo-other takes them away" in elsewhere.stdout


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_a_bad_value_stops_it_before_anything_is_made(
    owned: tuple[GoogleCloud, Callable[..., subprocess.CompletedProcess[str]]],
) -> None:
    cloud, run = owned
    cloud.enabled.add("cloudfunctions")
    chat = "projects/demo-other/locations/europe-west1/functions/chat"
    held = {"environmentVariables": {"RETRIEVAL_WEIGHT_VECTOR": "0.5", "RETRIEVAL_WEIGHT_KEYWORD": "0.35"}}
    cloud.resources[chat] = {"name": chat, "state": "ACTIVE", "environment": "GEN_2", "serviceConfig": held}
    said = run("deploy/up.sh", "demo-other", "--set", "RETRIEVAL_WEIGHT_RECENCY=0.1", GEMINI_API_KEY="a-key")
    assert said.returncode == 2
    assert "three weights that sum to 1, got 0.95" in said.stdout
    assert "Stopped while checking the settings." in said.stdout
    assert {call.method.verb for call in cloud.calls} == {"GET"}


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_signing_in_and_the_first_question_go_on_wherever_they_stopped(
    owned: tuple[GoogleCloud, Callable[..., subprocess.CompletedProcess[str]]], product: Served
) -> None:
    """And nothing is made twice: the call that was refused is made again, and no other."""
    cloud, run = owned
    cloud.enabled.add("identitytoolkit")
    cloud.id_token = product.alice
    ask = ("python3", "deploy/first_question.py", "demo-other", f"{product.address}/chat", f"{product.address}/api")
    made = (
        "firebase.projects.addFirebase", "firebase.projects.webApps.create",
        "identitytoolkit.projects.identityPlatform.initializeAuth", "identitytoolkit.projects.updateConfig",
    )  # fmt: skip
    for method in made:
        cloud.refusals[method] = [error(403, "PERMISSION_DENIED", message=f"{method} is out.")]
        said = run(*ask)
        assert (said.returncode, cloud.refusals[method]) == (1, []), said.stdout
        assert f"{method} is out." in said.stdout
    said = run(*ask)
    assert said.returncode == 0, said.stdout
    assert f"questions        {product.address}/chat" in said.stdout
    assert {name: len(cloud.called(name)) for name in made} == dict.fromkeys(made, 2)
    assert cloud.faults == []

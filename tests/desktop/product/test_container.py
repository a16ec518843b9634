"""The container, as far as it can be shown without an engine: its files by their own rules, and its command for real.

The command of the Dockerfile runs here with the same tools, on ports that are free and folders of the test.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from pathspec import PathSpec

from release.namespace import HEAD, NAMESPACE, READ_AT_RUN_TIME, packages_of
from tests.servers.dev import ROOT
from tests.servers.firebase_suite import configured, firebase_tools, sign_up, suite_environment

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
PASSWORD = "correct horse"


def instructions(name: str) -> list[str]:
    return re.findall(rf"^{name} +(.*)$", DOCKERFILE, re.MULTILINE)


def command() -> list[str]:
    (written,) = instructions("CMD")
    parts: list[str] = json.loads(written)
    return parts


def test_the_compose_file_is_what_its_specification_allows() -> None:
    check = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.compose-spec",
        "compose.yaml",
    ]
    completed = subprocess.run(
        check,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stdout


def test_only_this_machine_reaches_the_container() -> None:
    (service,) = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"].values()
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    named = json.loads((ROOT / "firebase.container.json").read_text())["emulators"]
    published = {int(port.rpartition(":")[2]) for port in service["ports"]}
    assert published == {8080, *(emulator["port"] for emulator in named.values())}


def test_the_image_holds_what_its_commands_name() -> None:
    copied = {name for line in instructions("COPY") for name in line.split()}
    assert "firebase.container.json" in command()
    emulated = json.loads((ROOT / "firebase.container.json").read_text(encoding="utf-8"))
    named = {"constraints.txt", "firebase.container.json", *emulated["firestore"].values()}
    assert named <= copied
    assert all((ROOT / name).is_file() for name in named)


def test_the_image_installs_the_wheel_under_the_pins() -> None:
    built, installed = (line for line in instructions("RUN") if "pip " in line)
    assert "pip wheel" in built
    assert built.endswith(" --wheel-dir /wheels .")
    assert "COPY --from=wheel /wheels /wheels" in DOCKERFILE
    assert installed.endswith(" -c constraints.txt /wheels/*.whl")


def test_the_build_sees_what_the_wheel_holds() -> None:
    left_out = PathSpec.from_lines("gitignore", (ROOT / ".dockerignore").read_text().splitlines())
    for name in (*HEAD, *READ_AT_RUN_TIME, NAMESPACE, *packages_of(ROOT), "release/backend.py"):
        assert not left_out.match_file(name), name
    assert left_out.match_file("tests/cli/product/test_container.py")


@contextmanager
def started(folder: Path) -> Iterator[tuple[str, str]]:
    """The container's command on a machine of its own. -> the product's address, the Auth emulator's."""
    ports = configured(folder, host="0.0.0.0", name="firebase.container.json")
    words = [word.replace("/data", str(folder / "data")) for word in command()]
    assert shlex.split(words[-1])[:2] == ["aurora", "dev"]
    process = subprocess.Popen(
        [firebase_tools(), *words[1:-1], "--only", "auth,firestore", f"{words[-1]} --port 0"],
        cwd=folder,
        env={**suite_environment(folder), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        log = ""
        while not (address := re.search(r"http://localhost:\d+", log)) or "try: " not in log:
            line = process.stdout.readline()
            assert line, log
            log += line
        yield address[0], f"127.0.0.1:{ports['auth']}"
    finally:
        process.send_signal(
            getattr(signal, instructions("STOPSIGNAL")[0])
        )  # an engine's, to the first process
        try:
            assert process.wait(timeout=300) == 0
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # and then the container is gone
            process.stdout.close()


def call(method: str, address: str, token: str, body: object) -> Any:  # noqa: ANN401 - JSON
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(address, json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.loads(reply.read())


@pytest.mark.nightly
@pytest.mark.timeout(
    600
)  # two starts of the suite: 20 seconds each on a quiet machine, minutes on a busy one
def test_its_command_brings_up_everything_and_keeps_what_was_written(tmp_path: Path) -> None:
    with started(tmp_path) as (address, auth):
        token = sign_up(auth, "ada@example.com", PASSWORD)
        call(
            "PUT",
            f"{address}/notes/safe",
            token,
            {"title": "Safe", "text": "The safe opens with 31415."},
        )
        assert _answers(address, token)
    with started(tmp_path) as (address, _):
        assert _answers(address, token)


def _answers(address: str, token: str) -> bool:
    """Tell whether the note is found soon: events of the suite take a moment."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if (
            "31415"
            in call("POST", f"{address}/chat", token, {"message": "What does the safe open with?"})[
                "answer"
            ]
        ):
            return True
        time.sleep(0.2)
    return False

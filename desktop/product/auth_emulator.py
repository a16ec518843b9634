"""Runs Firebase's Auth emulator, with which people sign in to a product on this machine.

firebase-tools brings it. It needs Node and, unlike Firestore's emulator, no Java.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from desktop.product.emulator import EmulatorMissing, answers
from desktop.product.ports import free_ports

START_SECONDS = 120
"""Seconds within which the emulator must answer. Ten are usual; Node takes a minute of a busy machine."""
STOP_SECONDS = 20
ACCOUNTS = "accounts"
"""Folder below that of the emulators' data, in which accounts are kept between runs."""
PARTS = ("auth", "hub", "logging")
INSTALL = "npm install --global firebase-tools"


def find_firebase() -> str | None:
    """Returns the path of the `firebase` command; None if it is not installed."""
    return shutil.which("firebase")


@contextmanager
def auth_emulator(firebase: str, project: str, *, data: Path | None = None) -> Iterator[str]:
    """Yields the address of an Auth emulator, `HOST:PORT`, and stops it at the end of the block.

    firebase: path of the `firebase` command.
    data: folder that keeps the accounts between runs; with None they are gone at the end.

    Raises EmulatorMissing.
    """
    with tempfile.TemporaryDirectory(prefix="auth-emulator-") as folder:
        ports = dict(zip(PARTS, free_ports(len(PARTS)), strict=True))
        emulators: dict[str, object] = {
            name: {"host": "127.0.0.1", "port": port} for name, port in ports.items()
        }
        emulators["ui"] = {"enabled": False}
        configuration = {"emulators": emulators}
        (Path(folder) / "firebase.json").write_text(json.dumps(configuration), encoding="utf-8")
        command = [firebase, "emulators:start", "--only", "auth", "--project", project]
        if data is not None:
            accounts = data.resolve() / ACCOUNTS
            command.append(f"--export-on-exit={accounts}")
            if accounts.is_dir():
                command.append(f"--import={accounts}")
        log = Path(folder) / "log"
        process = _start(command, Path(folder), log)
        try:
            host = f"127.0.0.1:{ports['auth']}"
            _await_answer(process, host, log)
            yield host
        finally:
            _stop(process)


def _start(command: list[str], folder: Path, log: Path) -> subprocess.Popen[bytes]:
    # A temporary folder of its own hides its hub from other products of this machine, which would attach to it.
    env = {**os.environ, "TMPDIR": str(folder), "NO_UPDATE_NOTIFIER": "1"}
    with log.open("wb") as output:
        # Its own session: Ctrl-C in a terminal then reaches us first, and we stop it.
        return subprocess.Popen(
            command,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _await_answer(process: subprocess.Popen[bytes], host: str, log: Path) -> None:
    """Waits until the emulator answers. Raises EmulatorMissing."""
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and not answers(host):
        if time.monotonic() >= deadline:
            raise EmulatorMissing(
                f"the Auth emulator did not answer within {START_SECONDS} seconds",
            )
        time.sleep(0.1)

    if process.poll() is not None:
        tail = log.read_text(errors="replace")[-2000:]
        raise EmulatorMissing(f"the Auth emulator ended at once:\n{tail}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ends the emulator, which then writes its accounts; kills it if that takes too long."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(STOP_SECONDS)

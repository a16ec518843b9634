"""A function behind functions-framework and gunicorn on a free port, as Cloud Run starts it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from desktop.product.ports import free_ports
from shared.bootstrap import build
from shared.model.notes import NoteKey
from shared.notes.service import NoteDraft
from shared.settings import Settings
from tests.servers.gemini import GeminiServer

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60


@dataclass(frozen=True)
class RunningFunction:
    """`process` is gunicorn's master, whose child serves."""

    port: int
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def running(
    target: str, env: Mapping[str, str], *, python: Path = Path(sys.executable), folder: Path = ROOT
) -> Iterator[RunningFunction]:
    """`env` is all that it sees of the environment. `folder`: holds main.py."""
    (port,) = free_ports(1)
    command = [str(python), "-m", "functions_framework", f"--target={target}", "--source=main.py"]
    process = subprocess.Popen(
        [*command, "--host=127.0.0.1", f"--port={port}"], cwd=folder, env=dict(env)
    )
    try:
        _wait_for(port, process)
        yield RunningFunction(port, process)
    finally:
        process.terminate()
        process.wait(20)


def environment(home: Path, project: str, gemini: GeminiServer) -> dict[str, str]:
    """All that a function sees which has its notes in `home`, and one of mara's in it: where the API runs."""
    env = {
        "PATH": os.environ["PATH"],
        "STORE": "embedded",
        "AURORA_HOME": str(home),
        "GOOGLE_CLOUD_PROJECT": project,
        "AUTH": "emulator",
        "GEMINI_API_KEY": "test",
        "GEMINI_BASE_URL": gemini.url,
        "THREADS": "8",
    }
    app = build(Settings.from_env(env))
    app.notes.save("mara", "api", NoteDraft(title="API", text="We run the API on Cloud Run."))
    app.indexer.index(NoteKey("mara", "api"))
    app.store.close()
    return env


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        assert process.poll() is None, "the function ended while it was starting"
        assert time.monotonic() < deadline, "the function does not answer"
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return
        except OSError:
            time.sleep(0.05)

"""Cold start: from the start of the process to the first byte of /health, against a function that does nothing."""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from desktop.product.ports import free_ports

ROUNDS = 9
TARGET = 1.2
DEADLINE = 30.0
ROOT = Path(__file__).resolve().parent.parent

HELLO = "def hello(request):\n    return 'ok'\n"


def run(*, small: bool = False) -> dict[str, dict[str, Any]]:
    """Medians of ROUNDS starts in turn, and their ratio to a bare hello's."""
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "main.py"
        bare.write_text(HELLO)
        rounds = [
            {
                "hello": seconds_to_first_byte("hello", bare),
                "chat": seconds_to_first_byte("chat", ROOT / "main.py"),
                "api": seconds_to_first_byte("api", ROOT / "main.py"),
            }
            for _ in range(1 if small else ROUNDS)
        ]

    middle = {name: statistics.median(times[name] for times in rounds) for name in rounds[0]}
    figures: dict[str, dict[str, Any]] = {
        f"{name}: start to first byte": {"value": round(seconds * 1000), "unit": "ms"}
        for name, seconds in middle.items()
    }
    for name in ("chat", "api"):
        ratio = middle[name] / middle["hello"]
        figures[f"{name} against a bare hello"] = {
            "ratio": ratio,
            "unit": "x",
            "target": TARGET,
            "ok": ratio <= TARGET,
        }

    return figures


def seconds_to_first_byte(target: str, source: Path) -> float:
    """Start the function's host as the cloud does, and ask until it answers."""
    (port,) = free_ports(1)
    command = [
        sys.executable,
        "-m",
        "functions_framework",
        "--target",
        target,
        "--source",
        str(source),
    ]
    started = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port)],
        cwd=source.parent,
        env={**os.environ, "THREADS": "4"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not _answers(port):
            if time.perf_counter() - started > DEADLINE or process.poll() is not None:
                raise RuntimeError(f"{target} did not start")
            time.sleep(0.002)
        return time.perf_counter() - started
    finally:
        process.terminate()
        process.wait()


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as connection:
            connection.sendall(
                b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            )
            return bool(connection.recv(1))
    except ConnectionError:
        return False

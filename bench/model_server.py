"""Runs the local Gemini server in a process of its own, so that it takes no processor time of what is measured.

`python -m bench.model_server ANSWER SECONDS` prints its address and serves until its standard input ends.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers.gemini import GeminiServer

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def model_server(answer: str, *, pause: float = 0.0) -> Iterator[str]:
    """Yields the address of a server that answers every prompt with `answer`.

    pause: seconds before each word of a streamed answer.
    """
    command = [sys.executable, "-m", "bench.model_server", answer, str(pause)]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def _serve(answer: str, pause: float) -> None:
    with GeminiServer(answer, pause=pause) as server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    _serve(sys.argv[1], float(sys.argv[2]))

"""`aurora dev` as people start it: a process on a free port."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os import environ
from pathlib import Path
from typing import Any, TextIO

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-c", "from cli.main import main; main()", "dev", "--no-browser")
BUSY = 20
"""Searches for which a test waits beside what a quiet machine gets; there they take a quarter of a second."""
MOST_BUSY = 10.0
"""Seconds that a test waits for a busy machine at most: a pass without an event comes after 30."""
REQUEST_LINE = re.compile(r"[0-9:]{8} [A-Z]+ /\S* \d+ \d+ ms")


@dataclass
class Running:
    process: subprocess.Popen[str]
    greeting: str
    address: str
    said: TextIO
    """Standard error of the process: a line a request, and what goes wrong."""

    def errors(self) -> list[str]:
        """Lines that are about no request."""
        return [line for line in _read(self.said).splitlines() if not REQUEST_LINE.fullmatch(line)]

    def call(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                text = reply.read()
                return reply.status, json.loads(text) if text else None
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.read().decode()

    def allowed(self, seconds: float) -> float:
        """Returns the seconds that a test allows for what takes at most `seconds` where nothing else runs.

        The machines that run tests are shared: it allows BUSY searches more, which take their time too, but never so
        much that what is late by itself passes.
        """
        self.call("POST", "/search", {"query": "warm up"})
        began = time.monotonic()
        self.call("POST", "/search", {"query": "how busy"})
        return seconds + min(MOST_BUSY, BUSY * (time.monotonic() - began))

    def await_vectors(self, within: float = 60.0) -> None:
        deadline = time.monotonic() + within
        while (
            self.call("GET", "/index:coverage")[1]["pendingEmbeddings"]
            and time.monotonic() < deadline
        ):
            time.sleep(0.1)

    def await_questions(self, kind: str, count: int, within: float = 60.0) -> None:
        """Waits until so many `conflicts` are listed, or `gone` files, of the folders that are followed.

        A folder is looked at again twice a minute, and sooner where something happened.
        """
        deadline = time.monotonic() + within
        while len(self.call("GET", "/folders")[1][kind]) != count:
            assert time.monotonic() < deadline, self.errors()
            time.sleep(0.2)

    def answered(self, question: str, expected: str, within: float, **headers: str) -> bool:
        """Tell whether an answer that holds `expected` has arrived before that many seconds have passed.

        It asks ever less often: a question takes the processor from what it waits for.
        """
        deadline = time.monotonic() + within
        pause = 0.05
        while time.monotonic() < deadline:
            if (
                expected
                in self.call("POST", "/chat", {"message": question}, **headers)[1]["answer"]
            ):
                return time.monotonic() < deadline
            time.sleep(pause)
            pause = min(1.3 * pause, 1.0)
        return False


@contextmanager
def dev(
    home: Path, *options: str, port: int = 0, env: Mapping[str, str] | None = None
) -> Iterator[Running]:
    """A running product, ended well afterwards. `env`: settings beside those of the tests."""
    with tempfile.TemporaryFile(
        "w+"
    ) as log:  # not a pipe: nobody reads it while requests are told there
        process = subprocess.Popen(
            [*COMMAND, "--port", str(port), "--home", str(home), *options],
            cwd=ROOT,
            env={**environ, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        assert process.stdout is not None
        try:
            greeting = ""
            while "try: " not in greeting:
                line = process.stdout.readline()
                assert line, _read(log)
                greeting += line
            address = re.search(r"http://localhost:\d+", greeting)
            assert address
            yield Running(process, greeting, address[0], log)
        finally:
            process.terminate()  # not killed: it has an emulator to stop
            process.communicate(timeout=60)


def _read(said: TextIO) -> str:
    said.seek(0)
    return said.read()

"""Streamed chats of one instance, and an answer's own work.

The instance runs as deployed (functions-framework, gunicorn, THREADS of cloudbuild.yaml) on the embedded store;
a local Gemini server, in a process of its own, takes one second to write an answer of ten words. Clients are threads
here. Own work is measured in one thread, with vectors and an answer that come at once.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median, quantiles
from threading import Barrier
from typing import cast

from bench import figure
from bench.embedded_corpus import DIMENSION, NOW, TENANT, Corpus
from bench.search_route import GivenVectors
from evaluation.asking import answered
from shared.adapters.embedded import EmbeddedStore
from shared.bootstrap import build
from shared.indexing.pipeline import index_version
from shared.model.answers import Delta, Prompt
from shared.model.index import Vector
from shared.model.notes import NoteKey
from shared.model.questions import Question
from shared.notes.service import NoteDraft
from shared.settings import Settings
from tests.fakes import ScriptedWriter
from tests.servers.function import ROOT, RunningFunction, running
from tests.servers.gemini import GeminiServer

CLIENTS = 40
ROUNDS = 5
NOTES = 50
ANSWER = "We decided to run the API on Cloud Run then [N1]."
WORDS = len(ANSWER.split())
TARGETS = {"whole answer, p95": 1250, "first event, p95": 150, "first token, p95": None}
MAX_MEMORY = 300
CHUNKS = 10_000
QUESTIONS = 60
OWN_WORK = 25


def run(*, small: bool = False) -> dict[str, object]:
    """Figures with their targets; see `bench.__main__`. About a minute."""
    clients, rounds, chunks, questions = (4, 1, 200, 3) if small else (CLIENTS, ROUNDS, CHUNKS, QUESTIONS)
    return {**_streams(clients, rounds, notes=5 if small else NOTES), **_own_work(chunks, questions)}


# -- streams


@dataclass(frozen=True)
class _Stream:
    """Milliseconds from the request to each; `error` None: it ended with a result."""

    first_event: float
    first_token: float
    whole: float
    error: str | None


def _streams(clients: int, rounds: int, *, notes: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as home, _gemini() as address:
        env = _environment(home, address)
        app = build(Settings.from_env(env))
        for number in range(notes):
            note = NoteDraft(
                title=f"Decision {number}", text=f"We decided to run the API on Cloud Run in region {number}."
            )
            app.notes.save("local", f"note-{number}", note)
            app.indexer.index(NoteKey("local", f"note-{number}"))
        app.store.close()
        with running("chat", env) as function:
            _all_at_once(function, clients)  # the first ones pay for the imports
            before = _processor_seconds(function.process.pid)
            streams = [stream for _ in range(rounds) for stream in _all_at_once(function, clients)]
            worked = _processor_seconds(function.process.pid) - before
            memory = _peak_megabytes(function.process.pid)
    times = {
        "whole answer, p95": [stream.whole for stream in streams],
        "first event, p95": [stream.first_event for stream in streams],
        "first token, p95": [stream.first_token for stream in streams],
    }
    figures: dict[str, object] = {
        f"{clients} streams, {name}": figure(quantiles(values, n=20)[-1], "ms", TARGETS[name])
        for name, values in times.items()
    }
    errors = [stream.error for stream in streams if stream.error]
    figures["processor time of a stream"] = figure(worked / len(streams) * 1000, "ms")
    figures[f"{clients} streams, peak memory"] = figure(memory, "MB", MAX_MEMORY)
    figures[f"{clients} streams, errors"] = figure(float(len(errors)), "", 0)
    return figures


def _environment(home: str, gemini: str) -> dict[str, str]:
    deployed = (ROOT / "cloudbuild.yaml").read_text()
    threads = re.search(r"THREADS=(\d+)", deployed)
    assert threads is not None
    return {
        "PATH": os.environ["PATH"],
        "STORE": "embedded",
        "AURORA_HOME": home,
        "AUTH": "none",
        "GEMINI_API_KEY": "bench",
        "GEMINI_BASE_URL": gemini,
        "THREADS": threads[1],
        "LOG_LEVEL": "WARNING",
    }


@contextmanager
def _gemini() -> Iterator[str]:
    """The local Gemini server in a process of its own; its address."""
    command = [sys.executable, "-m", "bench.streams", "gemini"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def _serve_gemini() -> None:
    with GeminiServer(ANSWER, pause=1.0 / WORDS) as server:
        print(server.url, flush=True)
        sys.stdin.read()


def _all_at_once(function: RunningFunction, clients: int) -> list[_Stream]:
    together = Barrier(clients)

    def one(_: int) -> _Stream:
        together.wait()
        return _ask(function.port)

    with ThreadPoolExecutor(clients) as threads:
        return list(threads.map(one, range(clients)))


def _ask(port: int) -> _Stream:
    body = json.dumps({"message": "What did we decide to run on Cloud Run?", "stream": True}).encode()
    head = f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    started = time.perf_counter()
    read, first_event, first_token = b"", 0.0, 0.0
    with socket.create_connection(("127.0.0.1", port), 60) as connection:
        connection.sendall(head.encode() + body)
        while more := connection.recv(65536):
            read += more
            now = (time.perf_counter() - started) * 1000
            first_event = first_event or (now if b"event: start" in read else 0.0)
            first_token = first_token or (now if b"event: token" in read else 0.0)
    whole = (time.perf_counter() - started) * 1000
    fine = b"event: result" in read and ANSWER.encode() in read and b"event: retract" not in read
    return _Stream(first_event, first_token, whole, None if fine else read.decode(errors="replace")[-300:])


def _family(master: int) -> list[str]:
    """Process ids of gunicorn's master and its workers."""
    return [str(master), *Path(f"/proc/{master}/task/{master}/children").read_text().split()]


def _processor_seconds(master: int) -> float:
    stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in _family(master)]
    return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")


def _peak_megabytes(master: int) -> float:
    statuses = [Path(f"/proc/{pid}/status").read_text() for pid in _family(master)]
    return sum(int(peak) for status in statuses for peak in re.findall(r"VmHWM:\s+(\d+) kB", status)) / 1024


# -- own work


class _InThePassagesWords(ScriptedWriter):
    """What nothing backs at all would be refused: it begins with words of the first passage."""

    def stream(self, prompt: Prompt) -> Generator[Delta]:
        passage = re.search(r"(?:word\d+ ){5}word\d+", prompt.user)
        assert passage
        self.answers = [f"It says {passage[0]} [N1]. Another one followed [N2, N3]. So it went on [N4]."]
        yield from super().stream(prompt)


def _own_work(chunks: int, asked: int) -> dict[str, object]:
    questions = list[tuple[Vector, str]]()
    vectors = GivenVectors(lambda: questions[-1][0], DIMENSION)
    corpus = Corpus(chunks, version=index_version(vectors))
    writer = _InThePassagesWords("")
    times, worked = list[float](), list[float]()
    with tempfile.TemporaryDirectory() as folder:
        app = replace(build(Settings(home=Path(folder), auth="none")), embedder=vectors, writer=writer)
        corpus.save(cast("EmbeddedStore", app.store))
        for vector, stems in corpus.questions(asked):
            questions.append((array("f", vector.tobytes()), f"What about {' '.join(stems)}?"))
            started, before = time.perf_counter(), time.process_time()
            answer = answered(app, Question(TENANT, questions[-1][1], NOW))
            worked.append((time.process_time() - before) * 1000)
            times.append((time.perf_counter() - started) * 1000)
            assert len(answer.citations) == 4
        app.store.close()
    return {
        f"own work of an answer at {chunks:,} chunks, p50": figure(median(times), "ms", OWN_WORK),
        "the same, processor time, p50": figure(median(worked), "ms"),
    }


if __name__ == "__main__":
    _serve_gemini()

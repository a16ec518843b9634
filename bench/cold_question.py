"""A cold instance's first question: from the start of the process to the first words of a streamed answer.

Beside `chat`, as deployed and on the emulator, starts the least program with the same packages: it makes one vector
search, streams one reply of the model and checks nothing. The model answers at once. Both start in turns, so what the
machine does besides falls on both.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench import figure, ratio_figure
from bench.model_server import model_server
from bench.processes import processor_seconds
from desktop.product.emulator import start
from desktop.product.ports import free_ports
from shared.bootstrap import build
from shared.model.notes import NoteKey
from shared.notes.service import NoteDraft
from shared.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
TENANT = "local"
NOTES = 30
ROUNDS = 7
TARGET = 1.05
DEADLINE = 60.0
ANSWER = "We decided to run the API on Cloud Run then [N1]."
QUESTION = {"message": "What did we decide to run on Cloud Run?", "stream": True}
FIRST_WORDS = {"least": b"data: We", "chat": b"event: token"}
"""What begins the first words in the reply of each program."""

LEAST = """
import os
import flask
import functions_framework
from google import genai
from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore
from google.cloud.firestore_v1.base_vector_query import DistanceMeasure
from google.cloud.firestore_v1.vector import Vector

clients = []


@functions_framework.http
def least(request):
    if request.method == "GET":
        return "ok"
    if not clients:
        options = {"base_url": os.environ["GEMINI_BASE_URL"], "api_version": "v1beta"}
        clients.append(firestore.Client(os.environ["GOOGLE_CLOUD_PROJECT"], AnonymousCredentials()))
        clients.append(genai.Client(api_key="bench", http_options=options))
    database, model = clients
    chunks = database.collection("tenants/local/chunks")
    vector = Vector([1.0] + [0.0] * 767)
    found = chunks.find_nearest("embedding", vector, 30, DistanceMeasure.COSINE).get()
    prompt = request.get_json()["message"] + "".join(chunk.get("text") for chunk in found)

    def words():
        for part in model.models.generate_content_stream(model="gemini-3.5-flash-lite", contents=prompt):
            yield "data: " + part.text + "\\n\\n"

    return flask.Response(words(), mimetype="text/event-stream")
"""


@dataclass(frozen=True)
class _Start:
    """One start of a program, until the first words were there."""

    seconds: float
    processor_seconds: float
    warm_seconds: float
    """A second question to the same instance."""


def run(*, small: bool = False) -> dict[str, Any]:
    """Returns medians of both programs and their ratios; see `python -m bench`."""
    rounds = ROUNDS
    if small:
        rounds = 1
    least: list[_Start] = []
    ours: list[_Start] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        start() as emulator,
        model_server(ANSWER) as model,
    ):
        env = _environment(emulator.host, model)
        _fill(env)
        source = Path(folder) / "main.py"
        source.write_text(LEAST)
        for _ in range(rounds):
            least.append(_first_question("least", source, env))
            ours.append(_first_question("chat", ROOT / "main.py", env))

    chat = _medians(ours)
    least_program = _medians(least)
    figures: dict[str, Any] = {}
    for name, start_times in (("chat", chat), ("least program", least_program)):
        wall = start_times.seconds * 1000
        work = start_times.processor_seconds * 1000
        warm = start_times.warm_seconds * 1000
        figures[f"{name}: start to first words"] = figure(wall, "ms")
        figures[f"{name}: processor time of it"] = figure(work, "ms")
        figures[f"{name}: first words when warm"] = figure(warm, "ms")

    wall_ratio = chat.seconds / least_program.seconds
    work_ratio = chat.processor_seconds / least_program.processor_seconds
    figures["chat against the least program"] = ratio_figure(
        wall_ratio,
        TARGET,
        ok=wall_ratio <= TARGET,
    )
    figures["the same, processor time"] = ratio_figure(work_ratio)
    return figures


def _medians(starts: Sequence[_Start]) -> _Start:
    """Returns the median of each time."""
    return _Start(
        seconds=median(program_start.seconds for program_start in starts),
        processor_seconds=median(program_start.processor_seconds for program_start in starts),
        warm_seconds=median(program_start.warm_seconds for program_start in starts),
    )


def _environment(emulator: str, model: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "STORE": "firestore",
        "FIRESTORE_EMULATOR_HOST": emulator,
        "GOOGLE_CLOUD_PROJECT": f"demo-{uuid.uuid4().hex[:12]}",
        "AUTH": "none",
        "GEMINI_API_KEY": "bench",
        "GEMINI_BASE_URL": model,
        "THREADS": "8",
        "LOG_LEVEL": "WARNING",
    }


def _fill(env: Mapping[str, str]) -> None:
    """Saves and indexes the notes that are asked for."""
    os.environ["FIRESTORE_EMULATOR_HOST"] = env["FIRESTORE_EMULATOR_HOST"]
    try:
        app = build(Settings.from_env(env))
        for number in range(NOTES):
            note = NoteDraft(
                title=f"Decision {number}",
                text=f"We decided to run the API on Cloud Run in region {number}.",
            )
            app.notes.save(TENANT, f"note-{number}", note)
            app.indexer.index(NoteKey(TENANT, f"note-{number}"))
        app.store.close()
    finally:
        del os.environ["FIRESTORE_EMULATOR_HOST"]


def _first_question(target: str, source: Path, env: Mapping[str, str]) -> _Start:
    """Starts a program as the cloud does, and asks it as soon as it listens."""
    (port,) = free_ports(1)
    command = [
        sys.executable,
        "-m",
        "functions_framework",
        f"--target={target}",
        f"--source={source}",
        "--host=127.0.0.1",
        f"--port={port}",
    ]
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=source.parent, env=dict(env))
    try:
        while not _has_answered(port, FIRST_WORDS[target]):
            has_ended = process.poll() is not None
            if has_ended or time.perf_counter() - started > DEADLINE:
                raise RuntimeError(f"{target} did not answer")
            time.sleep(0.002)
        seconds = time.perf_counter() - started
        worked = processor_seconds(process.pid)
        asked_again = time.perf_counter()
        assert _has_answered(port, FIRST_WORDS[target])
        return _Start(seconds, worked, time.perf_counter() - asked_again)
    finally:
        process.terminate()
        process.wait()


def _has_answered(port: int, first_words: bytes) -> bool:
    """Asks the question and reads until the first words; False if nothing listens yet."""
    body = json.dumps(QUESTION).encode()
    head = (
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    reply = b""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as connection:
            connection.sendall(head.encode() + body)
            while first_words not in reply:
                part = connection.recv(65536)
                if not part:
                    raise RuntimeError(f"no words came: {reply.decode(errors='replace')[-500:]}")
                reply += part
    except ConnectionError:
        return False

    return True

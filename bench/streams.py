"""Streamed chats of one instance, and an answer's own work.

The instance runs as deployed (functions-framework, gunicorn, THREADS of cloudbuild.yaml) on the embedded store;
a local Gemini server, in a process of its own, takes one second to write an answer of ten words. Clients are threads
here. Beside it, in turns, a function does nothing but pass on what Gemini's client streams: 40 of these clients share
one core, so this is the least that an answer can take. Own work is measured in one thread, with vectors and an answer
that come at once.
"""

from __future__ import annotations

import json
import os
import re
import socket
import tempfile
import time
from array import array
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median, quantiles
from threading import Barrier
from typing import cast

from bench import figure
from bench.embedded_corpus import DIMENSION, NOW, TENANT, Corpus
from bench.model_server import model_server
from bench.processes import peak_megabytes, processor_seconds
from bench.search_route import GivenVectors
from evaluation.asking import answered
from shared.adapters.embedded import EmbeddedStore
from shared.bootstrap import assemble, build
from shared.indexing.versions import index_version
from shared.model.answers import Delta, Prompt
from shared.model.index import Vector
from shared.model.notes import NoteKey
from shared.model.questions import Question
from shared.notes.service import NoteDraft
from shared.settings import Settings
from tests.fakes import ScriptedWriter
from tests.servers.function import ROOT, RunningFunction, running

CLIENTS = 40
ROUNDS = 5
NOTES = 50
ANSWER = "We decided to run the API on Cloud Run then [N1]."
PAUSE = 1.0 / len(ANSWER.split())
"""Seconds before each word, so that an answer takes one second."""
WHOLE_ANSWER = 1250
"""Most milliseconds of a whole answer, or as many as the least function takes."""
LEAST_SHARE = 1.1
"""Most time of a whole answer as a multiple of the least function's."""
FIRST_EVENT = 100
LEAST = """
import os
import flask
import functions_framework
from google import genai

options = {"base_url": os.environ["GEMINI_BASE_URL"], "api_version": "v1beta"}
model = genai.Client(api_key="bench", http_options=options)


@functions_framework.http
def least(request):
    prompt = request.get_json(force=True)["message"]

    def events():
        yield "event: start\\n\\n"
        text = ""
        for part in model.models.generate_content_stream(model="gemini-3.5-flash-lite", contents=prompt):
            text += part.text
            yield f"event: token\\ndata: {part.text}\\n\\n"
        yield f"event: result\\ndata: {text}\\n\\n"

    return flask.Response(events(), mimetype="text/event-stream")
"""
MAX_MEMORY = 300
CHUNKS = 10_000
QUESTIONS = 60
OWN_WORK = 25


def run(*, small: bool = False) -> dict[str, object]:
    """Figures with their targets; see `bench.__main__`. About a minute."""
    if small:
        return {
            **_streams(clients=4, rounds=1, notes=5),
            **_own_work(chunks=200, questions=3),
        }
    return {
        **_streams(CLIENTS, ROUNDS, notes=NOTES),
        **_own_work(CHUNKS, QUESTIONS),
    }


# -- streams


@dataclass(frozen=True)
class _Stream:
    """Milliseconds from the request to each; `error` is None if it ended with a result."""

    first_event: float
    first_token: float
    all_of_it: float
    error: str | None


@dataclass(frozen=True)
class _Load:
    """Replies to many clients at once: an instance's, and the least function's in the same minutes."""

    streams: Sequence[_Stream]
    least_streams: Sequence[_Stream]
    processor_seconds: float
    """Processor time of the instance, for all its streams."""
    peak_megabytes: float


def _streams(clients: int, rounds: int, *, notes: int) -> dict[str, object]:
    """Returns the figures of streams, the least function's beside them."""
    load = _under_load(clients, rounds, notes=notes)
    whole_answer = _p95([stream.all_of_it for stream in load.streams])
    least_answer = _p95([stream.all_of_it for stream in load.least_streams])
    first_event = _p95([stream.first_event for stream in load.streams])
    first_token = _p95([stream.first_token for stream in load.streams])
    stream_ms = load.processor_seconds / len(load.streams) * 1000
    max_answer = max(WHOLE_ANSWER, round(LEAST_SHARE * least_answer))

    errors = 0
    for stream in (*load.streams, *load.least_streams):
        if stream.error:
            errors += 1

    title = f"{clients} streams"
    return {
        f"{title}, whole answer, p95": figure(whole_answer, "ms", max_answer),
        f"{title} of the least function, whole answer, p95": figure(least_answer, "ms"),
        f"{title}, first event, p95": figure(first_event, "ms", FIRST_EVENT),
        f"{title}, first token, p95": figure(first_token, "ms"),
        "processor time of a stream": figure(stream_ms, "ms"),
        f"{title}, peak memory": figure(load.peak_megabytes, "MB", MAX_MEMORY),
        f"{title}, errors": figure(float(errors), "", 0),
    }


def _under_load(clients: int, rounds: int, *, notes: int) -> _Load:
    """Asks both functions in turns, each time with all clients at once."""
    streams: list[_Stream] = []
    least_streams: list[_Stream] = []
    worked = 0.0
    with (
        tempfile.TemporaryDirectory() as home,
        tempfile.TemporaryDirectory() as folder,
        model_server(ANSWER, pause=PAUSE) as address,
    ):
        env = _environment(home, address)
        _fill(env, notes)
        Path(folder, "main.py").write_text(LEAST)
        with (
            running("chat", env) as function,
            running("least", env, folder=Path(folder)) as least_function,
        ):
            _all_at_once(function, clients)  # the first ones pay for the imports
            _all_at_once(least_function, clients)

            pid = function.process.pid
            for _ in range(rounds):
                seconds_before = processor_seconds(pid)
                streams += _all_at_once(function, clients)
                worked += processor_seconds(pid) - seconds_before
                least_streams += _all_at_once(least_function, clients)

            memory = peak_megabytes(pid)

    return _Load(
        streams=streams,
        least_streams=least_streams,
        processor_seconds=worked,
        peak_megabytes=memory,
    )


def _p95(values: Sequence[float]) -> float:
    return quantiles(values, n=20)[-1]


def _fill(env: Mapping[str, str], notes: int) -> None:
    """Saves and indexes so many notes in the store that these settings name."""
    app = build(Settings.from_env(env))
    for number in range(notes):
        note_id = f"note-{number}"
        note = NoteDraft(
            title=f"Decision {number}",
            text=f"We decided to run the API on Cloud Run in region {number}.",
        )
        app.notes.save("local", note_id, note)
        app.indexer.index(NoteKey("local", note_id))
    app.store.close()


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


def _all_at_once(function: RunningFunction, clients: int) -> list[_Stream]:
    together = Barrier(clients)

    def ask_with_the_others(_: int) -> _Stream:
        together.wait()
        return _ask(function.port)

    with ThreadPoolExecutor(clients) as threads:
        return list(threads.map(ask_with_the_others, range(clients)))


def _ask(port: int) -> _Stream:
    """Asks one streamed question and measures its reply."""
    question = {"message": "What did we decide to run on Cloud Run?", "stream": True}
    body = json.dumps(question).encode()
    head = f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    started = time.perf_counter()
    reply = b""
    first_event = 0.0
    first_token = 0.0
    with socket.create_connection(("127.0.0.1", port), 60) as connection:
        connection.sendall(head.encode() + body)
        while part := connection.recv(65536):
            reply += part
            now = (time.perf_counter() - started) * 1000
            if not first_event and b"event: start" in reply:
                first_event = now
            if not first_token and b"event: token" in reply:
                first_token = now

    all_of_it = (time.perf_counter() - started) * 1000
    is_complete = b"event: result" in reply and ANSWER.encode() in reply
    error = None
    if not is_complete or b"event: retract" in reply:
        error = reply.decode(errors="replace")[-300:]
    return _Stream(
        first_event,
        first_token,
        all_of_it,
        error,
    )


# -- own work


class _InThePassagesWords(ScriptedWriter):
    """Begins its answer with words of the first passage: an answer that nothing backs would be refused."""

    def stream(self, prompt: Prompt) -> Generator[Delta]:
        passage = re.search(r"(?:word\d+ ){5}word\d+", prompt.user)
        assert passage
        self.answers = [
            f"It says {passage[0]} [N1]. Another one followed [N2, N3]. So it went on [N4].",
        ]
        yield from super().stream(prompt)


def _own_work(chunks: int, questions: int) -> dict[str, object]:
    """Measures the work of an answer whose vector and text come at once."""
    query_vectors: list[Vector] = []
    embedder = GivenVectors(lambda: query_vectors[-1], DIMENSION)
    corpus = Corpus(chunks, version=index_version(embedder))
    writer = _InThePassagesWords("")
    times: list[float] = []
    worked: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        app = build(Settings(home=Path(folder), auth="none"))
        app = assemble(replace(app, embedder=embedder, writer=writer))
        corpus.save(cast("EmbeddedStore", app.store))
        for vector, stems in corpus.questions(questions):
            query_vectors.append(array("f", vector.tobytes()))
            words = " ".join(stems)
            question = Question(TENANT, f"What about {words}?", NOW)
            started = time.perf_counter()
            processor_before = time.process_time()
            answer = answered(app, question)
            processor_seconds_of_answer = time.process_time() - processor_before
            seconds = time.perf_counter() - started
            worked.append(processor_seconds_of_answer * 1000)
            times.append(seconds * 1000)
            assert len(answer.citations) == 4
        app.store.close()

    return {
        f"own work of an answer at {chunks:,} chunks, p50": figure(median(times), "ms", OWN_WORK),
        "the same, processor time, p50": figure(median(worked), "ms"),
    }

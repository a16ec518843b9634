"""Streams of the running function: how soon they begin, and what becomes of those that nobody reads any more."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from tests.servers.certificates import PROJECT, unsigned
from tests.servers.function import RunningFunction, environment, running
from tests.servers.gemini import GeminiServer, streamed

TOKEN_CLAIMS = {
    "sub": "mara",
    "aud": PROJECT,
    "iss": f"https://securetoken.google.com/{PROJECT}",
}


@dataclass
class Chat:
    function: RunningFunction
    gemini: GeminiServer

    @contextmanager
    def asked(self, question: str = "Where does the API run?") -> Iterator[socket.socket]:
        """A connection over which the question was sent."""
        now = int(time.time())
        token = unsigned(
            {
                **TOKEN_CLAIMS,
                "iat": now,
                "exp": now + 3600,
            }
        )
        body = json.dumps({"message": question}).encode()
        head = (
            "POST /chat HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", self.function.port), 30) as connection:
            connection.sendall(head.encode() + body)
            yield connection


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chat]:
    home = tmp_path_factory.mktemp("home")
    gemini = GeminiServer("The API runs on Cloud Run [N1].")
    with gemini, running("chat", environment(home, PROJECT, gemini)) as function:
        chat = Chat(function, gemini)
        with chat.asked() as warming:
            read_until(warming, b"event: result")
        yield chat


def read_until(connection: socket.socket, sign: bytes) -> bytes:
    read = b""
    while sign not in read:
        received = connection.recv(65536)
        assert received, read
        read += received
    return read


def test_the_first_event_leaves_before_the_model_says_anything(chat: Chat) -> None:
    chat.gemini.stream = streamed("Cloud Run [N1].", delay=60)  # a connection has less patience
    with chat.asked() as connection:
        received = read_until(connection, b"event: start")
    assert b"event: token" not in received


@pytest.mark.parametrize(
    "how", [{"pause": 0.1}, {"hang_after": 3000}], ids=["while it writes", "while it is silent"]
)
def test_a_client_that_hangs_up_stops_the_model(chat: Chat, how: dict[str, Any]) -> None:
    chat.gemini.hung_up.clear()
    chat.gemini.stream = streamed(*["Cloud Run [N1]. "] * 200, **how)
    with chat.asked() as connection:
        read_until(connection, b"event: token")
    assert chat.gemini.hung_up.wait(60)


def test_a_client_that_hangs_up_before_the_first_token_stops_the_model(chat: Chat) -> None:
    chat.gemini.hung_up.clear()
    chat.gemini.stream = streamed(*["Cloud Run [N1]. "] * 200, delay=1.5, pause=0.1)
    with chat.asked() as connection:
        read_until(connection, b"event: sources")
    assert chat.gemini.hung_up.wait(60)


def test_the_instance_serves_on_after_many_hang_ups(chat: Chat) -> None:
    for _ in range(10):
        chat.gemini.stream = streamed(*["Cloud Run [N1]. "] * 200, pause=0.02)
        with chat.asked() as connection:
            read_until(connection, b"event: token")
    with chat.asked() as connection:
        assert b"Cloud Run [N1]" in read_until(connection, b"event: result")

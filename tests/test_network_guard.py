from __future__ import annotations

import socket
from collections.abc import Callable

import pytest
import requests

from shared.adapters.gemini import GeminiEmbedder

NOWHERE = "192.0.2.1"  # routed nowhere (RFC 5737)
NAMELESS = "aurora-notes.invalid"  # resolved nowhere (RFC 6761)


def connect(host: str) -> None:
    with socket.socket() as client:
        client.settimeout(0.01)
        client.connect((host, 80))


def send(host: str) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as client:
        client.sendto(b"?", (host, 53))


def look_up(host: str) -> None:
    socket.getaddrinfo(host, 443)


def get(host: str) -> None:
    requests.get(f"http://{host}/", timeout=0.01)


def embed(host: str) -> None:
    GeminiEmbedder(api_key="k", base_url=f"http://{host}/").embed_query("a")


@pytest.mark.parametrize(
    ("reach", "host"),
    [
        (connect, NOWHERE),
        (send, NOWHERE),
        (look_up, NAMELESS),
        (look_up, "2001:db8::1"),
        (get, NOWHERE),
        (get, NAMELESS),
        (embed, NOWHERE),
        (embed, NAMELESS),
    ],
)
def test_the_world_cannot_be_reached_from_a_test(reach: Callable[[str], None], host: str) -> None:
    with pytest.raises(pytest.fail.Exception, match="wanted to reach"):
        reach(host)


def test_this_machine_can() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = ("localhost", server.getsockname()[1])
        with socket.create_connection(address, timeout=5) as client:
            assert client.getpeername()[1] == address[1]

"""No test talks to the world: a connection or a look-up beyond this machine fails the test that makes it.

Import `network_guard` in the outermost conftest.py. It watches Python's own audit events, so it covers every
library that uses Python's sockets, in every thread; gRPC's C core does not, and is only ever given the emulator.
"""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Iterator

import pytest

_watching = False


def _beyond(host: object) -> bool:
    if host in (None, "", b"", "localhost", b"localhost"):
        return False
    name = host.decode() if isinstance(host, bytes) else str(host)
    try:
        return not ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return True


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if not _watching:
        return
    host: object = None
    if event in {"socket.connect", "socket.sendto"} and isinstance(
        arguments[1], tuple
    ):  # not a Unix socket's path
        host = arguments[1][0]
    elif event in {"socket.getaddrinfo", "socket.gethostbyname"}:
        host = arguments[0]
    if _beyond(host):
        # No `Exception`: a library that turns errors into an outage must not hide it.
        pytest.fail(f"a test wanted to reach {host!r}")


sys.addaudithook(_audit)


@pytest.fixture(scope="session", autouse=True)
def network_guard() -> Iterator[None]:
    global _watching  # noqa: PLW0603 - an audit hook cannot be removed, only told to rest
    _watching = True
    yield
    _watching = False

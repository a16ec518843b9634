"""Whoever wants a port that is taken is told by whom."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.product import ports
from desktop.product.ports import free_ports, holder_of
from shared.errors import OperatorError
from tests.servers.dev import COMMAND, ROOT, dev


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no /proc")
def test_the_process_that_listens_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        holder = holder_of(listener.getsockname()[1])
    assert holder is not None
    assert f"(process {os.getpid()}) has it" in holder


def test_a_free_port_has_no_holder() -> None:
    (port,) = free_ports(1)
    assert holder_of(port) is None


def test_free_ports_differ_and_are_none_that_somebody_has(monkeypatch: pytest.MonkeyPatch) -> None:
    first_port, *others = free_ports(3)
    monkeypatch.setattr(ports, "NEVER_GIVEN", range(first_port, first_port + 1))
    assert first_port not in others
    assert len(set(others)) == 2
    assert free_ports(1) == [first_port]
    with socket.create_server(("127.0.0.1", first_port)), pytest.raises(OperatorError):
        free_ports(1)


@pytest.mark.slow
def test_a_second_product_on_the_port_says_that_the_first_one_runs(tmp_path: Path) -> None:
    with dev(tmp_path / "first") as running:
        port = running.address.rpartition(":")[2]
        second = subprocess.run(
            [*COMMAND, "--home", str(tmp_path / "second"), "--port", port],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    assert second.returncode == 1
    assert f"port {port} cannot be used" in second.stderr
    assert "Aurora Notes runs there already" in second.stderr

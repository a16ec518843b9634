"""Whoever wants a port that is taken is told by whom."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.product.ports import holder_of
from tests.servers.dev import COMMAND, ROOT, dev


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no /proc")
def test_the_process_that_listens_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        holder = holder_of(listener.getsockname()[1])
    assert holder is not None
    assert f"(process {os.getpid()}) has it" in holder


def test_a_free_port_has_no_holder() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert holder_of(port) is None


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
    assert f"port {port} cannot be had" in second.stderr
    assert "Aurora Notes runs there already" in second.stderr

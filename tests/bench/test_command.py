"""A command's figures are its own, whatever the bench that runs it holds."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from bench.command import measured


def test_the_memory_of_a_command_does_not_count_that_of_the_bench() -> None:
    held = b"x" * 200_000_000
    nothing = [sys.executable, "-c", "pass"]
    process = measured(nothing, os.environ)
    assert process.peak_bytes < len(held) / 2


def test_a_command_that_fails_has_no_figures() -> None:
    failing = [sys.executable, "-c", "raise SystemExit(3)"]
    with pytest.raises(subprocess.CalledProcessError):
        measured(failing, os.environ)

"""A process that is limited cannot take more memory, by whichever means the machine offers."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bench import limited
from bench.indexing_memory import (
    LARGEST,
    LIMIT,
    MEASURED,
    TOLERANCE,
    WORKERS,
    measure_limited,
)

MIB = 2**20


def _take(mebibytes: int) -> tuple[str, ...]:
    """Returns a module and arguments that take so much memory, and write to all of it."""
    return ("timeit", "-n", "1", "-r", "1", f"b'x' * {mebibytes * MIB}")


def test_a_process_that_takes_more_than_its_limit_is_ended() -> None:
    assert limited.run(*_take(20), mebibytes=128).returncode == 0
    assert limited.run(*_take(300), mebibytes=128).returncode != 0


def test_where_no_group_can_be_made_the_limit_is_that_of_private_memory() -> None:
    for mebibytes, is_ended in ((20, False), (300, True)):
        command = [sys.executable, limited.__file__, str(128 * MIB), limited.NO_GROUP]
        completed = subprocess.run([*command, *_take(mebibytes)], check=False, capture_output=True)
        assert (completed.returncode != 0) is is_ended, completed.stderr


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("workers", [1, pytest.param(8, marks=pytest.mark.nightly)])
def test_the_longest_notes_are_indexed_in_an_instances_memory_as_documented(workers: int) -> None:
    """On Firestore's code path, in a process that cannot take more than an instance has."""
    memory, _ = measure_limited("short words", LARGEST, workers)
    figure = MEASURED["short words", LARGEST][WORKERS.index(workers)]
    assert memory <= TOLERANCE * figure
    assert figure < LIMIT / 2

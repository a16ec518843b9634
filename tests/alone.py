"""Keeps tests apart from what else runs on the machine and from the environment of whoever runs them.

Import `alone`, `logged_as_before` and `pytest_configure` in the outermost conftest.py.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import fields
from multiprocessing import util
from pathlib import Path

import pytest

from functions.http.log import LOGGED_PACKAGES
from shared.settings import Settings

SETTINGS = tuple(field.metadata["variable"] for field in fields(Settings))
OF_OTHERS = (
    "K_SERVICE",
    "FIRESTORE_EMULATOR_HOST",
    "FIREBASE_AUTH_EMULATOR_HOST",
    "FIREBASE_EMULATOR_HUB",
    "GOOGLE_CLOUD_PROJECT",
    "GCLOUD_PROJECT",
)
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData"
"""Emulators live for minutes: without the second compiler and parallel collectors they cost a third less."""
MEMORY, ROOM = Path("/dev/shm"), 4 << 30  # noqa: S108 - a folder of our own is made in it
"""Linux's file system in memory, and the bytes that must be free in it."""


def pytest_configure() -> None:
    """Temporary folders lie in memory where there is room: a disk takes half of the time of tests that make stores."""
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.fixture(scope="session", autouse=True)
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A temporary folder of our own, too: in the system's a Firebase suite says where it listens."""
    folder = tmp_path_factory.getbasetemp() / "t"  # a short name: browsers keep sockets below it
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        for name in {*OF_OTHERS, *SETTINGS}:
            patch.delenv(name, raising=False)
        patch.setenv("JAVA_TOOL_OPTIONS", JAVA)
        patch.setenv("OLLAMA_HOST", "127.0.0.1:1")
        patch.setenv("TMPDIR", str(folder))
        patch.setattr(tempfile, "tempdir", str(folder))
        yield
        # At exit, which is its time, pytest has removed the folder that this removes.
        util._run_finalizers()  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def logged_as_before() -> Iterator[None]:
    """Forget what a product in this process was told to log: the next test may look for a warning."""
    loggers = [logging.getLogger(name) for name in LOGGED_PACKAGES]
    levels = [logger.level for logger in loggers]
    yield
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)

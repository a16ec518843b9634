"""`pytest --quick`: without what starts a process, that is without Java, a browser, Node, servers and commands.

Nobody marks a test: one that starts a process, or asks for a fixture that does, is skipped at that moment. Python's own
audit event tells it, whatever library starts the process.
"""

from __future__ import annotations

import sys

import pytest

_quick = False


def _audit(event: str, _: tuple[object, ...]) -> None:
    if _quick and event == "subprocess.Popen":
        pytest.skip("starts a process")


sys.addaudithook(_audit)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="skip every test that starts a process")


def pytest_configure(config: pytest.Config) -> None:
    global _quick  # noqa: PLW0603 - an audit hook cannot be removed
    _quick = config.getoption("--quick")

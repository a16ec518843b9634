"""`pytest --quick`: without what starts a process, that is without Java, a browser, Node, servers and commands.

Nobody marks those tests: one that starts a process, or asks for a fixture that does, is skipped at that moment.
Python's own audit event tells it, whatever library starts the process. What is marked `slow` is left out too.
"""

from __future__ import annotations

import sys

import pytest

_quick = False


def starts_a_process() -> None:
    """Before a library that starts one where no skip comes through."""
    if _quick:
        pytest.skip("starts a process")


def _audit(event: str, _: tuple[object, ...]) -> None:
    if event == "subprocess.Popen":
        starts_a_process()


sys.addaudithook(_audit)


def add_option(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick", action="store_true", help="skip tests that start a process or are marked slow"
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    global _quick  # noqa: PLW0603 - an audit hook cannot be removed
    _quick = item.config.getoption("--quick")  # not before: xdist starts processes of its own
    if _quick and item.get_closest_marker("slow"):
        pytest.skip("slow")

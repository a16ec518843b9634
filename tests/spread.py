"""Distributes tests over the workers of `make test`: a file is one worker's, half a folder that shares a browser too.
The longest come first, so that no worker is left alone with them at the end.

Import the hook in the outermost conftest.py.
"""

from __future__ import annotations

import pytest
from xdist.remote import Producer  # type: ignore[import-untyped]
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

TOGETHER = "tests/web/"
"""Shares a browser and a product; all of it would be the longest by far."""
SECOND_HALF = "tests/web/test_n"
"""With the file of this name and those behind it."""
LONGEST = (
    TOGETHER,
    "tests/deploy/",
    "tests/cli/",
    "tests/release/test_wheel.py",
    "tests/bench/",
    "tests/desktop/",
    "tests/adapters/firestore/",
    "tests/functions/test_failed_legs.py",
    "tests/retrieval/test_both_stores.py",
    "tests/trust/test_linear_time.py",
)
"""Beginnings of node ids; a minute or more each."""


class _ByFile(LoadFileScheduling):  # type: ignore[misc]
    def _split_scope(self, nodeid: str) -> str:
        if not nodeid.startswith(TOGETHER):
            return str(super()._split_scope(nodeid))
        return SECOND_HALF if nodeid >= SECOND_HALF else TOGETHER


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    return _ByFile(config, log) if config.getoption("dist") == "loadfile" else None


def sort(items: list[pytest.Item]) -> None:
    """Puts what takes longest first: what is nightly, then LONGEST."""
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    if item.get_closest_marker("nightly") is not None:
        return -1
    for place, name in enumerate(LONGEST):
        if item.nodeid.startswith(name):
            return place
    return len(LONGEST)

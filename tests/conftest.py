"""Fixtures that several folders of tests use."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import settings

from shared.adapters.embedded import EmbeddedStore
from tests import quick, selection, spread
from tests.alone import alone, logged_as_before, pytest_configure  # noqa: F401 - fixtures that every test runs under, and a hook
from tests.emulated import emulator, firestore_host, firestore_project, firestore_store, limits  # noqa: F401 - fixtures
from tests.network_guard import network_guard  # noqa: F401 - a fixture that every test runs under
from tests.quick import pytest_runtest_setup  # noqa: F401 - a hook
from tests.retrieval.library import Library
from tests.selection import pytest_sessionfinish, pytest_testnodedown  # noqa: F401 - hooks
from tests.spread import pytest_xdist_make_scheduler  # noqa: F401 - a hook

# How long an example takes says how busy the machine is.
settings.register_profile("any machine", settings(), deadline=None)
settings.load_profile("any machine")

# The contract suites are plain modules: without this their failing asserts would not show the values compared.
for _part in ("notes", "index", "sweep", "search", "templates", "sessions", "account"):
    pytest.register_assert_rewrite(f"tests.contracts.store_{_part}")
pytest.register_assert_rewrite("tests.contracts.embedder_contract")

# Five thousand tests and what they import stay to the end: looking for garbage among them costs a tenth of the time.
gc.disable()

# A process started in the background may be deaf to Ctrl-C, and so are those it starts; tests send it to commands.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    quick.add_option(parser)
    selection.add_option(parser)


@pytest.hookimpl(trylast=True)  # of what -k and -m leave
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    selection.select(config, items)
    spread.sort(items)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture
def embedded_store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    """An empty embedded store in a folder of its own."""
    store = EmbeddedStore(tmp_path / "home")
    yield store
    store.close()


@pytest.fixture
def library(embedded_store: EmbeddedStore) -> Iterator[Library]:
    """A library of notes in a fresh embedded store."""
    with ThreadPoolExecutor(4) as executor:
        yield Library(embedded_store, executor)

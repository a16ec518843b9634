"""A library of notes in a fresh embedded store."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shared.adapters.embedded import EmbeddedStore
from tests.retrieval.library import Library


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    store = EmbeddedStore(tmp_path)
    with ThreadPoolExecutor(4) as executor:
        yield Library(store, executor)
    store.close()

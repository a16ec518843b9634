from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.adapters.models.waiting import FakeClock
from tests.servers.gemini import GeminiServer
from tests.servers.openai import OpenAIServer


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def gemini() -> Iterator[GeminiServer]:
    with GeminiServer() as server:
        yield server


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server

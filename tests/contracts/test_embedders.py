"""Every embedder against the one contract."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from shared.adapters.gemini import GeminiEmbedder
from shared.adapters.local.embedder import LocalEmbedder
from shared.adapters.openai import OpenAIEmbedder
from shared.ports.models import Embedder
from tests.contracts.embedder_contract import EmbedderContract
from tests.fakes import HashingEmbedder
from tests.servers.gemini import GeminiServer
from tests.servers.openai import OpenAIServer


class TestGeminiEmbedder(EmbedderContract):
    @pytest.fixture(params=["gemini-embedding-2", "gemini-embedding-001"])
    def embedder(self, request: pytest.FixtureRequest) -> Iterator[Embedder]:
        with GeminiServer() as server:
            yield GeminiEmbedder(
                model=request.param, dimension=64, api_key="k", base_url=server.url
            )


class TestOpenAIEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Iterator[Embedder]:
        with OpenAIServer() as server:
            yield OpenAIEmbedder(
                model="nomic-embed-text",
                dimension=64,
                base_url=server.base_url,
            )


@pytest.fixture(scope="module")
def local() -> Embedder:
    return LocalEmbedder.of(None)


class TestLocalEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, local: Embedder) -> Embedder:
        return local


class TestHashingEmbedder(EmbedderContract):
    """The stand-in of other tests keeps the promises too, or those tests would prove little."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashingEmbedder()

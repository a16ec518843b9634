"""`aurora model`: the model that writes is shown, listed, tried and kept; a key never stands in the command line."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.conftest import Aurora
from tests.servers.dev import dev
from tests.servers.openai import OpenAIServer, error

NAMES = ("OPENAI_BASE_URL", "OPENAI_API_KEY", "CHAT_MODEL", "GEMINI_API_KEY", "OLLAMA_HOST")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    with OpenAIServer() as running:
        yield running


def test_a_model_is_tried_kept_shown_and_taken_away(aurora: Aurora, server: OpenAIServer) -> None:
    assert aurora("model").stdout == "no model writes: answers are quotes\n"
    chosen = aurora("model", "llama", "--address", server.base_url, "--key", stdin="a-key\n")
    assert chosen.exit_code == 0, chosen.output
    assert f"llama at {server.base_url} writes; it answered within" in chosen.stdout
    assert server.requests[-1].headers["authorization"] == "Bearer a-key"
    assert aurora("model").stdout == f"llama at {server.base_url} writes\n"
    assert "a-key" not in aurora("model", "--json").stdout
    assert aurora("model", "--none").exit_code == 0
    assert aurora.json("model")["model"] is None


def test_a_model_that_does_not_answer_is_not_kept(aurora: Aurora, server: OpenAIServer) -> None:
    server.script(error(404, "model_not_found"))
    refused = aurora("model", "nobody", "--address", server.base_url)
    assert refused.exit_code == 1
    assert refused.stderr
    assert aurora.json("model")["model"] is None


def test_the_models_of_a_server_are_listed(aurora: Aurora, server: OpenAIServer) -> None:
    listed = aurora("model", "--list", "--address", server.base_url)
    assert listed.exit_code == 0, listed.output
    assert listed.stdout.split()


def test_a_server_without_the_name_of_a_model_is_refused(
    aurora: Aurora, server: OpenAIServer
) -> None:
    refused = aurora("model", "--address", server.base_url)
    assert refused.exit_code == 2
    assert "expected the NAME of a model of that server; --list lists them" in refused.stderr
    assert server.requests == []


@pytest.mark.nightly
@pytest.mark.slow
def test_a_product_that_runs_writes_with_the_chosen_model_at_once(
    aurora: Aurora, server: OpenAIServer
) -> None:
    with dev(aurora.home) as running:
        assert aurora("model", "llama", "--address", server.base_url).exit_code == 0
        current = running.call("GET", "/settings:model")[1]
        assert current["model"] == "llama"
        assert current["address"] == server.base_url

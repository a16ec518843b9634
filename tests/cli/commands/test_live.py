"""`aurora live` against models that keep the rules and models that break them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from evaluation.live import QUESTIONS
from tests.cli.conftest import Aurora
from tests.servers.gemini import GeminiServer
from tests.servers.openai import OpenAIServer


@pytest.fixture
def gemini(monkeypatch: pytest.MonkeyPatch) -> Iterator[GeminiServer]:
    with GeminiServer() as server:
        monkeypatch.setenv("GEMINI_API_KEY", "key")
        monkeypatch.setenv("GEMINI_BASE_URL", server.url)
        yield server


def _checks(aurora: Aurora) -> dict[str, tuple[str, bool]]:
    reply = aurora("live", "--json")
    checks = json.loads(reply.stdout)
    assert reply.exit_code == int(not all(check["passed"] for check in checks))
    return {check["name"]: (check["result"], check["passed"]) for check in checks}


def test_without_a_model_nothing_is_called(aurora: Aurora) -> None:
    refused = aurora("live")
    assert refused.exit_code == 2
    assert "no model is set, so nothing was called" in refused.stderr


def test_a_model_that_invents_everything_fails(aurora: Aurora, gemini: GeminiServer) -> None:
    gemini.answer_text = "The moon is made of 12 cheeses [N77]."
    checks = _checks(aurora)
    assert checks["begins with its ANSWER line"][1] is False
    assert checks["cites only labels that it was offered"] == ("N77 made up", False)
    assert checks["answers from the notes, with citations"][1] is False
    assert checks["refuses what is not in the notes"][1] is True
    assert checks["writes"] == ("every time", True)
    assert checks["embedder gemini-embedding-2"][0].startswith("768 dimensions")
    generated = [request for request in gemini.requests if "enerateContent" in request.path]
    assert 1 <= len(generated) <= len(QUESTIONS) + 2


@pytest.mark.nightly
def test_a_model_that_refuses_everything_fails_and_is_told_what_to_do(
    aurora: Aurora, gemini: GeminiServer
) -> None:
    gemini.answer_text = "ANSWER: no"
    completed = aurora("live")
    assert completed.exit_code == 1
    assert "| begins with its ANSWER line |" in completed.stdout
    assert (
        "| answers from the notes, with citations | 0 of 6 questions | **no** |" in completed.stdout
    )
    assert "- answers from the notes, with citations: Look at the answers" in completed.stdout


@pytest.mark.nightly
def test_any_compatible_server_can_be_tried(
    aurora: Aurora, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OpenAIServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("CHAT_MODEL", "some-model")
        server.answer_text = "ANSWER: yes\nYou decided on Cloud Run [N1]."
        checks = _checks(aurora)
    assert checks["begins with its ANSWER line"][1] is True
    assert "price of some-model unknown" in checks["cost of all that was written here"][0]
    assert checks["replies in one piece too"] == ("2 of 2 replies", True)

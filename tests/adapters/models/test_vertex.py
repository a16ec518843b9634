"""Vertex AI: the same adapters with the machine's own credentials, here a service account with a local token server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shared.adapters.gemini import GeminiEmbedder, GeminiWriter
from shared.errors import ModelMisconfigured, ModelUnavailable
from tests.adapters.models.waiting import PROMPT, FakeClock
from tests.servers.gemini import GeminiServer
from tests.servers.scripted import Reply, ScriptedServer

MODELS = "/v1beta1/projects/demo-project/locations/europe-west1/publishers/google/models"


def embedder(server: GeminiServer, clock: FakeClock) -> GeminiEmbedder:
    return GeminiEmbedder(
        dimension=4,
        project="demo-project",
        location="europe-west1",
        base_url=server.url,
        clock=clock,
    )


@pytest.mark.usefixtures("credentials")
def test_the_requests_for_embeddings(gemini: GeminiServer, clock: FakeClock) -> None:
    vertex = embedder(gemini, clock)
    vertex.embed_query("Which database?")
    assert len(vertex.embed_documents(["Cloud Run it is.", "Firestore too."])) == 2
    query, documents = gemini.requests
    assert query.path == f"{MODELS}/gemini-embedding-2:embedContent"
    assert documents.path == f"{MODELS}/gemini-embedding-2:batchEmbedContents"
    assert {request.headers["authorization"] for request in gemini.requests} == {"Bearer token-1"}
    assert gemini.embedded_texts == [
        "task: search result | query: Which database?",
        "title: none | text: Cloud Run it is.",
        "title: none | text: Firestore too.",
    ]


@pytest.mark.usefixtures("credentials")
def test_the_request_for_an_answer(gemini: GeminiServer, clock: FakeClock) -> None:
    writer = GeminiWriter(
        project="demo-project", location="europe-west1", base_url=gemini.url, clock=clock
    )
    assert writer.write(PROMPT).text == gemini.answer_text
    (request,) = gemini.requests
    assert request.path == f"{MODELS}/gemini-3.5-flash-lite:generateContent"


@pytest.mark.usefixtures("credentials")
def test_a_token_server_that_refuses_is_a_refusal(
    gemini: GeminiServer, token_server: ScriptedServer, clock: FakeClock
) -> None:
    token_server.answer = lambda _: Reply(status=400, body={"error": "invalid_grant"})
    with pytest.raises(ModelMisconfigured, match="no access token for Vertex AI"):
        embedder(gemini, clock).embed_query("a")
    assert gemini.requests == []


def test_a_token_server_that_is_away_is_an_outage(
    credentials: Path, gemini: GeminiServer, clock: FakeClock
) -> None:
    account = json.loads(credentials.read_text()) | {"token_uri": "http://127.0.0.1:1/token"}
    credentials.write_text(json.dumps(account))
    with pytest.raises(ModelUnavailable, match="no complete reply"):
        embedder(gemini, clock).embed_query("a")


def test_a_machine_without_credentials_is_a_refusal(
    gemini: GeminiServer, clock: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "absent.json"))
    with pytest.raises(ModelMisconfigured, match="no access token for Vertex AI"):
        embedder(gemini, clock).embed_query("a")

from __future__ import annotations

import json
import math

import pytest

from shared.adapters.gemini import GeminiEmbedder
from shared.errors import ModelMisconfigured, ModelRefused, ModelUnavailable, PortContractError
from tests.adapters.models.waiting import FakeClock
from tests.servers import gemini as replies
from tests.servers.gemini import GeminiServer
from tests.servers.scripted import Reply

KEY = "key-that-stays-secret"


def embedder(
    server: GeminiServer, clock: FakeClock, *, model: str = "gemini-embedding-2"
) -> GeminiEmbedder:
    return GeminiEmbedder(
        model=model,
        dimension=4,
        api_key=KEY,
        base_url=server.url,
        clock=clock,
    )


def test_the_request_of_gemini_embedding_2_for_documents(
    gemini: GeminiServer, clock: FakeClock
) -> None:
    embedder(gemini, clock).embed_documents(["Cloud Run it is.", "Firestore too."])
    (request,) = gemini.requests
    assert request.path == "/v1beta/models/gemini-embedding-2:batchEmbedContents"
    assert request.json() == {
        "requests": [
            {
                "model": "models/gemini-embedding-2",
                "content": {"role": "user", "parts": [{"text": text}]},
                "outputDimensionality": 4,
            }
            for text in (
                "title: none | text: Cloud Run it is.",
                "title: none | text: Firestore too.",
            )
        ]
    }
    assert request.headers["x-goog-api-key"] == KEY


def test_the_requests_of_gemini_embedding_001_carry_the_task_as_a_field(
    gemini: GeminiServer, clock: FakeClock
) -> None:
    old = embedder(gemini, clock, model="gemini-embedding-001")
    old.embed_documents(["Cloud Run it is."])
    old.embed_query("Which database?")
    assert [body["requests"] for body in gemini.bodies] == [
        [
            {
                "model": "models/gemini-embedding-001",
                "content": {"role": "user", "parts": [{"text": text}]},
                "taskType": task,
                "outputDimensionality": 4,
            }
        ]
        for text, task in (
            ("Cloud Run it is.", "RETRIEVAL_DOCUMENT"),
            ("Which database?", "RETRIEVAL_QUERY"),
        )
    ]


def test_the_server_is_never_told_a_timeout_shorter_than_it_accepts(
    gemini: GeminiServer, clock: FakeClock
) -> None:
    embedder(gemini, clock).embed_query("Which database?")
    embedder(gemini, clock).embed_documents(["Cloud Run it is."])
    assert [request.headers["x-server-timeout"] for request in gemini.requests] == ["10", "20"]


def test_vectors_of_any_length_come_back_with_length_one(
    gemini: GeminiServer, clock: FakeClock
) -> None:
    gemini.script(replies.embedded([3, 0, 4, 0], [0, 1e-20, 0, 0], [1e200, 1e200, 0, 0]))
    first, second, third = embedder(gemini, clock).embed_documents(["a", "b", "c"])
    assert first.tolist() == pytest.approx([0.6, 0, 0.8, 0])
    assert second.tolist() == [0, 1, 0, 0]
    assert third.tolist() == pytest.approx([math.sqrt(0.5)] * 2 + [0, 0])


@pytest.mark.parametrize(
    ("vectors", "told"),
    [
        ([[1, 0, 0, 0]], "2 texts were sent, 1 vectors came back"),
        ([[1, 0, 0, 0]] * 3, "2 texts were sent, 3 vectors came back"),
        ([], "2 texts were sent, 0 vectors came back"),
        (
            [[1, 0, 0, 0], [1, 0, 0]],
            "vectors of 3 to 4 dimensions came back, not of 4",
        ),
        ([[1, 0, 0, 0], []], "vectors of 0 to 4 dimensions"),
        ([[], []], "vectors of 0 to 0 dimensions"),
        ([[1, 0, 0, 0], [0, 0, 0, 0]], "without direction"),
        ([[1, 0, 0, 0], [math.nan, 0, 0, 0]], "without direction"),
        ([[1, 0, 0, 0], [math.inf, 0, 0, 0]], "without direction"),
    ],
)
def test_a_batch_that_breaks_the_promise_is_an_error_and_not_asked_again(
    vectors: list[list[float]], told: str, gemini: GeminiServer, clock: FakeClock
) -> None:
    gemini.script(replies.embedded(*vectors))
    with pytest.raises(PortContractError, match=told):
        embedder(gemini, clock).embed_documents(["a", "b"])
    assert len(gemini.requests) == 1


def test_an_outage_is_sat_out(gemini: GeminiServer, clock: FakeClock) -> None:
    gemini.script(
        replies.error(429, "RESOURCE_EXHAUSTED", replies.retry_info(7)),
        replies.error(503, "UNAVAILABLE"),
        Reply(body={"embeddings": []}, cut_after=3),
    )
    assert len(embedder(gemini, clock).embed_documents(["a", "b"])) == 2
    assert len(gemini.requests) == 4
    assert 7.0 <= clock.pauses[0] <= 7.5


def test_a_query_gives_up_after_5_seconds_and_documents_after_45(
    gemini: GeminiServer, clock: FakeClock
) -> None:
    gemini.answer = lambda _: replies.error(503, "UNAVAILABLE")
    begin = clock.now
    with pytest.raises(ModelUnavailable):
        embedder(gemini, clock).embed_query("a")
    query_failed_at = clock.now
    with pytest.raises(ModelUnavailable):
        embedder(gemini, clock).embed_documents(["a"])
    assert 2 < query_failed_at - begin < 5
    assert 25 < clock.now - query_failed_at < 45


def test_no_texts_are_no_request(gemini: GeminiServer, clock: FakeClock) -> None:
    assert embedder(gemini, clock).embed_documents([]) == ()
    assert gemini.requests == []


def test_a_retired_model_names_its_successor(gemini: GeminiServer, clock: FakeClock) -> None:
    gemini.script(replies.error(404, "NOT_FOUND"), replies.error(404, "NOT_FOUND"))
    with pytest.raises(
        ModelMisconfigured, match=r"shut down, its successor is gemini-embedding-2$"
    ):
        embedder(gemini, clock, model="text-embedding-004").embed_query("a")
    with pytest.raises(ModelMisconfigured, match=r"^mine: 404, the server knows no such model$"):
        embedder(gemini, clock, model="mine").embed_query("a")


@pytest.mark.parametrize(
    "reply",
    [
        replies.error(400, "INVALID_ARGUMENT", message=f"{KEY}: bad text secret-note-text"),
        Reply(status=503, body=f"<html>{KEY} secret-note-text".encode()),
        Reply(body=b"<html>secret-note-text"),
        Reply(body={"embeddings": [{"values": ["secret-note-text"]}]}),
        replies.embedded([1, 0]),
    ],
)
def test_messages_hold_neither_note_text_nor_the_key(
    reply: Reply, gemini: GeminiServer, clock: FakeClock
) -> None:
    gemini.answer = lambda _: reply
    with pytest.raises((ModelRefused, ModelUnavailable, PortContractError)) as caught:
        embedder(gemini, clock).embed_documents(["secret-note-text"])
    assert "secret" not in json.dumps(caught.value.message)
    assert "gemini-embedding-2" in caught.value.message

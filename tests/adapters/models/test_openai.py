from __future__ import annotations

import pytest

from shared.adapters.openai import OpenAIEmbedder, OpenAIWriter
from shared.errors import ModelMisconfigured, ModelRefused
from shared.model.answers import Draft, Usage
from tests.adapters.models.waiting import PROMPT, FakeClock
from tests.servers import openai as replies
from tests.servers.openai import OpenAIServer
from tests.servers.scripted import Reply


def embedder(server: OpenAIServer, clock: FakeClock, *, model: str = "m") -> OpenAIEmbedder:
    return OpenAIEmbedder(
        model=model, base_url=server.base_url, dimension=4, api_key="k", clock=clock
    )


def writer(server: OpenAIServer, clock: FakeClock, *, model: str = "m") -> OpenAIWriter:
    return OpenAIWriter(
        model=model,
        base_url=server.base_url,
        api_key="k",
        clock=clock,
    )


def test_the_request_for_embeddings(openai_server: OpenAIServer, clock: FakeClock) -> None:
    embedder(openai_server, clock).embed_documents(["Cloud Run it is.", "Firestore too."])
    (request,) = openai_server.requests
    assert request.json() == {
        "model": "m",
        "input": ["Cloud Run it is.", "Firestore too."],
        "dimensions": 4,
        "encoding_format": "base64",
    }
    assert request.headers["authorization"] == "Bearer k"


@pytest.mark.parametrize("encoding", ["float", "base64"])
def test_both_encodings_are_read_whatever_was_asked(encoding: str, clock: FakeClock) -> None:
    with OpenAIServer(encoding="base64" if encoding == "base64" else "float") as server:
        vector = embedder(server, clock).embed_query("Cloud Run")
    with OpenAIServer() as server:
        assert embedder(server, clock).embed_query("Cloud Run").tolist() == pytest.approx(
            vector.tolist()
        )


def test_a_server_that_ignores_the_dimension_is_an_error_that_names_the_setting(
    clock: FakeClock,
) -> None:
    with (
        OpenAIServer(dimension=6) as server,
        pytest.raises(ModelMisconfigured, match=r"set EMBEDDING_DIM=6$"),
    ):
        embedder(server, clock).embed_query("Cloud Run")


def test_vectors_are_put_in_the_order_of_the_texts(
    openai_server: OpenAIServer, clock: FakeClock
) -> None:
    data = [
        {"index": 1, "embedding": [0, 1, 0, 0]},
        {"index": 0, "embedding": [1, 0, 0, 0]},
    ]
    openai_server.script(Reply(body={"data": data}))
    assert [vector[0] for vector in embedder(openai_server, clock).embed_documents(["a", "b"])] == [
        1,
        0,
    ]


def test_known_models_get_the_prefixes_they_were_trained_with(
    openai_server: OpenAIServer, clock: FakeClock
) -> None:
    nomic = embedder(openai_server, clock, model="nomic-embed-text:v1.5")
    nomic.embed_query("Which database?")
    nomic.embed_documents(["Firestore."])
    sent = [body["input"] for body in openai_server.bodies]
    assert sent == [["search_query: Which database?"], ["search_document: Firestore."]]


def test_the_sdk_does_not_retry_beside_us(openai_server: OpenAIServer, clock: FakeClock) -> None:
    openai_server.script(
        replies.error(429, "slow", headers={"Retry-After": "7"}), replies.error(500, "oops")
    )
    embedder(openai_server, clock).embed_documents(["a"])
    assert len(openai_server.requests) == 3
    assert len(clock.pauses) == 2
    assert 7.0 <= clock.pauses[0] <= 7.5


def test_the_request_for_an_answer(openai_server: OpenAIServer, clock: FakeClock) -> None:
    writer(openai_server, clock).write(PROMPT)
    assert openai_server.bodies == [
        {
            "model": "m",
            "messages": [
                {"role": "system", "content": PROMPT.system},
                {"role": "user", "content": PROMPT.user},
            ],
            "temperature": 0.3,
            "max_tokens": 2048,
        }
    ]


@pytest.mark.parametrize("model", ["o4-mini", "gpt-5", "openai/gpt-5.2"])
def test_reasoning_models_get_no_temperature(
    model: str, openai_server: OpenAIServer, clock: FakeClock
) -> None:
    writer(openai_server, clock, model=model).write(PROMPT)
    (body,) = openai_server.bodies
    assert "temperature" not in body
    assert "max_tokens" not in body
    assert body["max_completion_tokens"] == 2048


def test_a_reply_is_a_draft_with_the_tokens_billed(
    openai_server: OpenAIServer, clock: FakeClock
) -> None:
    openai_server.script(replies.completed(" Cloud Run [N1]. "))
    assert writer(openai_server, clock).write(PROMPT) == Draft(
        "Cloud Run [N1].", "m", Usage(120, 7)
    )


def test_a_bare_reply_of_a_small_server_is_enough(
    openai_server: OpenAIServer, clock: FakeClock
) -> None:
    openai_server.script(Reply(body={"choices": [{"message": {"content": "Cloud Run."}}]}))
    assert writer(openai_server, clock).write(PROMPT) == Draft("Cloud Run.", "m", Usage(0, 0))


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (replies.completed(None, finish_reason="content_filter"), r"blocked \(content_filter\)"),
        (
            replies.completed(None, refusal="I cannot help with secret-note-text."),
            r"blocked \(refusal\)",
        ),
        (replies.completed(None, finish_reason="tool_calls"), r"blocked \(tool_calls\)"),
        (replies.completed(None, finish_reason="length"), r"empty reply \(length\)"),
        (replies.completed(""), r"empty reply \(stop\)"),
        (Reply(body={"choices": []}), r"empty reply \(no choices\)"),
    ],
)
def test_a_blocked_or_empty_reply_is_refused_by_name(
    reply: Reply, why: str, openai_server: OpenAIServer, clock: FakeClock
) -> None:
    openai_server.script(reply)
    with pytest.raises(ModelRefused, match=why) as caught:
        writer(openai_server, clock).write(PROMPT)
    assert "secret" not in caught.value.message
    assert len(openai_server.requests) == 1

"""Rerankers: Vertex AI's ranking service over its REST protocol, and a cross-encoder from a folder."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer

from shared.adapters.local.files import bundled
from shared.adapters.vertex.discovery_engine import MAX_RECORDS, VertexReranker
from shared.app import App
from shared.bootstrap import build
from shared.errors import (
    ModelMisconfigured,
    ModelRefused,
    ModelUnavailable,
    PortContractError,
    SettingsError,
)
from shared.settings import Settings
from tests.servers.scripted import Reply, Request, ScriptedServer

VOCABULARY = bundled().words
PASSAGES = ["short", "a longer one", "the longest of all"]


def _by_length(request: Request) -> Reply:
    """Reply as the service does: best first, details left out, and 0 not written."""
    records = request.json()["records"]
    longest = max((len(record["content"]) for record in records), default=1)
    scored = [{"id": record["id"], "score": len(record["content"]) / longest} for record in records]
    return Reply(body={"records": sorted(scored, key=lambda record: -record["score"])})


@pytest.fixture
def ranking() -> Iterator[ScriptedServer]:
    with ScriptedServer(_by_length) as server:
        yield server


def _vertex(server: ScriptedServer) -> VertexReranker:
    return VertexReranker("demo-project", base_url=server.url)


@pytest.mark.usefixtures("credentials")
def test_the_request_and_the_scores_in_the_order_of_the_passages(ranking: ScriptedServer) -> None:
    assert _vertex(ranking).scores("Which?", PASSAGES) == pytest.approx((5 / 18, 12 / 18, 1.0))
    (request,) = ranking.requests
    assert (
        request.path
        == "/v1/projects/demo-project/locations/global/rankingConfigs/default_ranking_config:rank"
    )
    assert request.headers["authorization"] == "Bearer token-1"
    assert "x-goog-user-project" not in request.headers
    assert request.json() == {
        "model": "semantic-ranker-default@latest",
        "query": "Which?",
        "records": [
            {"id": "0", "content": "short"},
            {"id": "1", "content": "a longer one"},
            {"id": "2", "content": "the longest of all"},
        ],
        "ignoreRecordDetailsInResponse": True,
    }


@pytest.mark.usefixtures("credentials")
def test_a_score_that_is_not_written_is_zero(ranking: ScriptedServer) -> None:
    ranking.script(
        Reply(
            body={
                "records": [
                    {"id": "1", "score": 0.5},
                    {"id": "0"},
                ]
            }
        )
    )
    assert _vertex(ranking).scores("Which?", PASSAGES[:2]) == (0.0, 0.5)


@pytest.mark.usefixtures("credentials")
def test_no_more_is_sent_than_the_service_takes(ranking: ScriptedServer) -> None:
    scores = _vertex(ranking).scores("Which?", ["same"] * (MAX_RECORDS + 2))
    assert len(ranking.bodies[0]["records"]) == MAX_RECORDS
    assert scores == (*[1.0] * MAX_RECORDS, 0.0, 0.0)


@pytest.mark.usefixtures("credentials")
def test_an_overloaded_service_is_asked_again(ranking: ScriptedServer) -> None:
    ranking.script(Reply(status=429, headers={"Retry-After": "0"}))
    assert len(_vertex(ranking).scores("Which?", PASSAGES)) == 3
    assert len(ranking.requests) == 2


@pytest.mark.usefixtures("credentials")
@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(status=403), ModelMisconfigured),
        (Reply(status=404), ModelMisconfigured),
        (Reply(body={"records": [{"id": "0", "score": 1.0}]}), PortContractError),
        (
            Reply(body={"records": [{"id": str(place), "score": 1.0} for place in (0, 1, 7)]}),
            PortContractError,
        ),
        (Reply(body={"results": []}), ModelRefused),
        (Reply(body={"records": [{"id": "0", "score": "high"}]}), ModelRefused),
        (Reply(body=["prose"]), ModelRefused),
    ],
)
def test_a_reply_outside_the_protocol_is_an_error(
    ranking: ScriptedServer, reply: Reply, error: type[Exception]
) -> None:
    ranking.script(reply)
    with pytest.raises(error, match="semantic-ranker-default@latest"):
        _vertex(ranking).scores("Which?", PASSAGES)


@pytest.mark.usefixtures("credentials")
def test_a_service_that_is_away_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.adapters.vertex.discovery_engine.RANK_SECONDS", 0.3)
    with pytest.raises(ModelUnavailable, match="no complete reply"):
        VertexReranker("demo-project", base_url="http://127.0.0.1:1").scores("Which?", PASSAGES)


def test_a_machine_without_credentials_is_a_refusal(
    ranking: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "absent.json"))
    with pytest.raises(ModelMisconfigured, match="no access token"):
        _vertex(ranking).scores("Which?", PASSAGES)
    assert ranking.requests == []


BY_LENGTH = (
    "CAg6wQEKJAoOYXR0ZW50aW9uX21hc2sSAW0iBENhc3QqCQoCdG8YAaABAgorCgFtCgJheBIGbG9naXRzIglSZWR1Y2VTdW0qDwoIa2VlcGRpbXMY"
    "AaABAhIBZyoLCAEQBzoBAUICYXhaHQoJaW5wdXRfaWRzEhAKDggHEgoKAxIBYgoDEgFzWiIKDmF0dGVudGlvbl9tYXNrEhAKDggHEgoKAxIBYgoD"
    "EgFzYhkKBmxvZ2l0cxIPCg0IARIJCgMSAWIKAggBQgQKABAN"
)
"""An ONNX graph: the sum of attention_mask, as one score a pair."""


@pytest.fixture
def cross_encoder(tmp_path: Path) -> Path:
    """A folder as on the model hub; its model counts tokens."""
    BertWordPieceTokenizer(str(VOCABULARY)).save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "config.json").write_text('{"hidden_size": 8, "max_position_embeddings": 64}')
    (tmp_path / "model.onnx").write_bytes(base64.b64decode(BY_LENGTH))
    return tmp_path


def _app(folder: Path, home: Path) -> App:
    return build(
        Settings(
            auth="none",
            home=home,
            reranker="cross_encoder",
            reranker_model=str(folder),
        )
    )


def test_a_cross_encoder_reads_question_and_passage_together(
    cross_encoder: Path, tmp_path: Path
) -> None:
    app = _app(cross_encoder, tmp_path)
    app.pool.shutdown()
    assert app.reranker is not None
    assert app.reranker.model == tmp_path.name
    # [CLS] which ? [SEP] ... [SEP]
    assert app.reranker.scores("Which?", PASSAGES) == (6.0, 8.0, 9.0)
    assert app.reranker.scores("Which?", ["word " * 500]) == (64.0,)


def test_a_model_that_gives_no_single_scores_is_a_refusal(
    cross_encoder: Path, tmp_path: Path
) -> None:
    (cross_encoder / "model.onnx").write_bytes(bundled().graph.read_bytes())
    app = _app(cross_encoder, tmp_path)
    app.pool.shutdown()
    assert app.reranker is not None
    with pytest.raises(ModelRefused, match="not one score a passage"):
        app.reranker.scores("Which?", PASSAGES)


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
def test_files_that_are_no_model_are_a_refusal(
    cross_encoder: Path, tmp_path: Path, file: str
) -> None:
    (cross_encoder / file).write_bytes(b"prose")
    app = _app(cross_encoder, tmp_path)
    app.pool.shutdown()
    assert app.reranker is not None
    with pytest.raises(ModelRefused, match="cannot be loaded"):
        app.reranker.scores("Which?", PASSAGES)


@pytest.mark.parametrize(
    ("missing", "told"),
    [
        ("model.onnx", "none of onnx/model.onnx, model.onnx"),
        ("tokenizer.json", "none of tokenizer.json"),
        ("config.json", "no model"),
    ],
)
def test_a_folder_that_lacks_a_file_stops_the_start(
    cross_encoder: Path, tmp_path: Path, missing: str, told: str
) -> None:
    (cross_encoder / missing).unlink()
    with pytest.raises(SettingsError, match=rf"RERANKER_MODEL.*{told}"):
        _app(cross_encoder, tmp_path)

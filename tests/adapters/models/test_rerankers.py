"""Rerankers: Vertex AI's ranking service over its REST protocol, and a cross-encoder by what is used of one."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from shared.adapters.cross_encoder import UNREADABLE, CrossEncoderReranker
from shared.adapters.vertex_ranking import MOST_RECORDS, VertexReranker
from shared.bootstrap import build
from shared.errors import BrokenPromise, ModelRefused, ModelUnavailable
from shared.settings import Settings
from tests.servers.scripted import Reply, Request, ScriptedServer

PASSAGES = ["short", "a longer one", "the longest of all"]


def _by_length(request: Request) -> Reply:
    """As the service does: best first, details left out, and 0 not written."""
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
    assert request.path == "/v1/projects/demo-project/locations/global/rankingConfigs/default_ranking_config:rank"
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
    ranking.script(Reply(body={"records": [{"id": "1", "score": 0.5}, {"id": "0"}]}))
    assert _vertex(ranking).scores("Which?", PASSAGES[:2]) == (0.0, 0.5)


@pytest.mark.usefixtures("credentials")
def test_no_more_is_sent_than_the_service_takes(ranking: ScriptedServer) -> None:
    scores = _vertex(ranking).scores("Which?", ["same"] * (MOST_RECORDS + 2))
    assert len(ranking.bodies[0]["records"]) == MOST_RECORDS
    assert scores == (*[1.0] * MOST_RECORDS, 0.0, 0.0)


@pytest.mark.usefixtures("credentials")
def test_an_overloaded_service_is_asked_again(ranking: ScriptedServer) -> None:
    ranking.script(Reply(status=429, headers={"Retry-After": "0"}))
    assert len(_vertex(ranking).scores("Which?", PASSAGES)) == 3
    assert len(ranking.requests) == 2


@pytest.mark.usefixtures("credentials")
@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(status=403), ModelRefused),
        (Reply(status=404), ModelRefused),
        (Reply(body={"records": [{"id": "0", "score": 1.0}]}), BrokenPromise),
        (Reply(body={"records": [{"id": str(place), "score": 1.0} for place in (0, 1, 7)]}), BrokenPromise),
        (Reply(body={"results": []}), ModelRefused),
        (Reply(body={"records": [{"id": "0", "score": "high"}]}), ModelRefused),
        (Reply(body=["prose"]), ModelRefused),
    ],
)
def test_what_is_not_its_protocol_is_an_error(ranking: ScriptedServer, reply: Reply, error: type[Exception]) -> None:
    ranking.script(reply)
    with pytest.raises(error, match="semantic-ranker-default@latest"):
        _vertex(ranking).scores("Which?", PASSAGES)


@pytest.mark.usefixtures("credentials")
def test_a_service_that_is_away_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.adapters.vertex_ranking.SECONDS", 0.3)
    with pytest.raises(ModelUnavailable, match="no complete reply"):
        VertexReranker("demo-project", base_url="http://127.0.0.1:1").scores("Which?", PASSAGES)


@pytest.mark.usefixtures("credentials")
def test_a_page_of_a_proxy_is_an_outage(ranking: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.adapters.vertex_ranking.SECONDS", 0.3)
    ranking.script(Reply(body=b"<html>"))
    with pytest.raises(ModelUnavailable, match="cannot be read"):
        _vertex(ranking).scores("Which?", PASSAGES)


def test_a_machine_without_credentials_is_a_refusal(
    ranking: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "absent.json"))
    with pytest.raises(ModelRefused, match="no access token"):
        _vertex(ranking).scores("Which?", PASSAGES)
    assert ranking.requests == []


class Number:
    """What numpy gives instead of a float."""

    def __init__(self, value: float) -> None:
        self._value = value

    def __float__(self) -> float:
        return self._value


class ByLength:
    """What is used of a cross-encoder; its answers are no Python floats either."""

    def __init__(self) -> None:
        self.pairs: list[tuple[str, str]] = []

    def predict(self, inputs: list[tuple[str, str]], *, show_progress_bar: bool) -> Iterable[Number]:
        assert not show_progress_bar
        self.pairs += inputs
        return (Number(float(len(passage))) for _, passage in inputs)


def test_a_cross_encoder_is_loaded_once_on_first_use_and_reads_pairs() -> None:
    loaded: list[str] = []
    encoder = ByLength()

    def load(folder: str) -> ByLength:
        loaded.append(folder)
        return encoder

    reranker = CrossEncoderReranker("/models/tiny", load=load)
    assert loaded == []
    assert reranker.scores("Which?", PASSAGES) == reranker.scores("Which?", PASSAGES) == (5.0, 12.0, 18.0)
    assert (loaded, reranker.model) == (["/models/tiny"], "tiny")
    assert encoder.pairs[:3] == [("Which?", passage) for passage in PASSAGES]


@pytest.mark.parametrize("error", UNREADABLE)
def test_a_folder_without_a_model_is_a_refusal(error: type[Exception]) -> None:
    def load(folder: str) -> ByLength:
        raise error(folder)

    with pytest.raises(ModelRefused, match=rf"tiny: no cross-encoder in that folder \({error.__name__}\)"):
        CrossEncoderReranker("/models/tiny", load=load).scores("Which?", PASSAGES)


class Odd:
    """A model with several labels, or with the tokenizer of another one."""

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error

    def predict(self, inputs: list[tuple[str, str]], *, show_progress_bar: bool) -> Any:  # noqa: ANN401, ARG002 - as numpy's
        if self._error:
            raise self._error
        return [[0.1, 0.9] for _ in inputs]


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        (Odd(), "tiny: not one score a passage"),
        (Odd(IndexError("index out of range in self")), r"tiny: cannot read the passages \(IndexError\)"),
        (Odd(RuntimeError("out of memory")), r"tiny: cannot read the passages \(RuntimeError\)"),
    ],
)
def test_a_model_that_gives_no_single_scores_is_a_refusal(odd: Odd, told: str) -> None:
    with pytest.raises(ModelRefused, match=told):
        CrossEncoderReranker("/models/tiny", load=lambda _: odd).scores("Which?", PASSAGES)


@pytest.mark.parametrize("config", ['{"architectures": ["BertModel"]}', "{", None])
def test_an_encoder_that_gives_no_scores_is_a_refusal_before_torch_is_loaded(
    tmp_path: Path, config: str | None
) -> None:
    if config is not None:
        (tmp_path / "config.json").write_text(config)
    with pytest.raises(ModelRefused, match="no cross-encoder in that folder"):
        CrossEncoderReranker(str(tmp_path)).scores("Which?", PASSAGES)


def test_none_is_built_unless_asked_for(tmp_path: Path) -> None:
    app = build(Settings(auth="none", home=tmp_path))
    app.pool.shutdown()
    assert app.reranker is None
    assert "sentence_transformers" not in sys.modules


def test_the_ranking_service_belongs_to_a_project(tmp_path: Path) -> None:
    app = build(Settings(auth="none", home=tmp_path, reranker="vertex", project="demo-project"))
    app.pool.shutdown()
    assert isinstance(app.reranker, VertexReranker)

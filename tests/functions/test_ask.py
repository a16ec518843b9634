"""POST /ask, from saved notes in vaults and folders to an answer, with a model that ranks folders as it likes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from shared import bootstrap
from shared.adapters.gemini import GeminiWriter
from shared.adapters.openai import OpenAIWriter
from tests.functions.world import World, problem
from tests.servers import gemini as replies
from tests.servers.gemini import GeminiServer
from tests.servers.openai import OpenAIServer
from tests.servers.scripted import Reply

CLOUD_RUN = "We decided to use Cloud Run for the API. It scales to zero."
KUBERNETES = "We decided to use Kubernetes for the API. It never sleeps."
GARDEN = "We decided to plant six tomatoes."


@pytest.fixture
def ranker(world: World) -> Iterator[GeminiServer]:
    """The model that ranks folders; the answers themselves are extracted."""
    with GeminiServer("[]") as server:
        _rank_by(world, server, timeout=5.0)
        yield server


def _rank_by(world: World, server: GeminiServer, *, timeout: float) -> None:
    model = GeminiWriter(api_key="k", base_url=server.url, timeout=timeout)
    model._connection.client()  # the SDK's import is not part of the wait
    bootstrap.use(replace(world.app, ranker=model))


def _save(world: World) -> None:
    world.save("run", title="Decision", text=CLOUD_RUN, path="projects/api/run.md")
    world.save("garden", title="Tomatoes", text=GARDEN, path="garden/plan.md")
    world.save("kube", title="Decision at work", text=KUBERNETES, path="ops/kube.md", vault="work")


def _ask(world: World, **body: object) -> dict[str, Any]:
    asked = {"question": "What did we decide to use for the API?", **body}
    response = world.call("api", "POST", "/ask", asked)
    assert response.status_code == 200, response.get_json()
    answer: dict[str, Any] = response.get_json()
    return answer


def _folders(body: dict[str, Any]) -> list[tuple[str, str, float, str]]:
    return [(row["vault"], row["folder"], row["weight"], row["chosenBy"]) for row in body["meta"]["folders"]]


def test_the_answer_comes_with_references_citations_and_ranked_folders(world: World, ranker: GeminiServer) -> None:
    _save(world)
    ranker.answer_text = '["projects/api", "garden"]'
    body = _ask(world, vaults=["default"])
    assert "Cloud Run" in body["answer"]
    reference = body["references"][0]
    assert (reference["vault"], reference["relPath"]) == ("default", "projects/api/run.md")
    assert (reference["headingPath"], reference["chunkIndex"]) == ("", 0)
    assert body["citations"][0]["noteId"] == "run"
    assert _folders(body) == [("default", "projects/api", 1.0, "model"), ("default", "garden", 0.9, "model")]
    assert body["meta"]["usage"]["inputTokens"] == 120
    assert set(body) == {"answer", "references", "citations", "claims", "meta"}


def test_the_model_is_asked_once_for_a_json_list_of_the_folders_of_all_vaults(
    world: World, ranker: GeminiServer
) -> None:
    _save(world)
    _ask(world)
    config = ranker.bodies[0]["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"] == {"type": "array", "items": {"type": "string"}}
    (prompt,) = [sent["contents"][0]["parts"][0]["text"] for sent in ranker.bodies]
    assert '"default/projects/api"' in prompt
    assert '"work/ops"' in prompt


@pytest.mark.parametrize(
    "reply",
    [
        '```json\n["projects/api"]\n```',
        'Here you are: ["projects/api", "secret", "../../etc", 5]',
        '{"folders": ["projects/api"]}',
    ],
)
def test_fenced_and_prefixed_lists_count_and_what_was_not_offered_is_dropped(
    world: World, ranker: GeminiServer, reply: str
) -> None:
    _save(world)
    ranker.answer_text = reply
    body = _ask(world, vaults=["default"])
    assert _folders(body) == [("default", "projects/api", 1.0, "model")]
    assert [row["relPath"] for row in body["references"]] == ["projects/api/run.md"]


def test_any_openai_compatible_server_ranks_folders_too(world: World) -> None:
    _save(world)
    with OpenAIServer() as server:
        server.answer_text = '```json\n["projects/api"]\n```'
        bootstrap.use(replace(world.app, ranker=OpenAIWriter(model="m", base_url=server.base_url)))
        body = _ask(world, vaults=["default"])
    assert _folders(body) == [("default", "projects/api", 1.0, "model")]
    assert body["meta"]["usage"] == {"inputTokens": 120, "outputTokens": 7, "reads": 0, "usd": None}
    assert "folders" in body["meta"]["timings"]


@pytest.mark.parametrize(
    "reply",
    [
        replies.generated("I would look into the API folder first."),
        replies.generated('["projects/api', finish_reason="MAX_TOKENS"),
        replies.generated(None, finish_reason="SAFETY"),
        replies.blocked("PROHIBITED_CONTENT"),
        replies.error(500, "INTERNAL"),
        replies.error(400, "INVALID_ARGUMENT"),
        Reply(body=b"<html>"),
        Reply(delay=1),
    ],
    ids=["prose", "cut", "blocked reply", "blocked prompt", "500", "400", "no json", "silent"],
)
def test_when_the_model_fails_all_folders_are_searched_in_their_order(
    world: World, ranker: GeminiServer, reply: Reply
) -> None:
    _save(world)
    _rank_by(world, ranker, timeout=0.8)
    ranker.script(*[reply] * 5)
    body = _ask(world, vaults=["default"])
    assert _folders(body) == [
        ("default", "garden", 1.0, "order"),
        ("default", "projects", 0.9, "order"),
        ("default", "projects/api", 0.8, "order"),
        ("default", "", 0.7, "order"),
    ]
    assert "Cloud Run" in body["answer"]


def test_folders_the_caller_names_come_first(world: World, ranker: GeminiServer) -> None:
    _save(world)
    ranker.answer_text = '["default/projects/api"]'
    body = _ask(world, folders=["default/garden"])
    assert _folders(body) == [("default", "garden", 1.0, "caller"), ("default", "projects/api", 0.9, "model")]


def test_no_folder_chosen_is_the_whole_vault(world: World, ranker: GeminiServer) -> None:
    _save(world)
    body = _ask(world, vaults=["work"])
    assert _folders(body) == [("work", "", 1.0, "whole_vault")]
    assert "Kubernetes" in body["answer"]
    assert len(ranker.requests) == 1


def test_without_a_model_folders_are_ranked_by_what_matches(world: World) -> None:
    _save(world)
    body = _ask(world)
    assert _folders(body)[0] == ("default", "projects/api", 1.0, "match")
    assert {row["vault"] for row in body["references"]} == {"default", "work"}


def test_k_is_how_many_references_there_are(world: World) -> None:
    for number in range(25):
        world.save(f"n{number}", title=f"Use {number}", text=f"We decided to use machine {number} for the API.")
    assert [len(_ask(world, k=k)["references"]) for k in (1, 20)] == [1, 20]
    assert len(_ask(world)["references"]) == 5


def test_the_meaning_of_a_folder_filter_is_that_of_chat(world: World) -> None:
    _save(world)
    filters = {"folders": ["garden"]}
    assert [row["noteId"] for row in _ask(world, filters=filters, question="What did we plant?")["references"]] == [
        "garden"
    ]
    chat = world.call("chat", "POST", "/chat", {"message": "What did we plant?", "filters": filters}).get_json()
    assert [citation["noteId"] for citation in chat["citations"]] == ["garden"]


def test_what_does_not_exist_is_404_and_named(world: World) -> None:
    _save(world)
    for body in ({"vaults": ["work", "attic"]}, {"folders": ["attic"]}, {"vaults": ["work"], "folders": ["garden"]}):
        response = world.call("api", "POST", "/ask", {"question": "API?", **body})
        assert problem(response)[0] == 404
        assert str(list(body.values())[-1][-1]) in response.get_json()["error"]["message"]


def test_what_is_not_similar_is_refused_with_the_nearest_notes(world: World) -> None:
    _save(world)
    body = _ask(world, question="Quantum chromodynamics lattice gauge?")
    assert (body["references"], body["citations"]) == ([], [])
    assert body["meta"]["refusal"]["reason"] in {"below_threshold", "no_candidates"}


def test_an_empty_space_is_answered_with_a_refusal(world: World, ranker: GeminiServer) -> None:
    body = _ask(world)
    assert body["meta"]["refusal"]["reason"] == "no_notes"
    assert ranker.requests == []


@pytest.mark.parametrize("question", ["the of and", "🎉🎉", "x" * 2000, "Что мы решили 決めた API?"])
def test_odd_questions_have_an_answer(world: World, question: str) -> None:
    _save(world)
    assert _ask(world, question=question)["answer"]


def test_another_tenants_folders_are_out_of_reach(world: World) -> None:
    _save(world)
    response = world.call("api", "POST", "/ask", {"question": "API?", "vaults": ["work"]}, token="bob-token")
    assert problem(response)[0] == 404

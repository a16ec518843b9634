"""POST /ask, from saved notes in vaults and folders to an answer, with a model that ranks folders as it likes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from shared.adapters.gemini import GeminiWriter
from tests.fakes import FailingVault
from tests.functions.world import World
from tests.servers.gemini import GeminiServer

CLOUD_RUN = "We decided to use Cloud Run for the API. It scales to zero."
KUBERNETES = "We decided to use Kubernetes for the API. It never sleeps."
GARDEN = "We decided to plant six tomatoes."


@pytest.fixture
def ranker(world: World) -> Iterator[GeminiServer]:
    """The model that ranks folders; the answers themselves are extracted."""
    with GeminiServer("[]") as server:
        world.plug(
            ranker=GeminiWriter(
                api_key="k",
                base_url=server.url,
                timeout=30.0,
            )
        )
        yield server


def _save(world: World) -> None:
    world.save(
        "run",
        title="Decision",
        text=CLOUD_RUN,
        path="projects/api/run.md",
    )
    world.save(
        "garden",
        title="Tomatoes",
        text=GARDEN,
        path="garden/plan.md",
    )
    world.save(
        "kube",
        title="Decision at work",
        text=KUBERNETES,
        path="ops/kube.md",
        vault="work",
    )


def _ask(world: World, **body: object) -> dict[str, Any]:
    answer: dict[str, Any] = world.json(
        "POST", "/ask", {"question": "What did we decide to use for the API?", **body}
    )
    return answer


def _folders(body: dict[str, Any]) -> list[tuple[str, str, float, str]]:
    return [
        (row["vault"], row["folder"], row["weight"], row["chosenBy"])
        for row in body["meta"]["folders"]
    ]


def test_the_answer_comes_with_references_citations_and_ranked_folders(
    world: World, ranker: GeminiServer
) -> None:
    _save(world)
    ranker.answer_text = '["projects/api", "garden"]'
    body = _ask(world, vaults=["default"])
    assert "Cloud Run" in body["answer"]
    reference = body["references"][0]
    assert reference["vault"] == "default"
    assert reference["relPath"] == "projects/api/run.md"
    assert reference["headingPath"] == ""
    assert reference["chunkIndex"] == 0
    assert body["citations"][0]["noteId"] == "run"
    assert _folders(body) == [
        ("default", "projects/api", 1.0, "model"),
        ("default", "garden", 0.9, "model"),
    ]
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


def test_k_is_how_many_references_there_are(world: World) -> None:
    for number in range(25):
        world.save(
            f"n{number}",
            title=f"Use {number}",
            text=f"We decided to use machine {number} for the API.",
        )
    assert [len(_ask(world, k=k)["references"]) for k in (1, 20)] == [1, 20]
    assert len(_ask(world)["references"]) == 5


def test_the_meaning_of_a_folder_filter_is_that_of_chat(world: World) -> None:
    _save(world)
    filters = {"folders": ["garden"]}
    assert [
        row["noteId"]
        for row in _ask(world, filters=filters, question="What did we plant?")["references"]
    ] == ["garden"]
    chat = world.ask("What did we plant?", filters=filters)
    assert [citation["noteId"] for citation in chat["citations"]] == ["garden"]


def test_a_filter_can_name_the_notes_in_no_folder(world: World) -> None:
    world.save(
        "inbox",
        title="Inbox",
        text="The pump is in the cellar.",
        path="inbox.md",
    )
    world.save(
        "pump",
        title="Pump",
        text="The pump is new.",
        path="house/pump.md",
    )
    for name in ("/", "default/"):
        body = {"query": "pump", "filters": {"folders": [name]}}
        results = world.json("POST", "/search", body)
        assert [row["noteId"] for row in results["results"]] == ["inbox"]


def test_an_empty_space_is_answered_with_a_refusal(world: World, ranker: GeminiServer) -> None:
    body = _ask(world)
    assert body["meta"]["refusal"]["reason"] == "no_notes"
    assert ranker.requests == []


def test_a_vault_whose_search_fails_is_named(world: World) -> None:
    _save(world)
    assert _ask(world)["meta"]["failedVaults"] == []
    world.plug(store=FailingVault(world.app.store, "work").as_store())
    body = _ask(world, requestId="again")
    assert body["meta"]["failedVaults"] == ["work"]
    assert "Cloud Run" in body["answer"]

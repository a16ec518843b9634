"""/templates and `template` in /chat."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.fakes import ScriptedWriter
from tests.functions.world import World, problem

LEAK = {
    "name": "Boat repair",
    "content": "1. Find the leak.\n2. Mend it.",
    "keywords": ["boat", "leak"],
}
QUESTION = "boat repair find the leak mend it"


def _search(world: World, query: str, **more: object) -> list[dict[str, Any]]:
    matches: list[dict[str, Any]] = world.json(
        "POST", "/templates:search", {"query": query, **more}
    )["templates"]
    return matches


def _put(world: World, template_id: str = "leak", **more: object) -> dict[str, Any]:
    saved: dict[str, Any] = world.json("PUT", f"/templates/{template_id}", {**LEAK, **more})
    return saved


def test_the_shipped_templates_are_there_from_the_start(world: World) -> None:
    body = world.json("GET", "/templates")
    assert len(body["templates"]) == 11
    assert body["ready"] is True
    assert "content" not in body["templates"][0]
    paths = {row["templateId"]: row["path"] for row in body["templates"]}
    assert paths["plan"] == "plan.md"
    assert world.json("GET", "/templates/plan")["path"] == "plan.md"
    assert {template["templateId"] for template in body["templates"]} >= {
        "chain-of-thought",
        "compare-options",
        "plan",
    }


def test_a_saved_template_is_read_back_and_can_be_sent_again(world: World) -> None:
    saved = _put(world)
    assert saved == {
        "templateId": "leak",
        "name": "Boat repair",
        "domain": "general",
        "complexity": "moderate",
        "methodology": "sequential",
        "keywords": ["boat", "leak"],
        "description": "",
        "path": None,
        "content": "1. Find the leak.\n2. Mend it.",
    }
    assert world.json("GET", "/templates/leak") == saved
    assert _put(world, **saved) == saved
    assert problem(world.call("api", "PUT", "/templates/other", saved))[2] == "templateId"


def test_a_tenants_own_takes_the_place_of_a_shipped_one_which_is_read_only(world: World) -> None:
    shipped = world.json("GET", "/templates/plan")
    response = world.call("api", "DELETE", "/templates/plan")
    assert problem(response)[:2] == (404, "NOT_FOUND")
    assert "read-only" in response.get_json()["error"]["message"]
    _put(world, "plan")
    assert world.json("GET", "/templates/plan")["name"] == "Boat repair"
    assert len(world.json("GET", "/templates")["templates"]) == 11
    assert world.json("GET", "/templates/plan", token="bob-token") == shipped
    assert world.call("api", "DELETE", "/templates/plan").status_code == 204
    assert world.json("GET", "/templates/plan") == shipped


@pytest.mark.parametrize(
    "template_id", ["auto", "none", "x" * 1001, "__all__", "%2e%2e", "a%00b", "%ff"]
)
@pytest.mark.parametrize("method", ["PUT", "GET", "DELETE"])
def test_an_id_that_no_template_can_have_is_refused(
    world: World, method: str, template_id: str
) -> None:
    response = world.call(
        "api", method, f"/templates/{template_id}", LEAK if method == "PUT" else None
    )
    assert problem(response) == (400, "INVALID_FIELD", "templateId")


def test_a_search_gives_the_similar_or_the_chain_of_thought(world: World) -> None:
    _put(world)
    best = _search(world, QUESTION, topK=1)
    assert [match["templateId"] for match in best] == ["leak"]
    assert 0.65 <= best[0]["score"] <= 1
    assert best == _search(world, QUESTION)[:1]
    world.plug(settings=replace(world.app.settings, template_threshold=1.0))
    nothing_like_it = _search(world, "zebra xylophone")
    assert [(match["templateId"], match["score"]) for match in nothing_like_it] == [
        ("chain-of-thought", 0.5)
    ]


# -- /chat


@pytest.fixture
def writer(world: World) -> ScriptedWriter:
    writer = ScriptedWriter(
        "## The leak\n\nIt is in the bow [N1].\n\n## The repair\n\nTar mends it [N1]."
    )
    world.plug(writer=writer)
    world.save("n1", title="Boat", text="The boat leaks in the bow. Tar mends it.")
    _put(world)
    return writer


def test_auto_lays_the_answer_out_along_the_similar_template(
    world: World, writer: ScriptedWriter
) -> None:
    body = world.ask(QUESTION, template="auto")
    assert "> 1. Find the leak.\n> 2. Mend it." in writer.prompts[0].user
    assert body["meta"]["template"]["id"] == "leak"
    assert body["meta"]["template"]["name"] == "Boat repair"
    assert body["meta"]["template"]["score"] >= 0.65
    assert body["answer"].startswith("## The leak\n\nIt is in the bow [N1].")
    assert [citation["cid"] for citation in body["citations"]] == ["N1"]


STEP_BY_STEP = {
    "id": "chain-of-thought",
    "name": "Chain of thought",
    "score": 0.5,
}
NAMED = {"id": "pros-and-cons", "name": "Pros and cons", "score": None}
OWN = {"id": "leak", "name": "Boat repair", "score": None}


@pytest.mark.parametrize(
    ("message", "more", "template", "prompted"),
    [
        ("Tar?", {"template": "auto"}, STEP_BY_STEP, "What is asked"),
        ("Where does the boat leak?", {"template": "pros-and-cons"}, NAMED, "advantages"),
        (QUESTION, {"template": "leak", "useNotes": False}, OWN, "> 1. Find the leak."),
        (QUESTION, {"template": "none"}, None, ""),
        (QUESTION, {"template": None}, None, ""),
        (QUESTION, {}, None, ""),
    ],
)
def test_an_answer_follows_the_steps_that_are_asked_for(
    world: World,
    writer: ScriptedWriter,
    *,
    message: str,
    more: dict[str, Any],
    template: object,
    prompted: str,
) -> None:
    assert world.ask(message, **more)["meta"]["template"] == template
    assert prompted in writer.prompts[0].user
    assert ("steps" in writer.prompts[0].system + writer.prompts[0].user) == (template is not None)


def test_an_unknown_template_is_404_and_named_and_no_model_is_asked(
    world: World, writer: ScriptedWriter
) -> None:
    response = world.call("chat", "POST", "/chat", {"message": "Why?", "template": "nope"})
    assert problem(response)[:2] == (404, "NOT_FOUND")
    assert "nope" in response.get_json()["error"]["message"]
    assert writer.prompts == []


def test_without_a_model_the_answer_is_the_same_with_and_without_a_template(world: World) -> None:
    refused = world.ask("Where is it?", template="plan")["meta"]
    assert refused["refusal"]["reason"] == "no_notes"
    assert refused["template"]["id"] == "plan"
    world.save("n1", title="Boat", text="The boat leaks in the bow. Tar mends it.")
    plain, along = (
        world.ask("Where does the boat leak?", template=choice) for choice in ("none", "plan")
    )
    assert along["answer"] == plain["answer"]
    assert along["citations"] == plain["citations"]

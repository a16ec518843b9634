"""POST /chat and /search, from a saved note to a cited answer."""

from __future__ import annotations

import pytest

from shared.errors import ModelUnavailable
from tests.fakes import HashingEmbedder
from tests.functions.world import World

CLOUD_RUN = "We decided to use Cloud Run for the API. It scales to zero."


def test_a_saved_note_answers_with_its_citation(world: World) -> None:
    world.save(
        "meeting",
        title="Architecture",
        text=CLOUD_RUN,
        path="projects/api/meeting.md",
    )
    body = world.ask("What did we decide to use for the API?")
    assert "Cloud Run" in body["answer"]
    assert "[N1]" in body["answer"]
    citation = body["citations"][0]
    assert citation["cid"] == "N1"
    assert citation["noteId"] == "meeting"
    assert citation["folder"] == "projects/api"
    assert CLOUD_RUN[citation["span"]["start"] : citation["span"]["end"]] == citation["quote"]
    assert body["meta"]["retrieval"]["strategy"] == "hybrid_reranked"


def test_without_notes_and_without_a_model_it_is_refused(world: World) -> None:
    body = world.ask("What is a boat?", useNotes=False)
    assert body["answer"].startswith("I don't have enough information")
    assert body["meta"]["answerKind"] == "written"
    assert body["meta"]["model"] == "none"


def test_the_request_id_of_the_body_is_echoed(world: World) -> None:
    body = world.ask("Why?", requestId="mobile-1")
    assert body["meta"]["requestId"] == "mobile-1"
    body = world.json("POST", "/chat", {"message": "Why?"}, headers={"X-Request-Id": "h-1"})
    assert body["meta"]["requestId"] == "h-1"


def test_every_option_of_the_contract_is_accepted(world: World) -> None:
    world.save(
        "n1",
        title="Boat",
        text="The boat is blue.",
        tags=["boats"],
        path="toys/boat.md",
    )
    world.ask(
        "What colour is the boat?",
        tenantId="alice",
        timeZone="Europe/Berlin",
        now="2026-11-21T10:30:00.5+01:00",
        filters={
            "vaults": ["default"],
            "folders": ["toys"],
            "tags": ["boats"],
            "createdAfter": "2026-01-01",
            "createdBefore": "2027-01-01T00:00:00Z",
            "windowDays": 30,
        },
        topK=3,
        threshold=0.0,
        includeCitations=True,
        useNotes=True,
        strategy="rrf",
        template="none",
        requestId="r1",
        stream=False,
    )


def test_a_date_filter_begins_with_the_day_in_the_callers_zone(world: World) -> None:
    world.save(
        "n1",
        title="Boat",
        text="The boat is blue.",
        createdAt="2026-03-01T23:30:00Z",
    )
    search = {"query": "boat", "filters": {"createdAfter": "2026-03-02"}}
    assert world.json("POST", "/search", search)["results"] == []
    in_berlin = world.json("POST", "/search", {**search, "timeZone": "Europe/Berlin"})
    assert [result["noteId"] for result in in_berlin["results"]] == ["n1"]


def test_without_an_embedding_service_keywords_still_answer(
    world: World, embedder: HashingEmbedder
) -> None:
    world.save("n1", title="Boat", text="The boat is blue.")
    embedder.outage = ModelUnavailable("away")
    body = world.ask("What colour is the boat?")
    assert body["meta"]["retrieval"]["strategy"] == "keyword_recency"
    assert body["citations"][0]["noteId"] == "n1"


def test_search_gives_the_best_passages_first(world: World) -> None:
    world.save(
        "boat",
        title="Boat",
        text="The boat is blue.",
        path="toys/boat.md",
    )
    world.save("tax", title="Tax", text="The tax return is due in July.")
    body = world.json("POST", "/search", {"query": "blue boat", "k": 1})
    assert [result["noteId"] for result in body["results"]] == ["boat"]
    assert body["results"][0]["path"] == "toys/boat.md"
    assert body["meta"]["query"]["keywords"] == ["blue", "boat"]
    assert body["meta"]["query"]["lang"] == "en"
    body = world.json("POST", "/search", {"query": "Welches Boot ist letzte Woche blau geworden?"})
    assert body["meta"]["query"]["lang"] == "de"


@pytest.mark.parametrize("said", ["Hello!", "Thank you!", "What can you do?"])
def test_small_talk_is_answered_without_a_search_or_a_model(world: World, said: str) -> None:
    body = world.ask(said)
    assert body["meta"]["refusal"] is None
    assert body["meta"]["query"] is None
    assert body["citations"] == []
    assert body["meta"]["model"] == "none"
    assert not body["answer"].startswith("I don't have")

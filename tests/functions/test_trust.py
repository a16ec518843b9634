"""Support, grounding and every kind of refusal, as clients get them."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from shared.model.answers import Delta, Prompt
from tests.fakes import ScriptedWriter
from tests.functions.world import World

BOAT = "The boat is blue and 12 metres long. It was built in Kiel."


def answered(world: World, *drafts: str, strict: bool = False, **body: object) -> dict[str, Any]:
    world.save("boat", title="Boat", text=BOAT)
    policy = replace(world.app.settings, support_policy="strict" if strict else "flag")
    world.plug(writer=ScriptedWriter(*drafts), settings=policy)
    response = world.call("chat", "POST", "/chat", {"message": "What about the boat?", **body})
    assert response.status_code == 200
    reply: dict[str, Any] = response.get_json()
    return reply


def test_each_citation_tells_its_support_and_the_answer_how_well_it_is_grounded(
    world: World,
) -> None:
    body = answered(world, "The boat is 12 metres long [N1].")
    (citation,) = body["citations"]
    assert citation["support"] == {"state": "supported", "score": 1.0}
    assert citation["stale"] is False
    assert citation["quote"] == "The boat is blue and 12 metres long."
    assert body["meta"]["grounding"] == {"precision": 1.0, "recall": 1.0}


def test_a_citation_is_stale_while_the_index_is_behind_its_note(world: World) -> None:
    answered(world, "unused")
    assert world.put("boat", title="Boat", text="The boat is 15 metres long.").status_code == 200
    world.plug(writer=ScriptedWriter("The boat is 12 metres long [N1]."))
    question = {
        "message": "What about the boat?",
        "requestId": "r-1",
        "sessionId": "new",
    }
    body = world.json("POST", "/chat", question)
    (citation,) = body["citations"]
    assert citation["quote"] == "The boat is blue and 12 metres long."
    assert citation["stale"] is True
    assert world.json("POST", "/chat", question)["citations"] == [citation]
    path = f"/sessions/{body['meta']['sessionId']}/messages"
    assert world.json("GET", path)["messages"][1]["citations"] == [citation]


class Meanwhile(ScriptedWriter):
    """Something happens while it writes."""

    def __init__(self, happens: Callable[[], object]) -> None:
        super().__init__("The boat is 12 metres long [N1].")
        self.happens = happens

    def stream(self, prompt: Prompt) -> Generator[Delta]:
        self.happens()
        return super().stream(prompt)


def test_a_note_that_is_saved_while_the_answer_is_written_makes_it_stale(world: World) -> None:
    world.save("boat", title="Boat", text=BOAT)
    change = partial(world.put, "boat", title="Boat", text="The boat is 15 metres long.")
    world.plug(writer=Meanwhile(change))
    body = world.ask("What about the boat?")
    assert [citation["stale"] for citation in body["citations"]] == [True]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_note_that_is_deleted_while_the_answer_is_written_answers_no_more(
    world: World,
    streamed: bool,  # noqa: FBT001 - a parameter
) -> None:
    world.save("boat", title="Boat", text=BOAT)
    world.plug(writer=Meanwhile(partial(world.call, "api", "DELETE", "/notes/boat")))
    response = world.call(
        "chat", "POST", "/chat", {"message": "What about the boat?", "stream": streamed}
    )
    text = response.get_data(as_text=True)
    body = json.loads(text.rpartition("data: ")[2]) if streamed else response.get_json()
    refusal = body["meta"]["refusal"]
    notice = "Some of your notes are still being indexed. Ask again in a moment."
    assert refusal["reason"] == "index_pending"
    assert refusal["told"] == notice
    assert refusal["nearest"] == []
    assert body["citations"] == []
    assert "12 metres" not in body["answer"]
    assert ("event: retract" in text) is streamed


def test_under_the_strict_policy_it_is_never_shown(world: World) -> None:
    world.save("boat", title="Boat", text=BOAT)
    writer = ScriptedWriter("The boat was built in Kiel [N1]. The boat is 15 metres long [N1].")
    strict = replace(world.app.settings, support_policy="strict")
    world.plug(writer=writer, settings=strict)
    response = world.call(
        "chat", "POST", "/chat", {"message": "What about the boat?", "stream": True}
    )
    text = response.get_data(as_text=True)
    assert "15 metres" not in text
    assert '"answer": "The boat was built in Kiel [N1]."' in text.partition("event: result")[
        2
    ].replace('":"', '": "')


INVENTED = "The boat is 15 metres long"
UNKNOWN = "The notes do not say who owns it."
CHEMISTRY = {"message": "What is quantum chromodynamics?", "embedder": None}


@pytest.mark.parametrize(
    ("draft", "asked", "reason", "nearest"),
    [
        (None, {}, "no_notes", False),
        ("unused", {"threshold": 1.0}, "below_threshold", True),
        (UNKNOWN, {}, "below_threshold", True),
        (f"{INVENTED} [N1].", {"strict": True}, "unsupported_claims", True),
        (f"{INVENTED}.", {}, "unsupported_claims", True),
        ("unused", {"filters": {"tags": ["nowhere"]}}, "no_candidates", False),
        (UNKNOWN, CHEMISTRY, "no_candidates", False),
        (UNKNOWN, {"message": "What about the boat in May 2019?"}, "time_range_empty", True),
    ],
)
def test_every_refusal_has_its_reason_and_the_nearest_notes(
    world: World, *, draft: str | None, asked: dict[str, Any], reason: str, nearest: bool
) -> None:
    if "embedder" in asked:
        world.plug(embedder=None)
    asked = {name: value for name, value in asked.items() if name != "embedder"}
    body = world.ask("What about the boat?") if draft is None else answered(world, draft, **asked)
    refusal = body["meta"]["refusal"]
    assert body["answer"].startswith("I don't have enough information")
    assert refusal["reason"] == reason
    assert body["citations"] == []
    assert [row["noteId"] for row in refusal["nearest"]] == (["boat"] if nearest else [])


def test_a_refusal_while_a_note_waits_to_be_indexed_says_so(world: World) -> None:
    world.save("n1", title="Boat", text="The boat is blue.")
    world.put("n2", title="Car", text="The car of Mongolia is red.")  # its event has not come yet
    body = world.ask("Which car is from Mongolia?")
    assert body["meta"]["refusal"]["reason"] == "index_pending"
    assert "still being indexed" in body["answer"]
    assert "index" in body["meta"]["refusal"]["told"]
    world.plug(writer=ScriptedWriter("ANSWER: no", "A car is a vehicle."))
    general = world.ask("Which car is from Mongolia?", whenNotInNotes="general")
    assert general["answer"] == body["answer"]
    assert general["meta"]["answerKind"] == "written"
    world.plug(writer=None)
    world.written("tenants/alice/notes/n2")
    assert world.ask("Which car is from Mongolia?")["meta"]["refusal"] is None

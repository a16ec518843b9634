"""Models that misbehave, through the real /chat, streamed and not: never a 500, and what is shown is the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from shared import bootstrap
from shared.errors import AuroraError, ModelUnavailable
from shared.model.answers import Delta
from tests.active import active
from tests.fakes import ScriptedWriter
from tests.functions.world import World
from tests.servers.sdk_parsers import event_source
from tests.trust.test_hostile import STREAM, shown_on_the_way

pytestmark = pytest.mark.slow

ASKED = {"message": "What did we decide to use for the API?"}
GOOD = "We decided to use Cloud Run for the API [N1]."
UNANSWERED = "I don't have enough information in your notes to answer this question: the nearest notes do not hold the answer."
UNBACKED = "I don't have enough information in your notes to answer this question: no passage backs what could be said."
EXTRACTED = "Closest passages in your notes:\n\n> **API**\n>\n> We decided to use Cloud Run for the API. [N1]"


@dataclass(frozen=True)
class Bad:
    """A model's bad reply, and what must come of it."""

    script: tuple[str | AuroraError | Delta, ...]
    answer: str
    """The whole; begins so if it ends in `…`."""
    model: str = "scripted"
    refusal: str | None = None


MODELS = {
    "cites a label that was not offered": Bad(
        ("We decided ", "to use Cloud Run for the API [N1][N", "99]."), GOOD
    ),
    "cites only labels of its own": Bad(
        ("Run [N99]. ", "Fire [N98]."), UNBACKED, refusal="unsupported_claims"
    ),
    "cites nothing": Bad(
        ("It is Cloud Run", " of course."), UNBACKED, refusal="unsupported_claims"
    ),
    "says yes and answers": Bad(("ANSWER: y", "es\n", GOOD), GOOD),
    "says partly on the same line": Bad(("**ANSWER: partly**. ", GOOD), GOOD),
    "says no": Bad(("ANSWER: no",), UNANSWERED, refusal="below_threshold"),
    "says no and answers": Bad(("ANSWER: no\n", GOOD), UNANSWERED, refusal="below_threshold"),
    "answers and says no": Bad((f"{GOOD}\n", "ANSWER: no"), UNANSWERED, refusal="below_threshold"),
    "says yes and refuses": Bad(
        ("ANSWER: yes\nYour notes ", "do not say."), UNANSWERED, refusal="below_threshold"
    ),
    "says yes and cites nothing": Bad(
        ("ANSWER: yes\nIt is Cloud Run.",), UNBACKED, refusal="unsupported_claims"
    ),
    "says yes and cites at random": Bad(
        ("ANSWER: yes\nElephants sleep for two hours a night [N1].",),
        UNBACKED,
        refusal="unsupported_claims",
    ),
    "says yes and nothing else": Bad(("ANSWER: yes\n",), EXTRACTED, "extractive"),
    "says whether at every turn": Bad(("ANSWER: yes\n", GOOD, "\nANSWER: yes\n"), GOOD),
    "answers empty": Bad(("",), EXTRACTED, "extractive"),
    "answers in blanks": Bad((" \n", "\t"), EXTRACTED, "extractive"),
    "answers in invisible characters": Bad(
        ("\u200b\u2060", "\ufeff\U000e0041"), EXTRACTED, "extractive"
    ),
    "streams garbage": Bad(
        ("\x00\x07[N", "]]](((\x1b[31m", "\ud800【", "N99】` ``` <"),
        UNBACKED,
        refusal="unsupported_claims",
    ),
    "dies before the first word": Bad((ModelUnavailable("away"),), EXTRACTED, "extractive"),
    "dies in the middle of a marker": Bad(
        ("Cloud Run [N1]. And [N", ModelUnavailable("away")), "Cloud Run [N1]. …"
    ),
    "dies in the middle of a tag": Bad(
        ("Cloud Run [N1] <img sr", ModelUnavailable("away")), "Cloud Run [N1] ‹img sr …"
    ),
    "is cut in the middle of a link": Bad(
        (GOOD, " See [x](http", Delta("", truncated=True)), f"{GOOD} …"
    ),
    "repeats a list of sources": Bad((GOOD, *("\n\nSources:\n[N1] API\n[N7] Law\n",) * 9), GOOD),
    "repeats definitions as a list of sources": Bad(
        (GOOD, *("\n\n[N1]: https://evil.example/\n",) * 5), GOOD
    ),
    "writes a hundred thousand characters": Bad(
        (GOOD, *(" And it scales well [N1][N99].",) * 4000), f"{GOOD} And…"
    ),
    "never ends a line of a hundred thousand characters": Bad(
        (f"{GOOD} ", *("[N" * 500,) * 120), f"{GOOD}…"
    ),
    "never closes code": Bad((f"{GOOD} ```", *("<b>" * 300,) * 120), f"{GOOD}…"),
}


@pytest.fixture
def writes(world: World, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """One note, and a model that writes what it is told each time."""
    world.save(
        "api", title="API", text="We decided to use Cloud Run for the API.", path="projects/api.md"
    )

    def tell(script: tuple[Any, ...]) -> None:
        monkeypatch.setattr(
            bootstrap,
            "_process",
            [bootstrap.assemble(replace(world.app, writer=ScriptedWriter(script)))],
        )

    return tell


def as_wanted(body: dict[str, Any], bad: Bad) -> None:
    answer = body["answer"]
    expected_answer = bad.answer
    assert (
        answer.startswith(expected_answer[:-1])
        if expected_answer.endswith("…") and not expected_answer.endswith(" …")
        else answer == expected_answer
    )
    assert body["meta"]["model"] == bad.model
    assert (body["meta"]["refusal"] or {}).get("reason") == bad.refusal
    assert {citation["cid"] for citation in body["citations"]} == (set() if bad.refusal else {"N1"})
    assert "N99" not in answer
    assert "ANSWER" not in answer
    assert len(answer) <= 100_100
    assert active(answer[:5000], ()) == []


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_misbehaves_whole_and_streamed(
    world: World, writes: Callable[..., None], name: str
) -> None:
    writes(MODELS[name].script)
    response = world.call("chat", "POST", "/chat", ASKED)
    assert response.status_code == 200
    as_wanted(response.get_json(), MODELS[name])
    writes(MODELS[name].script)
    events = event_source(world.call("chat", "POST", "/chat", ASKED, headers=STREAM).get_data())
    kind, result = events[-1]
    assert kind == "result"
    as_wanted(result, MODELS[name])
    shown_texts = (
        list(shown_on_the_way(events)) if len(events) < 500 else [shown_at_the_end(events)]
    )
    assert shown_texts[-1] == result["answer"]
    assert [
        text for text in shown_texts if "N99" in text or "ANSWER" in text or active(text[:5000], ())
    ] == []


def shown_at_the_end(events: list[tuple[str, Any]]) -> str:
    """Put together the last text of `shown_on_the_way`, for streams so long that each step cannot be kept."""
    text = bytearray()
    for name, data in events:
        if name == "token":
            text += data["text"].encode("utf-16-le")
        elif name == "retract":
            del text[2 * data["from"] :]
    return text.decode("utf-16-le")

"""A question's way from its beginning to its record, as every front door goes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pydantic import TypeAdapter

from shared.account.repeats import RequestKey
from shared.adapters.embedded import EmbeddedStore
from shared.api.answers import AskJson
from shared.api.stream import EVENTS, StreamEvent
from shared.asking.turn import Asked, take
from shared.errors import ModelUnavailable
from shared.folders.search import FolderScope
from shared.model.answers import Answer, Draft, Prompt, Usage
from shared.sessions.service import NEW
from tests.account.world import PERSON, Household, household
from tests.fakes import ScriptedWriter

KEY = RequestKey(PERSON, "r-1", "the same question")
WRITTEN = ("The boat is red ", "[N1]. It is ", "big [N1].")


@pytest.fixture
def writer() -> ScriptedWriter:
    return ScriptedWriter(WRITTEN)


@pytest.fixture
def home(embedded_store: EmbeddedStore, writer: ScriptedWriter) -> Iterator[Household]:
    """An App that knows of one boat."""
    with household(embedded_store, writer=writer) as house:
        house.save("boat", "The boat is red. It is big.")
        yield house


def asked(home: Household, **more: Any) -> Asked:  # noqa: ANN401 - Asked's own fields
    usual = {"person": PERSON, "question": home.question(), "request_id": "r-1", "measure": lambda _: None}
    return Asked(**{**usual, **more})


def result(events: list[StreamEvent]) -> Any:  # noqa: ANN401 - JSON
    assert events[-1].name == "result"
    return events[-1].data


def names(events: list[StreamEvent]) -> list[str]:
    return list(dict.fromkeys(event.name for event in events if event.name))


def test_every_event_holds_what_its_type_says_and_nothing_else(home: Household, writer: ScriptedWriter) -> None:
    writer.answers = [WRITTEN, ("Nothing is cited, so ", "nothing stands."), WRITTEN]
    turns = [
        list(take(home.app, asked(home, repeat=KEY, session_id=NEW))),
        list(take(home.app, asked(home))),
        list(take(home.app, asked(home, wish=FolderScope(("default",), ())))),
        list(take(home.app, asked(home, repeat=KEY))),
    ]
    assert {name for turn in turns for name in names(turn)} == EVENTS.keys() - {"error"}
    for event in (event for turn in turns for event in turn if event.name):
        kind = AskJson if "references" in event.data else EVENTS[event.name]
        assert TypeAdapter(kind).validate_python(event.data) == event.data


def test_who_leaves_when_the_answer_is_there_is_given_it_by_its_request_id(
    home: Household, writer: ScriptedWriter
) -> None:
    events = take(home.app, asked(home, repeat=KEY, session_id=NEW))
    next(event for event in events if event.name == "usage")
    events.close()
    again = list(take(home.app, asked(home, repeat=KEY, session_id=NEW)))
    assert result(again)["answer"] == "The boat is red [N1]. It is big [N1]."
    assert len(writer.prompts) == 1
    (session,) = home.app.sessions(PERSON).page(limit=5).items
    assert session.message_count == 2


def test_who_leaves_while_it_is_written_leaves_nothing_and_may_ask_again(
    home: Household, writer: ScriptedWriter
) -> None:
    events = take(home.app, asked(home, repeat=KEY, session_id=NEW))
    next(event for event in events if event.name == "token")
    events.close()
    assert writer.hung_up == 1
    assert home.app.sessions(PERSON).page(limit=5).items == ()
    assert result(list(take(home.app, asked(home, repeat=KEY))))["citations"]


def test_a_model_that_breaks_off_is_quoted_over_and_the_turn_is_recorded(
    home: Household, writer: ScriptedWriter
) -> None:
    writer.answers = [("The boat ", ModelUnavailable("it broke off"))]
    events = list(take(home.app, asked(home, session_id=NEW)))
    assert "retract" in names(events)
    assert result(events)["meta"]["answerKind"] == "quoted"
    assert home.app.sessions(PERSON).page(limit=5).items[0].message_count == 2


class _Billed(ScriptedWriter):
    """Each reply costs the same."""

    def write(self, prompt: Prompt) -> Draft:
        return replace(super().write(prompt), usage=Usage(5, 3))


def test_what_is_measured_is_the_answer_with_all_that_the_turn_has_cost(home: Household) -> None:
    measured = list[Answer]()
    first = result(list(take(home.app, asked(home, session_id=NEW))))
    rewriter = _Billed('{"question": "Which colour has the boat?"}')
    app = replace(home.app, ranker=rewriter)
    follow_up = asked(
        home,
        question=home.question("And which colour has it?"),
        session_id=first["meta"]["sessionId"],
        measure=measured.append,
    )
    told = result(list(take(app, follow_up)))
    assert len(rewriter.prompts) == 1
    assert [(each.usage.input_tokens, each.usage.output_tokens) for each in measured] == [(5, 3)]
    assert told["meta"]["usage"] == {"inputTokens": 5, "outputTokens": 3, "reads": None, "usd": None}


def test_nothing_is_spent_and_no_session_begun_before_the_first_event(home: Household) -> None:
    home.limited(daily_chat_limit=1)
    take(home.app, asked(home, session_id=NEW)).close()
    assert home.app.sessions(PERSON).page(limit=5).items == ()
    assert result(list(take(home.app, asked(home))))["citations"]

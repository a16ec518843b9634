"""A question's way from its beginning to its record, as every front door goes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pydantic import TypeAdapter

from shared.account.idempotency import RequestKey
from shared.adapters.embedded import EmbeddedStore
from shared.api.answers import AskJson
from shared.api.stream import EVENTS, StreamEvent
from shared.asking.turn import TurnRequest
from shared.bootstrap import assemble
from shared.errors import ModelUnavailable
from shared.folders.scope import FolderScope
from shared.model.answers import Draft, Prompt, Usage
from shared.sessions.service import NEW
from tests.account.world import PERSON, Household, household, turn_events
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


def asked(home: Household, **more: Any) -> TurnRequest:  # noqa: ANN401 - TurnRequest's own fields
    usual = {
        "person": PERSON,
        "question": home.question(),
        "request_id": "r-1",
    }
    return TurnRequest(**{**usual, **more})


def result(events: list[StreamEvent]) -> Any:  # noqa: ANN401 - JSON
    assert events[-1].name == "result"
    return events[-1].data


def names(events: list[StreamEvent]) -> list[str]:
    return list(dict.fromkeys(event.name for event in events if event.name))


def test_every_event_holds_what_its_type_says_and_nothing_else(
    home: Household, writer: ScriptedWriter
) -> None:
    writer.answers = [WRITTEN, ("Nothing is cited, so ", "nothing stands."), WRITTEN]
    turns = [
        list(turn_events(home.app, asked(home, repeat=KEY, session_id=NEW))),
        list(turn_events(home.app, asked(home))),
        list(turn_events(home.app, asked(home, scope=FolderScope(("default",), ())))),
        list(turn_events(home.app, asked(home, repeat=KEY))),
    ]
    assert {name for turn in turns for name in names(turn)} == EVENTS.keys() - {"error"}
    for event in (event for turn in turns for event in turn if event.name):
        kind = AskJson if "references" in event.data else EVENTS[event.name]
        assert TypeAdapter(kind).validate_python(event.data) == event.data


def test_a_finished_answer_is_given_again_by_its_request_id(
    home: Household, writer: ScriptedWriter
) -> None:
    events = turn_events(home.app, asked(home, repeat=KEY, session_id=NEW))
    next(event for event in events if event.name == "usage")
    events.close()
    repeated = list(turn_events(home.app, asked(home, repeat=KEY, session_id=NEW)))
    assert result(repeated)["answer"] == "The boat is red [N1]. It is big [N1]."
    assert len(writer.prompts) == 1
    (session,) = home.app.sessions(PERSON).page(limit=5).items
    assert session.message_count == 2


def test_who_leaves_while_it_is_written_finds_what_was_shown_and_may_ask_again(
    home: Household, writer: ScriptedWriter
) -> None:
    writer.answers = [("The boat is red [N1]. ", "And it is big, as the note says. " * 4), WRITTEN]
    events = turn_events(home.app, asked(home, repeat=KEY, session_id=NEW))
    next(event for event in events if event.name == "token")
    events.close()
    assert writer.hung_up == 1
    (session,) = home.app.sessions(PERSON).page(limit=5).items
    question, answer = home.app.sessions(PERSON).messages(session.session_id, limit=5).items
    assert question.text == home.question().text
    assert answer.text.startswith("The boat is red [N1]. …\n\nSources:\n- [N1]")
    assert [citation.note_id for citation in answer.citations] == ["boat"]
    assert result(list(turn_events(home.app, asked(home, repeat=KEY))))["citations"]


def test_leaving_before_the_first_word_keeps_the_question(home: Household) -> None:
    events = turn_events(home.app, asked(home, session_id=NEW))
    next(event for event in events if event.name == "sources")
    events.close()
    (session,) = home.app.sessions(PERSON).page(limit=5).items
    assert [
        message.text
        for message in home.app.sessions(PERSON).messages(session.session_id, limit=5).items
    ] == [
        home.question().text,
        "…",
    ]


def test_a_model_that_breaks_off_is_quoted_over_and_the_turn_is_recorded(
    home: Household, writer: ScriptedWriter
) -> None:
    writer.answers = [("Well, well. " * 9, ModelUnavailable("it broke off"))]
    events = list(turn_events(home.app, asked(home, session_id=NEW)))
    assert "retract" in names(events)
    assert result(events)["meta"]["answerKind"] == "quoted"
    assert home.app.sessions(PERSON).page(limit=5).items[0].message_count == 2


def test_a_question_of_a_time_alone_takes_all_notes_of_then(
    home: Household, writer: ScriptedWriter
) -> None:
    home.save("car", "The car is old. It rattles.")
    request = asked(home, question=home.question("What did I write today?"))
    listed = result(list(turn_events(assemble(replace(home.app, writer=None)), request)))
    assert listed["meta"]["notesRead"] == 2
    assert [citation["noteId"] for citation in listed["citations"]] == ["boat", "car"]
    assert listed["answer"].startswith("Your notes of that time:\n\n- ")
    assert listed["answer"].endswith("The car is old. It rattles. [N2]")
    written = result(list(turn_events(home.app, request)))
    assert written["meta"]["notesRead"] == 2
    assert "all notes of that time, 2" in writer.prompts[0].user
    named = asked(home, question=home.question("What did I write today about the boat?"))
    assert result(list(turn_events(home.app, named)))["meta"]["notesRead"] is None


class _Billed(ScriptedWriter):
    """Each reply costs the same."""

    def write(self, prompt: Prompt) -> Draft:
        return replace(super().write(prompt), usage=Usage(5, 3))


def test_the_result_names_all_that_the_turn_has_cost(home: Household) -> None:
    first = result(list(turn_events(home.app, asked(home, session_id=NEW))))
    rewriter = _Billed('{"question": "Which colour has the boat?"}')
    app = assemble(replace(home.app, ranker=rewriter))
    question = home.question("And which colour has it?")
    events = list(
        turn_events(app, asked(home, question=question, session_id=first["meta"]["sessionId"]))
    )
    assert len(rewriter.prompts) == 1
    assert result(events)["meta"]["usage"] == {
        "inputTokens": 5,
        "outputTokens": 3,
        "reads": None,
        "usd": None,
    }


def test_nothing_is_spent_and_no_session_begun_before_the_first_event(home: Household) -> None:
    home.limited(daily_chat_limit=1)
    turn_events(home.app, asked(home, session_id=NEW)).close()
    assert home.app.sessions(PERSON).page(limit=5).items == ()
    assert result(list(turn_events(home.app, asked(home))))["citations"]


@pytest.mark.parametrize("scope", [None, FolderScope((), ())])
def test_what_notes_say_of_others_stands_below_the_name_that_is_missing(
    home: Household, scope: FolderScope | None
) -> None:
    home.save("priya", "Priya's phone number is 5512.")
    home.save("marek", "Yesterday Marek played the cello.")
    app = assemble(replace(home.app, writer=None))
    about_marek = asked(home, question=home.question("What is Marek's phone number?"), scope=scope)
    events = list(turn_events(app, about_marek))
    answer = result(events)
    opening = next(event.data["text"] for event in events if event.name == "token")
    assert opening == "Nothing about “Marek's phone number”; nearest:"
    assert answer["answer"].startswith(f"{opening}\n\n> **Marek**\n>\n> Yesterday")
    assert answer["meta"]["nothingAbout"] == "Marek's phone number"
    assert [citation["noteId"] for citation in answer["citations"]] == ["marek", "priya"]
    about_priya = asked(home, question=home.question("What is Priya's phone number?"), scope=scope)
    answered = result(list(turn_events(app, about_priya)))
    assert answered["meta"]["nothingAbout"] is None
    assert answered["answer"].startswith("Closest passages in your notes:")


def test_the_passages_that_an_answer_names_are_as_many_as_are_used_at_most(home: Household) -> None:
    max_passages = home.app.retriever.options.max_chunks
    for requested, used in ((max_passages + 8, max_passages), (2, 2)):
        request = asked(home, question=replace(home.question("What is blue?"), top_k=requested))
        assert result(list(turn_events(home.app, request)))["meta"]["retrieval"]["k"] == used

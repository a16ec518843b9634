"""POST /graphql: the same sessions as behind /sessions."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import build_schema, get_introspection_query

from shared.model.answers import Prompt
from shared.model.sessions import SETTINGS
from tests.fakes import ScriptedWriter
from tests.functions.world import World

CREATE = (
    "mutation($title: String, $settings: SettingsInput) { createSession(title: $title, settings: $settings) \
{ sessionId title settings { topK model } } }"
)
ASK = (
    "mutation($id: ID, $message: String!, $settings: SettingsInput) { ask(sessionId: $id, message: $message, \
settings: $settings) { answer citations meta session { sessionId messageCount \
messages { messages { role text requestId } } } } }"
)


def _run(world: World, query: str, caller: str = "alice", **variables: Any) -> dict[str, Any]:  # noqa: ANN401
    body = {"query": query, "variables": variables}
    response = world.call("api", "POST", "/graphql", body, token=f"{caller}-token")
    assert response.status_code == 200, response.get_json()
    reply: dict[str, Any] = response.get_json()
    return reply


def _data(world: World, query: str, **variables: Any) -> dict[str, Any]:  # noqa: ANN401
    body = _run(world, query, **variables)
    assert "errors" not in body, body
    data: dict[str, Any] = body["data"]
    return data


def _create(world: World, **variables: Any) -> str:  # noqa: ANN401
    session_id: str = _data(world, CREATE, **variables)["createSession"]["sessionId"]
    return session_id


def test_a_session_is_created_renamed_set_and_deleted(world: World) -> None:
    session_id = _create(world, title="Trip", settings={"topK": 9})
    rename = 'mutation($id: ID!) { renameSession(sessionId: $id, title: "Lisbon") { title } }'
    assert _data(world, rename, id=session_id) == {"renameSession": {"title": "Lisbon"}}
    fields = " ".join(setting.field for setting in SETTINGS.values())
    change = (
        f"mutation($id: ID!, $s: SettingsInput!) {{ updateSettings(sessionId: $id, settings: $s) \
    {{ settings {{ {fields} }} }} }}"
    )
    changed = _data(world, change, id=session_id, s={"threshold": 1, "model": "extractive"})
    settings = world.json("GET", f"/sessions/{session_id}")["settings"]
    assert changed["updateSettings"]["settings"] == settings
    assert settings["topK"] == 9
    assert settings["threshold"] == 1.0
    assert settings["model"] == "extractive"
    deleted = _data(world, "mutation($id: ID!) { deleteSession(sessionId: $id) }", id=session_id)
    assert deleted == {"deleteSession": True}
    assert world.call("api", "GET", f"/sessions/{session_id}").status_code == 404


def test_a_question_is_answered_in_its_session(world: World) -> None:
    world.save("boat", title="Boat", text="The boat leaks in the bow.")
    answer = _data(world, ASK, message="What leaks in the boat?")["ask"]
    assert answer["citations"][0]["noteId"] == "boat"
    assert answer["session"]["messageCount"] == 2
    session_id = answer["session"]["sessionId"]
    assert answer["meta"]["sessionId"] == session_id
    world.clock.forward(seconds=1)
    follow_up = _data(world, ASK, id=session_id, message="And where?", settings={"topK": 1})["ask"]
    assert follow_up["meta"]["retrieval"]["k"] == 1
    messages = follow_up["session"]["messages"]["messages"]
    assert messages[0]["text"] == "What leaks in the boat?"
    assert messages[2]["text"] == "And where?"
    ids = [answered["meta"]["requestId"] for answered in (answer, answer, follow_up, follow_up)]
    assert [message["requestId"] for message in messages] == ids


@pytest.mark.parametrize(
    ("query", "code", "field"),
    [
        ('{ session(sessionId: "nope") { title } }', "NOT_FOUND", None),
        ("{ sessions(pageSize: 0) { nextPageToken } }", "INVALID_ARGUMENT", "pageSize"),
        ('{ sessions(pageToken: "forged") { nextPageToken } }', "INVALID_ARGUMENT", "pageToken"),
        (
            "mutation { createSession(settings: {topK: 21}) { title } }",
            "INVALID_ARGUMENT",
            "settings.topK",
        ),
        ('mutation { ask(message: " ") { answer } }', "INVALID_ARGUMENT", "message"),
        (
            'mutation { ask(message: "hi", settings: {threshold: 2}) { answer } }',
            "INVALID_ARGUMENT",
            "threshold",
        ),
        (
            'mutation { ask(message: "hi", timeZone: "Mars") { answer } }',
            "INVALID_ARGUMENT",
            "timeZone",
        ),
        ('mutation { askFolders(question: "hi", k: 21) { answer } }', "INVALID_ARGUMENT", "k"),
        (
            'mutation { askFolders(question: "Where?", folders: ["attic"]) { answer } }',
            "NOT_FOUND",
            None,
        ),
        ('mutation { ask(message: "hi", sessionId: "nope") { answer } }', "NOT_FOUND", None),
    ],
)
def test_an_error_of_a_field_has_a_code(
    world: World, query: str, code: str, field: str | None
) -> None:
    (error,) = _run(world, query)["errors"]
    assert error["extensions"]["code"] == code
    assert error["extensions"].get("field") == field


def test_a_bug_is_told_without_its_text(world: World) -> None:
    class Broken(ScriptedWriter):
        def stream(self, prompt: Prompt) -> Any:  # noqa: ANN401 - the port's own type
            raise ZeroDivisionError(prompt.question)

    world.save("boat", title="Boat", text="The boat leaks in the bow.")
    world.plug(writer=Broken("x"))
    (error,) = _run(world, ASK, message="What leaks in the boat?")["errors"]
    assert error["extensions"]["code"] == "INTERNAL"
    assert "leaks" not in str(error)


def _nested(depth: int) -> str:
    return "{ __schema { types { " + "ofType { " * depth + "name" + " }" * depth + " } } }"


def _doubling(times: int) -> str:
    """Each fragment holds the next one twice."""
    fragments = [f"fragment f{n} on Session {{ ...f{n + 1} ...f{n + 1} }}" for n in range(times)]
    return " ".join(
        [
            '{ session(sessionId: "x") { ...f0 } }',
            *fragments,
            f"fragment f{times} on Session {{ title }}",
        ]
    )


@pytest.mark.parametrize(
    "query",
    [
        "",
        "{",
        "nonsense",
        "{ nothing }",
        "{ sessions { sessions { secret } } }",
        _nested(20),
        _nested(5000),
        _doubling(30),
        "{ " + " ".join(f"s{n}: sessions {{ nextPageToken }}" for n in range(300)) + " }",
        'fragment a on Session { ...b } fragment b on Session { ...a } { session(sessionId: "x") { ...a } }',
        "{ sessions { nextPageToken } } { sessions { nextPageToken } }",
        "fragment a on Session { title }",
    ],
)
def test_a_document_that_cannot_be_run_or_is_too_large_is_named(world: World, query: str) -> None:
    reply = _run(world, query)
    (error,) = reply["errors"]
    assert error["extensions"] == {
        "code": "INVALID_ARGUMENT",
        "reason": "INVALID_FIELD",
        **error["extensions"],
    }
    assert error["extensions"]["field"] == "query"
    assert "path" not in error
    assert "data" not in reply


def test_the_schema_is_served_as_text_for_generators_of_clients(world: World) -> None:
    response = world.call("api", "GET", "/graphql/schema", token=None)
    assert response.mimetype == "application/graphql"
    assert "SettingsInput" in build_schema(response.text).type_map


def test_pages_of_one_request_have_a_limit_together(world: World) -> None:
    query = (
        "{ "
        + " ".join(f"s{n}: sessions(pageSize: 200) {{ nextPageToken }}" for n in range(6))
        + " }"
    )
    errors = _run(world, query)["errors"]
    assert [error["extensions"]["field"] for error in errors] == ["query"]


@pytest.mark.parametrize(
    "query",
    [
        'mutation { a: ask(message: "hi") { answer } b: ask(message: "hi") { answer } }',
        'mutation { a: askFolders(question: "hi") { answer } b: ask(message: "hi") { answer } }',
        (
            'mutation { ...f ...g } fragment f on Mutation { a: ask(message: "hi") { answer } } '
            'fragment g on Mutation { b: ask(message: "hi") { answer } }'
        ),
    ],
)
def test_two_questions_in_a_request_are_refused_before_the_first_is_asked(
    world: World, query: str
) -> None:
    reply = _run(world, query)
    assert "data" not in reply
    (error,) = reply["errors"]
    assert error["extensions"]["field"] == "query"
    assert _data(world, "{ sessions { sessions { title } } }") == {"sessions": {"sessions": []}}


def test_tools_can_ask_for_the_schema(world: World) -> None:
    names = {
        type_["name"] for type_ in _data(world, get_introspection_query())["__schema"]["types"]
    }
    assert {"Session", "SettingsInput", "Answer"} <= names


def test_folders_are_ranked_for_a_question(world: World) -> None:
    world.save(
        "boat",
        title="Boat",
        text="The boat leaks in the bow.",
        path="toys/boat.md",
    )
    query = 'mutation { askFolders(question: "What leaks in the boat?", folders: ["toys"]) { references citations meta } }'
    answer = _data(world, query)["askFolders"]
    assert [folder["folder"] for folder in answer["meta"]["folders"]] == ["toys"]
    assert answer["references"][0]["relPath"] == "toys/boat.md"
    assert answer["citations"][0]["noteId"] == "boat"


def test_a_question_is_held_to_what_chat_takes(world: World) -> None:
    (error,) = _run(world, 'mutation { ask(message: "boat\\u0000?") { answer } }')["errors"]
    assert error["extensions"]["field"] == "message"
    assert "NUL" in error["message"]

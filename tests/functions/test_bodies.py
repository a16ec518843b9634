"""Every way in which a body can be wrong is 400, naming the field and what was expected."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functions.world import World, problem

ASK = {"message": "What colour is the boat?"}

BAD_JSON = [
    b"",
    b"{",
    b'{"message": "x"} x',
    b"[]",
    b'"hi"',
    b"null",
    b"[" * 30_000,
    b'{"threshold": NaN}',
    b"\xff{}",
]


@pytest.mark.parametrize("path", ["/chat", "/search", "/notes/n1"])
@pytest.mark.parametrize("raw", BAD_JSON)
def test_what_is_no_json_object_is_refused(world: World, path: str, raw: bytes) -> None:
    function, method = ("chat", "POST") if path == "/chat" else ("api", "PUT" if path == "/notes/n1" else "POST")
    assert problem(world.call(function, method, path, raw)) == (400, "INVALID_FIELD", "body")


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        (b'{"message": "caf\xe9"}', "body"),
        (b'{"message": "a\\u0000b"}', "message"),
        (b'{"message": "a\\ud800b"}', "message"),
        (b'{"message": "Why?", "filters": {"tags": ["ok", "\\u0000"]}}', "filters.tags[1]"),
        (b'{"mess\\u0000age": "hi"}', "body"),
    ],
)
def test_text_must_be_storable(world: World, raw: bytes, field: str) -> None:
    assert problem(world.call("chat", "POST", "/chat", raw)) == (400, "INVALID_FIELD", field)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("message", ["", " \n\t ", "x" * 2001, 5, None, ["hi"]]),
        ("timeZone", ["Mars/Olympus", "", "../../etc/passwd", "America", "localtime", "posix/Europe/Berlin", 2]),
        (
            "now",
            [
                "yesterday",
                "2026-11-21",
                "2026-11-21T10:00:00",
                "2026-02-30T10:00:00Z",
                "0001-01-01T00:00:00Z",
                1_700_000_000,
            ],
        ),
        ("topK", [0, 21, "5", 5.5, True]),
        ("threshold", [-0.1, 1.1, "0.5"]),
        ("strategy", ["magic"]),
        ("includeCitations", ["yes"]),
        ("useNotes", [1]),
        ("requestId", ["", "a b"]),
        ("tenantId", [7]),
        ("filters", [[], "all"]),
        ("sessionId", [5]),
        ("model", ["gpt-0"]),
        ("maxContextTokens", [499]),
        ("maxHistory", [-1]),
        ("systemPrompt", ["x" * 2001]),
        ("template", ["", "a/b", 5]),
        ("stream", ["yes"]),
        ("topk", [5]),
        ("data", [{"message": "Why?"}]),
    ],
)
def test_a_bad_field_of_chat_is_named(world: World, field: str, values: list[object]) -> None:
    for value in values:
        response = world.call("chat", "POST", "/chat", {**ASK, field: value})
        assert problem(response) == (400, "INVALID_FIELD", field), value
        error = response.get_json()["error"]
        assert error["message"].startswith(f"{field}: expected "), value
        assert error["details"][0]["metadata"]["expected"] in error["message"], value


@pytest.mark.parametrize(
    ("filters", "field"),
    [
        ({"vaults": "work"}, "filters.vaults"),
        ({"vaults": [1]}, "filters.vaults[0]"),
        ({"folders": [""]}, "filters.folders[0]"),
        ({"folders": ["f" * 1202]}, "filters.folders[0]"),
        ({"vaults": ["v" * 201]}, "filters.vaults[0]"),
        ({"tags": ["a"] * 31}, "filters.tags"),
        ({"tags": ["a\nb"]}, "filters.tags[0]"),
        ({"createdAfter": "soon"}, "filters.createdAfter"),
        ({"createdAfter": "2026-13-01"}, "filters.createdAfter"),
        ({"createdBefore": "2026-01-01 10:00"}, "filters.createdBefore"),
        ({"createdBefore": 5}, "filters.createdBefore"),
        ({"createdAfter": "2026-02-01", "createdBefore": "2026-01-01"}, "filters.createdAfter"),
        ({"windowDays": 0}, "filters.windowDays"),
        ({"windowDays": "90"}, "filters.windowDays"),
        ({"author": "me"}, "filters.author"),
    ],
)
def test_a_bad_filter_is_named_by_its_whole_path(world: World, filters: dict[str, Any], field: str) -> None:
    world.save("n1", title="Boat", text="The boat is blue.")
    for function, path, asked in (("chat", "/chat", "message"), ("api", "/search", "query")):
        response = world.call(function, "POST", path, {asked: "boat", "filters": filters})
        assert problem(response) == (400, "INVALID_FIELD", field)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("query", ["", 1, "x" * 2001]),
        ("k", [0, 101, "3"]),
        ("message", ["hi"]),
    ],
)
def test_a_bad_field_of_search_is_named(world: World, field: str, values: list[object]) -> None:
    for value in values:
        response = world.call("api", "POST", "/search", {"query": "boat", field: value})
        assert problem(response) == (400, "INVALID_FIELD", field), value


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("question", ["", None]),
        ("vaults", ["work", ["v" * 201]]),
        ("folders", [[3], ["a"] * 31, ["f" * 1202]]),
        ("k", [0, 21, -1, 2.5, "5"]),
        ("timeZone", ["Mars"]),
        ("message", ["hi"]),
    ],
)
def test_a_bad_field_of_ask_is_named(world: World, field: str, values: list[object]) -> None:
    for value in values:
        response = world.call("api", "POST", "/ask", {"question": "boat?", field: value})
        assert problem(response)[:2] == (400, "INVALID_FIELD"), value
        assert problem(response)[2].startswith(field), value


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("noteIds", ["n1", ["n1"] * 21, ["a/b"]]),
        ("threshold", [2]),
        ("k", [0]),
        ("query", [" "]),
    ],
)
def test_a_bad_field_of_explain_is_named(world: World, field: str, values: list[object]) -> None:
    for value in values:
        response = world.call("api", "POST", "/search:explain", {"query": "boat", field: value})
        assert problem(response)[:2] == (400, "INVALID_FIELD"), value


ASKING = [
    ("chat", "/chat", "message"),
    ("api", "/search", "query"),
    ("api", "/search:explain", "query"),
    ("api", "/ask", "question"),
]


@pytest.mark.parametrize(("function", "path", "field"), ASKING)
def test_a_missing_question_is_named(world: World, function: str, path: str, field: str) -> None:
    response = world.call(function, "POST", path, {})
    assert problem(response) == (400, "INVALID_FIELD", field)
    assert "missing" in response.get_json()["error"]["message"]


@pytest.mark.parametrize(("function", "path", "field"), ASKING)
def test_another_tenant_in_the_body_is_403(world: World, function: str, path: str, field: str) -> None:
    response = world.call(function, "POST", path, {field: "boat", "tenantId": "bob"})
    assert problem(response)[:2] == (403, "PERMISSION_DENIED")
    assert world.call(function, "POST", path, {field: "boat", "tenantId": "alice"}).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/notes/n1", {"title": "T", "text": "t"}),
        ("PUT", "/templates/t", {"name": "Plan", "content": "1. Think."}),
        ("POST", "/templates:search", {"query": "q"}),
        ("POST", "/feedback", {"requestId": "r-1", "rating": "down"}),
    ],
)
def test_nothing_is_written_for_another_tenant(world: World, method: str, path: str, body: dict[str, str]) -> None:
    response = world.call("api", method, path, {**body, "tenantId": "bob"})
    assert problem(response)[:2] == (403, "PERMISSION_DENIED")


def test_an_unknown_field_is_told_the_known_ones(world: World) -> None:
    message = world.call("chat", "POST", "/chat", {**ASK, "topk": 5}).get_json()["error"]["message"]
    assert "topK" in message
    assert "timeZone" in message


@pytest.mark.parametrize("depth", [101, 900, 5000])
@pytest.mark.parametrize(
    ("function", "path", "body"),
    [
        ("chat", "/chat", b'{"message": "boat", "filters": %b}'),
        ("chat", "/chat", b'{"data": {"message": "boat", "filters": %b}}'),
        ("api", "/graphql", b'{"query": "{ sessions { nextPageToken } }", "variables": {"deep": %b}}'),
    ],
    ids=["plain", "callable", "graphql"],
)
def test_json_that_is_nested_too_deeply_is_a_bad_body(
    world: World, function: str, path: str, body: bytes, depth: int
) -> None:
    response = world.call(function, "POST", path, body % (b"[" * depth + b"]" * depth))
    assert problem(response) == (400, "INVALID_FIELD", "body")

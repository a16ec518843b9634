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
def test_a_body_that_is_no_json_object_is_refused(world: World, path: str, raw: bytes) -> None:
    function, method = (
        ("chat", "POST") if path == "/chat" else ("api", "PUT" if path == "/notes/n1" else "POST")
    )
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


LEAK = {"name": "Boat repair", "content": "1. Find the leak."}
ROUTES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "chat": ("POST", "/chat", ASK),
    "search": ("POST", "/search", {"query": "boat"}),
    "explain": ("POST", "/search:explain", {"query": "boat"}),
    "ask": ("POST", "/ask", {"question": "boat?"}),
    "note": ("PUT", "/notes/n1", {"title": "Boat", "text": ""}),
    "file": ("POST", "/notes:import", {"path": "boat.md", "text": "Blue."}),
    "template": ("PUT", "/templates/t", LEAK),
    "templates": ("POST", "/templates:search", {"query": "boat"}),
    "session": ("POST", "/sessions", {}),
    "feedback": ("POST", "/feedback", {"requestId": "r"}),
    "graphql": ("POST", "/graphql", {"query": "{ __typename }"}),
    "erasure": ("DELETE", "/me", {"confirm": "erase everything"}),
    "reconcile": ("POST", "/", {}),
}
"""Route -> its method, its path and a body that it takes."""

BAD_FIELDS: list[tuple[str, str, list[object]]] = [
    ("chat", "message", ["", " \n\t ", "x" * 2001, 5, None, ["hi"]]),
    (
        "chat",
        "timeZone",
        ["Mars/Olympus", "", "../../etc/passwd", "America", "localtime", "posix/Europe/Berlin", 2],
    ),
    (
        "chat",
        "now",
        ["yesterday", "2026-11-21", "2026-11-21T10:00:00", "2026-02-30T10:00:00Z", 1_700_000_000],
    ),
    ("chat", "now", ["0001-01-01T00:00:00Z"]),
    ("chat", "topK", [0, 21, "5", 5.5, True]),
    ("chat", "threshold", [-0.1, 1.1, "0.5"]),
    ("chat", "strategy", ["magic"]),
    ("chat", "includeCitations", ["yes"]),
    ("chat", "useNotes", [1]),
    ("chat", "requestId", ["", "a b"]),
    ("chat", "tenantId", [7]),
    ("chat", "filters", [[], "all"]),
    ("chat", "sessionId", [5]),
    ("chat", "model", ["gpt-0"]),
    ("chat", "maxContextTokens", [499]),
    ("chat", "maxHistory", [-1, 999]),
    ("chat", "systemPrompt", ["x" * 2001, 5]),
    ("chat", "template", ["", "a/b", 5]),
    ("chat", "stream", ["yes"]),
    ("chat", "topk", [5]),
    ("chat", "data", [{"message": "Why?"}]),
    ("search", "query", ["", 1, "x" * 2001]),
    ("search", "k", [0, 101, "3"]),
    ("search", "message", ["hi"]),
    ("explain", "noteIds", ["n1", ["n1"] * 21]),
    ("explain", "threshold", [2]),
    ("explain", "k", [0]),
    ("explain", "query", [" "]),
    ("ask", "question", ["", None]),
    ("ask", "vaults", ["work"]),
    ("ask", "folders", [["a"] * 31]),
    ("ask", "k", [0, 21, -1, 2.5, "5"]),
    ("ask", "timeZone", ["Mars"]),
    ("ask", "message", ["hi"]),
    ("note", "title", [None, 5, "x" * 1001]),
    ("note", "text", [None, ["a"]]),
    ("note", "tags", ["boat", ["t"] * 51]),
    ("note", "vault", ["", "a/b", None]),
    (
        "note",
        "path",
        ["/etc/passwd", "../up.md", "a/../../up.md", "a/..", "a\\b.md", "folder/", "x" * 1001],
    ),
    ("note", "createdAt", ["2024", "2024-05-08T10:00:00", 5, "1900-01-01T00:00:00+00:01"]),
    ("note", "createdAt", ["2199-12-31T23:59:59-00:01"]),
    ("note", "lang", ["english"]),
    ("note", "color", ["blue"]),
    ("file", "path", ["../up.md", ""]),
    ("file", "text", [5]),
    ("file", "modifiedAt", ["yesterday"]),
    ("file", "vault", ["a/b"]),
    ("template", "name", [None, " ", "x" * 201]),
    ("template", "content", ["", "x" * 8001, ["1."]]),
    ("template", "domain", [""]),
    ("template", "complexity", [5]),
    ("template", "methodology", ["x" * 201]),
    ("template", "keywords", ["boat", ["k"] * 9 + [f"k{number}" for number in range(20)]]),
    ("template", "description", ["x" * 1001]),
    ("template", "steps", [["1."]]),
    ("templates", "query", ["", "x" * 2001, 5]),
    ("templates", "topK", [0, 21]),
    ("templates", "k", [3]),
    ("session", "title", ["x" * 201, "a\nb", 5, "a\u2028b"]),
    ("feedback", "requestId", ["a/b", None]),
    ("feedback", "rating", ["fine", 1]),
    ("feedback", "comment", ["x" * 2001]),
    ("feedback", "citation", ["[N1]", "N0"]),
    ("feedback", "messageId", [""]),
    ("feedback", "text", ["x"]),
    ("graphql", "query", [7]),
    ("graphql", "variables", ["none"]),
    ("erasure", "confirm", ["yes", True, "Erase everything"]),
    ("reconcile", "full", [1]),
    ("reconcile", "dryRun", ["no"]),
    ("reconcile", "budget", [0, "all"]),
    ("reconcile", "x", [1]),
]


@pytest.mark.parametrize(("route", "field", "values"), BAD_FIELDS)
def test_a_bad_field_is_named_with_what_was_expected(
    world: World, route: str, field: str, values: list[object]
) -> None:
    method, path, good = ROUTES[route]
    function = route if route in ("chat", "reconcile") else "api"
    for value in values:
        response = world.call(function, method, path, {**good, field: value})
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
        ({"windowDays": 0}, "filters.windowDays"),
        ({"windowDays": "90"}, "filters.windowDays"),
        ({"author": "me"}, "filters.author"),
    ],
)
def test_a_bad_filter_is_named_by_its_whole_path(
    world: World, filters: dict[str, Any], field: str
) -> None:
    for function, path, text_field in (
        ("chat", "/chat", "message"),
        ("api", "/search", "query"),
    ):
        response = world.call(function, "POST", path, {text_field: "boat", "filters": filters})
        assert problem(response) == (400, "INVALID_FIELD", field)


@pytest.mark.parametrize(
    "query", ["pageSize=0", "pageSize=201", "pageSize=x", "page=2", "pageToken=nonsense"]
)
@pytest.mark.parametrize("path", ["/notes", "/sessions", "/trash"])
def test_a_bad_parameter_of_a_list_is_named(world: World, path: str, query: str) -> None:
    response = world.call("api", "GET", f"{path}?{query}")
    assert problem(response) == (400, "INVALID_FIELD", query.partition("=")[0])


@pytest.mark.parametrize("route", ROUTES)
def test_a_missing_field_is_named(world: World, route: str) -> None:
    method, path, body = ROUTES[route]
    for field in body:
        incomplete = {name: value for name, value in body.items() if name != field}
        response = world.call("chat" if route == "chat" else "api", method, path, incomplete)
        assert problem(response) == (400, "INVALID_FIELD", field)
        assert "missing" in response.get_json()["error"]["message"]


@pytest.mark.parametrize("route", [name for name in ROUTES if name not in ("graphql", "reconcile")])
def test_another_tenant_in_the_body_is_403(world: World, route: str) -> None:
    method, path, body = ROUTES[route]
    function = "chat" if route == "chat" else "api"
    refused = world.call(function, method, path, {**body, "tenantId": "bob"})
    assert problem(refused)[:2] == (403, "PERMISSION_DENIED")
    assert world.call(function, method, path, {**body, "tenantId": "alice"}).status_code == 200


def test_nothing_of_another_tenant_can_be_reached(world: World) -> None:
    world.save(
        "boat",
        title="Boat",
        text="The boat is blue.",
        vault="work",
    )
    world.json("PUT", "/templates/own", LEAK)
    session_id = world.json("POST", "/sessions")["sessionId"]
    session = f"/sessions/{session_id}"
    for method, path, body in (
        ("GET", "/notes/boat", None),
        ("DELETE", "/notes/boat", None),
        ("GET", "/notes/boat:indexStatus", None),
        ("POST", "/search:explain", {"query": "boat", "noteIds": ["boat"]}),
        ("POST", "/ask", {"question": "boat?", "vaults": ["work"]}),
        ("GET", "/templates/own", None),
        *(
            (method, session, {} if method == "PATCH" else None)
            for method in ("GET", "PATCH", "DELETE")
        ),
        ("GET", f"{session}/messages", None),
    ):
        assert problem(world.call("api", method, path, body, token="bob-token"))[:2] == (
            404,
            "NOT_FOUND",
        ), path
    query = "query($id: ID!) { session(sessionId: $id) { title } }"
    request = {"query": query, "variables": {"id": session_id}}
    theirs = world.json("POST", "/graphql", request, token="bob-token")
    assert theirs["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    assert world.json("POST", "/search", {"query": "boat"}, token="bob-token")["results"] == []
    assert world.json("GET", "/sessions", token="bob-token")["sessions"] == []


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
        (
            "api",
            "/graphql",
            b'{"query": "{ sessions { nextPageToken } }", "variables": {"deep": %b}}',
        ),
    ],
    ids=["plain", "callable", "graphql"],
)
def test_json_that_is_nested_too_deeply_is_a_bad_body(
    world: World, function: str, path: str, body: bytes, depth: int
) -> None:
    response = world.call(function, "POST", path, body % (b"[" * depth + b"]" * depth))
    assert problem(response) == (400, "INVALID_FIELD", "body")

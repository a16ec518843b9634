"""POST /mcp as any HTTP client sees it; the protocol itself is tried with the SDK's own client elsewhere."""

from __future__ import annotations

import pytest

from tests.functions.world import World

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "x", ""])
def test_a_message_is_json_whatever_its_sender_calls_it(world: World, kind: str) -> None:
    response = world.call("api", "POST", "/mcp", PING, headers={"Content-Type": kind})
    assert response.status_code == 200
    assert response.get_json() == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_notification_is_taken_without_an_answer(world: World) -> None:
    response = world.call(
        "api", "POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}
    )
    assert response.status_code == 202
    assert response.data == b""


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"{}", b"\xff", b"[" * 5000, b"null"])
def test_an_invalid_message_gets_an_error_of_the_protocol(world: World, body: bytes) -> None:
    response = world.call("api", "POST", "/mcp", body)
    assert response.status_code == 400
    assert response.get_json()["jsonrpc"] == "2.0"
    error = response.get_json()["error"]
    assert error["message"].startswith(("body: expected ", "jsonrpc: expected "))
    assert error["data"]["details"][0]["reason"] == "INVALID_FIELD"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"params": [1]}, "params"),
        ({"method": 1}, "method"),
        ({"id": 1.5}, "id"),
        ({"id": True}, "id"),
    ],
)
def test_a_wrong_field_of_a_message_is_named(
    world: World, change: dict[str, object], field: str
) -> None:
    response = world.call("api", "POST", "/mcp", PING | change)
    error = response.get_json()["error"]
    assert response.status_code == 400
    assert error["data"]["details"][0]["metadata"]["field"] == field


def test_a_header_beyond_latin_1_is_no_fault_of_ours(world: World) -> None:
    response = world.call("api", "POST", "/mcp", PING, headers={"Mcp-Name": "\u20ac"})
    assert response.status_code == 200


def test_a_client_that_accepts_no_json_is_refused(world: World) -> None:
    response = world.call("api", "POST", "/mcp", PING, headers={"Accept": "text/html"})
    assert response.status_code == 406
    assert response.get_json()["jsonrpc"] == "2.0"

"""Sessions, and questions asked in them, as a client sees both."""

from __future__ import annotations

from typing import Any

from tests.functions.world import World


def call_json(world: World, method: str, path: str, body: object = None, **options: Any) -> Any:  # noqa: ANN401
    response = world.call("api", method, path, body, **options)
    assert response.status_code == 200, response.get_json()
    return response.get_json()


def create(world: World, **body: object) -> str:
    session_id: str = call_json(world, "POST", "/sessions", body)["sessionId"]
    return session_id


def ask(world: World, message: str, session_id: str = "new", **more: object) -> dict[str, Any]:
    world.clock.forward(seconds=1)
    response = world.call("chat", "POST", "/chat", {"message": message, "sessionId": session_id, **more})
    assert response.status_code == 200, response.get_json()
    body: dict[str, Any] = response.get_json()
    return body


def messages(world: World, session_id: str, query: str = "") -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = call_json(world, "GET", f"/sessions/{session_id}/messages{query}")["messages"]
    return listed

"""Sessions, and questions asked in them, as a client sees both."""

from __future__ import annotations

from typing import Any

from tests.functions.world import World


def create(world: World, **body: object) -> str:
    session_id: str = world.json("POST", "/sessions", body)["sessionId"]
    return session_id


def ask(world: World, message: str, session_id: str = "new", **more: object) -> dict[str, Any]:
    world.clock.forward(seconds=1)
    return world.ask(message, sessionId=session_id, **more)


def messages(world: World, session_id: str, query: str = "") -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = world.json("GET", f"/sessions/{session_id}/messages{query}")[
        "messages"
    ]
    return listed

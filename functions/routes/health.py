"""GET /health: the process answers. Nothing heavy is imported for it."""

from __future__ import annotations

from functions.http.calls import Call, Reply
from functions.http.operations import operation


@operation(reply=dict[str, str])
def check(_: Call) -> Reply:
    """The process answers."""
    return Reply({"status": "ok"})


@operation(reply=dict[str, str])
def alias(call: Call) -> Reply:
    """As `/health`, for those who know it by this name; on Cloud Run's own addresses it is not reached."""
    return check(call)

"""GET /healthz: the process answers. Nothing heavy is imported for it."""

from __future__ import annotations

from functions._calls import Call, Reply
from functions._operations import operation


@operation(reply=dict[str, str])
def check(_: Call) -> Reply:
    """The process answers."""
    return Reply({"status": "ok"})

"""GET /healthz: the process answers. Nothing heavy is imported for it."""

from __future__ import annotations

from functions._calls import Call, Reply


def check(_: Call) -> Reply:
    return Reply({"status": "ok"})

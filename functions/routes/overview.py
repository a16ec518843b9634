"""GET /: the table of routes; GET /health: the process answers, and imports nothing heavy for it."""

from __future__ import annotations

from functions.http.calls import Call, Reply, operation


@operation(reply=dict[str, str | list[str]])
def show(_: Call) -> Reply:
    """The table of routes, as `METHOD /path`."""
    from functions.tables import API  # noqa: PLC0415 - the table names this module

    routes = [f"{route.method} {route.pattern}" for route in API]
    return Reply({"name": "Aurora Notes", "routes": routes})


@operation(reply=dict[str, str])
def health(_: Call) -> Reply:
    """The process answers."""
    return Reply({"status": "ok"})


@operation(reply=dict[str, str])
def healthz(call: Call) -> Reply:
    """Alias of `/health`; Cloud Run's own addresses do not forward it."""
    return health(call)

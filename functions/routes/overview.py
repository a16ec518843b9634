"""GET / of the api function: what it answers to."""

from __future__ import annotations

from functions.http.calls import Call, Reply
from functions.http.operations import operation


@operation(reply=dict[str, str | list[str]])
def show(_: Call) -> Reply:
    """The table of routes, as `METHOD /path`."""
    from functions.api import ROUTES  # noqa: PLC0415 - the table names this module

    return Reply({"name": "Aurora Notes", "routes": [f"{route.method} {route.pattern}" for route in ROUTES]})

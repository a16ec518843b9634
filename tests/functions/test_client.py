"""Calls without HTTP: they find the routes that HTTP finds, and load no web server for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from functions.http.calls import find_route
from functions.tables import API, CHAT

WEB = ("flask", "werkzeug", "functions_framework", "jinja2")


@pytest.mark.parametrize(
    ("method", "path", "handler", "segments"),
    [
        ("GET", "/", "overview:show", {}),
        ("GET", "/notes", "notes:list_all", {}),
        ("GET", "/notes/", "notes:list_all", {}),
        ("HEAD", "/notes", "notes:list_all", {}),
        ("POST", "/notes:import", "notes:import_file", {}),
        ("GET", "/notes/a%2Fb%C3%A9", "notes:get", {"note_id": "a/bé"}),
        ("GET", "/notes/x:y", "notes:get", {"note_id": "x:y"}),
        ("GET", "/notes/x:links", "notes:links", {"note_id": "x"}),
        ("GET", "/notes/x%3Alinks", "notes:get", {"note_id": "x:links"}),
        ("GET", "/notes/x%3Alinks:links", "notes:links", {"note_id": "x:links"}),
        ("GET", "/sessions/s/messages", "sessions:messages", {"session_id": "s"}),
    ],
)
def test_a_path_leads_to_its_handler(
    method: str, path: str, handler: str, segments: dict[str, str]
) -> None:
    match = find_route(API, method, path)
    assert match.route is not None
    assert match.route.handler == handler
    assert match.segments == segments


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/notes", ("GET",)),
        ("PATCH", "/notes/x", ("DELETE", "GET", "PUT")),
        ("PUT", "/notes/x:links", ("GET",)),
        ("GET", "/notes/", ("GET",)),
        ("GET", "/notes//links", ()),
        ("GET", "/notes/:links", ()),
        ("GET", "/notes/x:links:links", ()),
        ("GET", "/notes/x/y", ()),
        ("GET", "/note", ()),
        ("GET", "/notes%3Aimport", ()),
    ],
)
def test_another_path_or_method_leads_nowhere(
    method: str, path: str, allowed: tuple[str, ...]
) -> None:
    match = find_route(API, method, path)
    assert match.allowed == allowed
    assert (match.route is None) == (method not in allowed)


def test_the_root_of_chat_is_the_question() -> None:
    match = find_route(CHAT, "POST", "/")
    assert match.route is not None
    assert match.route.handler == "chat:ask"


def test_a_call_in_this_process_loads_no_web_server() -> None:
    program = (
        "import sys\n"
        "from functions.client import InProcessClient\n"
        "from shared.ports.access import Identity\n"
        "InProcessClient(Identity('t', 't')).send('GET', '/')\n"
        f"print([name for name in {WEB!r} if name in sys.modules])\n"
    )
    completed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert completed.stdout.strip() == "[]"

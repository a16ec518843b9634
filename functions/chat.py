"""The function `chat`: POST /chat, a function of its own because it is the hot path."""

from __future__ import annotations

import flask
import functions_framework

from functions.http.calls import HEALTH, Route
from functions.http.serving import serve

ROUTES = (Route("POST", "/", "chat:ask", callable=True), HEALTH)


@functions_framework.http
def chat(request: flask.Request) -> flask.Response:
    """Serve `ROUTES`, with or without `/chat` before the path."""
    return serve(request, ROUTES, name="chat")

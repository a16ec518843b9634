"""The function `chat`: POST /chat, a function of its own because it is the hot path."""

from __future__ import annotations

import flask
import functions_framework

from functions.http.serving import serve
from functions.tables import CHAT


@functions_framework.http
def chat(request: flask.Request) -> flask.Response:
    """Serve `CHAT`, with or without `/chat` before the path."""
    return serve(request, CHAT, name="chat")

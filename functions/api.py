"""The function `api`: every route but /chat."""

from __future__ import annotations

import flask
import functions_framework

from functions.http.serving import serve
from functions.tables import API


@functions_framework.http
def api(request: flask.Request) -> flask.Response:
    """Serve `API`, with or without `/api` before the path."""
    return serve(request, API, name="api")

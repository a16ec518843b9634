"""The function `reconcile`: called by the scheduler. In the cloud only its service account may call it (IAM)."""

from __future__ import annotations

import flask
import functions_framework

from functions.http.calls import HEALTH, Route
from functions.http.serving import serve

ROUTES = (Route("POST", "/", "reconcile:run", public=True), HEALTH)


@functions_framework.http
def reconcile(request: flask.Request) -> flask.Response:
    """Serve `ROUTES`, with or without `/reconcile` before the path."""
    return serve(request, ROUTES, name="reconcile")

"""Which web origins may read our replies: those in ALLOWED_ORIGINS, `*` for any."""

from __future__ import annotations

from werkzeug.datastructures import Headers

from functions.http.app_check import APP_CHECK
from functions.http.calls import current_app
from shared.errors import OperatorError

METHODS = "GET, POST, PUT, PATCH, DELETE, OPTIONS"
REQUEST_HEADERS = f"Authorization, Content-Type, X-Request-Id, {APP_CHECK}, Firebase-Instance-ID-Token"
EXPOSED_HEADERS = "X-Request-Id, Retry-After"
PREFLIGHT_SECONDS = 3600


def is_preflight(method: str, headers: Headers) -> bool:
    return method == "OPTIONS" and "Origin" in headers and "Access-Control-Request-Method" in headers


def cors_headers(method: str, headers: Headers) -> dict[str, str]:
    """The headers that let the asking page read the reply; a page that is not on the list gets none of them."""
    origin = headers.get("Origin")
    if origin is None:
        return {}
    if not is_allowed(origin):
        return {"Vary": "Origin"}
    allowing = {
        "Vary": "Origin",
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Expose-Headers": EXPOSED_HEADERS,
    }
    if is_preflight(method, headers):
        allowing["Access-Control-Allow-Methods"] = METHODS
        allowing["Access-Control-Allow-Headers"] = REQUEST_HEADERS
        allowing["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    return allowing


def is_allowed(origin: str) -> bool:
    """Whether pages from there may call."""
    try:
        allowed = current_app().settings.allowed_origins
    except OperatorError:
        return False  # a deployment with bad settings allows nobody; the route itself answers why
    return "*" in allowed or origin in allowed

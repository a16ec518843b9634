"""Serves the web page's files as any static host would, and resources for this machine's page alone; every other path
goes to the functions.
"""

from __future__ import annotations

import json
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from werkzeug.exceptions import HTTPException
from werkzeug.security import safe_join
from werkzeug.wrappers import Request, Response

from functions.http.errors import body_of, error_form
from shared.errors import AuroraError, InvalidArgument

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
"""Content types by suffix; a file of another kind is not part of the page."""

FIREBASE_AUTH = ("https://identitytoolkit.googleapis.com", "https://securetoken.googleapis.com")
"""Servers at which the page signs in, if its config.json names a Firebase key."""


class Unusable(InvalidArgument):
    """A field holds a bad value; the message is a whole sentence, as the page shows it."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(field, sentence)
        self.message = sentence


def reply_with(work: Callable[[], Mapping[str, object]]) -> Response:
    """Returns the result of `work` as JSON, or the error that it raises; no cache stores it."""
    try:
        response = Response(json.dumps(work()), mimetype="application/json")
    except AuroraError as error:
        response = error_reply(error)
    response.headers["Cache-Control"] = "no-store"
    return response


def error_reply(error: AuroraError) -> Response:
    return Response(
        json.dumps(body_of(error)),
        error_form(error).code,
        mimetype="application/json",
    )


def with_resource(
    site: WSGIApplication,
    path: str,
    methods: Mapping[str, Callable[[Request], Mapping[str, object]]],
) -> WSGIApplication:
    """Wraps `site` with a resource for this machine's page at `path`, also below /api.

    methods: method -> function that returns the JSON of the reply.
    """

    def wrapped(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        work = None
        if request.path in (path, f"/api{path}"):
            work = methods.get(request.method)
        if work is None:
            return site(environ, start_response)
        reply = reply_with(lambda: work(request))
        return reply(environ, start_response)

    return wrapped


def json_of(request: Request, *, most: int) -> Any:  # noqa: ANN401 - JSON
    """Returns the JSON in a body of at most `most` bytes; None if it is no JSON, or longer."""
    request.max_content_length = most
    try:
        return json.loads(request.get_data())
    except (HTTPException, ValueError, RecursionError):
        return None


def with_page(
    functions: WSGIApplication,
    folder: Path,
    config: Mapping[str, object] | None = None,
) -> WSGIApplication:
    """Wraps `functions` with the files of `folder`. `/` is the page for clients that accept HTML, as
    browsers do.

    config: fields of config.json beside those in the file, as they are at each request.
    """
    try:
        file_settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        file_settings = None  # the page then works with its defaults too

    if not isinstance(file_settings, dict):
        file_settings = {}
    settings = ChainMap(cast("dict[str, object]", config or {}), file_settings)

    def site(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        file = page_file(request, folder)
        if file is None:
            return functions(environ, start_response)
        if file.name == "config.json":
            content = json.dumps(dict(settings)).encode()
        else:
            content = file.read_bytes()

        headers = {
            "Cache-Control": "no-cache",
            "Content-Security-Policy": policy(settings),
            "Cross-Origin-Opener-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "Vary": "Accept",
            "X-Content-Type-Options": "nosniff",
        }
        response = Response(
            content,
            content_type=TYPES[file.suffix],
            headers=headers,
        )
        response.add_etag()
        response.make_conditional(request)
        return response(environ, start_response)

    return site


def page_file(request: Request, folder: Path) -> Path | None:
    """Returns the page's file that a request asks for; None if it asks for no such file."""
    if request.method not in {"GET", "HEAD"}:
        return None
    name = request.path.lstrip("/")
    if request.path == "/" and "text/html" in request.headers.get("Accept", ""):
        name = "index.html"
    place = safe_join(str(folder), name) if name else None
    if place is None:
        return None
    file = Path(place)
    return file if file.suffix in TYPES and file.is_file() else None


def policy(settings: Mapping[str, Any]) -> str:
    """Returns the page's Content-Security-Policy, which admits its own files and the servers that
    config.json names.
    """
    firebase = settings.get("firebase") or {}
    servers = []
    for address in (settings.get("apiBase"), firebase.get("emulator")):
        url = urlsplit(address or "")
        if url.netloc:
            servers.append(f"{url.scheme}://{url.netloc}")

    if firebase.get("apiKey") and not firebase.get("emulator"):
        servers += FIREBASE_AUTH
    return "; ".join(
        (
            "default-src 'self'",
            "img-src 'self' data:",
            " ".join(("connect-src 'self'", *servers)),
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types aurora",
        ),
    )

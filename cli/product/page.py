"""The web page's files, served as any static host would; every other path goes to the functions. And how what is
served to this machine's page alone answers.
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

from functions.http.errors import body_of, kind_of
from shared.errors import AuroraError

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
"""By suffix; a file of another kind is not part of the page."""

FIREBASE_AUTH = ("https://identitytoolkit.googleapis.com", "https://securetoken.googleapis.com")
"""Where the page signs in, if its config.json names a Firebase key."""


def reply_with(work: Callable[[], Mapping[str, object]]) -> Response:
    """What `work` gives as JSON, or the error that it raises; no cache keeps it."""
    try:
        response = Response(json.dumps(work()), mimetype="application/json")
    except AuroraError as error:
        response = error_reply(error)
    response.headers["Cache-Control"] = "no-store"
    return response


def error_reply(error: AuroraError) -> Response:
    return Response(json.dumps(body_of(error)), kind_of(error).code, mimetype="application/json")


def with_resource(
    site: WSGIApplication, path: str, methods: Mapping[str, Callable[[Request], Mapping[str, object]]]
) -> WSGIApplication:
    """`site`, with a resource of this machine's page at `path`, also below /api: method -> the JSON of its reply."""

    def served(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        work = methods.get(request.method) if request.path in (path, f"/api{path}") else None
        reply = site if work is None else reply_with(lambda: work(request))
        return reply(environ, start_response)

    return served


def json_of(request: Request, *, most: int) -> Any:  # noqa: ANN401 - JSON
    """The body, of at most so many bytes; None: it is no JSON."""
    request.max_content_length = most
    try:
        return json.loads(request.get_data())
    except (HTTPException, ValueError, RecursionError):
        return None


def with_page(functions: WSGIApplication, folder: Path, config: Mapping[str, object] | None = None) -> WSGIApplication:
    """`functions`, with the files of `folder` before them. `/` is the page for who asks for HTML, as browsers do.

    `config`: what its config.json says beside what stands in the file, as it is when somebody asks.
    """
    try:
        held = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        held = None  # the page then works with its defaults too
    settings = ChainMap(cast("dict[str, object]", config or {}), held if isinstance(held, dict) else {})

    def site(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        file = _file(request, folder)
        if file is None:
            return functions(environ, start_response)
        content = json.dumps(dict(settings)).encode() if file.name == "config.json" else file.read_bytes()
        headers = {
            "Cache-Control": "no-cache",
            "Content-Security-Policy": policy(settings),
            "Cross-Origin-Opener-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "Vary": "Accept",
            "X-Content-Type-Options": "nosniff",
        }
        response = Response(content, content_type=TYPES[file.suffix], headers=headers)
        response.add_etag()
        response.make_conditional(request)
        return response(environ, start_response)

    return site


def _file(request: Request, folder: Path) -> Path | None:
    """The file a request means; None: it is not for the page."""
    if request.method not in {"GET", "HEAD"}:
        return None
    if request.path == "/":
        name: str | None = "index.html" if "text/html" in request.headers.get("Accept", "") else None
    else:
        name = request.path.lstrip("/")
    place = safe_join(str(folder), name) if name else None
    file = Path(place) if place else None
    return file if file and file.suffix in TYPES and file.is_file() else None


def policy(settings: Mapping[str, Any]) -> str:
    """The page's Content-Security-Policy: its own files, and the servers that its config.json names."""
    firebase = settings.get("firebase") or {}
    named = map(urlsplit, filter(None, (settings.get("apiBase"), firebase.get("emulator"))))
    servers = [f"{url.scheme}://{url.netloc}" for url in named if url.netloc]
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
        )
    )

"""Who may talk to a server on loopback: this machine's own programs, and pages that were let in by name.

Listening on loopback keeps other machines out, but not web pages open in this machine's browser: they may send
requests to localhost, and by a DNS name of theirs that points to 127.0.0.1 even read the replies.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from shared.errors import PermissionDenied

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

HOST, PORT = "127.0.0.1", 8080
"""Where `aurora dev` listens unless it is told otherwise."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def only_from_this_machine(app: WSGIApplication, allowed_origins: Collection[str]) -> WSGIApplication:
    """`app`, behind a check of Host (a loopback name) and Origin (none, our own, or one on the list)."""
    from werkzeug.wrappers import Response  # noqa: PLC0415 - 100 ms for those who serve; the names are everybody's

    from functions.http.errors import body_of, kind_of  # noqa: PLC0415

    refusal = PermissionDenied("only for programs on this machine, and web pages named in ALLOWED_ORIGINS")

    def site(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        host, origin = environ.get("HTTP_HOST", ""), environ.get("HTTP_ORIGIN")
        own = _is_loopback(host) and origin in (None, f"http://{host}")
        if own or (_is_loopback(host) and (origin in allowed_origins or "*" in allowed_origins)):
            return app(environ, start_response)
        response = Response(json.dumps(body_of(refusal)), kind_of(refusal).code, mimetype="application/json")
        return response(environ, start_response)

    return site


def _is_loopback(host: str) -> bool:
    try:
        return urlsplit(f"//{host}").hostname in LOOPBACK
    except ValueError:
        return False

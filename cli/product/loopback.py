"""Who may talk to a server on loopback: this machine's own programs, and pages that were let in by name.

Listening on loopback keeps other machines out, but not web pages open in this machine's browser: they may send
requests to localhost, and by a DNS name of theirs that points to 127.0.0.1 even read the replies. Whoever watches
`aurora dev` gets one line a request.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, TextIO
from urllib.parse import urlsplit

from shared.errors import PermissionDenied

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

HOST, PORT = "127.0.0.1", 8080
"""Where `aurora dev` listens by default."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def only_from_this_machine(app: WSGIApplication, allowed_origins: Collection[str]) -> WSGIApplication:
    """`app`, behind a check of Host (a loopback name) and Origin (none, our own, or one on the list)."""
    from cli.product.page import error_reply  # noqa: PLC0415 - 100 ms for those who serve; the names are everybody's

    refusal = PermissionDenied("only for programs on this machine, and web pages named in ALLOWED_ORIGINS")

    def site(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        host, origin = environ.get("HTTP_HOST", ""), environ.get("HTTP_ORIGIN")
        own = _is_loopback(host) and origin in (None, f"http://{host}")
        if own or (_is_loopback(host) and (origin in allowed_origins or "*" in allowed_origins)):
            return app(environ, start_response)
        return error_reply(refusal)(environ, start_response)

    return site


def _is_loopback(host: str) -> bool:
    try:
        return urlsplit(f"//{host}").hostname in LOOPBACK
    except ValueError:
        return False


def with_request_lines(app: WSGIApplication, *, to: TextIO | None = None) -> WSGIApplication:
    """`app`; a line is written to `to` (None: standard error) when a reply has ended, or its reader has left.

    Paths stand as they were sent, without the query, which may hold what somebody looked for.
    """

    def site(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        begun, status = time.monotonic(), "-"

        def starting(line: str, headers: list[tuple[str, str]], *more: Any) -> Any:  # noqa: ANN401 - as WSGI has it
            nonlocal status
            status = line.partition(" ")[0]
            return start_response(line, headers, *more)

        asked = f"{environ.get('REQUEST_METHOD', '')} {environ.get('RAW_URI', '').partition('?')[0]}"
        body = app(environ, starting)

        def streamed() -> Iterator[bytes]:
            try:
                yield from body
            finally:
                if hasattr(body, "close"):
                    body.close()
                took = round((time.monotonic() - begun) * 1000)
                when = datetime.now().astimezone().strftime("%H:%M:%S")
                print(f"{when} {asked} {status} {took} ms", file=to or sys.stderr)

        return streamed()

    return site

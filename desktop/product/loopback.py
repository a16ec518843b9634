"""Admits to a server on loopback this machine's own programs, and pages that were let in by name.

Listening on loopback keeps other machines out, but not web pages open in this machine's browser: they may send
requests to localhost, and by a DNS name of theirs that points to 127.0.0.1 even read the replies. `aurora dev` prints
one line a request.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, TextIO
from urllib.parse import urlsplit

from desktop.client.local import LOOPBACK
from shared.errors import PermissionDenied
from shared.markdown.printable import printable

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


def only_from_this_machine(
    app: WSGIApplication,
    allowed_origins: Collection[str],
) -> WSGIApplication:
    """Wraps `app` with a check of Host (a loopback name) and Origin (none, our own, or one on the list)."""
    from desktop.product.page import error_reply  # noqa: PLC0415 - 100 ms for those who serve; the names are everybody's

    refusal = PermissionDenied(
        "only for programs on this machine, and web pages named in ALLOWED_ORIGINS",
    )

    def site(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        host = environ.get("HTTP_HOST", "")
        origin = environ.get("HTTP_ORIGIN")
        is_own_page = origin in (None, f"http://{host}")
        is_allowed = is_own_page or origin in allowed_origins or "*" in allowed_origins
        if _is_loopback(host) and is_allowed:
            return app(environ, start_response)
        return error_reply(refusal)(environ, start_response)

    return site


def for_this_machine_alone(app: WSGIApplication) -> WSGIApplication:
    """Wraps what asks nobody to sign in: it answers connections from this machine, whatever their Host says."""
    from desktop.product.page import error_reply  # noqa: PLC0415 - as above

    refusal = PermissionDenied("only for programs on the machine that runs `aurora dev`")

    def site(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if is_this_machine(environ.get("REMOTE_ADDR")):
            return app(environ, start_response)
        return error_reply(refusal)(environ, start_response)

    return site


def is_this_machine(address: str | None) -> bool:
    """Reports whether a connection comes from a loopback address."""
    try:
        return ip_address(address or "").is_loopback
    except ValueError:
        return False


def _is_loopback(host: str) -> bool:
    try:
        return urlsplit(f"//{host}").hostname in LOOPBACK
    except ValueError:
        return False


def with_request_lines(app: WSGIApplication, *, to: TextIO | None = None) -> WSGIApplication:
    """Wraps `app` to write a line when a reply has ended, or its reader has left.

    Paths are written as they were sent, without the query, which may hold what somebody looked for.

    to: None writes to standard error.
    """

    def site(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        started = time.monotonic()
        status = "-"

        def start_and_note(line: str, headers: list[tuple[str, str]], *rest: Any) -> Any:  # noqa: ANN401 - as WSGI has it
            nonlocal status
            status = line.partition(" ")[0]
            return start_response(line, headers, *rest)

        method = environ.get("REQUEST_METHOD", "")
        path = environ.get("RAW_URI", "").partition("?")[0]
        body = app(environ, start_and_note)

        def streamed() -> Iterator[bytes]:
            try:
                yield from body
            finally:
                if hasattr(body, "close"):
                    body.close()
                milliseconds = round((time.monotonic() - started) * 1000)
                now = datetime.now().astimezone().strftime("%H:%M:%S")
                line = printable(f"{now} {method} {path} {status} {milliseconds} ms")
                (to or sys.stderr).write(f"{line}\n")

        return streamed()

    return site

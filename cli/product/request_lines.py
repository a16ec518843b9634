"""One line a request, for whoever watches `aurora dev`: when, what was asked for, how it ended, how long it took."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


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

"""Several functions behind one address, as Cloud Functions' shared host has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


def by_first_segment(
    functions: Mapping[str, WSGIApplication],
    rest: WSGIApplication,
) -> WSGIApplication:
    """Routes a path to the function that its first segment names, as Cloud Functions' shared host does.

    Firebase's SDKs that use an emulator call `/PROJECT/REGION/NAME`.
    """

    def site(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        segments = environ.get("PATH_INFO", "").strip("/").split("/")
        name = segments[0]
        if len(segments) > 2 and segments[2] in functions:
            name = segments[2]
        function = functions.get(name, rest)
        return function(environ, start_response)

    return site


def by_last_segment(
    triggers: Mapping[str, WSGIApplication],
    rest: WSGIApplication,
) -> WSGIApplication:
    """Routes an event of the emulator to the function that the last segment of its path names."""

    def site(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        name = environ.get("PATH_INFO", "").rpartition("/")[2]
        function = triggers.get(name, rest)
        return function(environ, start_response)

    return site

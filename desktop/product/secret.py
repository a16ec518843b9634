"""A secret that other machines need where nothing else tells people apart.

With AUTH=emulator anybody can make a token for anybody. So beyond this machine a request brings a secret too, which
`aurora dev` prints at its start:

1. A browser opens the printed link. The page sends the secret of its fragment once, and gets a cookie.
2. A program sends it in the header X-Aurora-Secret, or with a token that claims it (`aurora token --secret`), which is
   what Firebase's SDKs can do.

The page's own files and /health hold nothing of anybody and are open.
"""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from werkzeug.wrappers import Request, Response

from desktop.product.loopback import is_this_machine
from desktop.product.page import error_reply, json_of, page_file
from shared.errors import PermissionDenied, Unauthenticated

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

HEADER = "X-Aurora-Secret"
COOKIE = "aurora-secret"
PATH = "/secret"
CLAIM = "auroraSecret"
"""Claim of a token that `aurora token --secret` makes."""
LEAST_LENGTH = 16
"""Least characters of a secret that a person chooses."""
WAIVED = "none"
"""Value instead of a secret where other machines are kept out by other means."""
_OPEN = ("/health", "/api/health", "/chat/health")
_BODY = 1000
"""Most bytes of a request's body."""


def new_secret() -> str:
    """Returns a secret that nobody can guess."""
    return secrets.token_urlsafe(24)


def with_secret_beyond(
    local: WSGIApplication,
    site: WSGIApplication,
    *,
    secret: str,
    folder: Path,
    allowed_origins: Collection[str],
) -> WSGIApplication:
    """Returns `local` for this machine's programs, and `site` for other machines that know the secret.

    folder: the page's files.
    """

    def wrapped(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        reply: WSGIApplication = site
        if is_this_machine(request.remote_addr):
            reply = local
        elif not _is_own_page(request, allowed_origins):
            reply = error_reply(PermissionDenied("only for pages named in ALLOWED_ORIGINS"))
        elif request.path == PATH and request.method == "POST":
            reply = _entrance(request, secret)
        elif not (_is_open(request, folder) or _knows(request, secret)):
            reply = error_reply(
                Unauthenticated(
                    f"open the link that `aurora dev` printed, or send its secret as {HEADER}",
                ),
            )

        return reply(environ, start_response)

    return wrapped


def _is_own_page(request: Request, allowed_origins: Collection[str]) -> bool:
    origin = request.headers.get("Origin")
    return origin in (None, f"http://{request.host}") or origin in allowed_origins


def _is_open(request: Request, folder: Path) -> bool:
    """Reports whether the request touches nothing of anybody: a preflight, which carries no secret;
    the page; the health.
    """
    if request.method == "OPTIONS":
        return True
    is_health = request.method in ("GET", "HEAD") and request.path in _OPEN
    return is_health or page_file(request, folder) is not None


def _entrance(request: Request, secret: str) -> Response:
    """Returns the cookie for a client that sends the secret."""
    body = json_of(request, most=_BODY)
    candidate = body.get("secret") if isinstance(body, dict) else None
    if not _is_secret(candidate, secret):
        return error_reply(PermissionDenied("this is not the secret that `aurora dev` printed"))
    response = Response(status=204)
    response.set_cookie(
        COOKIE,
        secret,
        httponly=True,
        samesite="Strict",
    )
    return response


def _knows(request: Request, secret: str) -> bool:
    candidates = (request.headers.get(HEADER), request.cookies.get(COOKIE), _claim(request))
    return any(_is_secret(candidate, secret) for candidate in candidates)


def _is_secret(candidate: object, secret: str) -> bool:
    # A chosen secret is ASCII, and only ASCII texts can be compared in constant time.
    if not isinstance(candidate, str) or not candidate.isascii():
        return False
    return secrets.compare_digest(candidate, secret)


def _claim(request: Request) -> object:
    """Returns the claim of the bearer's unsigned token, which the product validates; None if there
    is none.
    """
    parts = request.headers.get("Authorization", "").removeprefix("Bearer ").split(".")
    if len(parts) != 3:
        return None
    payload = parts[1] + "=" * (-len(parts[1]) % 4)
    try:
        claims = json.loads(base64.urlsafe_b64decode(payload))
    except (ValueError, RecursionError):
        return None

    return claims.get(CLAIM) if isinstance(claims, dict) else None

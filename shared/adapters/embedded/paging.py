"""Page tokens and cursors: where a listing goes on, sealed so that only our own are taken."""

from __future__ import annotations

import base64
import hashlib
import json

from shared.errors import InvalidArgument

_SEAL = 6
"""Bytes of the check sum. It tells mistakes from tokens; it keeps nothing secret."""


def make_token(listing: str, *place: str) -> str:
    """`place`: the key of the last item given; the listing goes on after it, whatever has changed."""
    content = json.dumps([listing, *place]).encode()
    return base64.urlsafe_b64encode(_seal(content) + content).decode()


def read_token(token: str, listing: str, *, field: str) -> list[str]:
    """Raises InvalidArgument(field) for anything that `make_token` did not make for this listing."""
    try:
        raw = base64.b64decode(token, altchars=b"-_", validate=True)
        seal, content = raw[:_SEAL], raw[_SEAL:]
        if seal == _seal(content):
            made_for, *place = (str(part) for part in json.loads(content))
            if made_for == listing:
                return place
    except ValueError:  # not base64, or not even ASCII
        pass
    raise InvalidArgument(field, "a token that the previous page gave")


def _seal(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()[:_SEAL]

"""Page tokens: where a listing goes on, and for which listing; they are good for a day."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import datetime, timedelta

from shared.domain import Spot
from shared.errors import InvalidArgument

LIFETIME = timedelta(days=1)

_SEAL = 12
"""Bytes of the check sum. It keeps no secret: whoever forges a token reads no more than the listing itself shows."""


def page_token(spot: Spot, *, listing: str, now: datetime) -> str:
    """`listing` names everything that the pages must have in common: tenant, session, search."""
    content = json.dumps([now.isoformat(), spot.moment.isoformat(), spot.item_id]).encode()
    return base64.urlsafe_b64encode(_seal(content, listing) + content).decode().rstrip("=")


def read_page_token(token: str, *, listing: str, now: datetime) -> Spot:
    """Raises InvalidArgument("pageToken") for what `page_token` did not make for this listing in the last day."""
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except ValueError:  # not base64, or not even ASCII
        raw = b""
    seal, content = raw[:_SEAL], raw[_SEAL:]
    if seal != _seal(content, listing):
        raise InvalidArgument("pageToken", "a token that the page before gave for the same listing")
    made, moment, item_id = json.loads(content)
    if not timedelta(0) <= now - datetime.fromisoformat(made) <= LIFETIME:
        raise InvalidArgument("pageToken", "a token of the last 24 hours; begin the listing again")
    return Spot(datetime.fromisoformat(moment), item_id)


def _seal(content: bytes, listing: str) -> bytes:
    return hashlib.sha256(json.dumps(listing).encode() + content).digest()[:_SEAL]

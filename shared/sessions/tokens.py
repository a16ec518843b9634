"""Page tokens of sessions and messages: a place in time, good for a day."""

from __future__ import annotations

from datetime import datetime, timedelta

from shared.errors import InvalidArgument
from shared.model.sessions import Spot
from shared.ports.pages import make_token, read_token
from shared.times.instants import is_within_years

LIFETIME = timedelta(days=1)


def page_token(spot: Spot, *, listing: str, now: datetime) -> str:
    """`listing` names everything that the pages must have in common: tenant, session, search."""
    return make_token(listing, now.isoformat(), spot.moment.isoformat(), spot.item_id)


def read_page_token(token: str, *, listing: str, now: datetime) -> Spot:
    """Raises InvalidArgument("pageToken") for what `page_token` did not make for this listing in the last day."""
    made, moment, item_id = read_token(token, listing, parts=3)
    if not timedelta(0) <= now - _instant(made) <= LIFETIME:
        raise InvalidArgument("pageToken", "a token of the last 24 hours; begin the listing again")
    return Spot(_instant(moment), item_id)


def _instant(text: str) -> datetime:
    """Raises InvalidArgument("pageToken"): whoever makes a token of their own may write what is no time, or no zone."""
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        instant = None
    if instant is None or instant.tzinfo is None or not is_within_years(instant):  # stores take no other
        raise InvalidArgument("pageToken", "a token that the page before gave")
    return instant

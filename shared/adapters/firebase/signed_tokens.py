"""The JSON web tokens that Firebase issues -> their claims.

What is wrong with one is a BadToken, which each kind of token tells in its own words.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Mapping
from typing import Any, TypeAlias

from shared.adapters.firebase.certificates import Certificates

Claims: TypeAlias = Mapping[str, Any]

CLOCK_SKEW = 10
"""Seconds by which the issuer's clock may differ from ours."""
_MAX_TOKEN = 8192
"""Characters; Firebase allows 1,000 bytes of custom claims, which stays far below."""


class BadToken(ValueError):
    """It does not verify; says why, in words that hold nothing of it."""


def parts(token: str) -> tuple[Mapping[str, Any], Claims]:
    """Header and claims, unverified. Raises BadToken."""
    segments = token.split(".")
    if len(segments) != 3 or len(token) > _MAX_TOKEN:
        raise BadToken("it is no JSON web token")
    return _segment(segments[0]), _segment(segments[1])


def verified(token: str, keys: Certificates) -> Claims:
    """What one of Google's current keys has signed, by RS256. Only the signature is checked here, and that there are
    times.

    Raises BadToken; Unavailable when the keys cannot be had.
    """
    from google.auth import exceptions, jwt  # noqa: PLC0415 - a cold start need not pay

    header, _ = parts(token)
    kid = header.get("kid")
    if header.get("alg") != "RS256" or not isinstance(kid, str) or not kid:
        raise BadToken("it is not signed as Firebase signs")
    key = keys.named(kid)
    if key is None:
        raise BadToken("its key is not one of Google's current ones")
    try:
        claims: Claims = jwt.decode(token, certs={kid: key}, clock_skew_in_seconds=CLOCK_SKEW)  # type: ignore[no-untyped-call]  # google-auth has no types here
    except (exceptions.GoogleAuthError, ValueError, TypeError) as error:
        raise BadToken("its signature or its times are wrong") from error
    return claims


def check_times(claims: Claims, *issued: str) -> None:
    """`exp` must lie ahead and each claim of `issued` behind. Raises BadToken."""
    now = time.time()
    if not _is_time(claims.get("exp")) or claims["exp"] <= now - CLOCK_SKEW:
        raise BadToken("it has expired")
    if not all(_is_time(claims.get(name)) and claims[name] <= now + CLOCK_SKEW for name in issued):
        raise BadToken("it was issued in the future")


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _segment(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, RecursionError) as error:
        raise BadToken("it is no JSON web token") from error
    if not isinstance(value, dict):
        raise BadToken("it is no JSON web token")
    return value

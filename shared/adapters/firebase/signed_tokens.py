"""The JSON web tokens that Firebase issues -> their claims; and the keys with which Google signs them, fetched seldom
and kept as long as is safe.

What is wrong with a token is a BadToken, which each kind of token tells in its own words.
"""

from __future__ import annotations

import base64
import json
import logging
import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from shared.adapters.retry import Clock
from shared.errors import Unavailable

Claims: TypeAlias = Mapping[str, Any]

CLOCK_SKEW = 10
"""Seconds by which the issuer's clock may differ from ours."""
_MAX_TOKEN = 8192
"""Characters; Firebase allows 1,000 bytes of custom claims, which stays far below."""
MAX_STALE = 24 * 3600.0
"""Seconds that certificates may be used beyond their age when no fresh ones can be had. Google keeps a retired key
listed for days, so a day's outage refuses no valid token and takes no other."""
REFETCH_PAUSE = 60.0
"""Least seconds between two fetches because of unknown keys: made-up tokens must not make us hammer Google."""
FAILURE_PAUSE = 10.0
"""Seconds after a failed fetch in which requests do not try, and wait for, another."""
DEFAULT_AGE = 3600.0
"""Seconds that certificates are fresh where the server says nothing."""
_TIMEOUT = 5.0

_log = logging.getLogger(__name__)


def certificates(body: bytes) -> Mapping[str, str]:
    """A mapping of key ids to PEM certificates. Raises ValueError for anything else."""
    found = json.loads(body)
    if not (isinstance(found, dict) and found and all(isinstance(pem, str) for pem in found.values())):
        raise ValueError("not a mapping of key ids to certificates")
    return found


def web_keys(body: bytes) -> Mapping[str, str]:
    """A JSON web key set (RFC 7517) -> key id to PEM, its RSA keys only. Raises ValueError where there is none."""
    try:
        found = {key["kid"]: _pem(key) for key in json.loads(body)["keys"] if key["kty"] == "RSA"}
    except (KeyError, TypeError) as error:
        raise ValueError("not a set of JSON web keys") from error
    if not found:
        raise ValueError("no RSA key")
    return found


def _pem(key: Mapping[str, Any]) -> str:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers  # noqa: PLC0415 - a cold start need not pay
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat  # noqa: PLC0415 - the same

    modulus, exponent = (int.from_bytes(base64.urlsafe_b64decode(key[name] + "==")) for name in ("n", "e"))
    public = RSAPublicNumbers(exponent, modulus).public_key()
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


class Certificates:
    """Key id -> PEM certificate or public key, of `url`, whose replies `read` takes apart.

    Safe for threads: one fetches, the others wait for what it brings.
    """

    def __init__(self, url: str, *, clock: Clock, read: Callable[[bytes], Mapping[str, str]] = certificates) -> None:
        self._url = url
        self._read = read
        self._clock = clock
        self._lock = threading.Lock()
        self._known: Mapping[str, str] = {}
        self._fetched = self._fresh_until = self._failed = -float("inf")

    def named(self, kid: str) -> str | None:
        """None: there is no such key. Raises Unavailable when the keys cannot be fetched."""
        now = self._clock.monotonic()
        if now < self._fresh_until and kid in self._known:
            return self._known[kid]
        with self._lock:
            now, is_known = self._clock.monotonic(), kid in self._known
            is_old = now >= self._fresh_until or (not is_known and now >= self._fetched + REFETCH_PAUSE)
            if is_old and now >= self._failed + FAILURE_PAUSE:
                self._fetch()
                now, is_known = self._clock.monotonic(), kid in self._known
            if now >= self._fresh_until + MAX_STALE or (not is_known and self._failed > self._fetched):
                raise Unavailable("the keys that verify tokens cannot be had right now")
            return self._known.get(kid)

    def _fetch(self) -> None:
        """Leaves what is known as it is when nothing better comes."""
        import requests  # noqa: PLC0415 - a cold start need not pay

        try:
            response = requests.get(self._url, timeout=_TIMEOUT)
            if response.status_code != 200:
                raise ValueError(f"status {response.status_code}")
            self._known = self._read(response.content)
        except (requests.RequestException, ValueError) as error:
            self._failed = self._clock.monotonic()
            _log.warning("keys of %s cannot be fetched (%s)", self._url, type(error).__name__)
            return
        self._fetched = self._clock.monotonic()
        stated = re.search(r"max-age=(\d+)", response.headers.get("Cache-Control", ""))
        self._fresh_until = self._fetched + (float(stated[1]) if stated else DEFAULT_AGE)


class BadToken(ValueError):
    """It does not verify; says why, in words that hold nothing of it."""


def parts(token: str) -> tuple[Mapping[str, Any], Claims]:
    """Header and claims, unverified. Raises BadToken."""
    segments = token.split(".")
    if len(segments) != 3 or len(token) > _MAX_TOKEN:
        raise BadToken("it is no JSON web token")
    return _segment(segments[0]), _segment(segments[1])


def verified(token: str, keys: Certificates) -> Claims:
    """What one of Google's current keys has signed, by RS256; checks the signature and that there are times.

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

"""JSON web tokens that Firebase issues -> their claims; and the keys with which Google signs them.

Keys are fetched seldom and stay in memory as long as is safe. A token that does not verify raises BadToken, which each
kind of token reports in its own words.
"""

from __future__ import annotations

import base64
import json
import logging
import math
import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeGuard

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
    """Reads a mapping of key ids to PEM certificates. Raises ValueError for anything else."""
    content: Any = json.loads(body)
    is_mapping = isinstance(content, dict) and content
    if not is_mapping or not all(isinstance(pem, str) for pem in content.values()):
        raise ValueError("not a mapping of key ids to certificates")
    return dict(content)


def web_keys(body: bytes) -> Mapping[str, str]:
    """Reads a JSON web key set (RFC 7517) as key id -> PEM, RSA keys only. Raises ValueError if it has none."""
    try:
        keys = json.loads(body)["keys"]
        rsa_keys = {key["kid"]: _pem(key) for key in keys if key["kty"] == "RSA"}
    except (KeyError, TypeError) as error:
        raise ValueError("not a set of JSON web keys") from error
    if not rsa_keys:
        raise ValueError("no RSA key")
    return rsa_keys


def _pem(key: Mapping[str, Any]) -> str:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers  # noqa: PLC0415 - a cold start need not pay
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat  # noqa: PLC0415 - the same

    modulus = _integer(key["n"])
    exponent = _integer(key["e"])
    public = RSAPublicNumbers(exponent, modulus).public_key()
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def _integer(text: str) -> int:
    """Reads an integer as RFC 7518 writes it: base64url of its bytes, most significant first."""
    return int.from_bytes(base64.urlsafe_b64decode(text + "=="))


class Certificates:
    """PEM certificates or public keys by key id, fetched from `url`; `read` parses its replies.

    Safe for threads: one fetches, the others wait for the result.
    """

    def __init__(
        self,
        url: str,
        *,
        clock: Clock,
        read: Callable[[bytes], Mapping[str, str]] = certificates,
    ) -> None:
        self._url = url
        self._read = read
        self._clock = clock
        self._lock = threading.Lock()
        self._keys: Mapping[str, str] = {}
        self._fetched = -math.inf
        self._fresh_until = -math.inf
        self._failed = -math.inf

    def named(self, kid: str) -> str | None:
        """Returns the key of this id; None if there is none. Raises Unavailable when the keys cannot be fetched."""
        is_fresh = self._clock.monotonic() < self._fresh_until
        if is_fresh and kid in self._keys:
            return self._keys[kid]
        with self._lock:
            now = self._clock.monotonic()
            if self._needs_fetch(kid, now):
                self._fetch()
            key = self._keys.get(kid)
            usable_until = self._fresh_until + MAX_STALE
            is_too_old = self._clock.monotonic() >= usable_until
            is_unknown = key is None and self._failed > self._fetched
            if is_too_old or is_unknown:
                raise Unavailable("the keys that verify tokens cannot be had right now")
            return key

    def _needs_fetch(self, kid: str, now: float) -> bool:
        """Reports whether a fetch may bring the key, or a fresh one, and may be made now."""
        if now < self._failed + FAILURE_PAUSE:
            return False
        if now >= self._fresh_until:
            return True
        return kid not in self._keys and now >= self._fetched + REFETCH_PAUSE

    def _fetch(self) -> None:
        """Fetches the keys. After a failure the present ones stay."""
        import requests  # noqa: PLC0415 - a cold start need not pay

        try:
            response = requests.get(self._url, timeout=_TIMEOUT)
            if response.status_code != 200:
                raise ValueError(f"status {response.status_code}")
            self._keys = self._read(response.content)
        except (requests.RequestException, ValueError) as error:
            self._failed = self._clock.monotonic()
            _log.warning("keys of %s cannot be fetched (%s)", self._url, type(error).__name__)
            return
        self._fetched = self._clock.monotonic()
        age = DEFAULT_AGE
        cache_control = response.headers.get("Cache-Control", "")
        max_age = re.search(r"max-age=(\d+)", cache_control)
        if max_age is not None:
            age = float(max_age[1])
        self._fresh_until = self._fetched + age


class BadToken(ValueError):
    """A token that does not verify. The message says why and repeats nothing of the token."""


def parts(token: str) -> tuple[Mapping[str, Any], Claims]:
    """Returns header and claims, unverified. Raises BadToken."""
    segments = token.split(".")
    if len(segments) != 3 or len(token) > _MAX_TOKEN:
        raise BadToken("it is no JSON web token")
    encoded_header, encoded_claims, _ = segments
    header = _segment(encoded_header)
    claims = _segment(encoded_claims)
    return header, claims


def verified(token: str, keys: Certificates) -> Claims:
    """Returns the claims of a token that one of Google's current keys has signed, by RS256, and that has times.

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
    """Checks that `exp` lies ahead and each claim of `issued` behind. Raises BadToken."""
    now = time.time()
    expires = claims.get("exp")
    if not _is_time(expires) or expires <= now - CLOCK_SKEW:
        raise BadToken("it has expired")
    for name in issued:
        moment = claims.get(name)
        if not _is_time(moment) or moment > now + CLOCK_SKEW:
            raise BadToken("it was issued in the future")


def _is_time(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _segment(text: str) -> Mapping[str, Any]:
    padding = "=" * (-len(text) % 4)
    try:
        content = base64.urlsafe_b64decode(text + padding)
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadToken("it is no JSON web token") from error
    if not isinstance(value, dict):
        raise BadToken("it is no JSON web token")
    return value

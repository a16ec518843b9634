"""The keys with which Google signs Firebase's tokens, fetched seldom and kept as long as is safe."""

from __future__ import annotations

import base64
import json
import logging
import re
import threading
from collections.abc import Callable, Mapping
from typing import Any

from shared.adapters.retry import Clock
from shared.errors import Unavailable

MAX_STALE = 24 * 3600.0
"""Seconds that certificates may be used beyond their age when no fresh ones can be had. Google keeps a retired key
listed for days, so a day's outage locks nobody out and lets in nobody new."""
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
        """None: there is no such key. Raises Unavailable when that cannot be told."""
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

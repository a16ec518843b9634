"""The certificates with which Google signs Firebase ID tokens, fetched seldom and kept as long as is safe."""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Mapping

from shared.adapters.retry import Clock
from shared.errors import Unavailable

LONGEST_STALE = 24 * 3600.0
"""Seconds that certificates may be used beyond their age when no fresh ones can be had. Google keeps a retired key
listed for days, so a day's outage locks nobody out and lets in nobody new."""
REFETCH_PAUSE = 60.0
"""Least seconds between two fetches because of unknown keys: made-up tokens must not make us hammer Google."""
FAILURE_PAUSE = 10.0
"""Seconds after a failed fetch in which requests do not try, and wait for, another."""
_TIMEOUT = 5.0

_log = logging.getLogger(__name__)


class Certificates:
    """Key id -> PEM certificate, of `url`. Safe for threads: one fetches, the others wait for what it brings."""

    def __init__(self, url: str, *, clock: Clock) -> None:
        self._url = url
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
            if self._worth_fetching(kid):
                self._fetch()
            return self._chosen(kid)

    def _worth_fetching(self, kid: str) -> bool:
        now = self._clock.monotonic()
        if now < self._failed + FAILURE_PAUSE:
            return False
        if now >= self._fresh_until:
            return True
        return kid not in self._known and now >= self._fetched + REFETCH_PAUSE

    def _chosen(self, kid: str) -> str | None:
        now = self._clock.monotonic()
        if now >= self._fresh_until + LONGEST_STALE or (kid not in self._known and self._failed > self._fetched):
            raise Unavailable("the certificates that verify ID tokens cannot be had right now")
        return self._known.get(kid)

    def _fetch(self) -> None:
        """Leaves what is known as it is when nothing better comes."""
        import requests  # noqa: PLC0415 - a cold start need not pay

        try:
            response = requests.get(self._url, timeout=_TIMEOUT)
            if response.status_code != 200:
                raise ValueError(f"status {response.status_code}")
            self._known = _certificates(response.content)
        except (requests.RequestException, ValueError) as error:
            self._failed = self._clock.monotonic()
            _log.warning("certificates of %s cannot be fetched (%s)", self._url, type(error).__name__)
            return
        self._fetched = self._clock.monotonic()
        self._fresh_until = self._fetched + _max_age(response.headers)


def _certificates(body: bytes) -> Mapping[str, str]:
    found = json.loads(body)
    if not (isinstance(found, dict) and found and all(isinstance(pem, str) for pem in found.values())):
        raise ValueError("not a mapping of key ids to certificates")
    return found


def _max_age(headers: Mapping[str, str]) -> float:
    """Seconds by Cache-Control; an hour where the server says nothing."""
    stated = re.search(r"max-age=(\d+)", headers.get("Cache-Control", ""))
    return float(stated[1]) if stated else 3600.0

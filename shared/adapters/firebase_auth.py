"""Bearer tokens to identities: Firebase ID tokens, the Auth emulator's unsigned ones, or none at all."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Mapping
from typing import Any

from shared.adapters.certificates import Certificates
from shared.adapters.retry import Clock
from shared.errors import Unauthenticated
from shared.ports import Identity

CLOCK_SKEW = 10
"""Seconds by which the issuer's clock may differ from ours."""
_LONGEST_TOKEN = 8192
"""Characters; Firebase allows 1,000 bytes of custom claims, which stays far below."""
_LONGEST_UID = 128
_TENANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@:+-]{0,127}")
"""A tenant is one segment of a Firestore path: no slash, no leading dot or underscore."""


class FirebaseVerifier:
    """Verifies what https://firebase.google.com/docs/auth/admin/verify-id-tokens asks for, without calling Firebase.

    RS256 by one of Google's current certificates, `aud` = project, `iss` = securetoken.google.com/project,
    `iat` and `auth_time` past, `exp` future, `sub` not empty. The tenant is the claim `tenantId`, else the uid.
    """

    def __init__(self, project: str, certificates_url: str, *, clock: Clock = time) -> None:
        self._project = project
        self._certificates = Certificates(certificates_url, clock=clock)

    def verify(self, token: str | None) -> Identity:
        """Raises Unauthenticated; Unavailable when the certificates cannot be had."""
        from google.auth import exceptions, jwt  # noqa: PLC0415 - a cold start need not pay

        header, _ = _parts(token)
        kid = header.get("kid")
        if header.get("alg") != "RS256" or not isinstance(kid, str) or not kid:
            raise _refused("it is not signed as Firebase signs")
        certificate = self._certificates.named(kid)
        if certificate is None:
            raise _refused("its key is not one of Google's current ones")
        try:
            claims = jwt.decode(  # type: ignore[no-untyped-call]  # google-auth has no types here
                token, certs={kid: certificate}, audience=self._project, clock_skew_in_seconds=CLOCK_SKEW
            )
        except (exceptions.GoogleAuthError, ValueError, TypeError) as error:
            raise _refused("signature, audience or times are wrong") from error
        return _identity(claims, self._project)


class EmulatorVerifier:
    """The unsigned tokens of the Auth emulator. Whoever can reach the service can be anybody: never deployed."""

    def __init__(self, project: str) -> None:
        self._project = project

    def verify(self, token: str | None) -> Identity:
        header, claims = _parts(token)
        if header.get("alg") != "none":
            raise _refused("the emulator's tokens are unsigned, this one is not")
        return _identity(claims, self._project)


class NoVerifier:
    """Everybody is the one user of this machine. `aurora dev` uses it, listening on loopback only."""

    def __init__(self, tenant: str = "local") -> None:
        self._identity = Identity(uid=tenant, tenant_id=tenant)

    def verify(self, token: str | None) -> Identity:  # noqa: ARG002 - the port's signature
        return self._identity


def _identity(claims: Mapping[str, Any], project: str) -> Identity:
    """Checks every claim itself, whatever has been checked before, so that both verifiers hold to the same rules."""
    now = time.time()
    if claims.get("aud") != project or claims.get("iss") != f"https://securetoken.google.com/{project}":
        raise _refused("it was issued for another project")
    if not _is_time(claims.get("exp")) or claims["exp"] <= now - CLOCK_SKEW:
        raise _refused("it has expired")
    if not all(_is_time(when) and when <= now + CLOCK_SKEW for when in _issued(claims)):
        raise _refused("it was issued in the future")
    uid = claims.get("sub")
    if not isinstance(uid, str) or not 0 < len(uid) <= _LONGEST_UID:
        raise _refused("it names no user")
    return Identity(uid, _tenant(claims.get("tenantId", uid)))


def _issued(claims: Mapping[str, Any]) -> tuple[Any, Any]:
    """`iat` must be there; `auth_time` is absent in some custom flows of the emulator."""
    return claims.get("iat"), claims.get("auth_time", 0)


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _tenant(name: object) -> str:
    if not isinstance(name, str) or not _TENANT.fullmatch(name):
        raise _refused("its tenantId (or uid) is no name for a tenant")
    return name


def _parts(token: str | None) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Header and claims, unverified."""
    if not token:
        raise Unauthenticated("an ID token is needed: Authorization: Bearer <token>")
    segments = token.split(".")
    if len(segments) != 3 or len(token) > _LONGEST_TOKEN:
        raise _refused("it is no JSON web token")
    return _segment(segments[0]), _segment(segments[1])


def _segment(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, RecursionError) as error:
        raise _refused("it is no JSON web token") from error
    if not isinstance(value, dict):
        raise _refused("it is no JSON web token")
    return value


def _refused(why: str) -> Unauthenticated:
    return Unauthenticated(f"the ID token does not verify: {why}")

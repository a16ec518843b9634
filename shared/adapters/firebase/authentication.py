"""Bearer tokens to identities: Firebase ID tokens, the Auth emulator's unsigned ones, or none at all."""

from __future__ import annotations

import re
import time

from shared.adapters.firebase.certificates import Certificates
from shared.adapters.firebase.signed_tokens import BadToken, Claims, check_times, parts, verified
from shared.adapters.retry import Clock
from shared.errors import Unauthenticated
from shared.ports.access import Identity

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
        given = _given(token)
        try:
            return _identity(verified(given, self._certificates), self._project)
        except BadToken as error:
            raise _refused(error) from error


class EmulatorVerifier:
    """The unsigned tokens of the Auth emulator. Whoever can reach the service can be anybody: never deployed."""

    def __init__(self, project: str) -> None:
        self._project = project

    def verify(self, token: str | None) -> Identity:
        given = _given(token)
        try:
            header, claims = parts(given)
            if header.get("alg") != "none":
                raise BadToken("the emulator's tokens are unsigned, this one is not")
            return _identity(claims, self._project)
        except BadToken as error:
            raise _refused(error) from error


class NoVerifier:
    """Everybody is the one user of this machine. `aurora dev` uses it, listening on loopback only."""

    def __init__(self, tenant: str = "local") -> None:
        self._identity = Identity(tenant, tenant)

    def verify(self, token: str | None) -> Identity:  # noqa: ARG002 - the port's signature
        return self._identity


def _identity(claims: Claims, project: str) -> Identity:
    """Checks every claim, so that both verifiers hold to the same rules. Raises BadToken."""
    if claims.get("aud") != project or claims.get("iss") != f"https://securetoken.google.com/{project}":
        raise BadToken("it was issued for another project")
    # `auth_time` is absent in some custom flows of the emulator.
    check_times(claims, "iat", *(("auth_time",) if "auth_time" in claims else ()))
    uid = claims.get("sub")
    if not isinstance(uid, str) or not 0 < len(uid) <= _LONGEST_UID:
        raise BadToken("it names no user")
    return Identity(uid, _tenant(claims.get("tenantId", uid)), str(claims.get("role", "")))


def _tenant(name: object) -> str:
    if not isinstance(name, str) or not _TENANT.fullmatch(name):
        raise BadToken("its tenantId (or uid) is no name for a tenant")
    return name


def _given(token: str | None) -> str:
    if not token:
        raise Unauthenticated("an ID token is needed: Authorization: Bearer <token>")
    return token


def _refused(why: BadToken) -> Unauthenticated:
    return Unauthenticated(f"the ID token does not verify: {why}")

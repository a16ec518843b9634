"""Bearer tokens -> identities: Firebase ID tokens, the Auth emulator's unsigned ones, or none at all.

And App Check tokens, which prove that a request comes from one of the project's own apps.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from shared.adapters.firebase.signed_tokens import (
    BadToken,
    Certificates,
    Claims,
    check_times,
    parts,
    verified,
    web_keys,
)
from shared.adapters.retry import Clock
from shared.adapters.vertex.rest import GoogleRest
from shared.errors import (
    AppCheckInvalid,
    AppCheckMissing,
    ModelRefused,
    ModelUnavailable,
    Unauthenticated,
    Unavailable,
)
from shared.model.limits import ID, TEAM, is_id
from shared.ports.access import Identity

if TYPE_CHECKING:
    from google.auth.credentials import Credentials

ACCOUNTS = "https://identitytoolkit.googleapis.com"
KEYS_URL = "https://firebaseappcheck.googleapis.com/v1/jwks"
_ISSUER = re.compile(r"https://firebaseappcheck\.googleapis\.com/(?P<number>\d+)")
LOOKUP_SECONDS = 5.0
"""Longest wait for the lookup of an account."""


class FirebaseVerifier:
    """Verifies what https://firebase.google.com/docs/auth/admin/verify-id-tokens asks for, without calling Firebase.

    RS256 by one of Google's current certificates, `aud` = project, `iss` = securetoken.google.com/project,
    `iat` and `auth_time` past, `exp` future, `sub` an id. The tenant is the claim `tenantId`, else the uid, which may not
    begin as the id of a team does.
    """

    def __init__(
        self,
        project: str,
        certificates_url: str,
        *,
        accounts: Accounts | None = None,
        clock: Clock = time,
    ) -> None:
        """Makes a verifier. `accounts`: looks up whether the account still exists. With None, tokens hold until they expire."""
        self._project = project
        self._accounts = accounts
        self._certificates = Certificates(certificates_url, clock=clock)

    def verify(self, token: str | None) -> Identity:
        """Returns the identity that a token proves.

        Raises Unauthenticated; Unavailable when the certificates, or the account, cannot be looked up.
        """
        if not token:
            raise Unauthenticated("an ID token is needed: Authorization: Bearer <token>")
        try:
            claims = self._claims(token)
            return self._identity(claims)
        except BadToken as error:
            raise Unauthenticated(f"the ID token does not verify: {error}") from error

    def _claims(self, token: str) -> Claims:
        return verified(token, self._certificates)

    def _identity(self, claims: Claims) -> Identity:
        """Checks every claim. Raises BadToken."""
        issuer = f"https://securetoken.google.com/{self._project}"
        is_of_project = claims.get("aud") == self._project and claims.get("iss") == issuer
        if not is_of_project:
            raise BadToken("it was issued for another project")

        times_behind = ["iat"]
        if "auth_time" in claims:  # absent in some custom flows of the emulator
            times_behind.append("auth_time")
        check_times(claims, *times_behind)

        uid = claims.get("sub")
        tenant_id = claims.get("tenantId", uid)
        if not is_id(uid):
            raise BadToken(f"it names no user: expected {ID}")
        if not is_id(tenant_id):
            raise BadToken(f"it names no tenant: expected {ID}")
        if str(uid).startswith(TEAM):
            raise BadToken(f"its user id begins with '{TEAM}', as only ids of teams do")
        if self._accounts is not None:
            self._accounts.check(claims)

        role = claims.get("role")
        if not isinstance(role, str):
            role = ""
        return Identity(
            str(uid),
            str(tenant_id),
            role,
        )


class EmulatorVerifier(FirebaseVerifier):
    """Takes the unsigned tokens of the Auth emulator. Every caller can claim to be anybody: never deployed."""

    def __init__(self, project: str, *, accounts: Accounts | None = None) -> None:
        super().__init__(project, "", accounts=accounts)

    def _claims(self, token: str) -> Claims:
        header, claims = parts(token)
        if header.get("alg") != "none":
            raise BadToken("the emulator's tokens are unsigned, this one is not")
        return claims


class NoVerifier:
    """Identifies every caller as the one user of this machine. `aurora dev` uses it, listening on loopback only."""

    def __init__(self, tenant: str = "local") -> None:
        self._identity = Identity(tenant, tenant)

    def verify(self, token: str | None) -> Identity:  # noqa: ARG002 - the port's signature
        return self._identity


class Accounts:
    """Firebase's accounts as they are now: a token is up to an hour old."""

    def __init__(
        self,
        project: str,
        *,
        base_url: str = ACCOUNTS,
        credentials: Credentials | None = None,
    ) -> None:
        """Makes the lookup. `credentials` None: the machine's own; they need the permission `firebaseauth.users.get`."""
        url = f"{base_url}/v1/projects/{project}/accounts:lookup"
        self._lookup = GoogleRest(url, name="Firebase Authentication", credentials=credentials)

    @classmethod
    def emulated(cls, project: str, host: str) -> Accounts:
        """Makes a lookup in the Auth emulator at `HOST:PORT`."""
        from google.oauth2.credentials import Credentials  # noqa: PLC0415 - a cold start need not pay

        owner = Credentials("owner")  # type: ignore[no-untyped-call]  # google-auth has no types here
        return cls(
            project,
            base_url=f"http://{host}/identitytoolkit.googleapis.com",
            credentials=owner,
        )

    def check(self, claims: Claims) -> None:
        """Checks that the account of a token exists and is enabled, and that the token was not revoked.

        Raises BadToken; Unavailable when the account cannot be looked up.
        """
        try:
            reply = self._lookup.post({"localId": [claims["sub"]]}, LOOKUP_SECONDS)
        except (ModelUnavailable, ModelRefused) as error:
            raise Unavailable(f"the account cannot be looked up: {error.message}") from error
        accounts = reply.get("users")
        if not accounts:
            raise BadToken("its account does not exist any more")
        account = accounts[0]
        if account.get("disabled"):
            raise BadToken("its account is disabled")
        signed_in = claims.get("auth_time", claims["iat"])
        if int(account.get("validSince", 0)) > signed_in:
            raise BadToken("it has been revoked")


class FirebaseAppCheck:
    """Verifies what https://firebase.google.com/docs/app-check/custom-resource-backend asks for.

    RS256 by one of App Check's current keys, `typ` = JWT, `iss` = firebaseappcheck.googleapis.com/number, `aud` with
    projects/number and projects/id, `iat` past, `exp` future, `sub` (the app) not empty. Nobody has to configure the
    project's number: Google signs no token that joins one project's number to another's id.
    """

    def __init__(self, project: str, keys_url: str = KEYS_URL, *, clock: Clock = time) -> None:
        self._project = project
        self._keys = Certificates(keys_url, read=web_keys, clock=clock)

    def verify(self, token: str | None) -> None:
        """Raises AppCheckMissing, AppCheckInvalid; Unavailable when the keys cannot be fetched."""
        if not token:
            raise AppCheckMissing("an App Check token is needed: X-Firebase-AppCheck: <token>")
        try:
            header, _ = parts(token)
            if header.get("typ") != "JWT":
                raise BadToken("its header names another type")
            self._check(verified(token, self._keys))
        except BadToken as error:
            raise AppCheckInvalid(f"the App Check token does not verify: {error}") from error

    def _check(self, claims: Claims) -> None:
        """Checks every claim. Raises BadToken."""
        issuer = _ISSUER.fullmatch(str(claims.get("iss")))
        if issuer is None:
            raise BadToken("it was not issued by App Check")
        audiences = claims.get("aud")
        if not isinstance(audiences, list):
            raise BadToken("it was issued for another project")
        for project in (issuer["number"], self._project):
            if f"projects/{project}" not in audiences:
                raise BadToken("it was issued for another project")
        check_times(claims, "iat")
        app = claims.get("sub")
        if not isinstance(app, str) or not app:
            raise BadToken("it names no app")

"""App Check tokens: whether a request comes from one of the project's own apps."""

from __future__ import annotations

import re
import time

from shared.adapters.firebase.certificates import Certificates, web_keys
from shared.adapters.firebase.signed_tokens import BadToken, Claims, check_times, parts, verified
from shared.adapters.retry import Clock
from shared.errors import AppCheckInvalid, AppCheckMissing

KEYS_URL = "https://firebaseappcheck.googleapis.com/v1/jwks"
_ISSUER = re.compile(r"https://firebaseappcheck\.googleapis\.com/(?P<number>\d+)")


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
        if not token:
            raise AppCheckMissing("an App Check token is needed: X-Firebase-AppCheck: <token>")
        try:
            if parts(token)[0].get("typ") != "JWT":
                raise BadToken("its header names another type")
            self._check(verified(token, self._keys))
        except BadToken as error:
            raise AppCheckInvalid(f"the App Check token does not verify: {error}") from error

    def _check(self, claims: Claims) -> None:
        """Raises BadToken."""
        issuer, audiences = _ISSUER.fullmatch(str(claims.get("iss"))), claims.get("aud")
        if issuer is None:
            raise BadToken("it was not issued by App Check")
        wanted = (f"projects/{issuer['number']}", f"projects/{self._project}")
        if not isinstance(audiences, list) or not all(each in audiences for each in wanted):
            raise BadToken("it was issued for another project")
        check_times(claims, "iat")
        app = claims.get("sub")
        if not isinstance(app, str) or not app:
            raise BadToken("it names no app")

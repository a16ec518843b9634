"""Firebase Auth as far as an app on its SDK needs it to sign in."""

from __future__ import annotations

import time

from tests.servers.certificates import unsigned
from tests.servers.scripted import Reply, Request, ScriptedServer


class AuthEmulator(ScriptedServer):
    """Serves as much of the Auth emulator as signing in anonymously takes."""

    def __init__(self, project: str) -> None:
        now = int(time.time())
        claims = {
            "sub": "mara",
            "user_id": "mara",
            "aud": project,
            "iss": f"https://securetoken.google.com/{project}",
        }
        self.token = unsigned({**claims, "iat": now, "exp": now + 3600})
        self.deleted = 0
        """Number of accounts that were deleted."""
        super().__init__(self._sign_in)

    def _sign_in(self, request: Request) -> Reply:
        if "accounts:signUp" in request.path:
            body = {
                "idToken": self.token,
                "refreshToken": "r",
                "expiresIn": "3600",
                "localId": "mara",
            }
            return Reply(body=body)
        if "accounts:delete" in request.path:
            self.deleted += 1
            return Reply(body={})
        return Reply(body={"users": [{"localId": "mara"}]})

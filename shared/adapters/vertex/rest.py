"""JSON to one of Google's REST services and back, for services without an SDK of ours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

from shared.adapters.sdk_errors import (
    from_status,
    reported,
    retry_after,
    unanswered,
    unreadable,
)
from shared.errors import AuroraError, ModelMisconfigured

if TYPE_CHECKING:
    import requests
    from google.auth.credentials import Credentials

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"


class GoogleRest:
    """One method of a service. Any number of threads may call at once.

    `name` stands in errors; `credentials` None: the machine's own, found on first use. The credentials choose the
    project whose quota a call uses: naming one would ask for `serviceusage.services.use` on it, a permission that a
    service account of the product needs for nothing else.
    """

    def __init__(self, url: str, *, name: str, credentials: Credentials | None = None) -> None:
        self._url = url
        self._name = name
        self._credentials: Any = credentials
        self._lock = Lock()

    def post(self, body: Mapping[str, Any], seconds: float) -> Any:  # noqa: ANN401 - JSON
        """Sends JSON and returns the reply's.

        Raises ModelUnavailable for what another attempt or the operator may cure, else ModelRefused.
        """
        import requests  # noqa: PLC0415 - loaded on first use, as google-auth's
        from google.auth.exceptions import GoogleAuthError, TransportError  # noqa: PLC0415 - as above

        try:
            with requests.Session() as session:
                response = session.post(
                    self._url,
                    json=body,
                    headers=self._headers(session),
                    timeout=seconds,
                )
        except (requests.RequestException, TransportError) as error:
            raise unanswered(error, self._name) from error
        except GoogleAuthError as error:
            problem: AuroraError = ModelMisconfigured(
                f"{self._name}: no access token for Google Cloud ({type(error).__name__})",
                advice="Give the account of the functions the role roles/discoveryengine.viewer.",
            )
            raise reported(problem) from error
        if response.status_code != 200:
            delay = retry_after(response.headers)
            problem = from_status(response.status_code, self._name, retry_after=delay)
            raise reported(problem)
        try:
            return json.loads(response.content)
        except ValueError as error:
            raise unreadable(error, self._name) from error

    def _headers(self, session: requests.Session) -> dict[str, str]:
        """Returns headers with a token, renewed when it has expired, and the project that a person's login names."""
        import google.auth  # noqa: PLC0415 - a cold start need not pay
        from google.auth.transport.requests import Request  # noqa: PLC0415 - as above

        with self._lock:
            if self._credentials is None:
                self._credentials, _ = google.auth.default(scopes=[_SCOPE])
            if not self._credentials.valid:
                self._credentials.refresh(Request(session))
            headers: dict[str, str] = {}
            self._credentials.apply(headers)
            return headers

"""JSON to one of Google's REST services and back, for services without an SDK of ours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

from shared.adapters.sdk_errors import from_status, retry_after, unanswered, unreadable
from shared.errors import ModelRefused

if TYPE_CHECKING:
    import requests
    from google.auth.credentials import Credentials

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"


class GoogleRest:
    """One method of a service. Any number of threads may call at once.

    `name` stands in errors; `credentials` None: the machine's own, found on first use. Whose quota a call counts to is
    the credentials' own affair: naming a project asks for `serviceusage.services.use` on it, which a service account
    of the product has no other use for.
    """

    def __init__(self, url: str, *, name: str, credentials: Credentials | None = None) -> None:
        self._url = url
        self._name = name
        self._credentials: Any = credentials
        self._lock = Lock()

    def post(self, body: Mapping[str, Any], seconds: float) -> Any:  # noqa: ANN401 - JSON
        """The reply's JSON. Raises ModelUnavailable for what another attempt may cure, ModelRefused otherwise."""
        import requests  # noqa: PLC0415 - loaded on first use, as google-auth's
        from google.auth.exceptions import GoogleAuthError, TransportError  # noqa: PLC0415 - as above

        try:
            with requests.Session() as session:
                response = session.post(self._url, json=body, headers=self._headers(session), timeout=seconds)
        except (requests.RequestException, TransportError) as error:
            raise unanswered(error, self._name) from error
        except GoogleAuthError as error:
            raise ModelRefused(f"{self._name}: no access token for Google Cloud ({type(error).__name__})") from error
        if response.status_code != 200:
            raise from_status(response.status_code, self._name, retry_after=retry_after(response.headers))
        try:
            return json.loads(response.content)
        except ValueError as error:
            raise unreadable(error, self._name) from error

    def _headers(self, session: requests.Session) -> dict[str, str]:
        """A token, kept while it is valid, and the project that a person's own login names for its quota."""
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

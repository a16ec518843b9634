"""A project of Google Cloud, read over REST as whoever runs the command: the only module of the command that does."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from shared.errors import OperatorError, PermissionDenied, Unavailable

SECONDS = 20.0
"""For one request."""
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
MAX_PAGES = 50


class GoogleProject:
    """`project`: its id. Addresses follow gcloud's own `CLOUDSDK_API_ENDPOINT_OVERRIDES_*`. Nothing is changed.

    Every method raises OperatorError without credentials, PermissionDenied where they do not suffice or the API is
    switched off, Unavailable when Google does not answer.
    """

    def __init__(self, project: str) -> None:
        self.id = project

    def get(self, api: str, path: str) -> Any:  # noqa: ANN401 - JSON
        """The JSON at a path like `v1/projects/P/secrets/S`; None: there is no such thing."""
        return self._read(_address(api) + path, self._token)

    def items(self, api: str, path: str, kind: str) -> Iterator[Mapping[str, Any]]:
        """Every resource of a listing, whose replies hold them as `kind`."""
        token = ""
        for _ in range(MAX_PAGES):
            page = self.get(api, f"{path}?pageToken={token}" if token else path) or {}
            yield from page.get(kind, ())
            if not (token := page.get("nextPageToken", "")):
                return

    def grants(self, api: str, path: str) -> set[tuple[str, str]]:
        """Role and member of every binding without a condition in the policy of what lies at that path."""
        asks = "GET" if api == "secretmanager" else "POST"  # reading a policy is a POST in most APIs
        policy = self._read(f"{_address(api)}{path}:getIamPolicy", self._token, method=asks) or {}
        bindings = (each for each in policy.get("bindings", ()) if "condition" not in each)
        return {(each["role"], member) for each in bindings for member in each["members"]}

    def answers(self, address: str) -> bool:
        """Whether an anonymous GET is answered with something."""
        return self._read(address, "") is not None

    def model(self, name: str, key: str) -> bool:
        """Whether the key's owner may use this model of the Gemini API."""
        address = _address("generativelanguage") + f"v1beta/models/{name}"
        return self._read(address, "", {"x-goog-api-key": key}) is not None

    @cached_property
    def _token(self) -> str:
        import google.auth  # noqa: PLC0415 - only this command needs it
        from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415 - as above
        from google.auth.transport.requests import Request  # noqa: PLC0415 - as above

        try:
            credentials, _ = google.auth.default(scopes=[SCOPE])
            credentials.refresh(Request())  # type: ignore[no-untyped-call]
        except GoogleAuthError as error:
            raise OperatorError(
                f"no credentials for Google Cloud ({type(error).__name__}): run gcloud auth application-default login"
            ) from error
        return str(credentials.token)

    def _read(self, address: str, token: str, headers: Mapping[str, str] | None = None, *, method: str = "GET") -> Any:  # noqa: ANN401 - JSON
        import requests  # noqa: PLC0415 - as above

        bearer = {"Authorization": f"Bearer {token}"} if token else {}
        host = address.partition("://")[2].partition("/")[0]  # without what may be a key or an id
        try:
            with requests.request(method, address, headers={**bearer, **(headers or {})}, timeout=SECONDS) as reply:
                if reply.status_code == 404:
                    return None
                if reply.status_code in (400, 401, 403):
                    raise PermissionDenied(f"{host} refuses ({reply.status_code})")
                if reply.status_code != 200:
                    raise Unavailable(f"{host} answers {reply.status_code}")
                return reply.json()
        except (requests.RequestException, ValueError) as error:
            raise Unavailable(f"{host} does not answer ({type(error).__name__})") from error


def _address(api: str) -> str:
    return os.environ.get(f"CLOUDSDK_API_ENDPOINT_OVERRIDES_{api.upper()}", f"https://{api}.googleapis.com/")

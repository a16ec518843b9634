"""Project of Google Cloud, read over REST with the credentials of the person who runs the command."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import quote

from shared.errors import OperatorError, PermissionDenied, Unavailable

SECONDS = 20.0
"""Longest time of a request."""
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
MAX_PAGES = 50
"""Pages that are read of a listing."""
USERS_A_PAGE = 1000
REFUSALS = (400, 401, 403)
"""Statuses of a reply to somebody who may not read, or whose API is switched off."""


class GoogleProject:
    """Project of Google Cloud that is read and never changed.

    Addresses follow gcloud's own `CLOUDSDK_API_ENDPOINT_OVERRIDES_*`.

    Every method raises OperatorError without credentials, PermissionDenied if they do not suffice
    or the API is switched off, Unavailable if Google does not answer.
    """

    def __init__(self, project: str) -> None:
        """Names the project by its id."""
        self.id = project

    def get(self, api: str, path: str) -> Any:  # noqa: ANN401 - JSON
        """Returns the JSON at a path like `v1/projects/P/secrets/S`; None if there is no such
        thing.
        """
        return self._read(_address(api) + path, self._token)

    def items(self, api: str, path: str, kind: str) -> Iterator[Mapping[str, Any]]:
        """Yields every resource of a listing, whose replies hold them as `kind`."""
        page_path = path
        for _ in range(MAX_PAGES):
            page = self.get(api, page_path) or {}
            yield from page.get(kind, ())
            token = page.get("nextPageToken", "")
            if not token:
                return
            page_path = f"{path}?pageToken={token}"

    def grants(self, api: str, path: str) -> set[tuple[str, str]]:
        """Returns (role, member) of every binding without a condition in the policy of a resource."""
        # Reading a policy is a POST in most APIs.
        method = "POST"
        if api == "secretmanager":
            method = "GET"
        address = f"{_address(api)}{path}:getIamPolicy"
        policy = self._read(address, self._token, method=method) or {}
        grants = set()
        for binding in policy.get("bindings", ()):
            if "condition" not in binding:
                for member in binding["members"]:
                    grants.add((binding["role"], member))

        return grants

    def users(self) -> Iterator[Mapping[str, Any]]:
        """Yields everybody who can sign in by Firebase Authentication, at most MAX_PAGES of
        USERS_A_PAGE.
        """
        path = f"v1/projects/{self.id}/accounts:batchGet?maxResults={USERS_A_PAGE}"
        token = ""
        for _ in range(MAX_PAGES):
            page = self.get("identitytoolkit", f"{path}&nextPageToken={quote(token)}") or {}
            yield from page.get("users", ())
            token = page.get("nextPageToken", "")
            if not token:
                return

    def answers(self, address: str) -> bool:
        """Reports whether an anonymous GET gets an answer."""
        return self._read(address, "") is not None

    def model(self, name: str, key: str) -> bool:
        """Reports whether the key's owner may use this model of the Gemini API."""
        address = _address("generativelanguage") + f"v1beta/models/{name}"
        return self._read(address, "", {"x-goog-api-key": key}) is not None

    @cached_property
    def _token(self) -> str:
        """Returns an access token of the person who runs the command."""
        import google.auth  # noqa: PLC0415 - only this command needs it
        from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415 - as above
        from google.auth.transport.requests import Request  # noqa: PLC0415 - as above

        try:
            credentials, _ = google.auth.default(scopes=[SCOPE])
            credentials.refresh(Request())  # type: ignore[no-untyped-call]
        except GoogleAuthError as error:
            raise OperatorError(
                f"no credentials for Google Cloud ({type(error).__name__}): run gcloud auth application-default login",
            ) from error

        return str(credentials.token)

    def _read(
        self,
        address: str,
        token: str,
        headers: Mapping[str, str] | None = None,
        *,
        method: str = "GET",
    ) -> Any:  # noqa: ANN401 - JSON
        """Returns the JSON of a reply; None if nothing is there.

        token: empty sends none.
        """
        import requests  # noqa: PLC0415 - as above

        all_headers = dict(headers or {})
        if token:
            all_headers["Authorization"] = f"Bearer {token}"
        # The rest of an address may hold a key or an id, which no message shows.
        host = address.partition("://")[2].partition("/")[0]
        try:
            with requests.request(
                method,
                address,
                headers=all_headers,
                timeout=SECONDS,
            ) as reply:
                if reply.status_code == 404:
                    return None
                if reply.status_code in REFUSALS:
                    raise PermissionDenied(f"{host} refuses ({reply.status_code})")
                if reply.status_code != 200:
                    raise Unavailable(f"{host} answers {reply.status_code}")
                return reply.json()
        except (requests.RequestException, ValueError) as error:
            raise Unavailable(f"{host} does not answer ({type(error).__name__})") from error


def _address(api: str) -> str:
    """Returns the address of an API, with a slash at its end."""
    variable = f"CLOUDSDK_API_ENDPOINT_OVERRIDES_{api.upper()}"
    return os.environ.get(variable, f"https://{api}.googleapis.com/")

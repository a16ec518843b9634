"""Google's REST APIs for the scripts beside this file, called as whoever gcloud is signed in as."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

JSON = dict[str, Any]
UNUSED = ("SERVICE_DISABLED", "has not been used", "is disabled")
"""Words of Google's reply where an API is switched off: the project has nothing then that needs it."""


class Refused(Exception):
    """Google's reply is no success."""

    def __init__(self, status: int, url: str, said: str) -> None:
        self.status = status
        self.said = said
        address = url.partition("?")[0]
        super().__init__(f"{address}: {status} {said}")

    @property
    def is_of_unused_api(self) -> bool:
        """True if the API is switched off."""
        return any(word in self.said for word in UNUSED)


def call(
    method: str,
    url: str,
    body: object = None,
    headers: Mapping[str, str] | None = None,
) -> Any:  # noqa: ANN401 - JSON
    """Returns the JSON of the reply. Raises Refused for any status but success."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        url,
        data,
        {"Content-Type": "application/json", **(headers or {})},
        method=method,
    )
    try:
        with urllib.request.urlopen(request, timeout=120) as reply:
            return json.loads(reply.read() or b"{}")
    except urllib.error.HTTPError as error:
        with error:
            text = error.read().decode(errors="replace")
        raise Refused(error.code, url, text[:1000]) from None
    except OSError as error:
        raise Refused(503, url, str(error)) from None


def pause(seconds: float) -> None:
    """Waits. DEPLOY_PAUSE, in seconds, replaces every wait of these scripts."""
    time.sleep(float(os.environ.get("DEPLOY_PAUSE", seconds)))


def tell(line: str) -> None:
    """Prints for the person at the terminal; standard output may be read by a script."""
    print(line, file=sys.stderr, flush=True)


class Google:
    """One project. Addresses look like `run/v2/projects/P/…`; gcloud's `CLOUDSDK_API_ENDPOINT_OVERRIDES_*` hold."""

    def __init__(self, project: str) -> None:
        self.project = project
        self.name = f"projects/{project}"

    @cached_property
    def headers(self) -> Mapping[str, str]:
        done = subprocess.run(
            ["gcloud", "auth", "print-access-token"],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        token = done.stdout.strip()
        return {
            "Authorization": f"Bearer {token}",
            "X-Goog-User-Project": self.project,
        }

    def __call__(self, method: str, address: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        """Returns the JSON of the reply. Raises Refused.

        429 and 503 may pass: they are tried again for a minute. After 401 a new token is tried once.
        """
        renewed = False
        pauses = [2, 4, 8, 16, 32]
        while True:
            try:
                return call(method, located(address), body, self.headers)
            except Refused as refused:
                if refused.status == 401 and not renewed:  # a token is good for an hour
                    renewed = True
                    del self.headers
                    continue
                if refused.status not in (429, 503) or not pauses:
                    raise
            pause(pauses.pop(0))

    def found(self, address: str) -> JSON | None:
        """Returns the resource; None if it does not exist, or the API that would hold it is switched off."""
        try:
            resource: JSON = self("GET", address)
        except Refused as refused:
            if refused.status == 404 or refused.is_of_unused_api:
                return None
            raise

        return resource

    def items(self, address: str, kind: str) -> Iterator[JSON]:
        """Yields every resource of a listing, whose pages hold them as `kind`."""
        separator = "&" if "?" in address else "?"
        page_address = address
        while True:
            page = self.found(page_address)
            if not page:
                return
            yield from page.get(kind, ())
            token = page.get("nextPageToken", "")
            if not token:
                return
            page_address = f"{address}{separator}pageToken={token}"

    def grant(
        self,
        address: str,
        role: str,
        member: str,
        *,
        remove: bool = False,
    ) -> bool:
        """Adds a member to a role of the resource at the address, or removes it.

        Returns False if there is nothing to change. Conditional bindings are left alone.
        """
        verb = "GET" if address.startswith(("run/", "pubsub/")) else "POST"
        policy: JSON = self(verb, f"{address}:getIamPolicy")
        bindings = []
        members: list[str] = []
        for binding in policy.get("bindings", ()):
            if binding["role"] == role and "condition" not in binding:
                members += binding["members"]
            else:
                bindings.append(binding)

        is_member = member in members
        if is_member is not remove:
            return False
        if remove:
            members = [name for name in members if name != member]
        else:
            members = [*members, member]

        if members:
            bindings.append({"role": role, "members": members})
        self(
            "POST",
            f"{address}:setIamPolicy",
            {"policy": {**policy, "bindings": bindings}},
        )
        return True

    def switch_on(self, *apis: str) -> None:
        """Switches APIs on in the project, given without `.googleapis.com`."""
        services = [f"{api}.googleapis.com" for api in apis]
        address = f"serviceusage/v1/{self.name}/services:batchEnable"
        self.done("serviceusage/v1", self("POST", address, {"serviceIds": services}))

    def done(self, api: str, operation: JSON) -> JSON:
        """Returns the operation when it has ended. Raises Refused if it failed."""
        while not _has_ended(operation):
            pause(2)
            operation = self("GET", f"{api}/{operation['name']}")

        if "error" in operation:
            error = operation["error"]
            raise Refused(
                error.get("code", 500),
                operation["name"],
                error.get("message", ""),
            )

        return operation


def _has_ended(operation: JSON) -> bool:
    """Reports whether an operation is done. A reply without a name is not an operation and needs no waiting."""
    is_operation = "name" in operation
    return bool(operation.get("done", not is_operation))


def located(address: str) -> str:
    """Returns the URL of an address like `run/v2/…`."""
    api, _, path = address.partition("/")
    origin = f"https://{api}.googleapis.com/"
    if api == "storage":
        origin += "storage/v1/"
    variable = f"CLOUDSDK_API_ENDPOINT_OVERRIDES_{api.upper()}"
    origin = os.environ.get(variable, origin).rstrip("/")
    quoted = urllib.parse.quote(path, safe="/:?&=(),@-%")
    return f"{origin}/{quoted}"

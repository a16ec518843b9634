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
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

JSON = dict[str, Any]
LABEL = "product=aurora-notes"
"""The label, or the description where a resource takes no labels, of everything that deploy/up.sh makes."""
UNUSED = ("SERVICE_DISABLED", "has not been used", "is disabled")
"""What Google says of an API that is switched off: nothing can be in the project that needs it."""


class Refused(Exception):
    """A reply that is no success."""

    def __init__(self, status: int, url: str, said: str) -> None:
        self.status, self.said = status, said
        super().__init__(f"{url.partition('?')[0]}: {status} {said}")


def call(method: str, url: str, body: object = None, headers: Mapping[str, str] | None = None) -> Any:  # noqa: ANN401 - JSON
    """The JSON of the reply. Raises Refused for any status but success."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **(headers or {})}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=120) as reply:
            return json.loads(reply.read() or b"{}")
    except urllib.error.HTTPError as error:
        with error:
            raise Refused(error.code, url, error.read().decode(errors="replace")[:1000]) from None
    except OSError as error:
        raise Refused(503, url, str(error)) from None


def pause(seconds: float) -> None:
    """Wait. DEPLOY_PAUSE, in seconds, replaces every wait of these scripts."""
    time.sleep(float(os.environ.get("DEPLOY_PAUSE", seconds)))


def tell(line: str) -> None:
    """Print for the person at the terminal; standard output may be read by a script."""
    print(line, file=sys.stderr, flush=True)


class Google:
    """One project. Addresses look like `run/v2/projects/P/…`; gcloud's `CLOUDSDK_API_ENDPOINT_OVERRIDES_*` hold."""

    def __init__(self, project: str) -> None:
        self.project = project
        self.name = f"projects/{project}"

    @cached_property
    def headers(self) -> Mapping[str, str]:
        said = subprocess.run(["gcloud", "auth", "print-access-token"], check=True, stdout=subprocess.PIPE, text=True)
        return {"Authorization": f"Bearer {said.stdout.strip()}", "X-Goog-User-Project": self.project}

    def __call__(self, method: str, address: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        """Raises Refused; what may pass (429, 503) is tried again for a minute."""
        for seconds in (2, 4, 8, 16, 32):
            try:
                return call(method, located(address), body, self.headers)
            except Refused as refused:
                if refused.status not in (429, 503):
                    raise
            pause(seconds)
        return call(method, located(address), body, self.headers)

    def found(self, address: str) -> JSON | None:
        """None: there is no such thing, or the API that would hold it is switched off."""
        try:
            found: JSON = self("GET", address)
        except Refused as refused:
            if refused.status == 404 or any(word in refused.said for word in UNUSED):
                return None
            raise
        return found

    def items(self, address: str, kind: str) -> Iterator[JSON]:
        """Every resource of a listing, whose pages hold them as `kind`."""
        token, more = "", "&" if "?" in address else "?"
        while page := self.found(f"{address}{more}pageToken={token}" if token else address):
            yield from page.get(kind, ())
            if not (token := page.get("nextPageToken", "")):
                return

    def grant(self, address: str, role: str, member: str, *, remove: bool = False) -> bool:
        """Adds the binding to the policy of what lies at the address, or removes it; False: nothing to change."""
        verb = "GET" if address.startswith(("run/", "pubsub/")) else "POST"
        policy: JSON = self(verb, f"{address}:getIamPolicy")
        held: Sequence[JSON] = policy.get("bindings", [])
        plain = next((each for each in held if each["role"] == role and "condition" not in each), None)
        members = plain["members"] if plain else []
        if (member in members) is not remove:
            return False
        others = [each for each in held if each is not plain]
        wanted = [each for each in members if each != member] if remove else [*members, member]
        changed = [*others, {"role": role, "members": wanted}] if wanted else others
        self("POST", f"{address}:setIamPolicy", {"policy": {**policy, "bindings": changed}})
        return True

    def done(self, api: str, operation: JSON) -> JSON:
        """The operation's end. Raises Refused where it failed."""
        while not operation.get("done", "name" not in operation):
            pause(2)
            operation = self("GET", f"{api}/{operation['name']}")
        if "error" in operation:
            failed = operation["error"]
            raise Refused(failed.get("code", 500), operation["name"], failed.get("message", ""))
        return operation


def located(address: str) -> str:
    """`run/v2/…` -> its URL."""
    api, _, rest = address.partition("/")
    default = f"https://{api}.googleapis.com/" + ("storage/v1/" if api == "storage" else "")
    origin = os.environ.get(f"CLOUDSDK_API_ENDPOINT_OVERRIDES_{api.upper()}", default)
    return f"{origin.rstrip('/')}/{urllib.parse.quote(rest, safe='/:?&=(),@-%')}"

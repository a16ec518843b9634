"""The server: who calls which method on what, whether they may, and what the project holds afterwards."""

from __future__ import annotations

import copy
import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.servers.discovery import Method, find
from tests.servers.gemini import error
from tests.servers.google_cloud.access import TABLE, Access
from tests.servers.google_cloud.services import HANDLERS
from tests.servers.google_cloud.standard import generic
from tests.servers.scripted import Reply, Request, ScriptedServer

JSON = dict[str, Any]
OWNER = "owner@example.com"
"""Account whose token may do everything, as a project's owner may."""
OWNED = {"role": "roles/owner", "members": [f"user:{OWNER}"]}
"""The binding that every project is made with."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request as a method call."""

    method: Method
    caller: str
    """The e-mail address in the token."""
    resource: str
    """Resource that the path names, without version and custom verb: `projects/P/secrets/S`."""
    query: Mapping[str, str]
    body: JSON
    """Empty where something else than JSON was sent."""
    sent: Request

    @property
    def id(self) -> str:
        return self.method.id


class GoogleCloud(ScriptedServer):
    """One empty project on a free loopback port, with its owner."""

    def __init__(self, project: str = "demo-notes") -> None:
        self.project = project
        self.access = Access(frozenset({OWNER}))
        self.access.put(f"projects/{project}", {"version": 1, "bindings": [OWNED]})
        self.calls: list[Call] = []
        self.faults: list[str] = []
        """Requests that would not have worked: bodies against their schema, unknown methods, other hosts."""
        self.resources: dict[str, JSON] = {}
        """By their names, as they were sent and answered."""
        self.operations: dict[str, JSON] = {}
        """Operations that take long in truth; here all of them are done."""
        self.enabled: set[str] = {"serviceusage", "storage", "firebase"}
        """APIs that are switched on."""
        self.uploads: dict[str, bytes] = {}
        """Contents by the name of their object."""
        self.secrets: dict[str, str] = {}
        """Secret -> its last version's content, base64."""
        self.refusals: dict[str, list[Reply | None]] = {}
        """Method -> what its next calls get, each in turn; None for what the call asks for."""
        self.run_build: Callable[[JSON], bool] = lambda _build: True
        """Does what a build does; whether it succeeded."""
        self.function_url: Callable[[str], str] = lambda name: f"{self.url}/functions/{name}"
        """The address of a function, by its name."""
        self.id_token = ""
        """ID token that somebody gets who signs in by a custom token."""
        self.documents: set[str] = set()
        """Full names of documents in the project's databases."""
        self.index_looks = 1
        """Number of times that a new index, or a field's new settings, are listed as still being built."""
        self.building: dict[str, int] = {}
        """Index, field or operation -> the listings that are left of these."""
        self.contents: dict[str, JSON] = {}
        """Name -> document, of those that were written here."""
        self.firestore = ""
        """Host and port of an emulator that holds the documents instead; empty: this object does."""
        self.agents: set[str] = set()
        """Google's own accounts that were made for the project."""
        self.unused: set[str] = set()
        """Google's accounts as which no trigger has tried to act."""
        self.news: set[str] = set()
        """Accounts just made, of which policies do not know yet."""
        self.state = threading.RLock()
        super().__init__(self._serve)

    def called(self, method: str) -> list[Call]:
        return [call for call in self.calls if call.id == method]

    def named(self, kind: str) -> list[str]:
        """The short names of the resources of a kind: `functions`, `secrets`, `serviceAccounts`."""
        matches = (re.fullmatch(rf".*/{kind}/([^/]+)", name) for name in self.resources)
        return sorted(match[1] for match in matches if match)

    def knows(self, account: str) -> bool:
        """Tell whether it is a service account of the project, or one that Google made for it."""
        return (
            f"projects/{self.project}/serviceAccounts/{account}" in self.resources
            or account in self.agents
        )

    def has_heard_of(self, account: str) -> bool:
        """Tell whether policies know the account: a new one only after a while, here at the second try."""
        new = account in self.news
        self.news.discard(account)
        return self.knows(account) and not new

    def start_build(self, build: JSON) -> None:
        """Do in the background what the build does."""
        self.resources[build["name"]] = build
        threading.Thread(target=self._build, args=(build,), daemon=True).start()

    def _build(self, build: JSON) -> None:
        build["status"] = "SUCCESS" if self.run_build(build) else "FAILURE"

    def _serve(self, request: Request) -> Reply:
        parts = urlsplit(request.path)
        api, _, rest = unquote(parts.path).removeprefix("/").partition("/")
        if api == "uploads":
            self.uploads[rest] = request.body
            return Reply()
        if api == "upload":
            api = "storage"
        method = find(api, request.method, f"/{rest}")
        if method is None:
            return self._fault(f"no method: {request.method} {request.path}")
        with self.state:
            call = Call(
                method=method,
                caller=self._caller(request),
                resource=self._resource(rest),
                query=dict(parse_qsl(parts.query)),
                body=json.loads(request.body) if _is_json(request) else {},
                sent=request,
            )
            self.calls.append(copy.deepcopy(call))
            self.faults += method.faults(call.body)
            try:
                return self._refusal(api, call) or _reply(
                    HANDLERS.get(call.id, generic)(self, call)
                )
            except Exception as bug:
                self.faults.append(f"the recorder failed in {call.id}: {bug!r}")
                raise

    def _caller(self, request: Request) -> str:
        return (
            request.headers.get("authorization", "")
            .removeprefix("Bearer ")
            .removeprefix("token-of-")
        )

    def _fault(self, what: str) -> Reply:
        self.faults.append(what)
        return error(404, "NOT_FOUND", message=what)

    def _resource(self, path: str) -> str:
        """The resource that a path names; a project's number or `-` is the project."""
        named = re.sub(r"^(storage/)?v\d\w*/|:\w+$", "", path)
        return re.sub(r"^projects/[^/]+", f"projects/{self.project}", named)

    def _refusal(self, api: str, call: Call) -> Reply | None:
        if (waiting := self.refusals.get(call.id)) and (refused := waiting.pop(0)):
            return refused
        if api not in self.enabled:
            return error(
                403,
                "PERMISSION_DENIED",
                message=f"{api}.googleapis.com has not been used or is disabled.",
            )
        needed = TABLE["methods"].get(call.id)
        if needed is None:
            return self._fault(f"permissions.json does not know {call.id}")
        return self.denied(call.caller, needed, call.resource)

    def denied(self, account: str, permissions: Iterable[str], resource: str) -> Reply | None:
        """The reply to an account that lacks one of the permissions on the resource; None where it has all."""
        lacking = self.access.lacks(account, list(permissions), resource)
        if not lacking:
            return None
        self.faults.append(f"{account} lacks {', '.join(lacking)} on {resource}")
        return error(403, "PERMISSION_DENIED", message=self.faults[-1])


def _is_json(request: Request) -> bool:
    return bool(request.body) and request.headers.get("content-type", "").startswith(
        "application/json"
    )


def _reply(answer: Reply | JSON) -> Reply:
    return answer if isinstance(answer, Reply) else Reply(body=answer)

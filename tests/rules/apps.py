"""A client app as Firestore's rules see it: requests over REST with an ID token, unsigned as the emulator takes it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from tests.servers.certificates import claims, unsigned

SERVER_TIME = object()
"""The server's clock at the write, as a field's value."""


@dataclass(frozen=True, slots=True)
class App:
    """Somebody's app. Every method says whether the rules let it through."""

    host: str
    project: str
    uid: str | None
    """Signed-in user; None if nobody is signed in."""
    claims: Mapping[str, object]
    database: str = "(default)"

    def get(self, path: str) -> bool:
        return self._allowed("GET", f"/{quote(path)}", missing_is_fine=True)

    def list(self, collection: str) -> bool:
        return self._allowed("GET", f"/{quote(collection)}?pageSize=1")

    def everywhere(self, collection: str) -> bool:
        """A query of all collections of that name."""
        query = {
            "structuredQuery": {"from": [{"collectionId": collection, "allDescendants": True}]}
        }
        return self._allowed("POST", ":runQuery", query)

    def write(self, path: str, fields: Mapping[str, object]) -> bool:
        """Create or replace."""
        plain = {name: _value(value) for name, value in fields.items() if value is not SERVER_TIME}
        stamps = [
            {"fieldPath": name, "setToServerValue": "REQUEST_TIME"}
            for name, value in fields.items()
            if value is SERVER_TIME
        ]
        write = {
            "update": {"name": f"{self._root}/{path}", "fields": plain},
            "updateTransforms": stamps,
        }
        return self._allowed("POST", ":commit", {"writes": [write]})

    def update(self, path: str, fields: Mapping[str, object]) -> bool:
        """Change these fields of a note, leave the others."""
        stamp = {"fieldPath": "updatedAt", "setToServerValue": "REQUEST_TIME"}
        return self._change(path, fields, updateTransforms=[stamp])

    def change(self, path: str, fields: Mapping[str, object]) -> bool:
        """Change a document without `updatedAt`."""
        return self._change(path, fields)

    def _change(self, path: str, fields: Mapping[str, object], **more: object) -> bool:
        write = {
            "update": {
                "name": f"{self._root}/{path}",
                "fields": {name: _value(fields[name]) for name in fields},
            },
            "updateMask": {"fieldPaths": list(fields)},
            "currentDocument": {"exists": True},
            **more,
        }
        return self._allowed("POST", ":commit", {"writes": [write]})

    def delete(self, path: str) -> bool:
        return self._allowed("POST", ":commit", {"writes": [{"delete": f"{self._root}/{path}"}]})

    @property
    def _root(self) -> str:
        return f"projects/{self.project}/databases/{self.database}/documents"

    def _allowed(
        self, method: str, path: str, body: object = None, *, missing_is_fine: bool = False
    ) -> bool:
        request = urllib.request.Request(
            f"http://{self.host}/v1/{self._root}{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={"Content-Type": "application/json", **self._authorization()},
        )
        try:
            urllib.request.urlopen(request, timeout=30).close()
        except urllib.error.HTTPError as refused:
            with refused:
                reply = refused.read().decode()
            if refused.code == 404 and missing_is_fine:
                return True
            if refused.code != 403:
                raise AssertionError(reply) from refused
            return False
        return True

    def _authorization(self) -> dict[str, str]:
        if self.uid is None:
            return {}
        whose = {"aud": self.project, "iss": f"https://securetoken.google.com/{self.project}"}
        payload = claims(sub=self.uid, user_id=self.uid, **whose)
        return {"Authorization": f"Bearer {unsigned({**payload, **self.claims})}"}


def _value(value: object) -> dict[str, Any]:
    """JSON of a field, timestamps given as `("time", "2026-…Z")`."""
    match value:
        case None:
            return {"nullValue": None}
        case bool():
            return {"booleanValue": value}
        case int():
            return {"integerValue": str(value)}
        case str():
            return {"stringValue": value}
        case ("time", str(moment)):
            return {"timestampValue": moment}
        case Iterable():
            return {"arrayValue": {"values": [_value(element) for element in value]}}
    raise TypeError(type(value).__name__)

"""Access control: the policies of one project, and which permissions Google's roles hold and methods need."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

JSON = dict[str, Any]
TABLE: JSON = json.loads((Path(__file__).parent / "permissions.json").read_text())
"""`methods`: method -> permissions it needs; `roles`: role -> those of them that it holds; with source and date."""


class Access:
    """The policies of a project and of what lies in it. An owner is whoever `owners` names."""

    def __init__(self, owners: frozenset[str]) -> None:
        self.owners = owners
        self.policies: dict[str, JSON] = {}
        """Resource -> its policy."""
        self.custom_roles: dict[str, list[str]] = {}
        """Roles that the project has made -> their permissions."""
        self._changes = 0

    def policy(self, resource: str) -> JSON:
        return self.policies.get(resource, {"version": 1, "etag": "AAAAAAAAAAA="})

    def put(self, resource: str, policy: JSON) -> JSON:
        """Raises StaleError where the policy was read before another change of it."""
        policy_before = self.policy(resource)
        if policy.get("etag", policy_before["etag"]) != policy_before["etag"]:
            raise StaleError
        self._changes += 1
        self.policies[resource] = {
            **policy,
            "etag": base64.b64encode(f"{self._changes:08d}".encode()).decode(),
        }
        return self.policies[resource]

    def roles(self, account: str, resource: str) -> set[str]:
        """The account's roles on the resource and on what it lies in."""
        member = {f"serviceAccount:{account}", f"user:{account}", "allUsers"}
        return {
            binding["role"]
            for holder in _above(resource)
            for binding in self.policy(holder).get("bindings", ())
            if member & set(binding["members"])
        }

    def lacks(self, account: str, permissions: list[str], resource: str) -> list[str]:
        """List the permissions that no role of the account holds there."""
        if account in self.owners:
            return []
        permissions_of_roles = {**TABLE["roles"], **self.custom_roles}
        granted = {
            permission
            for role in self.roles(account, resource)
            for permission in permissions_of_roles.get(role, ())
        }
        return [permission for permission in permissions if permission not in granted]


class StaleError(Exception):
    """Somebody else has changed the policy since it was read."""


def _above(resource: str) -> list[str]:
    """The resource, what it lies in, and so on up to the project."""
    parts = resource.split("/")
    return ["/".join(parts[:length]) for length in range(len(parts), 1, -1)]

"""Changes a project's policy in one piece: reads it as JSON, adds or removes "ROLE MEMBER" pairs, writes it.

    gcloud projects get-iam-policy PROJECT --format=json | python3 deploy/policy.py add "roles/x serviceAccount:y" ...

The etag stays inside, so setting the result is refused where somebody else has changed the policy meanwhile.
Conditional bindings are left alone. Needs Python 3.8, nothing else.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def changed(policy: dict[str, Any], action: str, pairs: list[list[str]]) -> dict[str, Any]:
    """Returns the policy after `add` or `remove` of (role, member) pairs."""
    bindings = policy.setdefault("bindings", [])
    for role, member in pairs:
        plain_bindings = []
        for binding in bindings:
            if binding["role"] == role and "condition" not in binding:
                plain_bindings.append(binding)

        if action == "add" and not plain_bindings:
            bindings.append({"role": role, "members": [member]})
        for binding in plain_bindings:
            members = [name for name in binding["members"] if name != member]
            if action == "add":
                members.append(member)
            binding["members"] = members

    policy["bindings"] = [binding for binding in bindings if binding["members"]]
    return policy


if __name__ == "__main__":
    role_members = [argument.split() for argument in sys.argv[2:]]
    json.dump(changed(json.load(sys.stdin), sys.argv[1], role_members), sys.stdout)

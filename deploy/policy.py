"""Change a project's policy, in one piece: reads it as JSON, adds or removes "ROLE MEMBER" pairs, writes it.

    gcloud projects get-iam-policy PROJECT --format=json | python3 deploy/policy.py add "roles/x serviceAccount:y" ...

The etag stays inside, so setting the result is refused where somebody else has changed the policy meanwhile.
Conditional bindings are left alone. Needs Python 3.8, nothing else.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def changed(policy: dict[str, Any], action: str, pairs: list[list[str]]) -> dict[str, Any]:
    bindings = policy.setdefault("bindings", [])
    for role, member in pairs:
        plain = [each for each in bindings if each["role"] == role and "condition" not in each]
        if action == "add" and not plain:
            bindings.append({"role": role, "members": [member]})
        for each in plain:
            others = [name for name in each["members"] if name != member]
            each["members"] = [*others, member] if action == "add" else others
    policy["bindings"] = [each for each in bindings if each["members"]]
    return policy


if __name__ == "__main__":
    json.dump(changed(json.load(sys.stdin), sys.argv[1], [pair.split() for pair in sys.argv[2:]]), sys.stdout)

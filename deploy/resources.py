"""The one table of what a deployment consists of (resources.json): deploy/up.sh makes these things, deploy/terraform too,
deploy/down.sh deletes them, and `aurora doctor` looks for them.
"""

from __future__ import annotations

import json
from pathlib import Path

TABLE = json.loads((Path(__file__).parent / "resources.json").read_text(encoding="utf-8"))

LABEL: str = TABLE["label"]
"""The label, or the description where a resource takes no labels, of everything that is made."""
FUNCTIONS = tuple(TABLE["functions"])
CALLED = tuple(TABLE["calledFunctions"])
"""Functions that check their callers themselves, so that everybody may call them."""
APIS = tuple(TABLE["apis"])
"""Services that every deployment needs, without `.googleapis.com`."""
CHOSEN = TABLE["chosenApis"]
"""API -> the role of the functions for it (`role`), and the settings with the values that want both (`settings`)."""
ROLES = {account: tuple(roles) for account, roles in TABLE["accounts"].items()}
"""Account, without prefix -> its roles in the project."""
ACCOUNTS = tuple(ROLES)
DEPLOYER: str = TABLE["deployer"]
"""The account that builds run as; it may let functions run as every other one."""
RUNNING = tuple(account for account in ACCOUNTS if account != DEPLOYER)
SECRETS = tuple(TABLE["secrets"].values())
JOB: str = TABLE["schedule"]["name"]
DEAD_LETTERS: str = TABLE["deadLetters"]["name"]
"""Topic and subscription of events that no function took."""

"""A monthly budget for a project, which mails the administrators of its billing account. Safe to run again.

python3 deploy/budget.py PROJECT AMOUNT    in the billing account's currency
"""

from __future__ import annotations

import sys

from cloud import Google, Refused


def make(google: Google, amount: str) -> None:
    """Makes the budget unless there is one. Raises Refused, and SystemExit without a billing account."""
    google.switch_on("billingbudgets", "cloudbilling")
    billing = google("GET", f"cloudbilling/v1/{google.name}/billingInfo")
    account = billing.get("billingAccountName")
    if not account:
        sys.exit(f"{google.project} has no billing account")
    address = f"billingbudgets/v1/{account}/budgets"
    name = f"Aurora Notes {google.project}"
    for existing in google.items(address, "budgets"):
        if existing.get("displayName") == name:
            return

    thresholds = [
        {"thresholdPercent": 0.5},
        {"thresholdPercent": 0.9},
        {"thresholdPercent": 1.0},
    ]
    budget = {
        "displayName": name,
        "budgetFilter": {"projects": [google.name]},
        "amount": {"specifiedAmount": {"units": amount}},
        "thresholdRules": thresholds,
    }
    google("POST", address, budget)


if __name__ == "__main__":
    try:
        make(Google(sys.argv[1]), sys.argv[2])
    except Refused as refused:
        sys.exit(str(refused))

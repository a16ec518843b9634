"""A monthly budget for a project, which mails the administrators of its billing account. Safe to run again.

python3 deploy/budget.py PROJECT AMOUNT    in the billing account's currency
"""

from __future__ import annotations

import sys

from cloud import JSON, Google, Refused, tell


def make(google: Google, amount: str) -> None:
    """Makes the budget, or gives the one that is there this amount.

    Raises Refused, and SystemExit without a billing account.
    """
    google.switch_on("billingbudgets", "cloudbilling")
    billing = google("GET", f"cloudbilling/v1/{google.name}/billingInfo")
    account = billing.get("billingAccountName")
    if not account:
        sys.exit(f"{google.project} has no billing account")
    address = f"billingbudgets/v1/{account}/budgets"
    name = f"Aurora Notes {google.project}"
    for existing in google.items(address, "budgets"):
        if existing.get("displayName") == name:
            _change(google, existing, amount)
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


def _change(google: Google, budget: JSON, amount: str) -> None:
    """Gives a budget another amount; its currency and what else somebody has set there stay. Raises Refused."""
    current = budget.get("amount", {}).get("specifiedAmount", {})
    if current.get("units") == amount:
        return
    tell(f"  It was {current.get('units', 'of another kind')} until now.")
    specified = {**current, "units": amount, "nanos": 0}
    google(
        "PATCH",
        f"billingbudgets/v1/{budget['name']}?updateMask=amount",
        {"amount": {"specifiedAmount": specified}},
    )


if __name__ == "__main__":
    try:
        make(Google(sys.argv[1]), sys.argv[2])
    except Refused as refused:
        sys.exit(str(refused))

"""A monthly budget for a project, which mails the administrators of its billing account. Safe to run again.

python3 deploy/budget.py PROJECT AMOUNT    in the billing account's currency
"""

from __future__ import annotations

import sys

from cloud import Google, Refused


def make(google: Google, amount: str) -> None:
    """Leaves a budget that is there as it is. Raises Refused, and SystemExit without a billing account."""
    apis = {"serviceIds": ["billingbudgets.googleapis.com", "cloudbilling.googleapis.com"]}
    google.done("serviceusage/v1", google("POST", f"serviceusage/v1/{google.name}/services:batchEnable", apis))
    account = google("GET", f"cloudbilling/v1/{google.name}/billingInfo").get("billingAccountName")
    if not account:
        sys.exit(f"{google.project} has no billing account")
    budgets, name = f"billingbudgets/v1/{account}/budgets", f"Aurora Notes {google.project}"
    if any(each.get("displayName") == name for each in google.items(budgets, "budgets")):
        return
    asked = {
        "displayName": name,
        "budgetFilter": {"projects": [google.name]},
        "amount": {"specifiedAmount": {"units": amount}},
        "thresholdRules": [{"thresholdPercent": part} for part in (0.5, 0.9, 1.0)],
    }
    google("POST", budgets, asked)


if __name__ == "__main__":
    try:
        make(Google(sys.argv[1]), sys.argv[2])
    except Refused as refused:
        sys.exit(str(refused))

"""deploy/budget.py: the project has one budget, of the amount that was asked for last."""

from __future__ import annotations

import sys

import pytest

from tests.deploy.conftest import ROOT, call_directly
from tests.servers.google_cloud import GoogleCloud

sys.path.append(str(ROOT / "deploy"))  # its scripts run from there

import budget
from cloud import Google


def test_another_amount_changes_the_budget_that_is_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with GoogleCloud("demo-other") as cloud:
        call_directly(cloud, monkeypatch)
        billing = f"projects/{cloud.project}/billingInfo"
        cloud.resources[billing] = {"billingAccountName": "billingAccounts/0A-1B-2C"}
        google = Google(cloud.project)
        for amount in ("50", "50", "120"):
            budget.make(google, amount)
        (name,) = [name for name in cloud.resources if "/budgets/" in name]
        specified = cloud.resources[name]["amount"]["specifiedAmount"]
        assert specified["units"] == "120"
        assert cloud.resources[name]["thresholdRules"]
        assert len(cloud.called("billingbudgets.billingAccounts.budgets.patch")) == 1
        assert cloud.faults == []
    assert "It was 50 until now." in capsys.readouterr().err

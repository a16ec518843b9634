"""deploy/budget.py: the project has one budget, of the amount that was asked for last."""

from __future__ import annotations

import subprocess
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


def test_a_budget_of_nothing_makes_none_and_says_what_becomes_of_one_that_is_there() -> None:
    setup = (ROOT / "deploy/setup.sh").read_text()
    _, condition, last_part = setup.partition('if [ "$budget" = 0 ]; then\n')
    for chosen, told in (("0", "- No budget is made. One that is there stays as it is,"), ("", "")):
        script = f"set -eu\nbudget={chosen}\n{condition}{last_part}"
        completed = subprocess.run(
            ["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert completed.stdout.startswith(told)
        assert bool(completed.stdout) is bool(told)

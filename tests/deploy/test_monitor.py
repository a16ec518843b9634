"""deploy/monitor.sh with the real gcloud: what it sends is what Cloud Monitoring's and Logging's own schemas allow."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.conftest import ROOT, found_gcloud
from tests.servers.gemini import error
from tests.servers.google_cloud import OWNER, GoogleCloud, tools

PROJECT = "demo-watched"
FOLDER = ROOT / "deploy/monitoring"
METRICS = sorted(file.stem for file in (FOLDER / "metrics").glob("*.json"))
ALERTS = [json.loads(file.read_text()) for file in sorted((FOLDER / "alerts").glob("*.json"))]
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text())

pytestmark = [pytest.mark.timeout(900), pytest.mark.slow]


@dataclass
class Watched:
    cloud: GoogleCloud
    folder: Path

    def monitor(self, argument: str) -> str:
        done = subprocess.run(
            ["deploy/monitor.sh", PROJECT, argument],
            cwd=ROOT,
            env=tools(self.cloud, home=self.folder, account=OWNER, path=os.environ["PATH"]),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    def held(self, kind: str) -> list[dict[str, Any]]:
        return [held for name, held in self.cloud.resources.items() if re.fullmatch(rf".*/{kind}/[^/]+", name)]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    found_gcloud()
    with GoogleCloud(PROJECT) as cloud:
        cloud.enabled |= {"logging", "cloudresourcemanager"}
        made = Watched(cloud, tmp_path_factory.mktemp("owner"))
        made.monitor("ops@example.com")
        yield made


def test_nothing_is_sent_that_google_would_refuse(watched: Watched) -> None:
    assert watched.cloud.faults == []
    assert sorted(each["name"].rpartition("/")[2] for each in watched.held("metrics")) == METRICS
    assert [each["displayName"] for each in watched.held("dashboards")] == [DASHBOARD["displayName"]]
    assert sorted(each["displayName"] for each in watched.held("alertPolicies")) == sorted(
        each["displayName"] for each in ALERTS
    )
    (channel,) = watched.held("notificationChannels")
    assert all(each["notificationChannels"] == [channel["name"]] for each in watched.held("alertPolicies"))


def test_again_it_makes_nothing_twice_and_keeps_changed_thresholds(watched: Watched) -> None:
    policy = watched.held("alertPolicies")[0]
    condition = policy["conditions"][0]["conditionThreshold"]
    condition["thresholdValue"] = 42
    watched.monitor("more@example.com")
    assert len(watched.held("alertPolicies")) == len(ALERTS)
    assert len(watched.held("dashboards")) == 1
    both = {channel["name"] for channel in watched.held("notificationChannels")}
    assert len(both) == 2
    assert all(set(each["notificationChannels"]) == both for each in watched.held("alertPolicies"))
    assert condition["thresholdValue"] == 42
    assert watched.cloud.faults == []


@pytest.mark.parametrize("arguments", [[], ["--help"], [PROJECT], [PROJECT, "nobody"], [PROJECT, "--remove", "more"]])
def test_what_is_not_understood_touches_nothing(arguments: list[str]) -> None:
    done = subprocess.run(["deploy/monitor.sh", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Usage: deploy/monitor.sh PROJECT EMAIL" in done.stderr


def test_who_may_not_is_told_so(watched: Watched) -> None:
    watched.cloud.refusals["monitoring.projects.alertPolicies.list"] = [error(403, "PERMISSION_DENIED", message="No.")]
    with pytest.raises(AssertionError, match="No"):
        watched.monitor("--remove")
    assert len(watched.held("alertPolicies")) == len(ALERTS)


def test_removed_it_is_gone(watched: Watched) -> None:
    watched.monitor("--remove")
    for kind in ("alertPolicies", "dashboards", "metrics"):
        assert watched.held(kind) == [], kind
    assert watched.cloud.faults == []

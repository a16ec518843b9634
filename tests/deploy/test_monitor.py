"""deploy/monitor.sh with the real gcloud: what it sends is what Cloud Monitoring's and Logging's own schemas allow."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import promql_parser
import pytest
from googleapiclient.discovery_cache import DISCOVERY_DOC_DIR

from tests.deploy.conftest import ROOT, found_gcloud
from tests.servers.gemini import error
from tests.servers.google_cloud import OWNER, GoogleCloud, tools

PROJECT = "demo-watched"
FOLDER = ROOT / "deploy/monitoring"
METRICS = sorted(file.stem for file in (FOLDER / "metrics").glob("*.json"))
ALERTS = [json.loads(file.read_text()) for file in sorted((FOLDER / "alerts").glob("*.json"))]
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text())

pytestmark = [pytest.mark.timeout(900), pytest.mark.slow]


def schema(document: str, name: str) -> dict[str, Any]:
    described: dict[str, Any] = json.loads(Path(DISCOVERY_DOC_DIR, f"{document}.json").read_text())["schemas"][name]
    return described


def conditions(kind: str) -> list[dict[str, Any]]:
    return [each[kind] for policy in ALERTS for each in policy["conditions"] if kind in each]


def is_distribution(query: str) -> bool:
    """Of our metrics by their own files; of Cloud Run's, latencies are one."""
    (metric,) = re.findall(r'metric\.type = "[^"]*/(\w+)"', query)
    if metric in METRICS:
        return bool(
            json.loads((FOLDER / f"metrics/{metric}.json").read_text())["metricDescriptor"]["valueType"]
            == "DISTRIBUTION"
        )
    return bool(metric == "request_latencies")


@dataclass
class Watched:
    cloud: GoogleCloud
    folder: Path
    """Holds `deploy/` with what is to be set up."""
    metrics: list[str]
    alerts: list[str]
    """Their titles."""

    def monitor(self, argument: str) -> str:
        done = subprocess.run(
            ["deploy/monitor.sh", PROJECT, argument],
            cwd=self.folder,
            env={
                **tools(self.cloud, home=self.folder / "owner", account=OWNER, path=os.environ["PATH"]),
                "FUNCTION_PREFIX": "notes-",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    def held(self, kind: str) -> list[dict[str, Any]]:
        return [held for name, held in self.cloud.resources.items() if re.fullmatch(rf".*/{kind}/[^/]+", name)]


@pytest.fixture(scope="module", params=[1, pytest.param(None, marks=pytest.mark.nightly)], ids=["one", "all"])
def watched(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Watched]:
    """One metric and one alert, or all of them."""
    found_gcloud()
    folder = tmp_path_factory.mktemp("monitored")
    shutil.copytree(ROOT / "deploy", folder / "deploy")
    kept = {}
    for kind in ("metrics", "alerts"):
        files = sorted((folder / "deploy/monitoring" / kind).glob("*.json"))
        kept[kind], left_out = files[: request.param], files[len(files[: request.param]) :]
        for file in left_out:
            file.unlink()
    with GoogleCloud(PROJECT) as cloud:
        cloud.enabled |= {"logging", "cloudresourcemanager"}
        alerts = [json.loads(file.read_text())["displayName"] for file in kept["alerts"]]
        made = Watched(cloud, folder, [file.stem for file in kept["metrics"]], alerts)
        cloud.refusals["monitoring.projects.alertPolicies.create"] = [
            error(
                404,
                "NOT_FOUND",
                message="Cannot find metric that matches type. If a metric was created recently, try again.",
            )
        ]
        made.monitor("ops@example.com")
        yield made


def test_a_threshold_is_held_against_a_number() -> None:
    """A distribution is none until an aligner makes it one; the API's own description says which do."""
    aligners = schema("monitoring.v3", "Aggregation")["properties"]["perSeriesAligner"]
    said = dict(zip(aligners["enum"], aligners["enumDescriptions"], strict=True))
    for condition in conditions("conditionThreshold"):
        for filtered, aligned in (("filter", "aggregations"), ("denominatorFilter", "denominatorAggregations")):
            for aggregation in condition.get(aligned, ()):
                meaning = said[aggregation["perSeriesAligner"]]
                if is_distribution(condition[filtered]):
                    assert "distribution values" in meaning, condition
                    assert "value_type DOUBLE" in meaning, condition
                else:
                    assert "numeric values" in meaning or "CUMULATIVE and DELTA" in meaning, condition


def test_what_is_asked_in_promql_is_promql() -> None:
    queries = [condition["query"] for condition in conditions("conditionPrometheusQueryLanguage")]
    queries += re.findall(r'"prometheusQuery": "(.*)"', json.dumps(DASHBOARD, indent=1))
    assert queries
    for query in queries:
        promql_parser.parse(query.replace('\\"', '"'))
        (named,) = re.findall(r"logging_googleapis_com:user_(\w+)_sum", query)
        assert named in METRICS


def test_nothing_is_sent_that_google_would_refuse(watched: Watched) -> None:
    assert watched.cloud.faults == []
    assert sorted(each["name"].rpartition("/")[2] for each in watched.held("metrics")) == watched.metrics
    assert [each["displayName"] for each in watched.held("dashboards")] == [DASHBOARD["displayName"]]
    assert sorted(each["displayName"] for each in watched.held("alertPolicies")) == sorted(watched.alerts)
    (channel,) = watched.held("notificationChannels")
    assert all(each["notificationChannels"] == [channel["name"]] for each in watched.held("alertPolicies"))


def test_alerts_and_charts_look_at_the_functions_by_their_prefix(watched: Watched) -> None:
    sent = [json.dumps(watched.held(kind)) for kind in ("alertPolicies", "dashboards")]
    assert all("notes-chat" in each and '\\"chat\\"' not in each for each in sent)


@pytest.mark.nightly
def test_again_it_makes_nothing_twice_and_keeps_changed_thresholds(watched: Watched) -> None:
    policy = watched.held("alertPolicies")[0]
    condition = policy["conditions"][0]["conditionThreshold"]
    condition["thresholdValue"] = 42
    watched.monitor("more@example.com")
    assert len(watched.held("alertPolicies")) == len(watched.alerts)
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
    assert len(watched.held("alertPolicies")) == len(watched.alerts)


@pytest.mark.nightly
def test_removed_it_is_gone(watched: Watched) -> None:
    watched.monitor("--remove")
    for kind in ("alertPolicies", "dashboards", "metrics"):
        assert watched.held(kind) == [], kind
    assert watched.cloud.faults == []

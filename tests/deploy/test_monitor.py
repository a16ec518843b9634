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

import promql_parser
import pytest
from googleapiclient.discovery_cache import DISCOVERY_DOC_DIR

from tests.deploy.conftest import ROOT, found_gcloud
from tests.servers.cloud_monitoring import contents
from tests.servers.gemini import error
from tests.servers.google_cloud import OWNER, GoogleCloud, tools, with_ready_token

PROJECT = "demo-watched"
METRICS = sorted(contents("metrics"))
ALERTS = list(contents("alerts").values())
TITLES = sorted(alert["displayName"] for alert in ALERTS)
(DASHBOARD,) = contents(".").values()

pytestmark = [pytest.mark.timeout(300), pytest.mark.slow, pytest.mark.nightly]


def schema(document: str, name: str) -> dict[str, Any]:
    described: dict[str, Any] = json.loads(Path(DISCOVERY_DOC_DIR, f"{document}.json").read_text())[
        "schemas"
    ][name]
    return described


def conditions(kind: str) -> list[dict[str, Any]]:
    return [
        condition[kind]
        for policy in ALERTS
        for condition in policy["conditions"]
        if kind in condition
    ]


def is_distribution(query: str) -> bool:
    """Tell whether the metric is a distribution: our metrics by their files; of Cloud Run's, latencies are one."""
    (metric,) = re.findall(r'metric\.type = "[^"]*/(\w+)"', query)
    if metric in METRICS:
        return bool(contents("metrics")[metric]["metricDescriptor"]["valueType"] == "DISTRIBUTION")
    return bool(metric == "request_latencies")


@dataclass
class Watched:
    cloud: GoogleCloud
    folder: Path

    def environment(self) -> dict[str, str]:
        """Variables of the project's owner."""
        path = with_ready_token(os.environ["PATH"], self.folder / "bin")
        return tools(
            self.cloud,
            home=self.folder / "owner",
            account=OWNER,
            path=path,
        )

    def monitor(self, *arguments: str) -> str:
        completed = subprocess.run(
            ["deploy/monitor.sh", PROJECT, *arguments],
            cwd=ROOT,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert completed.returncode == 0, completed.stdout
        return completed.stdout

    def held(self, kind: str) -> list[dict[str, Any]]:
        return [
            resource
            for name, resource in self.cloud.resources.items()
            if re.fullmatch(rf".*/{kind}/[^/]+", name)
        ]

    @property
    def subscriptions(self) -> list[dict[str, Any]]:
        """Eventarc's."""
        return [
            subscription
            for subscription in self.held("subscriptions")
            if "/eventarc-" in subscription["name"]
        ]


def deploy(cloud: GoogleCloud, name: str, **fields: Any) -> None:  # noqa: ANN401 - JSON
    """A function as up.sh left it."""
    full = f"projects/{PROJECT}/locations/europe-west1/functions/notes-{name}"
    cloud.resources[full] = {
        "name": full,
        "labels": {"product": "aurora-notes"},
        "buildConfig": {"entryPoint": name.replace("-", "_")},
        "serviceConfig": {"uri": f"https://notes-{name}-abc-ew.a.run.app"},
        **fields,
    }


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    found_gcloud()
    with GoogleCloud(PROJECT) as cloud:
        cloud.enabled |= {"cloudfunctions", "cloudresourcemanager", "eventarc", "logging", "pubsub"}
        for name in ("chat", "api", "reconcile"):
            deploy(cloud, name)
        for name in ("on-note-write", "on-template-write"):
            subscription = f"projects/{PROJECT}/subscriptions/eventarc-eur3-notes-{name}-1-sub-2"
            trigger = f"projects/{PROJECT}/locations/eur3/triggers/notes-{name}-1"
            cloud.resources[subscription] = {"name": subscription}
            cloud.resources[trigger] = {
                "name": trigger,
                "transport": {"pubsub": {"subscription": subscription}},
            }
            deploy(cloud, name, eventTrigger={"trigger": trigger})
        cloud.refusals["monitoring.projects.alertPolicies.create"] = [
            error(
                404,
                "NOT_FOUND",
                message="Cannot find metric that matches type. If a metric was created recently, try again.",
            )
        ]
        watched_project = Watched(cloud, tmp_path_factory.mktemp("monitored"))
        output = watched_project.monitor("ops@example.com")
        assert "not known everywhere at Google yet" in output
        yield watched_project


def test_a_threshold_is_held_against_a_number() -> None:
    """A distribution is none until an aligner makes it one; the API's own description says which do."""
    aligners = schema("monitoring.v3", "Aggregation")["properties"]["perSeriesAligner"]
    descriptions = dict(zip(aligners["enum"], aligners["enumDescriptions"], strict=True))
    for condition in conditions("conditionThreshold"):
        for filtered, aligned in (
            ("filter", "aggregations"),
            ("denominatorFilter", "denominatorAggregations"),
        ):
            for aggregation in condition.get(aligned, ()):
                meaning = descriptions[aggregation["perSeriesAligner"]]
                if is_distribution(condition[filtered]):
                    assert "distribution values" in meaning, condition
                    assert "value_type DOUBLE" in meaning, condition
                elif "check_passed" in condition[filtered]:  # true or false, and counted
                    assert "GAUGE metrics" in meaning, condition
                    assert aggregation["crossSeriesReducer"] == "REDUCE_COUNT_FALSE"
                else:
                    assert "numeric values" in meaning or "CUMULATIVE and DELTA" in meaning, (
                        condition
                    )


def test_promql_queries_parse_and_name_our_metrics() -> None:
    queries = [condition["query"] for condition in conditions("conditionPrometheusQueryLanguage")]
    queries += re.findall(r'"prometheusQuery": "(.*)"', json.dumps(DASHBOARD, indent=1))
    assert queries
    for query in queries:
        promql_parser.parse(query.replace('\\"', '"'))
        (named,) = re.findall(r"logging_googleapis_com:user_(\w+)_(?:sum|count)", query)
        assert named in METRICS


def test_nothing_is_sent_that_google_would_refuse(watched: Watched) -> None:
    assert watched.cloud.faults == []
    assert (
        sorted(metric["name"].rpartition("/")[2] for metric in watched.held("metrics")) == METRICS
    )
    assert [dashboard["displayName"] for dashboard in watched.held("dashboards")] == [
        DASHBOARD["displayName"]
    ]
    assert (
        sorted(alert_policy["displayName"] for alert_policy in watched.held("alertPolicies"))
        == TITLES
    )
    (channel,) = watched.held("notificationChannels")
    assert all(
        alert_policy["notificationChannels"] == [channel["name"]]
        for alert_policy in watched.held("alertPolicies")
    )


def test_alerts_and_metrics_carry_the_functions_prefix(watched: Watched) -> None:
    sent = json.dumps([watched.held(kind) for kind in ("alertPolicies", "dashboards", "metrics")])
    assert "%PREFIX%" not in sent
    assert not re.findall(r'\\"(chat|api|on-note-write|reconcile|aurora-dead-letters)\\"', sent)
    assert 'notes-on-note-write\\"' in sent


def test_health_is_asked_for_at_the_addresses_of_the_functions(watched: Watched) -> None:
    checks = watched.held("uptimeCheckConfigs")
    assert [(check["monitoredResource"]["labels"]["host"], check["httpCheck"]["path"]) for check in checks] == [
        ("notes-chat-abc-ew.a.run.app", "/health"), ("notes-api-abc-ew.a.run.app", "/health"),
    ]  # fmt: skip
    (alert,) = (
        alert_policy
        for alert_policy in watched.held("alertPolicies")
        if "/health" in alert_policy["displayName"]
    )
    alert_filter = alert["conditions"][0]["conditionThreshold"]["filter"]
    assert all(check["name"].rpartition("/")[2] in alert_filter for check in checks)


def test_an_event_that_no_function_takes_goes_where_it_is_seen(watched: Watched) -> None:
    """Events hold what was written, so that stays in the region and for a day."""
    (topic,) = watched.held("topics")
    assert topic["messageStoragePolicy"] == {"allowedPersistenceRegions": ["europe-west1"]}
    (subscription_left,) = (
        subscription
        for subscription in watched.held("subscriptions")
        if subscription not in watched.subscriptions
    )
    assert subscription_left["topic"] == topic["name"]
    assert subscription_left["messageRetentionDuration"] == "86400s"
    assert len(watched.subscriptions) == 2
    for subscription in watched.subscriptions:
        assert subscription["deadLetterPolicy"] == {
            "deadLetterTopic": topic["name"],
            "maxDeliveryAttempts": 30,
        }
        (binding,) = watched.cloud.access.policies[subscription["name"]]["bindings"]
        assert binding["role"] == "roles/pubsub.subscriber"
    (binding,) = watched.cloud.access.policies[topic["name"]]["bindings"]
    assert binding["role"] == "roles/pubsub.publisher"
    assert binding["members"][0].endswith("@gcp-sa-pubsub.iam.gserviceaccount.com")


def test_again_it_makes_nothing_twice_and_keeps_changed_thresholds(watched: Watched) -> None:
    policy = next(
        alert_policy
        for alert_policy in watched.held("alertPolicies")
        if "5%" in alert_policy["displayName"]
    )
    condition = policy["conditions"][0]["conditionThreshold"]
    condition["thresholdValue"] = 42
    policy["documentation"]["content"] = "of an older version"
    watched.monitor("more@example.com")
    assert len(watched.held("alertPolicies")) == len(TITLES)
    assert len(watched.held("dashboards")) == 1
    assert len(watched.held("uptimeCheckConfigs")) == 2
    both = {channel["name"] for channel in watched.held("notificationChannels")}
    assert len(both) == 2
    assert all(
        set(alert_policy["notificationChannels"]) == both
        for alert_policy in watched.held("alertPolicies")
    )
    assert condition["thresholdValue"] == 42
    assert "docs/operate.md#" in policy["documentation"]["content"]
    assert watched.cloud.faults == []


def test_a_function_that_moved_is_watched_where_it_is(watched: Watched) -> None:
    deploy(watched.cloud, "chat", serviceConfig={"uri": "https://elsewhere.a.run.app"})
    watched.monitor("ops@example.com")
    hosts = [
        uptime_check_config["monitoredResource"]["labels"]["host"]
        for uptime_check_config in watched.held("uptimeCheckConfigs")
    ]
    assert sorted(hosts) == ["elsewhere.a.run.app", "notes-api-abc-ew.a.run.app"]
    test_alerts = [
        alert_policy
        for alert_policy in watched.held("alertPolicies")
        if "/health" in alert_policy["displayName"]
    ]
    checks = [
        uptime_check_config["name"].rpartition("/")[2]
        for uptime_check_config in watched.held("uptimeCheckConfigs")
    ]
    assert [all(check in str(test_alert) for check in checks) for test_alert in test_alerts] == [
        True
    ]
    assert watched.cloud.faults == []


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--all"],
        [PROJECT],
        [PROJECT, "nobody"],
        [PROJECT, "--remove", "a@b.c"],
        [PROJECT, "--remove", "--events"],
        [PROJECT, "--events", "a@b.c"],
    ],
)
def test_an_invalid_command_touches_nothing(arguments: list[str]) -> None:
    completed = subprocess.run(
        ["deploy/monitor.sh", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 2
    assert "usage: deploy/monitor.sh" in completed.stderr


def test_a_caller_without_permission_is_told_so(watched: Watched) -> None:
    watched.cloud.refusals["monitoring.projects.alertPolicies.list"] = [
        error(403, "PERMISSION_DENIED", message="No.")
    ]
    with pytest.raises(AssertionError, match="No"):
        watched.monitor("--remove")
    assert len(watched.held("alertPolicies")) == len(TITLES)


def test_removed_it_is_gone_also_where_nothing_is_deployed_any_more(watched: Watched) -> None:
    watched.monitor("--remove")
    for kind in ("alertPolicies", "dashboards", "metrics", "uptimeCheckConfigs", "topics"):
        assert watched.held(kind) == [], kind
    assert watched.held("subscriptions") == watched.subscriptions
    assert all("deadLetterPolicy" not in subscription for subscription in watched.subscriptions)
    for name in [resource for resource in watched.cloud.resources if "/functions/" in resource]:
        del watched.cloud.resources[name]
    watched.monitor("--remove")
    assert watched.cloud.faults == []


def test_where_terraform_makes_the_rest_only_the_events_are_attached(watched: Watched) -> None:
    """After everything was removed; the functions are deployed again."""
    cloud = watched.cloud
    for name in ("on-note-write", "on-template-write"):
        trigger = f"projects/{PROJECT}/locations/eur3/triggers/notes-{name}-1"
        deploy(cloud, name, eventTrigger={"trigger": trigger})
    watched.monitor("--events")
    for kind in ("alertPolicies", "dashboards", "metrics", "uptimeCheckConfigs"):
        assert watched.held(kind) == [], kind
    (topic,) = watched.held("topics")
    policies = [subscription["deadLetterPolicy"] for subscription in watched.subscriptions]
    assert [policy["deadLetterTopic"] for policy in policies] == [topic["name"]] * 2
    assert cloud.faults == []

"""What deploy/monitor.sh does: everything in monitoring/ is made in the project, or taken away."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import look
from cloud import JSON, LABEL, Google, Refused, pause, tell
from firestore import Database
from look import Deployment, Stop
from plan import Parser, matching

FOLDER = Path(__file__).parent / "monitoring"
LABELS = dict([LABEL.split("=")])
CHECKED = ("chat", "api")
"""Functions whose `/health` is asked for from outside."""
DEAD = "aurora-dead-letters"
"""Topic and subscription of events that no function took."""
ATTEMPTS = 30
"""Deliveries before an event is dead: about four hours. A function that answers gives up itself, after one."""


class Monitored:
    """One deployment and what watches it."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment, self.google = deployment, deployment.google
        self.monitoring = f"monitoring/v3/{self.google.name}"
        self.dead = f"pubsub/v1/{self.google.name}/subscriptions/{deployment.prefix}{DEAD}"
        self.dead_topic = self.dead.replace("/subscriptions/", "/topics/")

    def make(self, email: str) -> None:
        tell("- Cloud Monitoring: log-based metrics and the dashboard are free, alerts are billed by condition.")
        apis = {"serviceIds": ["monitoring.googleapis.com"]}
        address = f"serviceusage/v1/{self.google.name}/services:batchEnable"
        self.google.done("serviceusage/v1", self.google("POST", address, apis))
        for name, metric in self._files("metrics"):
            self.google("PUT", f"logging/v2/{self.google.name}/metrics/{name}", {"name": name, **metric})
        self._bury_undelivered()
        checks = [self._check(name) for name in CHECKED]
        self._make_dashboard()
        self._make_alerts(self._channel(email), checks)
        for each in self._ours("uptimeCheckConfigs"):  # of addresses that are gone; no alert watches them any more
            if each["name"].rpartition("/")[2] not in checks:
                self.google("DELETE", f"monitoring/v3/{each['name']}")
        tell(f"Dashboard: https://console.cloud.google.com/monitoring/dashboards?project={self.google.project}")

    def remove(self) -> None:
        checks = self._ours("uptimeCheckConfigs")
        for each in (*self._ours("alertPolicies"), *checks):
            self.google("DELETE", f"monitoring/v3/{each['name']}")
        self._remove_dashboards()
        for name, _ in self._files("metrics"):
            if self.google.found(address := f"logging/v2/{self.google.name}/metrics/{name}"):
                self.google("DELETE", address)
        for subscription in self._subscriptions():
            self._change(subscription, {})
        for address in (self.dead, self.dead_topic):
            if self.google.found(address):
                self.google("DELETE", address)

    def _files(self, folder: str, **given: str) -> Iterator[tuple[str, JSON]]:
        """Name and content of each file, with what stands for `%PREFIX%` and other names."""
        for file in sorted((FOLDER / folder).glob("*.json")):
            text = file.read_text(encoding="utf-8")
            for name, value in {"PREFIX": self.deployment.prefix, **given}.items():
                text = text.replace(f"%{name}%", json.dumps(value)[1:-1])
            yield file.stem, json.loads(text)

    def _ours(self, kind: str) -> list[JSON]:
        return [
            each
            for each in self.google.items(f"{self.monitoring}/{kind}", kind)
            if LABELS.items() <= each.get("userLabels", {}).items()
        ]

    def _check(self, function: str) -> str:
        """The id of the uptime check of a function."""
        at = urlsplit(self.deployment.functions[function]["serviceConfig"]["uri"])
        title = f"Aurora: {self.deployment.prefix}{function}"
        for each in (each for each in self._ours("uptimeCheckConfigs") if each["displayName"] == title):
            if each["monitoredResource"]["labels"]["host"] == at.hostname:
                return str(each["name"]).rpartition("/")[2]
        asked = {
            "displayName": title,
            "userLabels": LABELS,
            "monitoredResource": {
                "type": "uptime_url",
                "labels": {"project_id": self.google.project, "host": at.hostname},
            },
            "httpCheck": {"path": f"{at.path}/health", "port": at.port or 443, "useSsl": True, "validateSsl": True},
            "period": "300s",
            "timeout": "30s",  # a cold start, too
        }
        made = self.google("POST", f"{self.monitoring}/uptimeCheckConfigs", asked)
        return str(made["name"]).rpartition("/")[2]

    def _subscriptions(self) -> Iterator[str]:
        """Names of the subscriptions by which Eventarc delivers events to our functions."""
        for function in self.deployment.functions.values():
            if trigger := function.get("eventTrigger", {}).get("trigger"):
                yield self.google("GET", f"eventarc/v1/{trigger}")["transport"]["pubsub"]["subscription"]

    def _change(self, subscription: str, policy: JSON) -> None:
        body = {"subscription": {"name": subscription, **policy}, "updateMask": "deadLetterPolicy"}
        self.google("PATCH", f"pubsub/v1/{subscription}", body)

    def _bury_undelivered(self) -> None:
        """Events hold the note as it was written, so they are kept for a day and in the region."""
        google, topic = self.google, self.dead_topic.partition("/v1/")[2]
        if not google.found(self.dead_topic):
            stored = {"allowedPersistenceRegions": [self.deployment.region]}
            google("PUT", self.dead_topic, {"labels": LABELS, "messageStoragePolicy": stored})
        if not google.found(self.dead):
            kept = {"messageRetentionDuration": "86400s", "expirationPolicy": {}}
            google("PUT", self.dead, {"topic": topic, "labels": LABELS, **kept})
        identity = f"serviceusage/v1beta1/{google.name}/services/pubsub.googleapis.com:generateServiceIdentity"
        google.done("serviceusage/v1", google("POST", identity, {}))
        number = google("GET", f"cloudresourcemanager/v1/{google.name}")["projectNumber"]
        agent = f"serviceAccount:service-{number}@gcp-sa-pubsub.iam.gserviceaccount.com"
        patiently("does not exist", lambda: google.grant(self.dead_topic, "roles/pubsub.publisher", agent))
        for subscription in self._subscriptions():
            google.grant(f"pubsub/v1/{subscription}", "roles/pubsub.subscriber", agent)
            dead = {"deadLetterTopic": topic, "maxDeliveryAttempts": ATTEMPTS}
            self._change(subscription, {"deadLetterPolicy": dead})

    def _remove_dashboards(self) -> None:
        listing = f"monitoring/v1/{self.google.name}/dashboards"
        for each in list(self.google.items(listing, "dashboards")):
            if "aurora-notes" in each.get("labels", {}):
                self.google("DELETE", f"monitoring/v1/{each['name']}")

    def _make_dashboard(self) -> None:
        self._remove_dashboards()
        ((_, dashboard),) = self._files(".")
        self.google("POST", f"monitoring/v1/{self.google.name}/dashboards", dashboard)

    def _channel(self, email: str) -> str:
        """The name of the channel that mails somebody."""
        for each in self.google.items(f"{self.monitoring}/notificationChannels", "notificationChannels"):
            if each["type"] == "email" and each["labels"].get("email_address") == email:
                return str(each["name"])
        asked = {"type": "email", "displayName": "Aurora Notes", "labels": {"email_address": email}}
        return str(self.google("POST", f"{self.monitoring}/notificationChannels", asked)["name"])

    def _make_alerts(self, channel: str, checks: list[str]) -> None:
        """One that is there keeps its threshold, which may have been changed, unless what it watches is gone."""
        held = {each["displayName"]: each for each in self._ours("alertPolicies")}
        named = ", ".join(f'"{each}"' for each in checks)
        for _, policy in self._files("alerts", CHECKS=named):
            there = held.get(policy["displayName"])
            if there and "uptime_url" in str(policy) and not all(each in str(there) for each in checks):
                self.google("DELETE", f"monitoring/v3/{there['name']}")
                there = None
            if there:
                channels = list(dict.fromkeys([*there.get("notificationChannels", ()), channel]))
                address = f"monitoring/v3/{there['name']}?updateMask=notificationChannels"
                self.google("PATCH", address, {"notificationChannels": channels})
            else:
                asked = {**policy, "notificationChannels": [channel]}
                patiently("Cannot find metric", lambda: self.google("POST", f"{self.monitoring}/alertPolicies", asked))  # noqa: B023 - called at once


def patiently(words: str, call: Callable[[], Any]) -> None:
    """Call again while Google says so: it knows what was just made everywhere after up to ten minutes."""
    for seconds in (2, 10, 30, 60, 120, 180, 180):
        try:
            call()
        except Refused as refused:
            if words not in refused.said:
                raise
            tell(f"- Google does not know everywhere yet what was just made; trying again in {seconds} s")
            pause(seconds)
        else:
            return
    call()


def main(asked: argparse.Namespace) -> None:
    """Raises Refused and Stop."""
    google = Google(asked.project)
    found = look.deployments(google)
    prefix = look.prefix_of(found, asked.function_prefix)
    if asked.remove:
        gone = Deployment(google, prefix, "", Database(google, ""))
        Monitored(found.get(prefix, gone)).remove()
    elif prefix not in found:
        raise Stop(f"Nothing of ours is deployed in {asked.project}: deploy/up.sh first.")
    else:
        Monitored(found[prefix]).make(asked.email)


if __name__ == "__main__":
    parser = Parser(prog="deploy/monitor.sh")
    parser.add_argument("project", metavar="PROJECT", type=matching(r"[a-z][a-z0-9-]{4,28}[a-z0-9]"))
    parser.add_argument("email", metavar="EMAIL", nargs="?", type=matching(r"[^@\s]+@[^@\s]+"), help="who is told")
    parser.add_argument("--remove", action="store_true", help="take everything away instead")
    parser.add_argument("--function-prefix", default=os.environ.get("FUNCTION_PREFIX"), metavar="PREFIX")
    given = parser.parse_args()
    if bool(given.email) is given.remove:
        parser.error("expected EMAIL or --remove")
    try:
        main(given)
    except (Refused, Stop) as stop:
        sys.exit(str(stop))

"""Makes everything of monitoring/ in the project, or takes it away: the work of deploy/monitor.sh."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import look
from arguments import Parser, matching
from cloud import JSON, Google, Refused, pause, tell
from firestore import Database
from look import Deployment, Stop
from resources import CALLED, DEAD_LETTERS, LABEL, TABLE

FOLDER = Path(__file__).parent / "monitoring"
LABELS = dict([LABEL.split("=")])
ATTEMPTS: int = TABLE["deadLetters"]["attempts"]
"""Deliveries before an event is dead: about four hours. A function that answers gives up itself, after one."""


class Monitored:
    """One deployment with its metrics, dashboard, checks and alerts."""

    def __init__(self, deployment: Deployment) -> None:
        google = deployment.google
        self.deployment = deployment
        self.google = google
        self.monitoring = f"monitoring/v3/{google.name}"
        name = f"{deployment.prefix}{DEAD_LETTERS}"
        self.dead_subscription = f"pubsub/v1/{google.name}/subscriptions/{name}"
        self.dead_topic = f"pubsub/v1/{google.name}/topics/{name}"

    def make(self, email: str) -> None:
        """Makes what is missing. Alerts go to the address."""
        google = self.google
        tell(
            "- Cloud Monitoring: log-based metrics and the dashboard are free, alerts are billed by condition.",
        )
        google.switch_on("monitoring")
        for name, metric in self._files("metrics"):
            google("PUT", self._metric(name), {"name": name, **metric})
        self.bury_undelivered()
        checks = [self._check(name) for name in CALLED]
        self._make_dashboard()
        self._make_alerts(self._channel(email), checks)
        for check in self._ours("uptimeCheckConfigs"):
            if _id(check) not in checks:  # of an address that is gone; no alert watches it any more
                google("DELETE", f"monitoring/v3/{check['name']}")

        page = f"https://console.cloud.google.com/monitoring/dashboards?project={google.project}"
        tell(f"Dashboard: {page}")

    def remove(self) -> None:
        """Removes everything, and gives events back their delivery without end."""
        checks = self._ours("uptimeCheckConfigs")
        alerts = self._ours("alertPolicies")
        for resource in (*alerts, *checks):  # an alert's check cannot go before it
            self.google("DELETE", f"monitoring/v3/{resource['name']}")
        self._remove_dashboards()
        for name, _ in self._files("metrics"):
            self._delete_if_there(self._metric(name))
        for subscription in self._subscriptions():
            self._change(subscription, {})
        self._delete_if_there(self.dead_subscription)
        self._delete_if_there(self.dead_topic)

    def _metric(self, name: str) -> str:
        return f"logging/v2/{self.google.name}/metrics/{name}"

    def _delete_if_there(self, address: str) -> None:
        if self.google.found(address):
            self.google("DELETE", address)

    def _files(self, folder: str, **texts: str) -> Iterator[tuple[str, JSON]]:
        """Yields name and content of each file, with the prefix and other texts in the places of `%NAME%`."""
        placeholders = {"PREFIX": self.deployment.prefix, **texts}
        files = (FOLDER / folder).glob("*.json")
        for file in sorted(files):
            content = file.read_text(encoding="utf-8")
            for name, text in placeholders.items():
                escaped = json.dumps(text)[1:-1]
                content = content.replace(f"%{name}%", escaped)
            yield file.stem, json.loads(content)

    def _ours(self, kind: str) -> list[JSON]:
        """Returns the resources of a kind that carry our label."""
        ours = []
        for resource in self.google.items(f"{self.monitoring}/{kind}", kind):
            labels = resource.get("userLabels", {})
            if LABELS.items() <= labels.items():
                ours.append(resource)
        return ours

    def _check(self, function: str) -> str:
        """Returns the id of the uptime check of a function, which is made if need be."""
        url = urlsplit(self.deployment.functions[function]["serviceConfig"]["uri"])
        title = f"Aurora: {self.deployment.prefix}{function}"
        for check in self._ours("uptimeCheckConfigs"):
            host = check["monitoredResource"]["labels"]["host"]
            if check["displayName"] == title and host == url.hostname:
                return _id(check)

        monitored = {
            "type": "uptime_url",
            "labels": {"project_id": self.google.project, "host": url.hostname},
        }
        http = {
            "path": f"{url.path}/health",
            "port": url.port or 443,
            "useSsl": True,
            "validateSsl": True,
        }
        check = {
            "displayName": title,
            "userLabels": LABELS,
            "monitoredResource": monitored,
            "httpCheck": http,
            "period": "300s",
            "timeout": "30s",  # a cold start, too
        }
        return _id(
            self.google(
                "POST",
                f"{self.monitoring}/uptimeCheckConfigs",
                check,
            ),
        )

    def _subscriptions(self) -> Iterator[str]:
        """Yields the names of the subscriptions by which Eventarc delivers events to our functions."""
        for function in self.deployment.functions.values():
            name = function.get("eventTrigger", {}).get("trigger")
            if name:
                trigger = self.google("GET", f"eventarc/v1/{name}")
                yield trigger["transport"]["pubsub"]["subscription"]

    def _change(self, subscription: str, policy: JSON) -> None:
        body = {"subscription": {"name": subscription, **policy}, "updateMask": "deadLetterPolicy"}
        self.google("PATCH", f"pubsub/v1/{subscription}", body)

    def bury_undelivered(self) -> None:
        """Sends events that no function took to a topic.

        Events hold the note as it was written, so they are kept for a day and in the region.
        """
        google = self.google
        topic = self.dead_topic.partition("/v1/")[2]
        if not google.found(self.dead_topic):
            storage = {"allowedPersistenceRegions": [self.deployment.region]}
            google(
                "PUT",
                self.dead_topic,
                {"labels": LABELS, "messageStoragePolicy": storage},
            )

        if not google.found(self.dead_subscription):
            subscription = {
                "topic": topic,
                "labels": LABELS,
                "messageRetentionDuration": TABLE["deadLetters"]["kept"],
                "expirationPolicy": {},
            }
            google("PUT", self.dead_subscription, subscription)

        agent = self._pubsub_agent()
        patiently(
            "does not exist",
            lambda: google.grant(self.dead_topic, "roles/pubsub.publisher", agent),
        )
        policy = {"deadLetterTopic": topic, "maxDeliveryAttempts": ATTEMPTS}
        for name in self._subscriptions():
            google.grant(
                f"pubsub/v1/{name}",
                "roles/pubsub.subscriber",
                agent,
            )
            self._change(name, {"deadLetterPolicy": policy})

    def _pubsub_agent(self) -> str:
        """Returns the account by which Pub/Sub moves events, which is made if need be."""
        google = self.google
        service = f"serviceusage/v1beta1/{google.name}/services/pubsub.googleapis.com"
        operation = google("POST", f"{service}:generateServiceIdentity", {})
        google.done("serviceusage/v1", operation)
        project = google("GET", f"cloudresourcemanager/v1/{google.name}")
        number = project["projectNumber"]
        return f"serviceAccount:service-{number}@gcp-sa-pubsub.iam.gserviceaccount.com"

    def _remove_dashboards(self) -> None:
        address = f"monitoring/v1/{self.google.name}/dashboards"
        dashboards = list(self.google.items(address, "dashboards"))
        for dashboard in dashboards:
            labels = dashboard.get("labels", {})
            if "aurora-notes" in labels:
                self.google("DELETE", f"monitoring/v1/{dashboard['name']}")

    def _make_dashboard(self) -> None:
        self._remove_dashboards()
        ((_, dashboard),) = self._files(".")
        self.google(
            "POST",
            f"monitoring/v1/{self.google.name}/dashboards",
            dashboard,
        )

    def _channel(self, email: str) -> str:
        """Returns the name of the channel that mails to the address, which is made if need be."""
        address = f"{self.monitoring}/notificationChannels"
        for channel in self.google.items(address, "notificationChannels"):
            if channel["type"] == "email" and channel["labels"].get("email_address") == email:
                return str(channel["name"])

        channel = {
            "type": "email",
            "displayName": "Aurora Notes",
            "labels": {"email_address": email},
        }
        return str(self.google("POST", address, channel)["name"])

    def _make_alerts(self, channel: str, checks: list[str]) -> None:
        """Makes the alerts that are missing, and brings channel and text of the others up to date.

        An existing alert keeps its threshold, which somebody may have changed, unless the uptime
        checks that it watches are gone: then it is made again.
        """
        existing = {alert["displayName"]: alert for alert in self._ours("alertPolicies")}
        quoted_checks = [f'"{check}"' for check in checks]
        policies = self._files("alerts", CHECKS=", ".join(quoted_checks))
        for _, policy in policies:
            alert = existing.get(policy["displayName"])
            watches_uptime = "uptime_url" in str(policy)
            if alert and watches_uptime and not _watches(alert, checks):
                self.google("DELETE", f"monitoring/v3/{alert['name']}")
                alert = None
            if alert:
                self._update_alert(alert, policy, channel)
            else:
                self._make_alert({**policy, "notificationChannels": [channel]})

    def _update_alert(self, alert: JSON, policy: JSON, channel: str) -> None:
        channels = list(alert.get("notificationChannels", ()))
        if channel not in channels:
            channels.append(channel)
        changes = {
            "notificationChannels": channels,
            "documentation": policy["documentation"],
        }
        mask = ",".join(changes)
        self.google(
            "PATCH",
            f"monitoring/v3/{alert['name']}?updateMask={mask}",
            changes,
        )

    def _make_alert(self, alert: JSON) -> None:
        address = f"{self.monitoring}/alertPolicies"
        patiently("Cannot find metric", lambda: self.google("POST", address, alert))


def _id(resource: JSON) -> str:
    """Returns the last part of a resource's name."""
    return str(resource["name"]).rpartition("/")[2]


def _watches(alert: JSON, checks: list[str]) -> bool:
    """Reports whether an alert watches all these uptime checks, whose ids stand quoted in its filters."""
    filters = ""
    for condition in alert["conditions"]:
        threshold = condition.get("conditionThreshold", {})
        filters += threshold.get("filter", "")

    return all(f'"{check}"' in filters for check in checks)


def patiently(words: str, call: Callable[[], Any]) -> None:
    """Calls again while Google answers with these words.

    It may take ten minutes until Google knows everywhere what was just made.
    """
    for seconds in (2, 10, 30, 60, 120, 180, 180):
        try:
            call()
        except Refused as refused:
            if words not in refused.said:
                raise
            tell(
                f"- What was just made is not known everywhere at Google yet; trying again in {seconds} s",
            )
            pause(seconds)
        else:
            return

    call()


def main(options: argparse.Namespace) -> None:
    """Raises Refused and Stop."""
    google = Google(options.project)
    by_prefix = look.deployments(google)
    prefix = look.prefix_of(by_prefix, options.function_prefix)
    deployment = by_prefix.get(prefix)
    if options.remove:
        if deployment is None:  # the functions went first; what watched them has their prefix
            deployment = Deployment(google, prefix, "", Database(google, ""))
        Monitored(deployment).remove()
    elif deployment is None:
        raise Stop(f"Nothing of ours is deployed in {options.project}: deploy/up.sh first.")
    elif options.events:
        Monitored(deployment).bury_undelivered()
    else:
        Monitored(deployment).make(options.email)


if __name__ == "__main__":
    parser = Parser(prog="deploy/monitor.sh")
    parser.add_project()
    parser.add_argument(
        "email",
        metavar="EMAIL",
        nargs="?",
        type=matching(r"[^@\s]+@[^@\s]+"),
        help="who is told",
    )
    parser.add_argument(
        "--remove",
        action="store_true",
        help="take everything away instead",
    )
    parser.add_argument(
        "--events",
        action="store_true",
        help="only send events that no function took to their topic; deploy/terraform makes the rest",
    )
    parser.add_prefix()
    options = parser.parse_args()
    if [bool(options.email), options.remove, options.events].count(True) != 1:
        parser.error("expected EMAIL, --remove or --events")
    try:
        main(options)
    except (Refused, Stop) as stop:
        sys.exit(str(stop))

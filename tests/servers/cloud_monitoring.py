"""Google's Logging and Monitoring as far as the files of deploy/monitoring go: log entries -> metrics -> alerts.

    watched = Monitoring()
    watched.entry(3, "on-note-write", jsonPayload={"message": "…"})   # minute, function, what it wrote
    watched.point(3, "run.googleapis.com/request_count", 1, service_name="chat", response_code_class="5xx")
    watched.firing(4)                                                # names of the alerts that have fired by then

Written after the references of the logging query language, of monitoring filters and of alert policies; any clause,
aligner or PromQL expression that is not used there raises an error.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import promql_parser as promql

FOLDER = Path(__file__).parents[2] / "deploy/monitoring"
JSON = dict[str, Any]
CHECKS = ("check-chat", "check-api")
OURS = "logging.googleapis.com/user/"


def contents(folder: str) -> dict[str, JSON]:
    """Name -> each file, for functions without a prefix."""
    replacements = {
        "%PREFIX%": "",
        "%CHECKS%": json.dumps(", ".join(f'"{check}"' for check in CHECKS))[1:-1],
    }
    definitions = {}
    for file in sorted((FOLDER / folder).glob("*.json")):
        text = file.read_text(encoding="utf-8")
        for name, value in replacements.items():
            text = text.replace(name, value)
        definitions[file.stem] = json.loads(text)
    return definitions


@dataclass(frozen=True, slots=True)
class Point:
    metric: str
    minute: float
    value: float
    labels: Mapping[str, str]


class Monitoring:
    """A project with all our metrics and alerts, and nothing else."""

    def __init__(self) -> None:
        self.metrics = contents("metrics")
        self.alerts = contents("alerts")
        self.points: list[Point] = []

    def entry(self, minute: float, function: str, **written: object) -> None:
        """A log entry of a function: its `jsonPayload`, or Cloud Run's own `textPayload` with a `logName`."""
        entry = {
            "resource": {"type": "cloud_run_revision", "labels": {"service_name": function}},
            **written,
        }
        for name, metric in self.metrics.items():
            if not all(_matches(entry, clause) for clause in metric["filter"].split(" AND ")):
                continue
            labels = {
                label: str(_field(entry, _extracted(path)) or "")
                for label, path in metric.get("labelExtractors", {}).items()
            }
            value = (
                _field(entry, _extracted(metric["valueExtractor"]))
                if "valueExtractor" in metric
                else 1
            )
            if isinstance(value, int | float):
                self.point(
                    minute,
                    OURS + name,
                    value,
                    resource="cloud_run_revision",
                    service_name=function,
                    **labels,
                )

    def point(self, minute: float, metric: str, value: float, **labels: str) -> None:
        self.points.append(Point(metric, minute, value, labels))

    def firing(self, minute: float) -> set[str]:
        """The alerts whose condition has held for its duration until now."""
        return {
            name
            for name, policy in self.alerts.items()
            if any(self._fires(condition, minute) for condition in policy["conditions"])
        }

    def _fires(self, condition: JSON, minute: float) -> bool:
        ((_, threshold),) = (
            (kind, content) for kind, content in condition.items() if kind.startswith("condition")
        )
        minutes = range(int(minute - _minutes(threshold["duration"])), int(minute) + 1)
        if "query" in threshold:
            expression = promql.parse(threshold["query"])
            return all(self._promql(expression, minute_of_span) for minute_of_span in minutes)
        assert threshold["comparison"] == "COMPARISON_GT"
        return all(
            any(
                value > threshold["thresholdValue"]
                for value in self._series(threshold, minute_of_span)
            )
            for minute_of_span in minutes
        )

    def _series(self, said: JSON, minute: float) -> Iterable[float]:
        above = self._aligned(said["filter"], said["aggregations"][0], minute)
        if "denominatorFilter" not in said:
            return above.values()
        below = self._aligned(said["denominatorFilter"], said["denominatorAggregations"][0], minute)
        return [value / below[key] for key, value in above.items() if below.get(key)]

    def _aligned(self, filtered: str, said: JSON, minute: float) -> dict[tuple[str, ...], float]:
        period = _minutes(said["alignmentPeriod"])
        by = [label.split(".")[-1] for label in said.get("groupByFields", ())]
        series: dict[tuple[tuple[str, str], ...], list[float]] = defaultdict(list)
        for point in self.points:
            if minute - period < point.minute <= minute and _selects(filtered, point):
                series[tuple(sorted(point.labels.items()))].append(point.value)
        groups: dict[tuple[str, ...], list[float]] = defaultdict(list)
        for labels, values in series.items():
            groups[tuple(dict(labels)[label] for label in by)].append(
                _align(said["perSeriesAligner"], values)
            )
        return {key: _reduce(said["crossSeriesReducer"], values) for key, values in groups.items()}

    def _promql(self, asked: Any, minute: float) -> list[float]:  # noqa: ANN401 - the parser's classes share no base
        """An instant vector without labels; empty: no data."""
        match asked:
            case promql.NumberLiteral():
                samples = [asked.val]
            case promql.ParenExpr():
                samples = self._promql(asked.expr, minute)
            case promql.BinaryExpr() if str(asked.op) == "or":
                samples = self._promql(asked.lhs, minute) or self._promql(asked.rhs, minute)
            case promql.BinaryExpr():
                compare = {"<": float.__lt__, ">": float.__gt__}[str(asked.op)]
                (limit,) = self._promql(asked.rhs, minute)
                samples = [
                    sample
                    for sample in self._promql(asked.lhs, minute)
                    if compare(float(sample), float(limit))
                ]
            case promql.AggregateExpr() if str(asked.op) == "sum":
                summed = self._promql(asked.expr, minute)
                samples = [math.fsum(summed)] if summed else []
            case promql.Call() if asked.func.name == "vector":
                samples = self._promql(asked.args[0], minute)
            case promql.Call() if asked.func.name == "increase":
                samples = self._increase(asked.args[0], minute)
            case _:
                raise ValueError(asked)
        return samples

    def _increase(self, matrix: Any, minute: float) -> list[float]:  # noqa: ANN401 - as above
        service, _, rest = matrix.vector_selector.name.partition(":")
        assert service == "logging_googleapis_com"
        name, _, part = rest.removeprefix("user_").rpartition("_")
        assert self.metrics[name]["metricDescriptor"]["valueType"] == "DISTRIBUTION"
        since = minute - matrix.range.total_seconds() / 60
        values = [
            point.value
            for point in self.points
            if point.metric == OURS + name and since < point.minute <= minute
        ]
        return [{"sum": math.fsum(values), "count": float(len(values))}[part]] if values else []


def _field(entry: object, path: str) -> object:
    for name in path.split("."):
        entry = entry.get(name) if isinstance(entry, dict) else None
    return entry


def _extracted(call: str) -> str:
    extract = re.fullmatch(r"EXTRACT\((.*)\)", call)
    assert extract, call
    return extract[1]


def _matches(entry: JSON, clause: str) -> bool:
    """A clause of Logging's query language."""
    parts = re.fullmatch(r'([\w.]+)(=~|=|:)(\*|"[^"]*"|\(.*\))', clause)
    assert parts, clause
    path, operator, operand = parts.groups()
    value = _field(entry, path)
    if operator == ":" and operand == "*":
        return value is not None
    words = [json.loads(quoted) for quoted in re.findall(r'"[^"]*"', operand)]
    if operator == "=~":
        return re.search(words[0], str(value or "")) is not None
    return any(word in str(value or "") if operator == ":" else word == value for word in words)


def _selects(filtered: str, point: Point) -> bool:
    """Tell whether a monitoring filter selects the point."""
    fields = {**point.labels, "type": point.metric}
    for clause in filtered.split(" AND "):
        path, operator, operand = clause.split(" ", 2)
        words = re.findall(r'"([^"]*)"', operand)
        if path == "resource.type":
            continue
        value = fields.get(path.rpartition(".")[2], "")
        assert operator in ("=", "!="), clause
        if (value in words) is not (operator == "="):
            return False
    return True


def _align(aligner: str, values: list[float]) -> float:
    match aligner:
        case "ALIGN_DELTA" | "ALIGN_RATE":  # of rates only quotients are used
            return math.fsum(values)
        case (
            "ALIGN_MAX" | "ALIGN_PERCENTILE_99" | "ALIGN_PERCENTILE_95"
        ):  # of fewer than twenty values
            return max(values)
        case "ALIGN_NEXT_OLDER":
            return values[-1]
    raise ValueError(aligner)


def _reduce(reducer: str, values: list[float]) -> float:
    match reducer:
        case "REDUCE_SUM":
            return math.fsum(values)
        case "REDUCE_MAX":
            return max(values)
        case "REDUCE_COUNT_FALSE":
            return float(sum(not value for value in values))
    raise ValueError(reducer)


def _minutes(duration: str) -> float:
    return float(duration.removesuffix("s")) / 60


SEVERITIES = ("DEFAULT", "DEBUG", "INFO", "NOTICE", "WARNING", "ERROR", "CRITICAL")


def is_selected(entry: JSON, query: str) -> bool:
    """Tell whether a query of the Logs Explorer selects the entry: clauses joined by AND, or by OR; NOT before one."""
    if " OR " in query and "(" not in query:
        return any(is_selected(entry, part) for part in query.split(" OR "))
    return all(_is_met(entry, clause) for clause in query.split(" AND "))


def _is_met(entry: JSON, clause: str) -> bool:
    if clause.startswith("NOT "):
        return not _is_met(entry, clause.removeprefix("NOT "))
    compared = re.fullmatch(r"([\w.]+)(>=|>|<=|<)([\w.-]+)", clause)
    if compared is None:
        return _matches(entry, clause)
    path, operator, limit = compared.groups()
    value = _field(entry, path)
    if path == "severity":
        return _compared(SEVERITIES.index(str(value)), operator, SEVERITIES.index(limit))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return _compared(value, operator, float(limit))


def _compared(value: float, operator: str, limit: float) -> bool:
    match operator:
        case ">":
            return value > limit
        case ">=":
            return value >= limit
        case "<":
            return value < limit
    return value <= limit

"""Every query to the log that docs/operate.md names selects lines that the functions really write."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from shared.account.budgets import ProjectBudget
from shared.errors import ModelUnavailable, StoreUnavailable
from tests.fakes import HashingEmbedder, ScriptedWriter
from tests.functions.world import Lines, World
from tests.servers.cloud_monitoring import is_selected

PAGE = (Path(__file__).parents[2] / "docs/operate.md").read_text(encoding="utf-8")
QUESTION = {"message": "Which colour is the boat?"}
ASKED = "r-1"
"""The id of a request, for which the page writes `…`."""
OUT_OF_MEMORY = {
    "logName": "projects/p/logs/run.googleapis.com%2Fvarlog%2Fsystem",
    "textPayload": "Memory limit of 512 MiB exceeded with 530 MiB used. Consider increasing it.",
}
"""Cloud Run's own line."""
THRESHOLD = re.compile(
    r"(jsonPayload\.(?:timingsMs\.\w+|usd|reconcile\.failed|reconcile\.indexed))>[\d.]+"
)
"""Fields that are numbers in every such line, whatever a test's notes and clock make of them."""


def queries() -> list[str]:
    section = PAGE[PAGE.index("## Questions to the log") :]
    (block,) = re.findall(r"```\n(.*?)```", section, re.DOTALL)[:1]
    explained = [re.split(r" {2,}", line)[0] for line in block.splitlines()]
    commands = re.findall(r"gcloud logging read '([^']*)'", PAGE)
    return sorted({*explained, *commands})


@pytest.fixture
def entries(
    world: World, lines: Lines, embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> list[dict[str, Any]]:
    """Log entries of an hour in which everything happens that the page asks about."""
    entries: list[dict[str, Any]] = [_entry("on-note-write", **OUT_OF_MEMORY)]

    def take(function: str) -> None:
        entries.extend(_entry(function, jsonPayload=json.loads(text)) for text in lines.texts)
        lines.texts.clear()

    budget = ProjectBudget(world.app.store, world.clock, usd=1000.0)
    world.plug(project_budget=budget, embedded_token_usd=0.01)
    world.save("boat", title="Boat", text="The boat is blue.")
    take("on-note-write")
    world.plug(writer=ScriptedWriter("It is blue [N1].", "It is blue [N1] [N7]."))
    for _ in range(2):
        world.call("chat", "POST", "/chat", QUESTION, headers={"X-Request-Id": ASKED})
    world.call("chat", "POST", "/chat", {**QUESTION, "threshold": 1})
    world.plug(writer=ScriptedWriter(ModelUnavailable("away")))
    world.call("chat", "POST", "/chat", QUESTION)
    take("chat")
    embedder.outage = ModelUnavailable("away")
    world.put("harbour", title="Harbour", text="The harbour is deep.")
    take("api")
    world.call("reconcile", "POST", "/", {})
    world.clock.forward(minutes=10)
    world.call("reconcile", "POST", "/", {})
    take("reconcile")
    monkeypatch.setattr("shared.indexing.pipeline.Indexer.index", _unavailable)
    world.written("tenants/alice/notes/harbour")
    world.written("tenants/alice/notes/harbour", b"", **{"ce-time": "2020-01-01T00:00:00Z"})
    take("on-note-write")
    world.plug(store=_Away())
    world.call("reconcile", "POST", "/", {})
    take("reconcile")
    return entries


def _entry(function: str, **written: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Turn a line into Cloud Logging's entry: `severity` moves to the entry."""
    payload = written.get("jsonPayload", {})
    resource = {"type": "cloud_run_revision", "labels": {"service_name": function}}
    return {
        "resource": resource,
        "severity": payload.pop("severity", "DEFAULT"),
        **written,
    }


def _unavailable(*_: object, **__: object) -> object:
    raise StoreUnavailable("away")


class _Away:
    """A store that answers nothing."""

    bills_reads = False

    def __getattr__(self, name: str) -> object:
        return _unavailable


def test_every_query_selects_lines_that_functions_write(entries: list[dict[str, Any]]) -> None:
    without_limits = {
        query: THRESHOLD.sub(r"\1>-1", query.replace("…", ASKED)) for query in queries()
    }
    selected = {
        query: [entry for entry in entries if is_selected(entry, filter_text)]
        for query, filter_text in without_limits.items()
    }
    assert [query for query, matches in selected.items() if not matches] == []
    assert [query for query, matches in selected.items() if len(matches) == len(entries)] == []


def test_a_question_is_logged_as_chat_and_other_roots_by_their_function(
    world: World, lines: Lines
) -> None:
    world.call("chat", "POST", "/chat", QUESTION)
    world.call("chat", "POST", "/", QUESTION)
    world.call("api", "GET", "/")
    world.call("reconcile", "POST", "/", {})
    routes = [line["route"] for line in lines.requests()]
    assert routes == ["/chat", "/chat", "/api", "/reconcile"]

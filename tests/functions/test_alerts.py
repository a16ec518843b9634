"""Each alert of deploy/monitoring fires for what the functions write when that goes wrong, and for nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from shared.account.budgets import ProjectBudget
from shared.account.index_writes import IndexPrices
from shared.errors import ModelUnavailable, StoreUnavailable
from shared.settings import Settings
from shared.sweep.reconcile import PAGE
from tests.fakes import HashingEmbedder, ScriptedWriter
from tests.functions.world import Lines, World
from tests.servers.cloud_monitoring import CHECKS, Monitoring

REQUESTS = "run.googleapis.com/request_count"
LATENCIES = "run.googleapis.com/request_latencies"
PASSED = "monitoring.googleapis.com/uptime_check/check_passed"
UNDELIVERED = "pubsub.googleapis.com/subscription/num_undelivered_messages"
WRITES = "firestore.googleapis.com/document/write_count"
SYSTEM = "projects/p/logs/run.googleapis.com%2Fvarlog%2Fsystem"
QUESTION = {"message": "Which colour is the boat?"}


class Watched:
    """The functions on a clock of minutes, and what watches them."""

    def __init__(self, world: World, lines: Lines) -> None:
        self.world = world
        self.lines = lines
        self.monitoring = Monitoring()

    def at(self, minute: float, function: str, happens: Callable[[], object]) -> None:
        """Call `happens` in a minute and record every line that the function writes."""
        self.lines.texts.clear()
        happens()
        for text in self.lines.texts:
            self.monitoring.entry(minute, function, jsonPayload=json.loads(text))

    def sweep(self, minute: float) -> None:
        self.at(minute, "reconcile", lambda: self.world.call("reconcile", "POST", "/", {}))

    def ask(self, minute: float) -> None:
        self.at(minute, "chat", lambda: self.world.call("chat", "POST", "/chat", QUESTION))

    def requests(
        self, service: str, statuses: str, minutes: int = 30, metric: str = REQUESTS
    ) -> None:
        for minute in range(1, minutes + 1):
            for word in statuses.split():
                value = float(word) if metric == LATENCIES else 1
                self.monitoring.point(
                    minute, metric, value, service_name=service, response_code_class=word
                )

    def firing(self, minute: float) -> set[str]:
        """Beside the silence of the sweep, which most tests do not run."""
        return self.monitoring.firing(minute) - {"no-sweep"}


@pytest.fixture
def watched(world: World, lines: Lines) -> Watched:
    world.save("boat", title="Boat", text="The boat is blue.")
    world.plug(writer=ScriptedWriter("It is blue [N1]."))
    return Watched(world, lines)


def test_a_quiet_day_fires_nothing(watched: Watched) -> None:
    for minute in range(5, 125, 5):
        watched.sweep(minute)
        watched.ask(minute)
    for service in ("chat", "api", "on-note-write", "reconcile"):
        watched.requests(service, "2xx 2xx 2xx 4xx")
    watched.requests("chat", "900 2000", metric=LATENCIES)
    for check in CHECKS:
        watched.monitoring.point(120, PASSED, 1, check_id=check, checker_location="eur")
    watched.monitoring.point(120, UNDELIVERED, 0, subscription_id="aurora-dead-letters")
    assert [watched.monitoring.firing(minute) for minute in (31, 90, 121)] == [
        set(),
        set(),
        set(),
    ]


def test_sweeps_that_stop_or_fail_are_told_within_half_an_hour(watched: Watched) -> None:
    for minute in range(5, 65, 5):
        watched.sweep(minute)
    assert watched.monitoring.firing(75) == set()
    watched.world.plug(store=_Away())
    watched.sweep(65)
    assert any('"status": 50' in text for text in watched.lines.texts), "the call failed"
    assert watched.monitoring.firing(91) == {"no-sweep"}


def test_a_schedule_that_never_began_is_told(watched: Watched) -> None:
    assert watched.monitoring.firing(10) == {"no-sweep"}, (
        "with no data at all, since before it was made"
    )


class _Away:
    """A store that answers nothing."""

    bills_reads = False

    def __getattr__(self, name: str) -> Callable[..., object]:
        def refuse(*_: object, **__: object) -> object:
            raise StoreUnavailable(f"{name} is away")

        return refuse


@pytest.mark.parametrize("service", ["on-note-write", "on-template-write", "reconcile"])
def test_events_and_sweeps_that_end_with_errors_are_told(watched: Watched, service: str) -> None:
    watched.requests(service, "2xx 5xx")
    assert watched.firing(30) == {"background-errors"}
    assert watched.firing(60) == set(), "it is over"


def test_requests_that_fail_are_told(watched: Watched) -> None:
    watched.requests("api", "2xx 2xx 5xx")
    watched.requests("somebody-elses", "5xx 5xx 5xx")
    assert watched.firing(30) == {"errors"}


def test_slow_answers_are_told(watched: Watched) -> None:
    watched.requests("chat", "900 12000", metric=LATENCIES)
    assert watched.firing(30) == {"slow"}


def test_an_instance_that_ran_out_of_memory_is_told(watched: Watched) -> None:
    """Cloud Run writes the line; that of another service in the project is not ours."""
    message = (
        "Memory limit of 512 MiB exceeded with 530 MiB used. Consider increasing the memory limit."
    )
    watched.monitoring.entry(1, "somebody-elses", logName=SYSTEM, textPayload=message)
    assert watched.firing(2) == set()
    watched.monitoring.entry(3, "on-note-write", logName=SYSTEM, textPayload=message)
    assert watched.firing(4) == {"out-of-memory"}


def test_an_event_that_its_function_gave_up_is_told(
    watched: Watched, embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.world.put("harbour", title="Harbour", text="The harbour is deep.")
    embedder.outage = ModelUnavailable("away")
    monkeypatch.setattr("shared.indexing.pipeline.Indexer.index", _unavailable)
    an_hour_ago = (datetime.now(UTC) - timedelta(minutes=61)).isoformat()
    deliver = watched.world.written
    watched.at(1, "on-note-write", lambda: deliver("tenants/alice/notes/harbour"))
    assert watched.firing(2) == set(), "it comes again"
    watched.at(
        3,
        "on-note-write",
        lambda: deliver("tenants/alice/notes/harbour", b"", **{"ce-time": an_hour_ago}),
    )
    assert watched.firing(4) == {"given-up"}


def _unavailable(*_: object) -> object:
    raise StoreUnavailable("away")


def test_an_event_that_never_came_to_its_function_is_told(watched: Watched) -> None:
    watched.monitoring.point(2, UNDELIVERED, 1, subscription_id="aurora-dead-letters")
    watched.monitoring.point(2, UNDELIVERED, 40, subscription_id="another-app")
    assert watched.firing(2) == {"dead-letters"}


def test_a_function_that_does_not_answer_from_two_places_is_told(watched: Watched) -> None:
    for place, passed in (("eur", 0), ("usa", 1), ("asia", 1)):
        watched.monitoring.point(5, PASSED, passed, check_id=CHECKS[0], checker_location=place)
    assert watched.firing(5) == set(), "one place alone may be cut off itself"
    watched.monitoring.point(6, PASSED, 0, check_id=CHECKS[0], checker_location="usa")
    assert watched.firing(6) == {"down"}


def test_saved_notes_count_as_spending_beside_answers(watched: Watched) -> None:
    """A USD each word, so that ten are too many."""
    world = watched.world
    world.plug(embedded_token_usd=1.0, settings=Settings(home=world.app.settings.home, auth="none"))
    watched.ask(1)
    usd = json.loads(watched.lines.texts[-1])["usd"]
    assert usd > 0, "the question is embedded"
    assert "spend" not in watched.firing(2)
    world.put(
        "harbour", title="Harbour", text="The harbour is deep enough for ships of every kind. " * 3
    )
    watched.at(3, "on-note-write", lambda: world.written("tenants/alice/notes/harbour"))
    assert watched.firing(4) == {"spend"}
    assert watched.firing(3 + 24 * 60) == set()


def test_writes_of_the_index_count_as_spending(watched: Watched) -> None:
    """A USD each document, of which a note of twenty paragraphs is more than ten."""
    world = watched.world
    world.plug(index_prices=IndexPrices(write=1.0))
    text = "\n\n".join(f"Harbour {number} is deep. " * 60 for number in range(20))
    world.put("harbour", title="Harbour", text=text)
    watched.at(3, "on-note-write", lambda: world.written("tenants/alice/notes/harbour"))
    assert watched.firing(4) == {"spend"}


def test_a_database_that_is_written_too_much_is_told(watched: Watched) -> None:
    for minute in range(60):
        watched.monitoring.point(minute, WRITES, 8_000, op="CREATE")
    assert watched.firing(59) == set()
    watched.monitoring.point(60, WRITES, 30_000, op="UPDATE")
    assert watched.firing(60) == {"database-writes"}


def test_embeddings_of_a_sweep_are_counted_too(watched: Watched) -> None:
    world = watched.world
    budget = ProjectBudget(world.app.store, world.clock, usd=100.0)
    world.plug(embedded_token_usd=1.0, project_budget=budget)
    world.put(
        "harbour", title="Harbour", text="The harbour is deep enough for ships of every kind. " * 3
    )
    watched.sweep(1)
    assert watched.firing(2) == {"spend"}


def test_answers_that_quote_because_the_model_is_away_are_told(watched: Watched) -> None:
    watched.world.plug(writer=ScriptedWriter(*[ModelUnavailable("away")] * 40))
    for minute in range(1, 31):
        watched.ask(minute)
    assert watched.firing(30) == {"fallbacks"}


def test_questions_that_find_nothing_are_told(watched: Watched) -> None:
    for minute in range(1, 121, 10):
        nothing = {**QUESTION, "threshold": 1}
        watched.at(
            minute,
            "chat",
            lambda asked=nothing: watched.world.call("chat", "POST", "/chat", asked),  # type: ignore[misc]
        )
    assert watched.firing(120) == {"refusals"}


def test_notes_that_fail_and_notes_that_wait_are_told(
    watched: Watched, embedder: HashingEmbedder
) -> None:
    """While the embedder is unavailable, a sweep looks at a page of those that wait: their alert must ask for less."""
    embedder.outage = ModelUnavailable("away")
    for number in range(PAGE):
        watched.world.put(f"n{number}", title="Boat", text=f"Boat {number} is blue.")
    for minute in range(5, 125, 5):
        watched.world.clock.forward(minutes=5)
        watched.sweep(minute)
    assert "pending-notes" in watched.firing(120)
    line = json.loads(watched.lines.texts[-1])["reconcile"]
    failed = {**line, "failed": 1}
    watched.monitoring.entry(121, "reconcile", jsonPayload={"reconcile": failed})
    assert "failed-notes" in watched.firing(121)


def test_every_alert_is_made_to_fire_here() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in Monitoring().alerts if f'"{name}"' not in source] == []

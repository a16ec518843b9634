"""Events: whatever arrives, the index follows the note, and only what may pass with time comes again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import pytest
from cloudevents.http import CloudEvent

from functions.http.events import handling
from shared.account.budgets import ProjectBudget
from shared.account.prices import READ
from shared.errors import AuroraError, ModelMisconfigured, ModelRefused, ModelUnavailable
from shared.indexing.records import claimed
from shared.model.account import PROJECT, Spending
from shared.model.index import IndexChange, IndexRecord, IndexStatus, Vector
from shared.model.notes import NoteKey
from shared.tracing import add_reads
from tests.fakes import HashingEmbedder
from tests.functions.world import START, World

AN_HOUR_AGO = (datetime.now(UTC) - timedelta(minutes=61)).isoformat()


def _status(world: World, note_id: str = "n1") -> IndexStatus | None:
    record: IndexRecord | None = world.app.store.read_record("alice", note_id).record
    return record.status if record else None


def test_the_same_event_again_embeds_nothing(world: World, embedder: HashingEmbedder) -> None:
    world.save("n1", title="Boat", text="blue")
    embedded_before = embedder.embedded.copy()
    assert world.written("tenants/alice/notes/n1").status_code == 200
    assert embedder.embedded == embedded_before


EMULATOR = {
    "ce-source": "//firestore.googleapis.com/projects/projects/demo-x/databases/(default)",
    "ce-subject": "documents/tenants/alice/notes/n1",
    "ce-time": "2026-11-21T13:51:53Z",
    "ce-datacontenttype": "application/protobuf",
}
SUBJECT_ALONE = {"ce-document": "", "ce-subject": "documents/tenants/alice/notes/n1"}


@pytest.mark.parametrize(
    ("data", "headers"),
    [
        (b"", {}),
        (b"\x00\xff\x1a", {}),
        (b"{", {}),
        (b"CmwKQXByb2plY3RzL2RlbW8t", EMULATOR),
        (b"", SUBJECT_ALONE),
    ],
    ids=["empty", "bytes", "broken", "emulator", "subject alone"],
)
def test_the_payload_does_not_matter_nor_where_the_path_stands(
    world: World, data: bytes, headers: dict[str, str]
) -> None:
    world.put("n1", title="Boat", text="blue")
    assert world.written("tenants/alice/notes/n1", data, **headers).status_code == 200
    assert _status(world) == IndexStatus.INDEXED


@pytest.mark.parametrize("note_id", ["ü b", "50%25", "a+b"])
def test_the_path_may_be_percent_encoded_or_not(world: World, note_id: str) -> None:
    for spelling in (
        quote(note_id),
        note_id.encode().decode("latin-1"),
    ):
        world.put(quote(note_id), title="Boat", text=spelling)
        assert world.written(f"tenants/alice/notes/{spelling}").status_code == 200
        assert world.json("GET", f"/notes/{quote(note_id)}:indexStatus")["current"]


@pytest.mark.parametrize(
    "headers",
    [
        {"ce-database": "other-db"},
        {"ce-source": "//firestore.googleapis.com/projects/p/databases/other-db"},
        {
            "ce-source": "//firestore.googleapis.com/projects/p/databases/%28default%29",
            "ce-database": "other-db",
        },
    ],
)
def test_an_event_of_another_database_is_acknowledged_and_nothing_else(
    world: World, headers: dict[str, str]
) -> None:
    world.put("n1", title="Boat", text="blue")
    assert world.written("tenants/alice/notes/n1", b"", **headers).status_code == 200
    assert _status(world) is None
    world.plug(settings=replace(world.app.settings, firestore_database="other-db"))
    assert world.written("tenants/alice/notes/n1", b"", **headers).status_code == 200
    assert _status(world) == IndexStatus.INDEXED


@pytest.mark.parametrize(
    "path",
    [
        "tenants/alice/chunks/n1_000",
        "tenants/alice/notes/n1/parts/p1",
        "users/alice",
        "",
        "tenants//notes/n1",
        "%%%",
    ],
)
def test_an_event_of_anything_else_is_acknowledged(
    world: World, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert world.written(path).status_code == 200
    assert "names no document of notes" in capsys.readouterr().err


def test_a_note_that_is_not_there_is_acknowledged(world: World) -> None:
    assert world.written("tenants/alice/notes/never").status_code == 200
    assert _status(world, "never") is None


@pytest.mark.parametrize(
    ("failure", "time", "status", "left"),
    [
        (ModelUnavailable("away"), "", 503, IndexStatus.PENDING),
        (ModelUnavailable("away"), "yesterday", 503, IndexStatus.PENDING),
        (
            ModelUnavailable("away"),
            "2020-01-01T00:00:00",
            503,
            IndexStatus.PENDING,
        ),  # no zone: nobody knows when
        pytest.param(
            ModelUnavailable("away"), AN_HOUR_AGO, 200, IndexStatus.PENDING, id="an hour ago"
        ),
        (ModelMisconfigured("bad key", advice="Replace it."), "", 200, IndexStatus.PENDING),
        (ModelRefused("blocked"), "", 200, IndexStatus.FAILED),
    ],
)
def test_an_event_comes_again_for_an_hour_where_that_may_help(
    world: World,
    embedder: HashingEmbedder,
    *,
    failure: AuroraError,
    time: str,
    status: int,
    left: IndexStatus,
) -> None:
    world.put("n1", title="Boat", text="blue")
    embedder.outage = failure
    assert world.written("tenants/alice/notes/n1", b"", **{"ce-time": time}).status_code == status
    assert _status(world) == left


def test_a_note_without_writes_left_is_acknowledged_and_its_status_says_so(world: World) -> None:
    world.plug(settings=replace(world.app.settings, daily_index_writes=100))
    day = world.clock().date()
    world.app.store.spend("alice", day, Spending.INDEX_WRITES, 100)
    world.put("n1", title="Boat", text="blue")
    assert world.written("tenants/alice/notes/n1").status_code == 200
    status = world.call("api", "GET", "/notes/n1:indexStatus").get_json()
    assert status["status"] == "pending_embeddings"
    assert status["current"] is False
    assert status["error"] == "today's 100 writes of the index are used up"
    coverage = world.call("api", "GET", "/index:coverage").get_json()
    assert coverage["pendingEmbeddings"] == 1
    assert coverage["missing"] == 0


def test_reads_of_an_event_count_for_the_project(world: World) -> None:
    budget = ProjectBudget(world.app.store, world.clock, usd=0.001)
    world.plug(project_budget=budget)
    with handling(CloudEvent({"type": "written", "source": "a test"}, b"")):
        add_reads(1_000)
    spent = world.app.store.spent(PROJECT, world.clock().date(), Spending.MICRO_USD)
    assert spent >= 1_000 * READ * 1e6


class _Broken(HashingEmbedder):
    """Has a bug that says what it was given."""

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        raise ZeroDivisionError(texts[0])


def test_a_bug_lets_the_event_come_again_and_is_logged_without_its_text(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.put("n1", title="Treasure", text="Under the oak.")
    world.plug(embedder=_Broken())
    assert world.written("tenants/alice/notes/n1").status_code == 500
    *_, line = capsys.readouterr().err.splitlines()
    log_line = json.loads(line)
    assert log_line["severity"] == "ERROR"
    assert log_line["noteId"] == "n1"
    assert log_line["exception"]["type"] == "ZeroDivisionError"
    assert "oak" not in line


def test_an_event_whose_hour_has_passed_is_acknowledged_and_the_note_says_why(
    world: World, embedder: HashingEmbedder
) -> None:
    world.put("n1", title="Treasure", text="Under the oak.")
    world.plug(embedder=_Broken())
    assert (
        world.written("tenants/alice/notes/n1", b"", **{"ce-time": AN_HOUR_AGO}).status_code == 200
    )
    state = world.json("GET", "/notes/n1:indexStatus")
    assert state["status"] == "failed"
    assert state["error"] == "unexpected error: ZeroDivisionError"
    world.plug(embedder=embedder)
    world.clock.forward(minutes=6)
    assert world.call("reconcile", "POST", "/", {}).status_code == 200
    assert _status(world) == IndexStatus.INDEXED


def test_while_another_worker_embeds_the_note_the_event_comes_again(world: World) -> None:
    world.put("n1", title="Boat", text="blue")
    record = IndexRecord(
        "other", IndexStatus.PENDING, 0, "other", START, lease_until=START + timedelta(minutes=1)
    )
    world.app.store.apply("alice", IndexChange("n1", expected=None, record=record))
    assert world.written("tenants/alice/notes/n1").status_code == 503
    world.clock.forward(minutes=2)
    assert world.written("tenants/alice/notes/n1").status_code == 200
    assert _status(world) == IndexStatus.INDEXED


@pytest.mark.parametrize("function", ["on_note_write", "on_template_write"])
@pytest.mark.parametrize(
    ("method", "kind", "data", "code"),
    [
        ("POST", "", b"", 415),
        ("POST", "application/json", b"{", 400),
        ("POST", "application/cloudevents+json", b"{", 400),
        ("POST", "application/cloudevents+json", b"\xff", 500),
        ("GET", "", b"", 405),
    ],
)
def test_a_request_that_is_no_event_gets_an_error_of_ours(
    world: World, function: str, *, method: str, kind: str, data: bytes, code: int
) -> None:
    client = world.clients[function]
    response = client.open(
        "/",
        method=method,
        content_type=kind or None,
        data=data,
    )
    assert response.status_code == response.get_json()["error"]["code"] == code
    assert response.get_json()["error"]["details"][0]["domain"] == "aurora-notes"
    assert ("Allow" in response.headers) == (code == 405)


def test_a_note_at_which_a_worker_died_is_left_to_the_sweep(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    """The event would come again for a day, and each time with other notes beside it."""
    world.put("n1", title="Boat", text="blue")
    state = world.app.indexer.state(NoteKey("alice", "n1"))
    record = claimed(None, state.work, now=world.clock())
    world.app.store.apply("alice", IndexChange("n1", expected=None, record=record))
    assert world.written("tenants/alice/notes/n1").status_code == 503
    world.clock.forward(minutes=2)
    assert world.written("tenants/alice/notes/n1").status_code == 200
    assert "a worker died at note 'n1': the sweep takes it" in capsys.readouterr().err
    assert _status(world) == IndexStatus.PENDING
    assert world.call("reconcile", "POST", "/", {}).status_code == 200
    assert _status(world) == IndexStatus.INDEXED

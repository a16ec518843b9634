"""Firestore refuses, is too busy, is away or says nothing: a question is answered by the legs that are left, no note is
lost, and no event comes again for ever.

A proxy before the emulator answers one kind of request in its stead, each kind in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event
from time import monotonic

import grpc  # type: ignore[import-untyped]
import pytest
from flask.testing import FlaskClient

from desktop.product.emulator import Emulator
from desktop.product.store import POLL_SECONDS, _poll, polling
from shared import bootstrap
from shared.adapters.firestore import FirestoreStore
from shared.adapters.firestore.connection import Connection
from tests.adapters.models.waiting import FakeClock
from tests.fakes import HashingEmbedder
from tests.functions.world import World, world_on
from tests.servers.firestore_proxy import Answer, Call, FirestoreProxy, Refuse, Silence

SHORT, LONG = 0.8, 60.0
"""Seconds that one request to Firestore may take: to be refused, and to be answered by a busy emulator."""
ANSWERS: dict[str, Answer] = {
    "missing index": Refuse(grpc.StatusCode.FAILED_PRECONDITION, "The query requires an index."),
    "exhausted": Refuse(grpc.StatusCode.RESOURCE_EXHAUSTED, "Quota exceeded."),
    "away": Refuse(grpc.StatusCode.UNAVAILABLE, "The service is currently unavailable."),
    "too late": Refuse(grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline exceeded."),
    "nothing": Silence(),
}
FINAL = "missing index"
"""Answer after which nobody asks again: other requests have their time beside it."""
HOURS_AGO = (datetime.now(UTC) - timedelta(hours=2)).isoformat()
SECRET = "sapphire"
QUESTIONS = {
    "/chat": {"message": "Which colour is the boat?"},
    "/search": {"query": "Which colour is the boat?"},
    "/ask": {"question": "Which colour is the boat?"},
}
LEGS = {
    "vector search": "vector",
    "postings": "keyword",
    "newest chunks": "recent",
    "counts": "keyword",
}
"""Kind of request -> the leg that does without it."""
NO_LEGS = ("chunks of a note", "newest record", "BatchGetDocuments", "Commit", "BatchWrite")
KINDS = (*LEGS, *NO_LEGS)
ALTERNATING = ("exhausted", "too late")
"""Answers that are tried again as `away` is: each kind of request gives one of the two."""


def kind_of(call: Call) -> str:
    """Name the purpose of the request."""
    if call.method == "RunAggregationQuery":
        return "counts"
    if call.method != "RunQuery":
        return call.method
    query = call.request.structured_query
    if query.HasField("find_nearest"):
        return "vector search"
    (source,) = query.from_
    if source.collection_id != "chunks":
        return "notes" if source.collection_id == "notes" else "newest record"
    if not query.order_by:
        return "chunks of a note"
    return "newest chunks" if query.order_by[0].field.field_path == "createdAt" else "postings"


def patience(answer: str) -> float:
    """Returns the seconds that one request may take where one kind is answered so."""
    return LONG if answer == FINAL else SHORT


def giving(answer: str, kinds: Sequence[str]) -> Sequence[str]:
    """Returns those of the kinds of request that are tested with the answer."""
    if answer in ALTERNATING:
        return kinds[ALTERNATING.index(answer) :: len(ALTERNATING)]
    return kinds


def only(kind: str, answer: Answer) -> Callable[[Call], Answer | None]:
    return lambda call: answer if kind_of(call) == kind else None


@pytest.fixture
def proxy(
    emulator: Emulator, firestore_project: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FirestoreProxy]:
    assert firestore_project
    with FirestoreProxy(emulator.host) as proxy:
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", proxy.host)
        yield proxy


NewInstance = Callable[[float], World]


@pytest.fixture
def new_instance(
    proxy: FirestoreProxy,
    firestore_project: str,
    tmp_path: Path,
    clients: dict[str, FlaskClient],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[NewInstance]:
    """From now on the functions run in a new instance, which knows nothing yet. Two notes are there."""
    assert proxy.host
    with ExitStack() as stack:

        def made(seconds: float) -> World:
            store = FirestoreStore(firestore_project, read_seconds=seconds, write_seconds=seconds)
            world = stack.enter_context(world_on(store, tmp_path, clients, HashingEmbedder()))
            monkeypatch.setattr(bootstrap, "_process", [world.app])
            return world

        world = made(LONG)
        world.save("boat", title="Boat", text=f"The boat is blue, {SECRET} blue.")
        world.save("car", title="Car", text="The car is red.")
        yield made


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_question_is_answered_by_the_legs_that_are_left(
    new_instance: NewInstance,
    proxy: FirestoreProxy,
    answer: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for kind in giving(answer, tuple(LEGS)):
        leg = LEGS[kind]
        proxy.rules = (only(kind, ANSWERS[answer]),)
        response = new_instance(patience(answer)).call("chat", "POST", "/", QUESTIONS["/chat"])
        assert response.status_code == 200, (kind, response.text)
        body = response.get_json()
        assert "blue" in body["answer"], kind
        silent = {leg["leg"]: leg["reason"] for leg in body["meta"]["retrieval"]["failedLegs"]}
        assert leg in silent, kind
        assert SECRET not in silent[leg]
        log = capsys.readouterr().err
        assert f"searching without the {leg} leg" in log
        assert SECRET not in log
    proxy.rules = ()
    recovered = new_instance(LONG).call("chat", "POST", "/", QUESTIONS["/chat"]).get_json()
    assert recovered["meta"]["retrieval"]["failedLegs"] == []


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        *(("/chat", answer) for answer in ANSWERS),
        ("/search", "missing index"),
        ("/ask", "too late"),
    ],
)
def test_no_question_is_a_500_whatever_kind_of_request_fails(
    new_instance: NewInstance, proxy: FirestoreProxy, path: str, answer: str
) -> None:
    function, route = ("chat", "/") if path == "/chat" else ("api", path)
    for kind in giving(answer, NO_LEGS) if path == "/chat" else KINDS:
        proxy.rules = (only(kind, ANSWERS[answer]),)
        response = new_instance(patience(answer)).call(function, "POST", route, QUESTIONS[path])
        assert response.status_code in (200, 503), (kind, response.text)
        assert response.status_code == 200 or kind in NO_LEGS, kind
        assert response.status_code == 200 or SECRET not in response.text


@pytest.mark.parametrize("answer", ANSWERS)
def test_no_note_is_lost_and_no_event_comes_again_for_ever(
    new_instance: NewInstance, proxy: FirestoreProxy, answer: str
) -> None:
    for number, kind in enumerate(giving(answer, KINDS)):
        proxy.rules = ()
        note_id = f"n{number}"
        assert (
            new_instance(LONG).put(note_id, title=kind, text="The plane is green.").status_code
            == 200
        )
        proxy.rules = (only(kind, ANSWERS[answer]),)
        world = new_instance(patience(answer))
        first = world.written(f"tenants/alice/notes/{note_id}")
        assert first.status_code in (200, 503), kind
        if answer == FINAL and kind != "Commit":  # there it says that somebody else was first
            assert first.status_code == 200, f"{kind}: it would be refused for 24 hours"
        assert (
            world.written(
                f"tenants/alice/notes/{note_id}", b"", **{"ce-time": HOURS_AGO}
            ).status_code
            == 200
        ), kind
        proxy.rules = ()
        world = new_instance(LONG)
        state = world.json("GET", f"/notes/{note_id}:indexStatus")
        assert state["current"] or state["status"] != "indexed", kind
        world.clock.forward(hours=1)
        world.call("reconcile", "POST", "/", {"full": True})
        assert world.json("GET", f"/notes/{note_id}:indexStatus")["current"], kind


def test_a_note_that_firestore_refuses_says_so_and_an_earlier_revision_is_still_found(
    new_instance: NewInstance, proxy: FirestoreProxy
) -> None:
    world = new_instance(LONG)
    assert world.put("boat", title="Boat", text="The boat is green now.").status_code == 200
    proxy.rules = (only("chunks of a note", ANSWERS["missing index"]),)
    assert world.written("tenants/alice/notes/boat").status_code == 200
    proxy.rules = ()
    state = world.json("GET", "/notes/boat:indexStatus")
    assert state["status"] == "failed"
    assert state["current"] is False
    assert "FailedPrecondition" in state["error"]
    assert world.json("GET", "/index:coverage")["failed"] == 1
    answer = world.call("chat", "POST", "/", QUESTIONS["/chat"]).get_json()
    assert "blue" in answer["answer"]
    assert answer["citations"][0]["stale"]
    world.clock.forward(minutes=6)
    assert world.call("reconcile", "POST", "/", {}).get_json()["indexed"] == 1
    assert world.json("GET", "/notes/boat:indexStatus")["current"]


def _heard(paths: SimpleQueue[str], seconds: float) -> str | None:
    try:
        return paths.get(timeout=seconds)
    except Empty:
        return None


@pytest.mark.parametrize("answer", ["exhausted", "away", "too late"])
def test_a_poller_hears_of_every_note_once_firestore_answers_again(
    new_instance: NewInstance, proxy: FirestoreProxy, firestore_project: str, answer: str
) -> None:
    world = new_instance(LONG)
    paths = SimpleQueue[str]()
    proxy.rules = (only("notes", ANSWERS[answer]),)
    with polling(firestore_project, {"notes": paths.put}):
        assert world.put("plane", title="Plane", text="The plane is green.").status_code == 200
        assert _heard(paths, 1.0) is None
        proxy.rules = ()
        paths_heard = {_heard(paths, LONG) for _ in range(3)}
        assert paths_heard == {f"tenants/alice/notes/{name}" for name in ("boat", "car", "plane")}
        world.put("train", title="Train", text="The train is late.")
        assert _heard(paths, LONG) == "tenants/alice/notes/train"


class _Pauses(Event):
    """Ends the polling after so many looks, between which no time passes."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks
        self.seconds = list[float | None]()

    def wait(self, timeout: float | None = None) -> bool:
        self.seconds.append(timeout)
        return len(self.seconds) > self.looks


def test_a_slow_receiver_does_not_delay_the_next_look(
    new_instance: NewInstance, firestore_project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = new_instance(LONG)
    clock = FakeClock()  # on which a look takes no time, however busy the machine is
    monkeypatch.setattr("desktop.product.store.time", clock)
    pauses = _Pauses(looks=3)
    paths = list[str]()

    def receive(path: str) -> None:
        if not paths:  # so that the second look finds something too
            world.put("plane", title="Plane", text="The plane is green.")
        clock.sleep(POLL_SECONDS)
        paths.append(path)

    connection = Connection(firestore_project, read_seconds=LONG, write_seconds=0)
    _poll(connection, {"notes": receive}, pauses)
    assert sorted(paths[:2]) == ["tenants/alice/notes/boat", "tenants/alice/notes/car"]
    assert paths[2:] == ["tenants/alice/notes/plane"]
    assert pauses.seconds == [0.0, POLL_SECONDS, POLL_SECONDS, POLL_SECONDS]


@pytest.mark.parametrize(
    "answer",
    [
        ANSWERS["missing index"],
        ANSWERS["nothing"],
        Refuse(grpc.StatusCode.NOT_FOUND, "There is no such database."),
    ],
    ids=["missing index", "nothing", "no database"],
)
def test_a_poll_that_is_refused_holds_nobody_up_and_reconciling_finds_what_it_missed(
    new_instance: NewInstance, proxy: FirestoreProxy, firestore_project: str, answer: Answer
) -> None:
    world = new_instance(LONG)
    paths = SimpleQueue[str]()
    proxy.rules = (only("notes", answer),)
    began = monotonic()
    with polling(firestore_project, {"notes": paths.put}):
        assert world.put("plane", title="Plane", text="The plane is green.").status_code == 200
        assert _heard(paths, 1.0) is None
    assert monotonic() - began < LONG / 2
    proxy.rules = ()
    world.clock.forward(hours=1)
    world.call("reconcile", "POST", "/", {"full": True})
    assert world.json("GET", "/notes/plane:indexStatus")["current"]

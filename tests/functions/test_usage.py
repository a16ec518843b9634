"""The cost of a question, in its reply and in its log line: each request's own reads, whatever else goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from bench.reads import CountedStore
from shared import bootstrap
from tests.emulated import patient_store
from tests.fakes import HashingEmbedder
from tests.functions.world import World, world_on

QUESTION = {"message": "Which colour is the boat?"}


@pytest.fixture
def store(firestore_project: str) -> Iterator[CountedStore]:
    store = patient_store(firestore_project)
    yield store
    store.close()


@pytest.fixture
def world(
    store: CountedStore,
    tmp_path: Path,
    clients: dict[str, FlaskClient],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[World]:
    with world_on(store, tmp_path, clients, HashingEmbedder()) as world:
        monkeypatch.setattr(bootstrap, "_process", [world.app])
        world.save("boat", title="Boat", text="The boat is blue.")
        yield world


def _usage(world: World) -> dict[str, Any]:
    reply: dict[str, Any] = json.loads(world.call("chat", "POST", "/chat", QUESTION).get_data())
    usage: dict[str, Any] = reply["meta"]["usage"]
    return usage


def test_the_reads_of_a_reply_are_those_of_the_store(world: World, store: CountedStore) -> None:
    reads_before = store.reads
    usage = _usage(world)
    assert usage["reads"] == (store.reads - reads_before).total
    assert usage["usd"] == round(usage["reads"] * 0.06 / 100_000, 6)


def test_requests_at_the_same_time_do_not_pay_for_each_other(world: World) -> None:
    _usage(world)  # counts are kept from now on
    alone = _usage(world)["reads"]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda _: _usage(world)["reads"], range(6)))
    assert max(together) <= alone


def test_a_stream_says_what_the_whole_answer_says(world: World) -> None:
    _usage(world)
    streamed = world.call("chat", "POST", "/chat", {**QUESTION, "stream": True}).get_data(
        as_text=True
    )
    (usage_line,) = (
        line for line in streamed.splitlines() if '"inputTokens"' in line and '"answer"' not in line
    )
    assert json.loads(usage_line.partition("data: ")[2])["reads"] == _usage(world)["reads"]

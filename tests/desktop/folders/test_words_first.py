"""Imports of many notes: words find all of them before the first is embedded, whatever happens then."""

from __future__ import annotations

import dataclasses
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from cli.options import CommandContext
from desktop.folders.destinations import LocalDestination
from desktop.folders.importing import NOTES, VECTORS, Import
from desktop.folders.report import ImportReport
from shared.adapters.embedded import EmbeddedStore
from shared.app import App
from shared.bootstrap import assemble
from shared.indexing.records import LEASE
from shared.model.index import Coverage, Vector
from tests.cli.conftest import Aurora, Write
from tests.fakes import HashingEmbedder
from tests.servers.dev import ROOT, Running, dev

TENANT = "local"
MANY = 300


class PowerCut(Exception):
    """Not one of ours: nothing on the way catches it."""


class Watched(HashingEmbedder):
    """Tells of each batch before it is embedded."""

    def __init__(self, told: Callable[[], object]) -> None:
        super().__init__(dimension=8)
        self.told = told

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        self.told()
        return super().embed_documents(texts)


@pytest.fixture
def context(tmp_path: Path) -> CommandContext:
    return CommandContext(tmp_path / "home", TENANT, as_json=False)


@pytest.fixture
def app(context: CommandContext) -> Iterator[App]:
    with context.app() as app:
        yield app


def animals(count: int) -> dict[str, str]:
    return {
        f"animal-{number}.md": f"# Animal {number}\n\nIt is called ludwig{number}."
        for number in range(count)
    }


def run(app: App, folder: Path, embedder: HashingEmbedder, *, vectors: bool = True) -> ImportReport:
    destination = LocalDestination(assemble(dataclasses.replace(app, embedder=embedder)), TENANT)
    return Import(destination, folder, "default").run(vectors=vectors)


def test_three_hundred_notes_are_found_by_words_before_the_first_is_embedded(
    app: App, notes: Write
) -> None:
    coverages: list[Coverage] = []
    steps: list[tuple[str, int, int]] = []
    embedder = Watched(lambda: coverages.append(app.store.coverage(TENANT)))
    destination = LocalDestination(assemble(dataclasses.replace(app, embedder=embedder)), TENANT)
    report = Import(destination, notes(animals(MANY)), "default").run(
        lambda *step: steps.append(step)
    )
    assert coverages[0].pending_embeddings == MANY
    assert coverages[0].missing == 0
    assert coverages[0].notes == MANY
    assert app.store.coverage(TENANT).indexed == report.indexed == report.embedded == MANY
    assert steps == [
        *((NOTES, count, MANY) for count in range(1, MANY + 1)),
        *((VECTORS, count, MANY) for count in range(MANY + 1)),
    ]


def test_an_import_that_dies_while_it_embeds_is_gone_on_with(app: App, notes: Write) -> None:
    folder = notes(animals(40))
    permits = threading.Semaphore(10)

    def cut() -> None:
        if not permits.acquire(blocking=False):
            raise PowerCut

    dying = Watched(cut)
    second_embedder = HashingEmbedder(dimension=8)
    with pytest.raises(PowerCut):
        run(app, folder, dying)
    broken_off = app.store.coverage(TENANT)
    assert broken_off.indexed == 10
    assert broken_off.missing == 0
    later = dataclasses.replace(
        app, clock=lambda: app.clock() + 2 * LEASE
    )  # the leases of the dead have run out
    assert run(later, folder, second_embedder).indexed == 30
    assert app.store.coverage(TENANT).indexed == 40
    assert max((dying.embedded + second_embedder.embedded).values()) == 1


def test_two_imports_at_once_embed_each_text_once(app: App, notes: Write) -> None:
    folder = notes(animals(60))
    run(app, folder, HashingEmbedder(dimension=8), vectors=False)
    embedders = [HashingEmbedder(dimension=8) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(lambda embedder: run(app, folder, embedder), embedders))
    assert all(report.complete for report in reports)
    assert (
        sum((embedder.embedded for embedder in embedders), Counter[str]()).total()
        == app.store.coverage(TENANT).indexed
        == 60
    )


@pytest.mark.nightly
def test_ctrl_c_among_the_vectors_says_what_goes_on(aurora: Aurora, notes: Write) -> None:
    folder = notes(
        {
            f"n{number}.md": f"# Topic{number}\n\n" + f"It has {number} parts. " * 150
            for number in range(15)
        }
    )
    command = [
        sys.executable,
        "-c",
        "from cli.main import main; main()",
        "--home",
        str(aurora.home),
        "index",
    ]
    with subprocess.Popen(
        [*command, str(folder)], cwd=ROOT, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            _wait_for(aurora.home, lambda coverage: coverage.indexed > 0)
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 130
        finally:
            process.kill()
        assert process.stderr is not None
        log = process.stderr.read()
    assert log.startswith("aurora: every note is found by its words, ")
    assert "`aurora reconcile`" in log
    assert len(log.splitlines()) == 1
    with closing(EmbeddedStore(aurora.home)) as store:
        coverage = store.coverage(TENANT)
    assert coverage.missing == 0 < coverage.pending_embeddings
    report = aurora.json("index", str(folder))
    assert report["indexed"] == coverage.pending_embeddings
    assert report["pending"] == []


@pytest.mark.nightly
def test_a_save_is_found_within_a_second_while_hundreds_wait_for_their_vectors(
    app: App, notes: Write, context: CommandContext
) -> None:
    folder = notes(
        {
            f"n{number}.md": f"# Topic{number}\n\n" + f"It has {number} parts. " * 300
            for number in range(MANY)
        }
    )
    Import(LocalDestination(app, TENANT), folder, "default").run(vectors=False)
    assert context.home is not None
    with dev(context.home) as running:
        _wait_for(context.home, lambda coverage: coverage.indexed > 0)
        assert any(
            _is_found_in_time(running, animal, running.allowed(1))
            for animal in ("penguin", "walrus", "otter")
        )
        assert running.call("GET", "/index:coverage")[1]["pendingEmbeddings"] > MANY / 2
        saved = "/notes/penguin:indexStatus"
        until = time.monotonic() + 30
        while running.call("GET", saved)[1]["status"] != "indexed" and time.monotonic() < until:
            time.sleep(0.1)
        assert running.call("GET", saved)[1]["status"] == "indexed"
        assert running.call("GET", "/index:coverage")[1]["pendingEmbeddings"] > 0


def _is_found_in_time(running: Running, animal: str, within: float) -> bool:
    began = time.monotonic()
    assert (
        running.call(
            "PUT", f"/notes/{animal}", {"title": animal, "text": f"It is called Ludwig{animal}."}
        )[0]
        == 200
    )
    while time.monotonic() < began + within:
        results = running.call("POST", "/search", {"query": f"Ludwig{animal}"})[1]["results"]
        if results and results[0]["noteId"] == animal:
            return time.monotonic() < began + within
    return False


def _wait_for(home: Path, reached: Callable[[Coverage], bool]) -> None:
    until = time.monotonic() + 60
    with closing(EmbeddedStore(home)) as store:
        while not reached(store.coverage(TENANT)):
            assert time.monotonic() < until
            time.sleep(0.05)

"""An erasure while folders are being imported: what is erased stays erased, and the folders stay forgotten."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import Client, TestResponse
from werkzeug.wrappers import Response

from cli.options import CommandContext
from desktop.folders.destinations import Destination, LocalDestination, NoteVersion, forget
from desktop.folders.followed import FollowedFolders, with_folders
from desktop.folders.importing import Import
from desktop.folders.manifest import Manifest, Stopped
from desktop.folders.watching import TICK_MS, Follower, following_all
from shared.adapters.embedded import EmbeddedStore
from shared.adapters.embedded.erasures import Erasures
from shared.app import App
from shared.bootstrap import assemble
from shared.errors import Erased
from shared.model.account import Receipt
from shared.model.documents import TRASH
from shared.ports.stores import Store
from tests.account.world import household
from tests.cli.conftest import Write
from tests.indexing.world import note, on_both_stores
from tests.quick import starts_a_process
from tests.servers.dev import ROOT

TENANT = "local"
FILES = {f"{number // 10}/note-{number}.md": f"Note {number} is here." for number in range(30)}
CHANGED = {name: f"{text} It was changed." for name, text in FILES.items()}
WITHIN = 30.0
"""Seconds that the first save may take on a busy machine."""


@dataclass(frozen=True, slots=True)
class Desk:
    """A product, and the place of its notes."""

    app: App

    @property
    def destination(self) -> LocalDestination:
        return LocalDestination(self.app, TENANT)

    @property
    def manifest(self) -> Manifest:
        return Manifest.of(self.destination.home)

    def titles(self) -> set[str]:
        return {note.note_id for note in self.app.store.list_notes(TENANT, limit=500).items}

    def erase(self) -> Receipt:
        return self.app.erasure.erase_tenant(TENANT)

    def saved_since(self, before: Mapping[str, NoteVersion]) -> int:
        """Count the notes that are new or changed."""
        listed = self.destination.listed()
        return sum(before.get(note_id) != note for note_id, note in listed.items())

    def wait_for_save(
        self, before: Mapping[str, NoteVersion], work: Future[TestResponse] | None = None
    ) -> None:
        """`work`: it is to save something."""
        until = time.monotonic() + WITHIN
        while not self.saved_since(before):
            if work is not None and work.done():
                assert self.saved_since(before), work.result().text
            assert time.monotonic() < until, "nothing was saved"
            time.sleep(0.01)

    def assert_erased(self) -> None:
        assert self.titles() == set()
        assert self.app.store.stats(TENANT).chunk_count == 0
        assert self.app.store.listing(TENANT, TRASH, limit=9).items == ()
        assert self.manifest.folders(self.destination.name) == ()


@pytest.fixture
def store(request: pytest.FixtureRequest) -> Store:
    store: Store = request.getfixturevalue(f"{request.param}_store")
    return store


@pytest.fixture
def desk(store: Store, tmp_path: Path) -> Iterator[Desk]:
    with household(store) as house:
        settings = replace(house.app.settings, home=tmp_path / "home")
        app = assemble(
            replace(
                house.app,
                settings=settings,
                on_erase=partial(forget, settings),
                clock=lambda: datetime.now(UTC),
            )
        )
        yield Desk(app)


@dataclass(frozen=True, slots=True)
class ErasedWhileWalking(LocalDestination):
    """Everything is erased after the work has begun, while its files are being listed."""

    happens: Callable[[], object] = print

    def for_task(self) -> LocalDestination:
        return replace(self, began_after=self.last_erasure)

    def listed(self) -> Mapping[str, NoteVersion]:
        listed = LocalDestination(self.app, self.tenant_id).listed()
        self.happens()
        work = LocalDestination(self.app, self.tenant_id, began_after=self.began_after)
        object.__setattr__(self, "app", work.for_task().app)
        return listed


def erased_while_walking(desk: Desk) -> Destination:
    return ErasedWhileWalking(desk.app, TENANT, happens=desk.erase)


@on_both_stores
def test_a_pass_that_an_erasure_overtakes_while_it_walks_brings_neither_note_nor_folder_back(
    desk: Desk, notes: Write
) -> None:
    task = Import(desk.destination, notes(FILES), "default")
    follower = Follower(task)
    follower.first(lambda *_: None)
    notes(CHANGED)
    follower.task = replace(task, destination=erased_while_walking(desk))
    follower._due = 0.0
    with pytest.raises(Stopped):
        follower.turn([], print)
    desk.assert_erased()


@dataclass(frozen=True, slots=True)
class ErasuresWithImport(Erasures):
    """An import begins inside the first erasure, behind its number."""

    imports: list[Import]

    def add(self, tenant_id: str) -> None:
        Erasures.add(self, tenant_id)
        if self.imports:
            self.imports.pop().run(vectors=False)


@pytest.mark.parametrize("store", ["embedded"], indirect=True)
def test_a_folder_that_is_imported_inside_an_erasure_comes_whole_with_the_next_import(
    desk: Desk, notes: Write
) -> None:
    task = Import(desk.destination, notes(FILES), "default")
    store = desk.app.store
    assert isinstance(store, EmbeddedStore)
    desk.app.store.put_note(TENANT, note("Here before.", "n1"))
    store._erasures = ErasuresWithImport(store._erasures.folder, [task])
    desk.erase()
    assert desk.titles() == set()
    report = task.run(vectors=False)
    assert report.kept == []
    assert len(desk.titles()) == len(FILES)


@on_both_stores
def test_an_import_that_an_erasure_overtakes_while_it_walks_brings_neither_note_nor_folder_back(
    desk: Desk, notes: Write
) -> None:
    task = Import(erased_while_walking(desk), notes(FILES), "default")
    with pytest.raises(Erased):
        task.run()
    desk.assert_erased()


@on_both_stores
def test_an_erasure_at_any_moment_of_a_followed_folders_pass_is_not_undone(
    desk: Desk, notes: Write
) -> None:
    for delay in (0.0, 0.03, 0.1):
        folder = notes(FILES)
        Import(desk.destination, folder, "default").run(vectors=False)
        listed_before = desk.destination.listed()
        with following_all(desk.destination, lambda _: None):
            notes({name: f"{text} {delay}" for name, text in FILES.items()})
            desk.wait_for_save(listed_before)
            time.sleep(delay)
            receipt = desk.erase()
            time.sleep(2 * TICK_MS / 1000)
            desk.assert_erased()
        assert receipt.erased["notes"] == len(FILES)


@on_both_stores
def test_an_erasure_beside_post_folders_is_not_undone(desk: Desk, notes: Write) -> None:
    folder = notes(FILES)
    site = _folders_of(desk)
    for delay in (0.0, 0.02, 0.05):
        with ThreadPoolExecutor(1) as threads:
            adding = threads.submit(_added, site, folder)
            desk.wait_for_save({}, adding)
            time.sleep(delay)
            receipt = desk.erase()
            reading = adding.result()
        if reading is None or reading["report"]:  # it had come to its end before
            assert receipt.erased["notes"] == len(FILES)
        else:
            assert reading["problem"].startswith("everything was erased in the meantime")
            assert 0 < receipt.erased["notes"] <= len(FILES)
        desk.assert_erased()


def _folders_of(desk: Desk) -> Client:
    starts_a_process()  # git, in the thread that reads a folder
    destination = replace(desk.destination, indexes=False)
    return Client(with_folders(Response(status=404), FollowedFolders(destination)))


def _added(site: Client, folder: Path) -> Any:  # noqa: ANN401 - JSON
    """Adds a folder and returns its reading at its end; None if it is not listed any more."""
    assert site.post("/folders", json={"folder": str(folder)}).status_code == 200
    while True:
        folders = site.get("/folders?progress").get_json()["folders"]
        reading = next((row["reading"] for row in folders if row["folder"] == str(folder)), None)
        if reading is None or not reading["running"]:
            return reading
        time.sleep(0.01)


@pytest.mark.parametrize("options", [(), ("--watch",)])
def test_an_erasure_beside_a_process_that_indexes_is_not_undone(
    tmp_path: Path, notes: Write, options: tuple[str, ...]
) -> None:
    folder = notes({f"{number}.md": f"Note {number} is here. " * 20 for number in range(600)})
    context = CommandContext(tmp_path / "home", TENANT, as_json=False)
    command = [
        sys.executable,
        "-c",
        "from cli.main import main; main()",
        "--home",
        str(context.home),
    ]
    with context.app() as app:
        desk = Desk(app)
        process = subprocess.Popen(
            [*command, "index", str(folder), *options],
            cwd=ROOT,
            env={**os.environ, "EMBEDDING_PROVIDER": "none"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            desk.wait_for_save({})
            receipt = desk.erase()
            _, problem = process.communicate(timeout=60)
        finally:
            process.kill()
        assert process.returncode == 1
        assert "everything was erased in the meantime" in problem
        assert 0 < receipt.erased["notes"] < 600
        desk.assert_erased()


@on_both_stores
def test_indexing_the_folder_again_after_the_erasure_brings_all_of_it(
    desk: Desk, notes: Write
) -> None:
    folder = notes(FILES)
    with pytest.raises(Erased):
        Import(erased_while_walking(desk), folder, "default").run()
    report = Import(desk.destination, folder, "default").run(vectors=False)
    assert report.notes == len(FILES)
    assert report.indexed == len(FILES)
    assert len(desk.titles()) == len(FILES)


@pytest.mark.parametrize("store", ["embedded"], indirect=True)
def test_a_folder_whose_import_died_in_an_erasure_is_not_followed(desk: Desk, notes: Write) -> None:
    """The folder's row in the manifest is older than the erasure."""
    folder = notes(FILES)
    task = Import(desk.destination, folder, "default")
    erasure_before = desk.destination.last_erasure
    desk.erase()
    desk.manifest.begin(task.source, {}, erasure_before)
    with following_all(desk.destination, lambda _: None):
        time.sleep(2 * TICK_MS / 1000)
    desk.assert_erased()


@pytest.mark.parametrize("store", ["embedded"], indirect=True)
def test_new_files_count_as_indexed_where_the_index_follows_by_itself(
    desk: Desk, notes: Write
) -> None:
    folder = notes(FILES)
    site = _folders_of(desk)
    for expected in ((30, 0), (0, 30), (1, 29)):
        report = _added(site, folder)["report"]
        assert (report["indexed"], report["unchanged"]) == expected
        if expected == (0, 30):
            notes({"0/note-1.md": "It says something else."})

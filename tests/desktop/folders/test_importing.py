"""Imports that are broken off: whatever they saved, the next one knows of."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli.commands.dev import SAMPLE_VAULT, _load_sample
from cli.options import CommandContext
from desktop.files.reading import Skipped
from desktop.folders.destinations import LocalDestination
from desktop.folders.importing import ALIKE, WORKERS, Import
from shared.adapters.embedded import EmbeddedStore
from shared.app import App
from shared.bootstrap import assemble
from shared.markdown.file import note_id_of
from shared.model.notes import Note, TrashedNote
from tests.cli.conftest import Aurora, Write
from tests.servers.gemini import error
from tests.servers.scripted import ScriptedServer

Dying = Callable[[int], App]

TENANT = "local"
FILES = {f"note-{number}.md": f"This is note {number}." for number in range(12)}


class PowerCut(Exception):
    """Not one of ours: nothing on the way catches it."""


class DyingStore(EmbeddedStore):
    """Takes so many notes and then no more."""

    def __init__(self, home: Path, saves: int) -> None:
        super().__init__(home)
        self.saves = saves

    def swap_note(
        self,
        tenant_id: str,
        note_id: str,
        *,
        was: Note | None,
        now: Note | None,
        trashed: TrashedNote | None = None,
    ) -> None:
        if self.saves == 0:
            raise PowerCut
        self.saves -= 1
        super().swap_note(
            tenant_id,
            note_id,
            was=was,
            now=now,
            trashed=trashed,
        )


@pytest.fixture
def context(tmp_path: Path) -> CommandContext:
    return CommandContext(tmp_path / "home", TENANT, as_json=False)


@pytest.fixture
def app(context: CommandContext) -> Iterator[App]:
    with context.app() as app:
        yield app


@pytest.fixture
def dying(app: App) -> Iterator[Dying]:
    """The product on a store that gives out after so many saves."""
    stores: list[DyingStore] = []

    def make(saves: int) -> App:
        stores.append(DyingStore(app.settings.home, saves))
        return assemble(dataclasses.replace(app, store=stores[-1]))

    yield make
    for store in stores:
        store.close()


def _ids(app: App) -> set[str]:
    return {
        note.note_id for note in app.notes.page(TENANT, limit=200, token=None, vault=None).items
    }


@pytest.mark.parametrize("saves", [1, 5])
def test_a_note_of_a_broken_off_import_is_removed_with_its_file(
    app: App, dying: Dying, notes: Write, saves: int
) -> None:
    folder = notes(FILES)
    with pytest.raises(PowerCut):
        Import(LocalDestination(dying(saves), TENANT), folder, "default").run()
    saved = _ids(app)
    assert saved
    gone = next(name for name in FILES if note_id_of("default", name) in saved)
    (folder / gone).unlink()
    report = Import(LocalDestination(app, TENANT), folder, "default").run()
    assert report.notes == 11
    assert report.removed == 1
    assert _ids(app) == {note_id_of("default", name) for name in FILES if name != gone}


def test_an_import_that_ends_leaves_exactly_its_notes_in_the_manifest(
    app: App, dying: Dying, notes: Write
) -> None:
    folder = notes(FILES)
    with pytest.raises(PowerCut):
        Import(LocalDestination(dying(0), TENANT), folder, "default").run()
    (folder / "note-3.md").unlink()
    (folder / "note-4.md").write_bytes(b"\0")
    task = Import(LocalDestination(app, TENANT), folder, "default")
    assert task.run().removed == 0
    assert set(task.manifest().files(task.source)) == _ids(app)
    assert task.manifest().folders(task.destination.name)[0].finished


def test_a_broken_off_import_does_not_claim_the_notes_of_another_folder(
    app: App, dying: Dying, notes: Write, tmp_path: Path
) -> None:
    Import(LocalDestination(app, TENANT), notes(FILES), "default").run()
    another_folder = tmp_path / "other"
    another_folder.mkdir()
    for name in ("note-1.md", "whale.md"):
        (another_folder / name).write_text("The whale sings.")
    with pytest.raises(PowerCut):
        Import(LocalDestination(dying(0), TENANT), another_folder, "default").run()
    (another_folder / "note-1.md").unlink()
    assert Import(LocalDestination(app, TENANT), another_folder, "default").run().removed == 0
    assert note_id_of("default", "note-1.md") in _ids(app)


def test_a_sample_whose_loading_died_is_completed_at_the_next_start(
    app: App, dying: Dying, context: CommandContext, notes: Write
) -> None:
    folder = notes(FILES)
    with pytest.raises(PowerCut):
        _load_sample(dying(5), context, folder)
    assert 0 < len(_ids(app)) < len(FILES)
    _load_sample(app, context, folder)
    assert len(_ids(app)) == len(FILES)
    app.notes.delete(TENANT, note_id_of(SAMPLE_VAULT, "note-1.md"))
    _load_sample(app, context, folder)
    assert len(_ids(app)) == len(FILES) - 1


def test_no_sample_is_loaded_among_notes_of_ones_own(
    app: App, context: CommandContext, notes: Write, tmp_path: Path
) -> None:
    own_folder = tmp_path / "own"
    own_folder.mkdir()
    (own_folder / "mine.md").write_text("My own note.")
    Import(LocalDestination(app, TENANT), own_folder, "default").run()
    _load_sample(app, context, notes(FILES))
    assert len(_ids(app)) == 1


def test_where_nobody_listens_at_the_models_address_only_a_few_notes_wait_for_it(
    aurora: Aurora, notes: Write, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    settings = {
        "OPENAI_BASE_URL": "http://127.0.0.1:1/v1",
        "CHAT_MODEL": "x",
        "EMBEDDING_MODEL": "nomic",
    }
    for name, value in (*settings.items(), ("LOG_LEVEL", "WARNING")):
        monkeypatch.setenv(name, value)
    result = aurora("index", str(notes(FILES)), "--json")
    pending = json.loads(result.stdout)["pending"]
    assert {entry["reason"] for entry in pending} == {"nomic: nobody answers at http://127.0.0.1:1"}
    assert len(pending) == len(FILES)
    retries = [record for record in caplog.records if "again in" in record.getMessage()]
    assert 1 <= len(retries) <= WORKERS


def test_a_model_that_refuses_its_key_is_not_asked_again_for_every_note(
    aurora: Aurora, notes: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"{number}.md": f"The boat number {number} is blue." for number in range(40)}
    with ScriptedServer(lambda _: error(401, "UNAUTHENTICATED")) as server:
        monkeypatch.setenv("GEMINI_API_KEY", "wrong")
        monkeypatch.setenv("GEMINI_BASE_URL", server.url)
        result = aurora("index", str(notes(files)), "--json")
    assert len(json.loads(result.stdout)["pending"]) == len(files)
    assert 1 <= len(server.requests) <= WORKERS


def test_of_files_whose_names_differ_in_bytes_that_are_not_utf8_one_is_a_note_and_the_rest_named(
    app: App, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in (
        (b"list\xfe.md", "milk"),
        (b"list\xff.md", "bread"),
    ):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_text(text)
    task = Import(LocalDestination(app, TENANT), folder, "default")
    for _ in range(2):
        report = task.run()
        assert report.notes == 1
        assert report.skipped == [Skipped("list?.md", ALIKE, missed=True)]
        assert not report.complete
        assert app.notes.get(TENANT, note_id_of("default", "list?.md")).text == "milk"
        assert app.notes.trash(TENANT, limit=9, token=None).items == ()

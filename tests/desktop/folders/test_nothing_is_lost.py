"""Whatever is done to files and notes in whatever order, what somebody wrote and nobody took away is somewhere.

A person who writes over something, or deletes it, saw what was there on that side, and takes that away. Everything else
is in a file, in a note, or in the trash, whatever the command was told to do.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from cli.options import CommandContext, close
from desktop.folders.destinations import LocalDestination
from desktop.folders.importing import Import
from desktop.folders.manifest import Manifest
from desktop.folders.merging import UNDECIDED, ImportChoice, Side
from desktop.folders.note_files import FolderFiles
from desktop.folders.vault_choice import choose_vault
from shared.bootstrap import assemble, build
from shared.errors import Conflict, NotFound
from shared.model.notes import Note, TrashReason
from shared.notes.service import NoteDraft

TENANT = "local"
PATHS = st.sampled_from(["a.md", "b.md", "deep/c.md"])
FORMS = st.sampled_from(
    [
        "{}\n",
        "# {}\n\nBelow the heading.\n",
        "---\ntitle: x\nkind: [a,  b]\n---\n{}\n",
        "\ufeff---\r\ntags: [t]\r\n---\r\n{}\r\n",
        "---\nbroken: [\n---\n{}\n",
    ]
)
CHOICES = st.builds(ImportChoice, write_back=st.booleans(), take=st.sampled_from([None, *Side]))
numbers = count()


class Desk(RuleBasedStateMachine):
    """A person, a folder, its notes and the command."""

    def __init__(self) -> None:
        super().__init__()
        self.base = Path(mkdtemp())
        self.home = self.base / "home"
        self.root = self.base / "notes"
        self.root.mkdir()
        self.app = assemble(
            replace(
                build(CommandContext(self.home, TENANT, as_json=False).settings(), tenant=TENANT),
                embedder=None,
            )
        )
        self.written: set[str] = set()
        for path in ("a.md", "b.md", "deep/c.md"):
            self.write_file(path, "{}\n")
        self._index()

    def teardown(self) -> None:
        close(self.app)
        shutil.rmtree(self.base)

    # -- what a person does

    @rule(path=PATHS, form=FORMS)
    def write_file(self, path: str, form: str) -> None:
        file = self.root / path
        if file.parent.is_dir() or not file.parent.exists():
            self._taken_away(_content(file))
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(form.format(self._word()).encode())

    @rule(path=PATHS)
    def delete_file(self, path: str) -> None:
        self._taken_away(_content(self.root / path))
        (self.root / path).unlink(missing_ok=True)

    @rule(path=PATHS, other=PATHS)
    def move_file(self, path: str, other: str) -> None:
        file = self.root / path
        target = self.root / other
        if file.exists() and not target.exists():
            target.parent.mkdir(exist_ok=True)
            file.rename(target)

    @rule(number=st.integers(0, 5), form=FORMS)
    def edit_note(self, number: int, form: str) -> None:
        note = self._note(number)
        if note is not None:
            self._taken_away(note.text)
            self._save(note, note.title, form.format(self._word()))

    @rule(number=st.integers(0, 5))
    def rename_note(self, number: int) -> None:
        note = self._note(number)
        if note is not None:
            self._taken_away(note.title)
            self._save(note, self._word(), note.text)

    @rule(number=st.integers(0, 5))
    def delete_note(self, number: int) -> None:
        note = self._note(number)
        if note is not None:
            self.app.notes.delete(TENANT, note.note_id)

    @rule(path=PATHS, form=FORMS)
    def import_elsewhere(self, path: str, form: str) -> None:
        """Import as the page does with a file of another folder; who replaces so has not seen what is there."""
        note_id = self.app.notes.import_id(TENANT, "default", path)
        draft = NoteDraft(
            title=path,
            text=form.format(self._word()),
            path=path,
        )
        self.app.notes.save(TENANT, note_id, draft, reason=TrashReason.REPLACED)

    @rule(number=st.integers(0, 5), path=PATHS)
    def move_note(self, number: int, path: str) -> None:
        note = self._note(number)
        if note is not None:
            with suppress(Conflict):
                self.app.notes.save(TENANT, note.note_id, replace(NoteDraft.of(note), path=path))

    @rule(number=st.integers(0, 5))
    def restore_note(self, number: int) -> None:
        trashed = self.app.notes.trash(TENANT, limit=9, token=None).items
        if trashed:
            with suppress(Conflict):
                self.app.notes.restore(TENANT, trashed[number % len(trashed)].trash_id)

    @rule(number=st.integers(0, 5))
    def restore_note_and_die(self, number: int) -> None:
        """Restore as the page does where files are written, and die before the file is."""
        destination = LocalDestination(self.app, TENANT)
        manifest = Manifest.of(self.home)
        for folder in manifest.folders(destination.name):
            manifest.write_back(folder.source, enabled=True)
        trashed = self.app.notes.trash(TENANT, limit=9, token=None).items
        if trashed:
            FolderFiles(destination).expect_restored(trashed[number % len(trashed)].trash_id)
        self.restore_note(number)

    @rule(path=PATHS, form=FORMS, choice=CHOICES)
    def change_both_sides(self, path: str, form: str, choice: ImportChoice) -> None:
        for number, note in enumerate(self._notes()):
            if note.path == path:
                self.edit_note(number, form)
        self.write_file(path, form)
        self._index(choice)

    @rule(
        mishap=st.sampled_from(
            ["the folder moves", "its disk is away for a while", "the manifest is lost"]
        )
    )
    def suffer(self, mishap: str) -> None:
        if mishap == "the folder moves":
            self.root = self.root.rename(self.base / f"notes-{next(numbers)}")
        elif mishap == "the manifest is lost":
            (self.home / "folders.db").unlink(missing_ok=True)
        else:
            away = self.root.rename(self.base / "away")
            self.root.mkdir()
            self._index()
            self.root.rmdir()
            away.rename(self.root)

    @rule(choice=CHOICES)
    def index_now(self, choice: ImportChoice) -> None:
        self._index(choice)

    @rule(choice=CHOICES)
    def index(self, choice: ImportChoice) -> None:
        self._index(choice)

    # -- what must hold

    @invariant()
    def nothing_is_lost(self) -> None:
        contents = [_content(file) for file in self.root.rglob("*")]
        trashed = (
            trashed.trash_id
            for trashed in self.app.notes.trash(TENANT, limit=9999, token=None).items
        )
        discarded = [self.app.notes.trashed(TENANT, trash_id).note for trash_id in trashed]
        contents += [f"{note.title}\n{note.text}" for note in (*self._notes(), *discarded)]
        everything = "\n".join(contents)
        assert {word for word in self.written if word not in everything} == set()

    def _word(self) -> str:
        word = f"word{next(numbers)}end"
        self.written.add(word)
        return word

    def _taken_away(self, text: str) -> None:
        self.written -= {word for word in self.written if word in text}

    def _notes(self) -> list[Note]:
        notes = [
            note
            for note in self.app.store.whole_notes(TENANT, limit=99).items
            if isinstance(note, Note)
        ]
        return sorted(notes, key=lambda note: note.path)

    def _note(self, number: int) -> Note | None:
        notes = self._notes()
        return notes[number % len(notes)] if notes else None

    def _save(self, note: Note, title: str, text: str) -> None:
        self.app.store.put_note(
            TENANT,
            replace(
                note,
                title=title,
                text=text,
                updated_at=self.app.clock(),
            ),
        )

    def _index(self, choice: ImportChoice = UNDECIDED) -> None:
        """Run the command. Its index of the store is not looked at here, so no model is loaded for it."""
        destination = LocalDestination(self.app, TENANT)
        vault = choose_vault(Manifest.of(self.home), destination.name, self.root, None)
        with suppress(NotFound):
            assert not Import(destination, self.root, vault.vault, choice).run().failed


def _content(file: Path) -> str:
    return file.read_bytes().decode() if file.is_file() else ""


def test_no_text_that_somebody_wrote_is_lost() -> None:
    run_state_machine_as_test(
        Desk,
        settings=settings(
            max_examples=30, stateful_step_count=20, suppress_health_check=list(HealthCheck)
        ),
    )

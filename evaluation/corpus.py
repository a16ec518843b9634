"""Notes -> a tenant of the App that holds them, indexed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from evaluation.golden import GoldenQuestion
from shared.app import App
from shared.errors import InvalidArgument
from shared.model.notes import Note, NoteKey
from shared.notes.service import NoteDraft
from shared.ports.stores import NoteStore

PAGE = 500


def fill(app: App, tenant_id: str, notes: Mapping[str, NoteDraft], step: Callable[[], None] = lambda: None) -> None:
    """Save and index all of them; `step` is called after each. Raises what the App raises."""
    for note_id, draft in notes.items():
        app.notes.save(tenant_id, note_id, draft)
        app.indexer.index(NoteKey(tenant_id, note_id))
        step()


def notes_of(store: NoteStore, tenant_id: str) -> dict[str, NoteDraft]:
    """Every note of the tenant that can be read by id, as it would be saved again."""
    found: dict[str, NoteDraft] = {}
    token = None
    while True:
        page = store.whole_notes(tenant_id, limit=PAGE, token=token)
        found.update((note.note_id, NoteDraft.of(note)) for note in page.items if isinstance(note, Note))
        token = page.next_token
        if token is None:
            return found


def relevant_ids(question: GoldenQuestion, notes: Mapping[str, NoteDraft], names: Mapping[str, str]) -> dict[str, int]:
    """Note id -> grade. `names`: from `names_of(notes)`. Raises InvalidArgument for a note that does not exist."""
    relevant = {}
    for name, grade in question.relevant.items():
        note_id = name if name in notes else names.get(f"{question.vault}/{name}", names.get(name))
        if note_id is None:
            raise InvalidArgument(f"question {question.question_id}: relevant", f"a note's id or path, not {name!r}")
        relevant[note_id] = grade
    return relevant


def names_of(notes: Mapping[str, NoteDraft]) -> dict[str, str]:
    """`path` and `vault/path` -> note id. A path that two vaults have names neither of their notes."""
    names: dict[str, str] = {}
    twice = set()
    for note_id, note in notes.items():
        if not note.path:
            continue
        names[f"{note.vault}/{note.path}"] = note_id
        if names.setdefault(note.path, note_id) != note_id:
            twice.add(note.path)
    return {name: note_id for name, note_id in names.items() if name not in twice}

"""The notes of an evaluation: saved and indexed, with vectors kept between runs, and other ways to cut them."""

from __future__ import annotations

import re
import sqlite3
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from evaluation.golden import GoldenQuestion
from shared.app import App
from shared.errors import InvalidArgument
from shared.indexing.chunking import MARKDOWN, OVERLAP, TARGET, Chunker, Slices, by_sentences, trimmed
from shared.language.lengths import tokens
from shared.model.index import Vector
from shared.model.notes import Note, NoteKey
from shared.notes.service import NoteDraft
from shared.ports.models import Embedder
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


@dataclass(frozen=True, slots=True)
class RememberingEmbedder:
    """An embedder that keeps vectors of documents in a file. Questions are embedded each time, so that what they take
    is measured; everything else is the embedder's own.
    """

    inner: Embedder
    file: Path

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the embedder has
        return getattr(self.inner, name)

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One unit vector a text, in order. Raises what the embedder raises, and sqlite3.Error."""
        keys = [self._key(text) for text in texts]
        with closing(sqlite3.connect(self.file, timeout=60)) as connection, connection:
            connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
            known = {key: found for key in set(keys) if (found := _read(connection, key)) is not None}
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            if missing:
                known |= zip(missing, self.inner.embed_documents(tuple(missing.values())), strict=True)
                rows = ((key, array("f", known[key]).tobytes()) for key in missing)
                connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        return tuple(known[key] for key in keys)

    def _key(self, text: str) -> bytes:
        return sha256(f"{self.inner.model}\0{self.inner.dimension}\0{text}".encode()).digest()


def _read(connection: sqlite3.Connection, key: bytes) -> Vector | None:
    row = connection.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
    return None if row is None else array("f", row[0])


_WORD = re.compile(r"\S{1,64}")


def _every_target(text: str, begin: int, lang: str) -> Slices:  # noqa: ARG001 - one signature for all strategies
    words = [found.span() for found in _WORD.finditer(text, begin)]
    first = 0
    while first < len(words):
        after, length = first, 0.0
        while after < len(words) and (length := length + tokens(text[slice(*words[after])]) + 0.25) <= TARGET:
            after += 1
        yield "", words[first][0], words[after - 1][1]
        if after == len(words):
            return
        first = max(first + 1, after - round((after - first) * OVERLAP))


def _whole(text: str, begin: int, lang: str) -> Slices:  # noqa: ARG001 - one signature for all strategies
    span = trimmed(text, begin, len(text))
    if span:
        yield "", *span


CHUNKERS = {
    each.name: each
    for each in (MARKDOWN, Chunker("sentence", by_sentences), Chunker("fixed", _every_target), Chunker("whole", _whole))
}
"""By name: `fixed` cuts every 256 tokens, `whole` never."""

"""Saves and indexes the notes of an evaluation, keeps vectors between runs, and has other ways to cut notes."""

from __future__ import annotations

import re
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from evaluation.golden import GoldenQuestion
from shared.app import App
from shared.errors import InvalidArgument
from shared.indexing.chunking import (
    MARKDOWN,
    OVERLAP,
    TARGET,
    Chunker,
    Slices,
    by_sentences,
    trimmed,
)
from shared.language.lengths import tokens
from shared.model.index import Vector
from shared.model.notes import Note, NoteKey
from shared.notes.service import NoteDraft
from shared.ports.models import Embedder
from shared.ports.stores import NoteStore

PAGE = 500


def fill(
    app: App,
    tenant_id: str,
    notes: Mapping[str, NoteDraft],
    step: Callable[[], None] = lambda: None,
) -> None:
    """Saves and indexes all notes; `step` is called after each. Raises as the App does."""
    for note_id, draft in notes.items():
        app.notes.save(tenant_id, note_id, draft)
        app.indexer.index(NoteKey(tenant_id, note_id))
        step()


def notes_of(store: NoteStore, tenant_id: str) -> dict[str, NoteDraft]:
    """Returns every note of the tenant that can be read by id, as it would be saved again."""
    drafts: dict[str, NoteDraft] = {}
    token = None
    while True:
        page = store.whole_notes(tenant_id, limit=PAGE, token=token)
        for note in page.items:
            if isinstance(note, Note):
                drafts[note.note_id] = NoteDraft.of(note)
        token = page.next_token
        if token is None:
            return drafts


def relevant_ids(
    question: GoldenQuestion,
    notes: Mapping[str, NoteDraft],
    names: Mapping[str, str],
) -> dict[str, int]:
    """Returns grades by note id. `names`: from `names_of(notes)`. Raises InvalidArgument for a missing note."""
    relevant = {}
    for name, grade in question.relevant.items():
        note_id: str | None = name
        if name not in notes:
            note_id = names.get(f"{question.vault}/{name}", names.get(name))
        if note_id is None:
            raise InvalidArgument(
                f"question {question.question_id}: relevant",
                f"a note's id or path, not {name!r}",
            )
        relevant[note_id] = grade

    return relevant


def names_of(notes: Mapping[str, NoteDraft]) -> dict[str, str]:
    """Returns note ids by `path` and `vault/path`. A path that two vaults have names neither of their notes."""
    names: dict[str, str] = {}
    shared_paths = set()
    for note_id, note in notes.items():
        if not note.path:
            continue
        names[f"{note.vault}/{note.path}"] = note_id
        first_id = names.setdefault(note.path, note_id)
        if first_id != note_id:
            shared_paths.add(note.path)

    return {name: note_id for name, note_id in names.items() if name not in shared_paths}


@dataclass(frozen=True, slots=True)
class RememberingEmbedder:
    """An embedder that keeps vectors of documents in a file.

    Questions are embedded each time, since their time is measured. Every other attribute is the
    inner embedder's.
    """

    inner: Embedder
    file: Path

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the embedder has
        return getattr(self.inner, name)

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Returns one unit vector a text, in order. Raises as the embedder does, and sqlite3.Error."""
        keys = [self._key(text) for text in texts]
        with closing(sqlite3.connect(self.file, timeout=60)) as connection, connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID",
            )
            vectors = _read_all(connection, keys)
            text_of = dict(zip(keys, texts, strict=True))
            missing = {key: text for key, text in text_of.items() if key not in vectors}
            if missing:
                new_vectors = self.inner.embed_documents(tuple(missing.values()))
                rows = []
                for key, vector in zip(missing, new_vectors, strict=True):
                    vectors[key] = vector
                    rows.append((key, array("f", vector).tobytes()))
                connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

        return tuple(vectors[key] for key in keys)

    def _key(self, text: str) -> bytes:
        return sha256(f"{self.inner.model}\0{self.inner.dimension}\0{text}".encode()).digest()


def _read_all(connection: sqlite3.Connection, keys: Iterable[bytes]) -> dict[bytes, Vector]:
    """Returns the vectors that the file holds."""
    vectors: dict[bytes, Vector] = {}
    for key in set(keys):
        cursor = connection.execute("SELECT vector FROM vectors WHERE key = ?", (key,))
        row = cursor.fetchone()
        if row is not None:
            vectors[key] = array("f", row[0])

    return vectors


_WORD = re.compile(r"\S{1,64}")


def _every_target(text: str, begin: int, lang: str) -> Slices:  # noqa: ARG001 - one signature for all strategies
    """Yields pieces of about TARGET tokens, which overlap by OVERLAP of their words."""
    words = [match.span() for match in _WORD.finditer(text, begin)]
    first = 0
    while first < len(words):
        end = _end_of_piece(text, words, first)
        start_of_piece, _ = words[first]
        _, end_of_piece = words[end - 1]
        yield "", start_of_piece, end_of_piece
        if end == len(words):
            return
        overlapping = round((end - first) * OVERLAP)
        first = max(first + 1, end - overlapping)


def _end_of_piece(text: str, words: Sequence[tuple[int, int]], first: int) -> int:
    """Returns the place after the last word that fits into a piece beginning with `first`."""
    length = 0.0
    for place in range(first, len(words)):
        start, stop = words[place]
        length = length + tokens(text[start:stop]) + 0.25
        if length > TARGET:
            return place
    return len(words)


def _whole(text: str, begin: int, lang: str) -> Slices:  # noqa: ARG001 - one signature for all strategies
    span = trimmed(text, begin, len(text))
    if span:
        yield "", *span


_STRATEGIES = (
    MARKDOWN,
    Chunker("sentence", by_sentences),
    Chunker("fixed", _every_target),
    Chunker("whole", _whole),
)
CHUNKERS = {chunker.name: chunker for chunker in _STRATEGIES}
"""Chunkers by name: `fixed` cuts every 256 tokens, `whole` never."""

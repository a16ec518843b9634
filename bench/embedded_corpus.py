"""Any number of chunks without as many embeddings: words by Zipf's law, vectors of the local embedder.

A chunk's vector is the mean of its sentences', which is what an embedder that averages its tokens gives for the text.
Sentences are made of words drawn as often as they stand in the project's own Markdown.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from shared.adapters.embedded import EmbeddedStore
from shared.adapters.local.embedder import LocalEmbedder
from shared.model.index import (
    ChunkPut,
    IndexChange,
    IndexedChunk,
    IndexRecord,
    IndexStatus,
    scopes_of,
)
from shared.model.notes import Note

Matrix: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
Numbers: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

ROOT = Path(__file__).resolve().parent.parent
DIMENSION = 384
SENTENCES = 2_000
SENTENCES_A_CHUNK = 5
CHUNKS_A_NOTE = 10
WORDS = 20_000
WORDS_A_CHUNK = 120
TENANT = "bench"
VERSION = f"bench:bench:{DIMENSION}"
NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
MINUTES = 5 * 365 * 24 * 60
"""Minutes in which the notes were written."""
_AT_ONCE = 10_000


class Corpus:
    """Notes of ten chunks over five years, saved as they were written, one after the other."""

    def __init__(self, size: int, *, version: str = VERSION, sentences: int = SENTENCES) -> None:
        self.size = size
        self.version = version
        self.dice = np.random.default_rng(7)
        self.sentences = _sentences(self.dice, sentences)
        self.vectors: Matrix = np.empty((size, DIMENSION), dtype=np.float32)
        self.words = np.empty((size, WORDS_A_CHUNK), dtype=np.uint16)
        weights = 1 / np.arange(10, WORDS + 10)
        chances = weights / weights.sum()
        for first in range(0, size, _AT_ONCE):
            end = min(first + _AT_ONCE, size)
            rows = slice(first, end)
            count = end - first
            chosen = self.dice.integers(
                0,
                sentences,
                (count, SENTENCES_A_CHUNK),
            )
            self.vectors[rows] = _unit(self.sentences[chosen].sum(axis=1))
            self.words[rows] = self.dice.choice(
                WORDS,
                size=(count, WORDS_A_CHUNK),
                p=chances,
            )

        minutes = self.dice.integers(
            0,
            MINUTES,
            size // CHUNKS_A_NOTE,
        )
        self.minutes = np.sort(minutes)[::-1]

    def save(self, store: EmbeddedStore) -> None:
        for number in range(self.size // CHUNKS_A_NOTE):
            age = timedelta(minutes=int(self.minutes[number]))
            created_at = NOW - age
            note = Note(
                f"note-{number:06d}",
                _title(number),
                "text",
                created_at,
                created_at,
            )
            store.put_note(TENANT, note)
            record = IndexRecord(
                "r1",
                IndexStatus.INDEXED,
                CHUNKS_A_NOTE,
                self.version,
                created_at,
            )
            puts = [self._put(number, position, created_at) for position in range(CHUNKS_A_NOTE)]
            change = IndexChange(
                note.note_id,
                None,
                record,
                put=tuple(puts),
            )
            store.apply(TENANT, change)

    def texts(self) -> Iterator[tuple[int, str]]:
        """Yields row and stems of every chunk, for a full-text index that is not ours."""
        for row in range(self.size):
            stems = [f"stem{word}" for word in self.words[row].tolist()]
            yield row, " ".join(stems)

    def questions(self, count: int) -> Iterator[tuple[Matrix, list[str]]]:
        """Yields the vector of a new text of three sentences, and three words that stand in some chunk."""
        for row in self.dice.integers(0, self.size, count):
            words = self.dice.choice(
                np.unique(self.words[row]),
                3,
                replace=False,
            )
            stems = [f"stem{word}" for word in words]
            chosen = self.dice.integers(
                0,
                len(self.sentences),
                (1, 3),
            )
            vectors = _unit(self.sentences[chosen].sum(axis=1))
            yield vectors[0], stems

    def _put(self, number: int, position: int, created_at: datetime) -> ChunkPut:
        row = number * CHUNKS_A_NOTE + position
        path = f"area{number % 40}/project{number % 400}/note.md"
        tags = (f"tag{number % 20}",)
        words = self.words[row].tolist()
        chunk = IndexedChunk(
            chunk_id=f"note-{number:06d}_{position:03d}",
            note_id=f"note-{number:06d}",
            position=position,
            title=_title(number),
            heading_path="# Plan > ## Next",
            text=" ".join(f"word{word}" for word in words),
            start=position * 1000,
            end=position * 1000 + 900,
            utf16_start=position * 1000,
            created_at=created_at,
            updated_at=created_at,
            vault="default",
            path=path,
            tags=tags,
            scopes=scopes_of("default", path, tags),
            terms={f"stem{word}": count for word, count in Counter(words).items()},
            length=WORDS_A_CHUNK,
            text_hash="0" * 64,
            index_version=self.version,
            note_revision="r1",
        )
        return ChunkPut(chunk, array("f", self.vectors[row].tobytes()))


def _title(number: int) -> str:
    """Returns a title of a note's own: notes of one title may be versions of each other, and are compared for it."""
    return f"Title {number}"


def _sentences(dice: np.random.Generator, count: int) -> Matrix:
    """Returns vectors of `count` sentences, one a row, drawn from the words of this repository's pages."""
    word_counts = _word_counts()
    words = np.array(list(word_counts))
    counts = np.array(list(word_counts.values()))
    chances = counts / counts.sum()

    embedder = LocalEmbedder.of(None)
    vectors: list[bytes] = []
    while len(vectors) < count:
        rows = dice.choice(
            words,
            size=(embedder.batch_size, 14),
            p=chances,
        )
        texts = []
        for place, row in enumerate(rows.tolist()):
            length = 8 + place % 7
            texts.append(" ".join(row[:length]))
        vectors += [vector.tobytes() for vector in embedder.embed_documents(texts)]

    numbers = np.frombuffer(b"".join(vectors[:count]), dtype=np.float32)
    return numbers.reshape(count, DIMENSION)


def _word_counts() -> Counter[str]:
    """Counts the words of this repository's pages."""
    pages: list[Path] = []
    for folder in ("examples", "templates", "docs"):
        pages.extend((ROOT / folder).rglob("*.md"))
    pages.append(ROOT / "README.md")

    word_counts = Counter[str]()
    for page in pages:
        text = page.read_text("utf-8").lower()
        word_counts.update(re.findall(r"[a-z]{2,}", text))

    return word_counts


def _unit(rows: Matrix) -> Matrix:
    lengths: Matrix = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / lengths

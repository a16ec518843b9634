"""Vectors of texts that were embedded before, by a hash of the text: a repeated evaluation embeds what is new."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from shared.model.index import Vector
from shared.ports.models import Embedder


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

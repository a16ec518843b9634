"""What saving costs: texts embedded and index writes, counted at the ports."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from shared.adapters.embedded import EmbeddedStore
from shared.indexing.pipeline import Indexer
from shared.model.index import IndexChange, Vector
from shared.model.notes import Note, NoteKey
from shared.ports.models import Embedder
from tests.fakes import HashingEmbedder

EDITS = 30
NOW = datetime(2026, 11, 1, tzinfo=UTC)
KEY = NoteKey("bench", "long")
WORDS = ("river", "stone", "market", "cloud", "paper", "garden", "signal", "window", "copper", "letter", "harbour")


@dataclass
class Counting:
    """An embedder that counts texts."""

    inner: Embedder = field(default_factory=HashingEmbedder)
    texts: int = 0

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the inner one has
        return getattr(self.inner, name)

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        self.texts += len(texts)
        return self.inner.embed_documents(texts)


class CountingStore(EmbeddedStore):
    """A store that counts changes of the index."""

    writes = 0

    def apply(self, tenant_id: str, change: IndexChange) -> str | None:
        self.writes += 1
        return super().apply(tenant_id, change)


def run(*, small: bool = False) -> dict[str, Any]:
    """A note of about 100 chunks: saved, saved again, then one word changed in EDITS places."""
    dice = random.Random(5)
    note = Note("long", "Long", _text(dice, 150 if small else 1480), NOW, NOW)
    with tempfile.TemporaryDirectory() as folder:
        store, embedder = CountingStore(Path(folder)), Counting()
        chunks, _ = _saved(note, store, embedder)
        writes = store.writes
        _, again = _saved(note, store, embedder)
        writes = store.writes - writes
        changed = []
        for _ in range(3 if small else EDITS):
            words = note.text.split(" ")
            words[dice.randrange(len(words))] = f"changed{dice.randrange(10**6)}"
            note = replace(note, text=" ".join(words))
            changed.append(_saved(note, store, embedder)[1])
        store.close()
    return {
        "chunks of the note": {"value": chunks},
        "texts embedded for the same note again": {"value": again, "target": 0, "ok": again == 0},
        "writes for the same note again": {"value": writes, "target": 0, "ok": writes == 0},
        "most texts embedded for one word": {"value": max(changed), "target": 2, "ok": max(changed) <= 2},
        "mean texts embedded for one word": {"value": sum(changed) / len(changed)},
    }


def _saved(note: Note, store: EmbeddedStore, embedder: Counting) -> tuple[int, int]:
    """(chunks the index holds, texts embedded)."""
    before = embedder.texts
    store.put_note(KEY.tenant_id, note)
    outcome = Indexer(store=store, embedder=embedder, clock=lambda: NOW).index(KEY)
    return outcome.chunks, embedder.texts - before


def _text(dice: random.Random, sentences_wanted: int) -> str:
    sentences = [
        " ".join(dice.choices(WORDS, k=dice.randint(6, 16))).capitalize() + "." for _ in range(sentences_wanted)
    ]
    return " ".join(sentences)

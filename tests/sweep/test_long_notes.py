"""Long notes of one stranger stop nobody: the sweep finishes, in the memory that an instance has."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

import pytest

from bench import limited
from bench.indexing_memory import LARGEST, LIMIT, peak_memory, text_of
from shared.adapters.embedded import EmbeddedStore
from shared.indexing.pipeline import Indexer
from shared.sweep.reconcile import reconcile
from tests.fakes import HashingEmbedder
from tests.indexing.world import START, note

LONG = 3
SHORT = 20
WORKERS = 8


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_three_notes_of_short_words_are_swept_in_the_memory_of_an_instance(tmp_path: Path) -> None:
    completed = limited.run("tests.sweep.test_long_notes", str(tmp_path), mebibytes=LIMIT)
    assert completed.returncode == 0, completed.stderr
    indexed, memory = completed.stdout.split()
    assert int(indexed) == LONG + SHORT
    assert float(memory) < 160


def _sweep(folder: Path) -> None:
    """Print how many notes were indexed, and the MiB that this process took at most."""
    store = EmbeddedStore(folder)
    text = text_of("short words", LARGEST)
    for number in range(LONG):
        store.put_note("stranger", note(text, f"long-{number}"))
    for number in range(SHORT):
        store.put_note(f"tenant-{number}", note("A short note."))
    indexer = Indexer(
        store=store,
        embedder=HashingEmbedder(batch_size=100),
        clock=lambda: START + timedelta(minutes=1),
    )
    report = reconcile(indexer, budget=1000, workers=WORKERS)
    store.close()
    print(report.indexed, peak_memory())


if __name__ == "__main__":
    _sweep(Path(sys.argv[1]))

"""No document is written once for every note saved: many workers import one folder where a document takes one write a
second, and nobody is told to come back later.
"""

from __future__ import annotations

import pytest

from bench.hot_documents import imported

NOTES = 100
WORKERS = 8


@pytest.mark.nightly
def test_many_workers_import_one_folder(
    firestore_project: str, firestore_host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", firestore_host)
    index = imported(firestore_host, firestore_project, notes=NOTES, workers=WORKERS)
    assert not index.errors
    assert index.indexed == NOTES
    assert index.tokens >= NOTES
    assert index.most_writes <= WORKERS  # the first of each worker may try to open the folder
    assert index.refused <= 4 * WORKERS

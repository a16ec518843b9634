"""The sweep's bookmark is damaged: it begins again, and everything is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.adapters.embedded import EmbeddedStore
from shared.sweep.reconcile import BOOKMARK
from tests.fakes import HashingEmbedder
from tests.indexing.world import Clock, assert_follows
from tests.sweep.samples import put_notes, sweep


@pytest.mark.parametrize("damage", [b"\xff\xfe", b"\0\0\0", b'{"full": 7}', b"[]"])
def test_a_sweep_whose_bookmark_is_damaged_begins_again(
    embedded_store: EmbeddedStore, clock: Clock, tmp_path: Path, damage: bytes
) -> None:
    embedder = HashingEmbedder()
    embedded_store.write_bookmark(BOOKMARK, "{}")
    (file,) = (tmp_path / "home" / "bookmarks").iterdir()
    file.write_bytes(damage)
    note_ids = put_notes(embedded_store, 3)
    assert sweep(embedded_store, embedder, clock).indexed == 3
    assert_follows(embedded_store, embedder, *note_ids)

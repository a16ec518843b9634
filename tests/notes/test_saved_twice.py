"""The same content saved or restored twice at once."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from shared.adapters.embedded import EmbeddedStore
from shared.notes.service import NoteDraft, Notes
from tests.account.test_erasure import happens_before

TENANT = "alice"
NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)


def test_a_version_that_is_restored_twice_at_once_is_not_its_own_previous_version(
    tmp_path: Path,
) -> None:
    with closing(EmbeddedStore(tmp_path)) as store:
        seconds = count()
        notes = Notes(store=store, clock=lambda: NOW + timedelta(seconds=next(seconds)))
        for text in ("The boat is blue.", "The boat is red."):
            notes.save(TENANT, "n1", NoteDraft(title="Boat", text=text))
        (blue,) = notes.trash(TENANT, limit=9, token=None).items
        version = NoteDraft.of(notes.trashed(TENANT, blue.trash_id).note)
        happens_before(store, "swap_note", lambda: notes.save(TENANT, "n1", version))
        notes.save(TENANT, "n1", version)
        assert notes.get(TENANT, "n1").text == "The boat is blue."
        listed = notes.trash(TENANT, limit=9, token=None).items
        texts = [notes.trashed(TENANT, entry.trash_id).note.text for entry in listed]
        assert sorted(texts) == ["The boat is blue.", "The boat is red."]

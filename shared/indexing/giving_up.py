"""A note that cannot be indexed as things are -> its record says `failed` and why, and a sweep looks at it again."""

from __future__ import annotations

from datetime import datetime

from shared.indexing.records import begun, set_back
from shared.indexing.standing import revision_now
from shared.model.index import IndexChange, IndexStatus
from shared.model.notes import NoteKey
from shared.ports.stores import Store


def give_up(key: NoteKey, *, reason: str, store: Store, index_version: str, now: datetime) -> bool:
    """Whether there is a note to say it of. `reason`: without note text.

    What the index holds of the note stays and is found: an earlier revision is better than none. Costs two reads and a
    small write, which succeed where a large one was refused. Raises as the store does; Conflict: somebody goes on.
    """
    held = store.read_record(key.tenant_id, key.note_id)
    record = held.record
    if record is None:
        revision = revision_now(key, store)
        if not revision:
            return False
        record = begun(None, revision, index_version, chunk_count=0, now=now)
    failed = set_back(record, now, error=reason, status=IndexStatus.FAILED)
    store.apply(key.tenant_id, IndexChange(key.note_id, held.token, failed))
    return True

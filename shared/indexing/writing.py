"""Changes -> the store, in one compare-and-set on the note's record."""

from __future__ import annotations

from shared.errors import Conflict
from shared.indexing.changes import Changes
from shared.model.index import ChunkPut, IndexChange, IndexRecord
from shared.model.notes import NoteKey
from shared.ports.stores import Store


def write(key: NoteKey, changes: Changes, *, expected: str | None, record: IndexRecord, store: Store) -> str | None:
    """Bring the stored chunks to the wanted ones and the record to `record`; the record's new token.

    `expected`: token of the record that was read before the chunks. Raises Conflict if the record moved since.
    """
    donors = sorted(set(changes.reuse.values()))
    vectors = store.read_vectors(key.tenant_id, donors) if donors else {}
    if len(vectors) < len(donors):
        raise Conflict("a stored vector went before it could be reused")
    put = tuple(
        ChunkPut(chunk, vectors[changes.reuse[chunk.chunk_id]] if chunk.chunk_id in changes.reuse else None)
        for chunk in changes.put
    )
    change = IndexChange(key.note_id, expected, record, put=put, patch=changes.patch, remove=changes.remove)
    return store.apply(key.tenant_id, change)


def clear(key: NoteKey, *, expected: str | None, record: IndexRecord | None, store: Store) -> bool:
    """Remove every chunk of the note and leave `record` (None: no record). Whether there was anything to do.

    Raises Conflict as `write` does.
    """
    chunk_ids = tuple(chunk.chunk_id for chunk in store.stored_chunks(key.tenant_id, key.note_id))
    if not chunk_ids and expected is None and record is None:
        return False
    store.apply(key.tenant_id, IndexChange(key.note_id, expected, record, remove=chunk_ids))
    return True

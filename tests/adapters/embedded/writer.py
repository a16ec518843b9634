"""A process that writes until it is killed: `python -m tests.adapters.embedded.writer HOME`.

Every revision of a note has another number of chunks and another vector, both told by its number,
so whoever reads can see whether what it reads belongs together.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from shared.adapters.embedded import EmbeddedStore
from shared.model.index import ChunkPut, IndexChange, IndexedChunk, Vector
from shared.ports.stores import Store
from tests.contracts.samples import DAY, TENANT, chunk, note, record, unit

NOTES = ("n0", "n1", "n2")


def count_of(number: int) -> int:
    return 1 + number % 5


def vector_of(number: int) -> Vector:
    return unit(1, (number % 1000) / 1000, 0, 0)


def chunks_of(note_id: str, number: int) -> tuple[IndexedChunk, ...]:
    terms = {"always": 1, f"parity{number % 2}": 1 + number % 7}
    created_at = DAY + timedelta(seconds=number % 11)
    return tuple(
        chunk(
            note_id,
            position,
            terms=terms,
            created_at=created_at,
            path=f"f{number % 4}/x.md",
            note_revision=str(number),
        )
        for position in range(count_of(number))
    )


def write(store: Store, note_id: str, number: int) -> None:
    """The note's next revision: whatever stood there is patched, put anew or removed."""
    stored = [stored_chunk.chunk_id for stored_chunk in store.stored_chunks(TENANT, note_id)]
    chunks = chunks_of(note_id, number)
    expected = store.read_record(TENANT, note_id).token
    store.put_note(TENANT, note(note_id, text=f"Revision {number}."))
    store.apply(TENANT, _change(note_id, expected, number, (stored, chunks)))


def _change(
    note_id: str,
    expected: str | None,
    number: int,
    step: tuple[Sequence[str], Sequence[IndexedChunk]],
) -> IndexChange:
    stored, chunks = step
    vector = vector_of(number)
    patched = tuple(sample for sample in chunks if sample.chunk_id in stored)
    return IndexChange(
        note_id,
        expected,
        record(revision=str(number), count=len(chunks)),
        put=tuple(ChunkPut(sample, vector) for sample in chunks if sample.chunk_id not in stored),
        patch=patched,
        vectors=tuple((sample.chunk_id, vector) for sample in patched),
        remove=tuple(set(stored) - {sample.chunk_id for sample in chunks}),
    )


def main(home: Path) -> None:
    """Goes on from the revision that a killed one reached."""
    store = EmbeddedStore(home)
    last = [store.read_record(TENANT, note_id).record for note_id in NOTES]
    number = (
        max(int(index_record.note_revision) for index_record in last if index_record)
        if any(last)
        else 0
    )
    print("ready", flush=True)
    while True:
        number += 1
        write(store, NOTES[number % len(NOTES)], number)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

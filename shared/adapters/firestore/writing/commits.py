"""One IndexChange as commits: guarded by the note's index record, packed by weight, the record written last."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shared.adapters.firestore import names
from shared.adapters.firestore.documents import PATCHED_FIELDS, chunk_fields, place_key, record_fields
from shared.adapters.firestore.requests.connection import Connection
from shared.adapters.firestore.requests.protocol import fill, protocol, put
from shared.adapters.firestore.writing.packing import packed
from shared.adapters.firestore.writing.places import stamp, touch
from shared.adapters.firestore.writing.sizes import CHUNKS, Weight, document_weight
from shared.errors import Conflict
from shared.model.index import IndexChange, IndexedChunk, IndexRecord, IndexStatus, Vector
from shared.model.notes import Folder

RESERVED = Weight(entries=100, bytes=2**16)
"""Of each commit for the record, the folder and the stamp."""
UNKNOWN = Weight(entries=500, bytes=2**17)
"""Taken for a stored chunk where no record tells. Chunks of prose are lighter."""
NOTHING = Weight(0, 0)
WEIGHT_FIELDS = ("chunkEntries", "chunkBytes")
"""Of a record: what the note's heaviest chunk weighs."""


@dataclass(frozen=True, slots=True)
class Token:
    """State of a note's record, as `apply` expects it."""

    note_id: str
    seconds: int
    """With `nanos`: the document's update time, which every write that changes it moves."""
    nanos: int
    place: Folder | None
    """The folder in which the note lies; None: in none, it has no chunks. Here, so that moving a note costs no read."""
    heaviest: Weight
    """No stored chunk of the note weighs more, its vector included. Here, so that removing chunks costs no read."""

    def __str__(self) -> str:
        place = None if self.place is None else [self.place.vault, self.place.folder]
        weight = [self.heaviest.entries, self.heaviest.bytes]
        return json.dumps([self.note_id, self.seconds, self.nanos, place, weight], ensure_ascii=False)

    @classmethod
    def parse(cls, text: str, note_id: str) -> Token:
        """Raises Conflict for the token of another note."""
        owner, seconds, nanos, place, weight = json.loads(text)
        if owner != note_id:
            raise Conflict("the token is of another note")
        return cls(owner, seconds, nanos, None if place is None else Folder(*place), Weight(*weight))

    @classmethod
    def of(cls, document: Any) -> Token:  # noqa: ANN401
        """Of a record's Document."""
        fields, time = document.fields, document.update_time
        placed = fields["vault"].HasField("string_value")
        place = Folder(fields["vault"].string_value, fields["folder"].string_value) if placed else None
        heaviest = Weight(*(fields[name].integer_value for name in WEIGHT_FIELDS))
        return cls(names.last(document.name), time.seconds, time.nanos, place, heaviest)


class Commits:
    """The writes of one change."""

    def __init__(self, connection: Connection, tenant_id: str, change: IndexChange) -> None:
        self._connection, self._tenant_id, self._change = connection, tenant_id, change
        self._record = self._name("index", change.note_id)
        self._before = None if change.expected is None else Token.parse(change.expected, change.note_id)
        self._stored = NOTHING if self._before is None else self._before.heaviest
        self._chunks = list(self._weighed())
        self.place = self._place_after()

    @property
    def left(self) -> Folder | None:
        """The folder that the note leaves with this change."""
        before = None if self._before is None else self._before.place
        return None if before == self.place else before

    @property
    def entered(self) -> Folder | None:
        """The folder that it comes to."""
        return None if self._before is not None and self._before.place == self.place else self.place

    @property
    def heaviest(self) -> Weight:
        """No chunk of the note weighs more, before or after."""
        weights = (self._stored, *(weight for _, weight in self._chunks))
        return Weight(max(each.entries for each in weights), max(each.bytes for each in weights))

    def batches(self) -> list[list[Any]]:
        """Writes of chunks, as few batches as they fit in; at least one, perhaps empty."""
        return packed(self._chunks, RESERVED)

    def guard(self, held: Any | None) -> Any:  # noqa: ANN401
        """A write for all batches but the last. It fails unless the record is as `held` (update time; None: as the
        change expects it), and moves it: two workers whose batches alternate would mix two revisions.
        """
        change = self._change
        write = protocol().Write()
        if change.record is None and change.expected is None:
            write.delete = self._record
            write.current_document.exists = False
            return write
        write.update.name = self._record
        self._fill(write, {"writing": uuid.uuid4().hex, **self._weight_fields()})
        if held is None and self._before is None and change.record is not None:
            # A record that agrees with no note, until the last batch.
            standing = IndexRecord(
                note_revision="",
                status=IndexStatus.PENDING,
                chunk_count=0,
                index_version="",
                indexed_at=change.record.indexed_at,
            )
            self._fill(write, record_fields(standing))
        else:
            write.update_mask.field_paths.extend(("writing", *WEIGHT_FIELDS))
        touch(write)
        self._expect(write, held)
        return write

    def last(self, held: Any | None) -> list[Any]:  # noqa: ANN401
        """The record as it shall be, guarded like the others; a stamp where none is left to tell of the change."""
        return [self._final_record(held), *([self._stamp()] if self._change.record is None else [])]

    def _final_record(self, held: Any | None) -> Any:  # noqa: ANN401
        record = self._change.record
        write = protocol().Write()
        if record is None:
            write.delete = self._record
        else:
            write.update.name = self._record
            self._fill(write, {**record_fields(record), **self._weight_fields()})
            if self.place is not None:
                place = self.place
                self._fill(write, {"vault": place.vault, "folder": place.folder, "place": place_key(place)})
            touch(write)
        self._expect(write, held)
        return write

    def _weight_fields(self) -> Mapping[str, int]:
        heaviest = self.heaviest
        return dict(zip(WEIGHT_FIELDS, (heaviest.entries, heaviest.bytes), strict=True))

    def _stamp(self) -> Any:  # noqa: ANN401
        return stamp(self._connection, self._tenant_id, hashlib.sha256(self._change.note_id.encode()).hexdigest())

    def _expect(self, write: Any, held: Any | None) -> None:  # noqa: ANN401
        if held is not None:
            write.current_document.update_time.CopyFrom(held)
        elif self._before is None:
            write.current_document.exists = False
        else:
            write.current_document.update_time.seconds = self._before.seconds
            write.current_document.update_time.nanos = self._before.nanos

    def _place_after(self) -> Folder | None:
        change = self._change
        chunk = next(iter((*(put.chunk for put in change.put), *change.patch)), None)
        if chunk is not None:
            return Folder(chunk.vault, chunk.folder)
        if change.record is None or change.record.chunk_count == 0 or self._before is None:
            return None
        return self._before.place

    def _weighed(self) -> Iterator[tuple[Any, Weight]]:
        """Each write with what it adds and removes at most. Only the note's heaviest chunk is known of those stored."""
        change = self._change
        removed = UNKNOWN if self._stored == NOTHING else self._stored
        for chunk_id in change.remove:
            yield protocol().Write(delete=self._name("chunks", chunk_id)), removed
        for each in change.put:
            write = self._put(each.chunk, each.vector)
            yield write, self._stored + self._full_weight(write, each.chunk)
        for chunk in change.patch:
            write = self._put(chunk, None)
            weight = self._stored + self._full_weight(write, chunk)
            del write.update.fields["embedded"]
            yield self._masked(write, PATCHED_FIELDS), weight
        for chunk_id, vector in change.vectors:
            write = put(self._name("chunks", chunk_id), {"embedding": vector, "embedded": True})
            yield self._masked(write, ("embedding", "embedded")), removed

    @staticmethod
    def _full_weight(write: Any, chunk: IndexedChunk) -> Weight:  # noqa: ANN401
        """Of the chunk once it has its vector, in which it weighs most."""
        return document_weight(write.update, CHUNKS, awaited={"embedding": 8 * _dimension(chunk.index_version)})

    def _put(self, chunk: IndexedChunk, vector: Vector | None) -> Any:  # noqa: ANN401
        fields = {**chunk_fields(self._tenant_id, chunk), "embedded": vector is not None}
        return put(self._name("chunks", chunk.chunk_id), fields if vector is None else {**fields, "embedding": vector})

    @staticmethod
    def _masked(write: Any, fields: Sequence[str]) -> Any:  # noqa: ANN401
        """Changes these fields of a document that must exist."""
        write.update_mask.field_paths.extend(fields)
        write.current_document.exists = True
        return write

    @staticmethod
    def _fill(write: Any, fields: Mapping[str, object]) -> None:  # noqa: ANN401
        for name, value in fields.items():
            fill(write.update.fields[name], value)

    def _name(self, collection: str, document_id: str) -> str:
        return self._connection.name(self._tenant_id, collection, document_id)


def _dimension(index_version: str) -> int:
    """The last part of an index version."""
    last = index_version.rpartition(":")[2]
    return int(last) if last.isdecimal() else 0

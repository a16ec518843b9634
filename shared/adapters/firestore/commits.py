"""One IndexChange as commits: guarded by the note's index record, packed by bytes, the record written last."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from shared.adapters.firestore import names
from shared.adapters.firestore.documents import PATCHED_FIELDS, chunk_fields, record_fields
from shared.adapters.firestore.protocol import fill, protocol
from shared.domain import Folder, IndexChange, IndexedChunk, IndexRecord, IndexStatus, Vector
from shared.errors import Conflict

MAX_BYTES = 3_500_000
"""Of one commit. Production takes 10 MiB, the emulator's gRPC 4 MiB. A chunk with 768 dimensions has about 12 KB."""
MAX_WRITES = 500


@dataclass(frozen=True, slots=True)
class Token:
    """State of a note's record, as `apply` expects it."""

    note_id: str
    seconds: int
    """With `nanos`: the document's update time, which every write that changes it moves."""
    nanos: int
    place: Folder | None
    """The folder in which the record counts its note; None: in none, it has no chunks. Here, so that moving a note
    costs no read.
    """

    def __str__(self) -> str:
        place = None if self.place is None else [self.place.vault, self.place.folder]
        return json.dumps([self.note_id, self.seconds, self.nanos, place], ensure_ascii=False)

    @classmethod
    def parse(cls, text: str, note_id: str) -> Token:
        """Raises Conflict for the token of another note."""
        owner, seconds, nanos, place = json.loads(text)
        if owner != note_id:
            raise Conflict("the token is of another note")
        return cls(owner, seconds, nanos, None if place is None else Folder(*place))

    @classmethod
    def of(cls, document: Any) -> Token:  # noqa: ANN401
        """Of a record's Document."""
        fields, stamp = document.fields, document.update_time
        counted = fields["vault"].HasField("string_value")
        place = Folder(fields["vault"].string_value, fields["folder"].string_value) if counted else None
        return cls(names.last(document.name), stamp.seconds, stamp.nanos, place)


class Commits:
    """The writes of one change."""

    def __init__(self, root: str, tenant_id: str, change: IndexChange) -> None:
        self._root, self._tenant_id, self._change = root, tenant_id, change
        self._record = self._name("index", change.note_id)
        self._before = None if change.expected is None else Token.parse(change.expected, change.note_id)
        self.place = self._place_after()

    def batches(self) -> list[list[Any]]:
        """Writes of chunks, as few batches as they fit in; at least one, perhaps empty."""
        packed: list[list[Any]] = [[]]
        size = 0
        for write in self._chunks():
            bytes_more = write.ByteSize() + 8
            if packed[-1] and (size + bytes_more > MAX_BYTES or len(packed[-1]) >= MAX_WRITES):
                packed.append([])
                size = 0
            packed[-1].append(write)
            size += bytes_more
        return packed

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
        fill(write.update.fields["writing"], uuid.uuid4().hex)
        if held is None and self._before is None and change.record is not None:
            # A record that agrees with no note, until the last batch.
            standing = IndexRecord("", IndexStatus.PENDING, 0, "", change.record.indexed_at)
            self._fill(write, record_fields(standing))
        else:
            write.update_mask.field_paths.append("writing")
        _stamp(write)
        self._expect(write, held)
        return write

    def last(self, held: Any | None) -> list[Any]:  # noqa: ANN401
        """The record as it shall be, guarded like the others, and the folders that gained or lost the note."""
        return [self._final_record(held), *self._folders()]

    def _final_record(self, held: Any | None) -> Any:  # noqa: ANN401
        record = self._change.record
        write = protocol().Write()
        if record is None:
            write.delete = self._record
        else:
            write.update.name = self._record
            self._fill(write, record_fields(record))
            if self.place is not None:
                self._fill(write, {"vault": self.place.vault, "folder": self.place.folder})
            _stamp(write)
        self._expect(write, held)
        return write

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

    def _folders(self) -> Iterator[Any]:
        before = None if self._before is None else self._before.place
        if self._before is None and self._change.record is None:
            # Chunks without a record go: no record and no known folder can tell.
            write = protocol().Write()
            write.update.name = self._name("folders", "orphans")
            _stamp(write)
            yield write
        if before == self.place:
            return
        for place, step in ((before, -1), (self.place, 1)):
            if place is None:
                continue
            digest = hashlib.sha256(f"{place.vault}/{place.folder}".encode()).hexdigest()[:32]
            write = protocol().Write()
            write.update.name = self._name("folders", digest)
            self._fill(write, {"vault": place.vault, "folder": place.folder})
            write.update_mask.field_paths.extend(("vault", "folder"))
            write.update_transforms.add(field_path="notes").increment.integer_value = step
            _stamp(write)
            yield write

    def _chunks(self) -> Iterator[Any]:
        change = self._change
        for chunk_id in change.remove:
            yield protocol().Write(delete=self._name("chunks", chunk_id))
        for put in change.put:
            yield self._put(put.chunk, put.vector)
        for chunk in change.patch:
            write = self._put(chunk, None)
            del write.update.fields["embedded"]
            yield self._masked(write, PATCHED_FIELDS)
        for chunk_id, vector in change.vectors:
            write = protocol().Write()
            write.update.name = self._name("chunks", chunk_id)
            self._fill(write, {"embedding": vector, "embedded": True})
            yield self._masked(write, ("embedding", "embedded"))

    def _put(self, chunk: IndexedChunk, vector: Vector | None) -> Any:  # noqa: ANN401
        write = protocol().Write()
        write.update.name = self._name("chunks", chunk.chunk_id)
        self._fill(write, chunk_fields(self._tenant_id, chunk))
        self._fill(write, {"embedded": vector is not None})
        if vector is not None:
            self._fill(write, {"embedding": vector})
        return write

    @staticmethod
    def _masked(write: Any, fields: Sequence[str]) -> Any:  # noqa: ANN401
        """Changes these fields of a document that must exist."""
        write.update_mask.field_paths.extend(fields)
        write.current_document.exists = True
        return write

    @staticmethod
    def _fill(write: Any, fields: Any) -> None:  # noqa: ANN401
        for name, value in fields.items():
            fill(write.update.fields[name], value)

    def _name(self, collection: str, document_id: str) -> str:
        return names.document(self._root, self._tenant_id, collection, document_id)


def _stamp(write: Any) -> None:  # noqa: ANN401
    """`changedAt`: the server's time of the commit. The newest of a tenant tells whether its chunks changed."""
    write.update_transforms.add(field_path="changedAt").set_to_server_value = 1  # REQUEST_TIME

"""Rules of the proxy for what production refuses and the emulator does not: commits over 10 MiB, queries without index.

Sizes by https://firebase.google.com/docs/firestore/storage-size, counted anew from the documents as they lie in the
emulator and from firestore.indexes.json: of a commit, every document it writes and every index entry that it adds or
removes. Nothing of it is taken from the product, which packs by its own count.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import grpc  # type: ignore[import-untyped]
from google.cloud.firestore_v1 import types

from tests.servers.firestore_indexes import GROUP, KEY, Asked, Index, IndexFile, asked_by
from tests.servers.firestore_proxy import Answer, Call, Refuse

MOST_BYTES = 10 * 2**20
MOST_ENTRIES = 10_000
"""At about so many "Transaction too big" has been seen."""
_DOCUMENT = 32
_NAME = 16
_ENTRY = 32
_GROUP_ENTRY = 48
_MOST_INDEXED = 1500
_Entry = tuple[Index, tuple[bytes, ...]]


class ProductionLimits:
    """A rule. What it refuses it also keeps in `refused`, for whoever must fail over it."""

    def __init__(
        self, target: str, *, most_bytes: int = MOST_BYTES, most_entries: int = MOST_ENTRIES
    ) -> None:
        self.indexes = IndexFile()
        self.refused: list[str] = []
        self.queries: set[Asked] = set()
        self.written: set[tuple[str, str]] = set()
        """Collection and top-level field of everything that was written."""
        self.heaviest = (0, 0)
        """Bytes and entries of the heaviest commit yet, each for itself."""
        self._most_bytes = most_bytes
        self._most_entries = most_entries
        self._channel = grpc.insecure_channel(
            target, options=(("grpc.max_receive_message_length", -1),)
        )
        self._lock = threading.Lock()

    def close(self) -> None:
        self._channel.close()

    def __call__(self, call: Call) -> Answer | None:
        if call.method == "Commit":
            return self._commit(call.request.database, call.request.writes)
        if call.method == "BatchWrite":
            # Each for itself, and what one document's removal takes away is within the limits of a document.
            for write in call.request.writes:
                if not write.delete and (answer := self._commit(call.request.database, [write])):
                    return answer
        if call.method == "RunQuery":
            return self._query(asked_by(call.request.structured_query))
        if call.method == "RunAggregationQuery":
            aggregation_query = call.request.structured_aggregation_query
            fields = [
                getattr(aggregation, kind).field.field_path
                for aggregation in aggregation_query.aggregations
                for kind in _totals(aggregation)
            ]
            for field in fields or [None]:
                if answer := self._query(asked_by(aggregation_query.structured_query, total=field)):
                    return answer
        return None

    def _query(self, asked: Asked) -> Answer | None:
        with self._lock:
            self.queries.add(asked)
        if self.indexes.serving(asked) is None:
            return self._refuse(
                grpc.StatusCode.FAILED_PRECONDITION, f"The query requires an index. {asked}"
            )
        return None

    def _commit(self, database: str, writes: Any) -> Answer | None:  # noqa: ANN401
        writes = [write for write in writes if write.update.name or write.delete]  # no `verify`
        names = [write.update.name or write.delete for write in writes]
        documents_before = self._documents(database, names)
        size = entries = 0
        for name, write in zip(names, writes, strict=True):
            old = documents_before.get(name, {})
            new = {} if write.delete else _after(write, documents_before.get(name, {}))
            removed = _entries(self.indexes, name, old)
            added = _entries(self.indexes, name, new)
            changed = removed.keys() ^ added.keys()
            entries += len(changed)
            size += sum(removed.get(name) or added[name] for name in changed)
            size += 0 if write.delete else _fields_size(new) + _name_size(name)
            with self._lock:
                self.written.update((name.split("/")[-2], field) for field in new)
        with self._lock:
            self.heaviest = max(size, self.heaviest[0]), max(entries, self.heaviest[1])
        if size > self._most_bytes or entries > self._most_entries:
            sizes = f"{len(writes)} writes, {entries} entries, {size} bytes"
            return self._refuse(
                grpc.StatusCode.INVALID_ARGUMENT, f"Transaction too big. Decrease its size. {sizes}"
            )
        return None

    def _refuse(self, code: grpc.StatusCode, details: str) -> Refuse:
        with self._lock:
            self.refused.append(details)
        return Refuse(code, details)

    def _documents(self, database: str, names: list[str]) -> dict[str, Mapping[str, Any]]:
        request = types.BatchGetDocumentsRequest.pb()(
            database=database, documents=sorted(set(names))
        )
        method = "/google.firestore.v1.Firestore/BatchGetDocuments"
        metadata = (
            ("authorization", "Bearer owner"),
            ("google-cloud-resource-prefix", database),
        )
        replies = self._channel.unary_stream(method)(request.SerializeToString(), metadata=metadata)
        responses = map(types.BatchGetDocumentsResponse.pb().FromString, replies)
        return {
            response.found.name: dict(response.found.fields)
            for response in responses
            if response.HasField("found")
        }


def cost(indexes: IndexFile, document: Any) -> tuple[int, int]:  # noqa: ANN401 - a protobuf Document
    """Index entries of a document, and its bytes with theirs."""
    fields = dict(document.fields)
    entries = _entries(indexes, document.name, fields)
    return len(entries), _name_size(document.name) + _fields_size(fields) + sum(entries.values())


def _entries(indexes: IndexFile, name: str, fields: Mapping[str, Any]) -> dict[_Entry, int]:
    """Each with its size. What a commit leaves as it was has the same index and values before and after."""
    collection = name.split("/")[-2]
    own_size = _name_size(name)
    parent = _name_size("/".join(name.split("/")[:-2]))
    entries: dict[_Entry, int] = {}
    for path, value in _leaves("", fields):
        own_indexes = indexes.of_field(collection, path, is_array=value.HasField("array_value"))
        for content, size in _indexed(value).items() if own_indexes else ():
            for index in own_indexes:
                scope = _GROUP_ENTRY if index.scope == GROUP else parent + _ENTRY
                entries[index, (content,)] = own_size + scope + _string_size(path) + size
    for index in indexes.composites:
        paths = [field for field, _ in index.fields if field != KEY]
        if index.collection == collection and all(path in fields for path in paths):
            scope = (0 if index.scope == GROUP else parent) + _ENTRY
            for parts in product(*(_indexed(fields[path]).items() for path in paths)):
                size = own_size + scope + sum(size for _, size in parts)
                entries[index, tuple(content for content, _ in parts)] = size
    return entries


def _totals(aggregation: Any) -> Iterator[str]:  # noqa: ANN401
    return (kind for kind in ("sum", "avg") if aggregation.HasField(kind))


def _after(write: Any, before: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ANN401
    """The fields as the write leaves them; what the server computes is taken for a time or a number."""
    fields = dict(write.update.fields)
    if write.HasField("update_mask"):
        masked = {path.partition(".")[0].strip("`") for path in write.update_mask.field_paths}
        unmasked = {name: value for name, value in before.items() if name not in masked}
        fields = {**unmasked, **{name: value for name, value in fields.items() if name in masked}}
    for transform in write.update_transforms:
        value = types.Value.pb()()
        if transform.HasField("increment"):
            value.integer_value = (
                before[transform.field_path].integer_value if transform.field_path in before else 0
            )
        else:
            value.timestamp_value.seconds = 1
        fields[transform.field_path] = value
    return fields


def _leaves(prefix: str, fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in fields.items():
        path = f"{prefix}{name}"
        if value.HasField("map_value") and not _is_vector(value):
            yield from _leaves(f"{path}.", value.map_value.fields)
        else:
            yield path, value


def _is_vector(value: Any) -> bool:  # noqa: ANN401
    return "__type__" in value.map_value.fields


def _indexed(value: Any) -> dict[bytes, int]:  # noqa: ANN401
    """The values that entries are made of, an array's elements or the value itself, with their sizes."""
    values = value.array_value.values if value.HasField("array_value") else [value]
    if value.HasField("map_value"):
        return {hashlib.sha1(value.SerializeToString()).digest(): _value_size(value)}  # noqa: S324 - tells vectors apart
    return {value.SerializeToString(): min(_MOST_INDEXED, _value_size(value)) for value in values}


def _name_size(name: str) -> int:
    return (
        sum(_string_size(part) for part in name.rsplit("/documents/", maxsplit=1)[-1].split("/"))
        + _NAME
    )


def _fields_size(fields: Mapping[str, Any]) -> int:
    return (
        sum(_string_size(name) + _value_size(value) for name, value in fields.items()) + _DOCUMENT
    )


def _string_size(text: str) -> int:
    return len(text.encode()) + 1


def _value_size(value: Any) -> int:  # noqa: ANN401 - one line a type
    match value.WhichOneof("value_type"):
        case "string_value":
            return _string_size(value.string_value)
        case "boolean_value" | "null_value":
            return 1
        case "array_value":
            return sum(map(_value_size, value.array_value.values))
        case "map_value" if _is_vector(value):
            return 8 * len(value.map_value.fields["value"].array_value.values)
        case "map_value":
            return _fields_size(value.map_value.fields)
        case "bytes_value":
            return len(value.bytes_value)
        case _:
            return 8

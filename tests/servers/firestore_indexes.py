"""firestore.indexes.json as Firestore reads it, and which of its indexes a query needs.

By https://firebase.google.com/docs/firestore/query-data/index-overview: every field has indexes of its own in both
directions within a collection (an array one for its elements, a map those of its subfields) unless an override of the
field, or of a map it lies in, says otherwise. A query of one field is served by such an index; equalities of several
fields by merging theirs; everything else by a composite index that begins with the fields compared for equality, in any
order, and ends with those that order, or by several that differ in the equalities alone. A vector search is served by
the composite index of exactly its filters' fields and the vector.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[2] / "firestore.indexes.json"
KEY = "__name__"
ASCENDING = "ASCENDING"
DESCENDING = "DESCENDING"
CONTAINS = "CONTAINS"
VECTOR = "VECTOR"
ONE = "COLLECTION"
GROUP = "COLLECTION_GROUP"
_EQUAL = {"EQUAL", "IN", "ARRAY_CONTAINS", "ARRAY_CONTAINS_ANY"}


@dataclass(frozen=True, slots=True)
class Index:
    """`fields`: path and direction, CONTAINS or VECTOR. `single`: it belongs to the field, not to the file's list."""

    collection: str
    scope: str
    fields: tuple[tuple[str, str], ...]
    single: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """The part of a structured query that needs indexes."""

    collection: str
    scope: str
    equal: tuple[tuple[str, str], ...]
    """Field and ASCENDING, or CONTAINS."""
    order: tuple[tuple[str, str], ...]
    """Field and direction, a range's field first; the name only where it runs against the field before it."""
    vector: str = ""

    def __str__(self) -> str:
        parts = [
            *(f"{field} = ({how})" for field, how in self.equal),
            *(f"{field} {way}" for field, way in self.order),
        ]
        return f"{self.scope} {self.collection}: {', '.join([*parts, *([self.vector] if self.vector else [])])}"


class IndexFile:
    """The composite indexes and the overrides of single fields."""

    def __init__(self, path: Path = FILE) -> None:
        content = json.loads(path.read_text())
        self.composites = [_composite(index) for index in content["indexes"]]
        self._overrides = {
            (field_override["collectionGroup"], field_override["fieldPath"]): [
                (index.get("order") or index["arrayConfig"], index["queryScope"])
                for index in field_override["indexes"]
            ]
            for field_override in content["fieldOverrides"]
        }

    def of_field(self, collection: str, field: str, *, is_array: bool = False) -> list[Index]:
        """The field's own indexes. `field`: its path within the document, map subfields by dots."""
        ways = self._override(collection, field)
        if ways == []:
            return []
        if ways is None:
            ways = (
                [(CONTAINS, ONE)]
                if is_array
                else [
                    (ASCENDING, ONE),
                    (DESCENDING, ONE),
                ]
            )
        else:
            ways = [(way, scope) for way, scope in ways if (way == CONTAINS) == is_array]
        return [Index(collection, scope, ((field, way),), single=True) for way, scope in ways]

    def serving(self, asked: Asked) -> list[Index] | None:
        """Returns the indexes with which the query runs, empty if it needs none, or None if indexes are missing."""
        if not (asked.equal or asked.order or asked.vector):
            return []
        if asked.vector:
            needed_fields = {*asked.equal, (asked.vector, VECTOR)}
            return next(
                (
                    [composite]
                    for composite in self._composites(asked)
                    if set(composite.fields) == needed_fields
                ),
                None,
            )
        if len({field for field, _ in (*asked.equal, *asked.order)}) == 1:
            ((field, way),) = asked.order or asked.equal
            return self._own(asked, field, way)
        if not asked.order:
            single_indexes = [self._own(asked, field, way) for field, way in asked.equal]
            return (
                None
                if None in single_indexes
                else [index for candidates in single_indexes for index in candidates or ()]
            )
        return self._merged(asked)

    def unneeded(self, asked: Iterable[Asked]) -> list[Index]:
        """List the file's indexes that none of these queries runs with."""
        needed = {index for query in asked for index in self.serving(query) or ()}
        named = [
            Index(collection, scope, ((field, way),), single=True)
            for (collection, field), ways in self._overrides.items()
            for way, scope in ways
        ]
        needed_maps = {
            (index.collection, index.scope, _top(index.fields[0][0]), index.fields[0][1])
            for index in needed
        }
        return [composite for composite in self.composites if composite not in needed] + [
            index
            for index in named
            if (index.collection, index.scope, *index.fields[0]) not in needed_maps
        ]

    def _override(self, collection: str, field: str) -> list[tuple[str, str]] | None:
        path = field
        while path:
            if (collection, path) in self._overrides:
                return self._overrides[collection, path]
            path = path.rpartition(".")[0]
        return None

    def _composites(self, asked: Asked) -> list[Index]:
        return [
            composite
            for composite in self.composites
            if (composite.collection, composite.scope) == (asked.collection, asked.scope)
        ]

    def _own(self, asked: Asked, field: str, way: str) -> list[Index] | None:
        if field == KEY:
            return []
        fitting = self.of_field(asked.collection, field, is_array=way == CONTAINS)
        # Without an order, either direction serves an equality.
        ways = {way} if asked.order or way == CONTAINS else {ASCENDING, DESCENDING}
        return next(
            (
                [index]
                for index in fitting
                if index.scope == asked.scope and index.fields[0][1] in ways
            ),
            None,
        )

    def _merged(self, asked: Asked) -> list[Index] | None:
        """Composites with the query's order behind some of its equalities, that together have all of them."""
        chosen = []
        uncovered = set(asked.equal)
        for composite in self._composites(asked):
            split = len(composite.fields) - len(asked.order)
            if (
                composite.fields[split:] == asked.order
                and split >= 0
                and set(composite.fields[:split]) <= set(asked.equal)
            ):
                if set(composite.fields) - set(asked.order) == set(asked.equal):
                    return [composite]
                chosen.append(composite)
                uncovered -= set(composite.fields[:split])
        return chosen if chosen and not uncovered else None


def asked_by(query: Any, *, total: str | None = None) -> Asked:  # noqa: ANN401 - a protobuf StructuredQuery
    """`total`: a field whose sum or average is wanted; it is read from its index."""
    (source,) = query.from_ or [None]
    filters = list(_filters(query.where)) if query.HasField("where") else []
    equal = {
        (field, CONTAINS if "ARRAY" in how else ASCENDING)
        for field, how in filters
        if how in _EQUAL
    }
    ranges = dict.fromkeys(field for field, how in filters if how not in _EQUAL)
    order = [
        (order.field.field_path, DESCENDING if order.direction == 2 else ASCENDING)
        for order in query.order_by
    ]
    order = [*((field, ASCENDING) for field in ranges if field not in dict(order)), *order]
    if total is not None and total not in dict(order):
        order.append((total, ASCENDING))
    if order and order[-1] == (KEY, order[-2][1] if len(order) > 1 else ASCENDING):
        order.pop()
    vector = query.find_nearest.vector_field.field_path if query.HasField("find_nearest") else ""
    return Asked(
        source.collection_id if source else "",
        GROUP if source and source.all_descendants else ONE,
        tuple(sorted(condition for condition in equal if condition[0] != KEY)),
        tuple(order),
        vector,
    )


def _filters(where: Any) -> Iterable[tuple[str, str]]:  # noqa: ANN401
    if where.HasField("composite_filter"):
        for filter_ in where.composite_filter.filters:
            yield from _filters(filter_)
    else:
        condition = where.field_filter
        names = condition.DESCRIPTOR.enum_types_by_name["Operator"].values_by_number
        yield condition.field.field_path, names[condition.op].name


def _composite(index: Mapping[str, Any]) -> Index:
    fields = [
        (
            field["fieldPath"],
            VECTOR if "vectorConfig" in field else field.get("order") or field["arrayConfig"],
        )
        for field in index["fields"]
    ]
    if len(fields) > 1 and fields[-1] == (KEY, fields[-2][1]):
        fields.pop()
    return Index(index["collectionGroup"], index["queryScope"], tuple(fields))


def _top(field: str) -> str:
    return field.partition(".")[0]

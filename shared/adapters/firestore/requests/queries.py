"""What to search for, as small frozen values, and their translation into Firestore's StructuredQuery."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from shared.adapters.firestore.requests.protocol import fill, protocol
from shared.model.index import Vector

KEY = "__name__"
"""Firestore's name for a document's own path."""
DISTANCE = "distance"
"""The field in which a vector search tells how near a document lies."""
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Is(StrEnum):
    """Comparisons, named as Firestore's API names them."""

    EQUAL = "EQUAL"
    IN = "IN"
    AT_LEAST = "GREATER_THAN_OR_EQUAL"
    LESS = "LESS_THAN"
    CONTAINS = "ARRAY_CONTAINS"
    CONTAINS_ANY = "ARRAY_CONTAINS_ANY"


@dataclass(frozen=True, slots=True)
class Where:
    """One comparison; a query's comparisons hold together."""

    field: str
    comparison: Is
    value: object


@dataclass(frozen=True, slots=True)
class Order:
    """Ascending unless said otherwise."""

    field: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """A document's full name, where a value is compared with `KEY`."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query of one collection."""

    collection: str
    """Empty, with `everywhere`: every collection."""
    everywhere: bool = False
    """Every collection of that name, whatever it lies under."""
    where: tuple[Where, ...] = ()
    order: tuple[Order, ...] = ()
    after: tuple[object, ...] = ()
    """Values of the `order` fields of the last document already seen; empty: from the beginning."""
    limit: int | None = None
    fields: tuple[str, ...] | None = None
    """Field paths to return; None: whole documents; empty: names alone. Of a vector search DISTANCE among them."""
    nearest: Vector | None = None
    """A vector search of `embedding`, of at most `limit`. None: none."""

    def message(self) -> Any:  # noqa: ANN401
        """As StructuredQuery."""
        query = protocol().StructuredQuery()
        query.from_.add(collection_id=self.collection, all_descendants=self.everywhere)
        for each in self.where:
            _add_filter(query, each)
        for order in self.order:
            # 1 is ascending, 2 descending.
            query.order_by.add(direction=2 if order.descending else 1).field.field_path = order.field
        for value in self.after:
            _fill(query.start_at.values.add(), value)
        if self.nearest is not None:
            _add_search(query.find_nearest, self.nearest, self.limit)
        elif self.limit is not None:
            query.limit.value = self.limit
        if self.fields is not None:
            for path in self.fields or (KEY,):
                query.select.fields.add(field_path=path)
        return query


def path(*names: str) -> str:
    """A field path; names that are no plain identifiers are quoted."""
    return ".".join(map(_quoted, names))


def _quoted(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"


def _add_search(search: Any, vector: Vector, limit: int | None) -> None:  # noqa: ANN401
    """By dot product, which for unit vectors is the cosine. Without DISTANCE in `fields` it silently vanishes."""
    search.vector_field.field_path = "embedding"
    fill(search.query_vector, vector)
    search.distance_measure = 3  # DOT_PRODUCT
    search.limit.value = limit
    search.distance_result_field = DISTANCE


def _add_filter(query: Any, where: Where) -> None:  # noqa: ANN401
    composite = query.where.composite_filter
    composite.op = 1  # AND
    added = composite.filters.add().field_filter
    added.field.field_path = where.field
    added.op = added.DESCRIPTOR.enum_types_by_name["Operator"].values_by_name[where.comparison].number
    _fill(added.value, where.value)


def _fill(target: Any, value: object) -> None:  # noqa: ANN401
    if isinstance(value, Reference):
        target.reference_value = value.name
    else:
        fill(target, value)

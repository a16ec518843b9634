"""A model's vectors -> the unit vectors that the Embedder port promises."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

from shared.errors import PortContractError
from shared.model.index import Vector


def unit_vectors(rows: Sequence[Sequence[float]], *, count: int, dimension: int, model: str) -> tuple[Vector, ...]:
    """One vector of length 1 a row. Raises PortContractError for another count or dimension, NaN, infinity or zero."""
    if len(rows) != count:
        raise PortContractError(f"{model}: {count} texts were sent, {len(rows)} vectors came back")
    return tuple(_unit(row, dimension, model) for row in rows)


def _unit(row: Sequence[float], dimension: int, model: str) -> Vector:
    if len(row) != dimension:
        raise PortContractError(
            f"EMBEDDING_DIM is {dimension}, but {model} returns {len(row)} dimensions: set EMBEDDING_DIM={len(row)}"
        )
    norm = math.hypot(*row)
    if not (math.isfinite(norm) and norm > 0):
        raise PortContractError(f"{model}: a vector without direction came back (NaN, infinity or all zeros)")
    return array("f", [value / norm for value in row])

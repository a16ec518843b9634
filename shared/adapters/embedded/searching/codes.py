"""Unit vectors as one byte a number, each with what that loses of it at most.

code = rint(vector / scale), where the vector's greatest number has the code 127 or -127. A cosine with a unit query is
then off by at most the length of vector - scale * code (Cauchy and Schwarz). So reading the codes, a quarter of the
vectors, tells for certain which few rows can be among the best; those are computed again from the vectors.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

from shared.errors import OperatorError

if TYPE_CHECKING:
    import numpy as np

    Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
    Bytes: TypeAlias = np.ndarray[Any, np.dtype[np.int8]]
    Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

_GREATEST = 127
_BLOCK = 2**17
"""Numbers that are made floats together: half a megabyte, which stays in the processor's cache."""
_ROUNDING = 1e-5
"""More than float32 arithmetic moves a cosine; added to what every row loses."""


class Codes:
    """The codes of `capacity` rows of vectors; a row that was never written is not to be read."""

    def __init__(self, capacity: int, dimension: int) -> None:
        """Raises OperatorError where numpy is not installed."""
        self._np = np = load_numpy()
        self._codes: Bytes = np.empty((capacity, dimension), dtype=np.int8)
        self._scales: Floats = np.empty(capacity, dtype=np.float32)
        self._losses: Floats = np.empty(capacity, dtype=np.float32)

    def write(self, rows: Ints, vectors: Floats) -> None:
        """Replace those rows; `vectors` (rows x dimension) are of unit length."""
        np = self._np
        greatest = np.maximum(np.maximum.reduce(vectors, axis=1), -np.minimum.reduce(vectors, axis=1))
        scales = np.maximum(greatest, np.finfo(np.float32).tiny) / np.float32(_GREATEST)
        exact = vectors / scales[:, None]
        codes = np.rint(exact)
        lost = np.subtract(exact, codes, out=exact)
        self._codes[rows] = codes
        self._scales[rows] = scales
        self._losses[rows] = scales * np.sqrt(np.vecdot(lost, lost)) + np.float32(_ROUNDING)

    def bounds(self, query: Floats, used: int) -> tuple[Floats, Floats]:
        """The least and the greatest cosine that each of the first `used` rows can have with the unit `query`."""
        np = self._np
        cosines: Floats = np.empty(used, dtype=np.float32)
        step = max(1, _BLOCK // query.size)
        block: Floats = np.empty((min(step, used), query.size), dtype=np.float32)
        for first in range(0, used, step):
            codes = self._codes[first : min(first + step, used)]
            np.copyto(block[: len(codes)], codes)
            # Not `@`: its threads wait for each other, and on a busy machine that costs 20 ms where the sums take 0.3.
            np.vecdot(block[: len(codes)], query, out=cosines[first : first + step])
        cosines *= self._scales[:used]
        losses = self._losses[:used]
        return cosines - losses, cosines + losses


def load_numpy() -> ModuleType:
    """Raises OperatorError where it is not installed."""
    try:
        import numpy as np  # noqa: PLC0415 - 100 ms, and a search without vectors does not need it
    except ImportError as problem:
        raise OperatorError("searching vectors needs numpy: pip install -e '.[local]'") from problem
    return np

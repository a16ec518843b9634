"""Texts to unit vectors by a sentence transformer on this machine."""

from __future__ import annotations

import os
from array import array
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING

from shared.adapters.local.files import BOX_MODEL, box
from shared.domain import Vector

if TYPE_CHECKING:
    from shared.adapters.local.encoder import Encoder, Numbers


class LocalEmbedder:
    """all-MiniLM-L6-v2, 384 dimensions: English, 256 word pieces, what follows is not read. Needs no network; loads in
    half a second, on first use. Any number of threads may call at once: a question never waits for documents.

    Queries and documents are embedded alike. One text has one vector, whatever else is in its batch.
    """

    model = f"{BOX_MODEL}-int8"
    dimension = 384
    batch_size = 32
    unrelated_cosine = 0.14
    is_static = False

    def __init__(self) -> None:
        self._encoder: Encoder | None = None
        self._lock = Lock()
        self._side_by_side = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="embed")

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One unit vector a text, in order. Raises BrokenPromise where the model's file is not the one expected."""
        if not texts:
            return ()
        self._loaded()
        return tuple(self._side_by_side.map(self.embed_query, texts))

    def embed_query(self, text: str) -> Vector:
        return _unit(self._loaded().read(text))

    def _loaded(self) -> Encoder:
        from shared.adapters.local.encoder import Encoder  # noqa: PLC0415 - as its libraries

        with self._lock:
            if self._encoder is None:
                self._encoder = Encoder.load(box())
            return self._encoder


def _unit(tokens: Numbers) -> Vector:
    """The mean of what was said of each token, scaled to length 1."""
    import numpy as np  # noqa: PLC0415 - loaded with onnxruntime

    mean = tokens.mean(axis=0, dtype=np.float64)
    vector = array("f")
    vector.frombytes((mean / np.linalg.norm(mean)).astype(np.float32).tobytes())
    return vector

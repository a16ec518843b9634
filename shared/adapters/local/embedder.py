"""Texts to unit vectors by a sentence transformer on this machine."""

from __future__ import annotations

import os
from array import array
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

from shared.adapters.local.encoder import Encoder
from shared.adapters.local.files import BOX_MODEL, ModelFiles, box, check_box, named
from shared.errors import ModelRefused
from shared.model.index import Vector
from shared.model.retrieval import CosineCalibration

if TYPE_CHECKING:
    from shared.adapters.local.encoder import Numbers

BOX_CALIBRATION = CosineCalibration(0.14, 0.9)
"""Of all-MiniLM-L6-v2: questions have 0.10 (handbook, SciFact) to 0.30 (LoCoMo sessions) on average with what is
unrelated in the same vault. With what answers them they reach 0.62 to 0.67 (SciFact 0.81) at the 0.95 quantile, but
alike is what a note's own title or first sentence reaches: scaled to the answers', chats rank worse.
"""


_loading = Lock()


class LocalEmbedder:
    """Loads the model in half a second, on first use, once a process. Any number of threads may call at once: a
    question never waits for documents. One text has one vector, whatever else is in its batch; what is longer than the
    model reads is cut.
    """

    batch_size = 32

    def __init__(
        self,
        files: ModelFiles,
        *,
        calibration: CosineCalibration | None = None,
        languages: frozenset[str] | None = None,
    ) -> None:
        self.model = files.name
        self.dimension = files.dimension
        self.calibration = calibration
        self.languages = languages
        self._files = files
        self._side_by_side = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="embed")

    @classmethod
    def of(cls, model: str | None, calibration: CosineCalibration | None = None) -> LocalEmbedder:
        """By a folder, or a name on the model hub; None: the one in the box, which speaks English.

        Raises ModelRefused, naming what is missing.
        """
        if model in (None, BOX_MODEL):
            return cls(box(), calibration=calibration or BOX_CALIBRATION, languages=frozenset({"en"}))
        return cls(named(model), calibration=calibration)

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One unit vector a text, in order. Raises ModelRefused for files that are no model, PortContractError."""
        if not texts:
            return ()
        self._loaded()
        before = self._files.prefixes[1]
        return tuple(self._side_by_side.map(self._embed, [before + text for text in texts]))

    def embed_query(self, text: str) -> Vector:
        """Raises as `embed_documents`."""
        return self._embed(self._files.prefixes[0] + text)

    def _embed(self, text: str) -> Vector:
        tokens = self._loaded().read(text)
        if tokens.ndim != 2 or tokens.shape[1] != self.dimension:
            raise ModelRefused(f"{self.model}: gives no vector of {self.dimension} dimensions for each token")
        return _unit(tokens[0] if self._files.first_token else tokens.mean(axis=0, dtype="float64"))

    def _loaded(self) -> Encoder:
        with _loading:
            return _encoder(self._files)


@lru_cache(maxsize=2)
def _encoder(files: ModelFiles) -> Encoder:
    """Raises ModelRefused, PortContractError."""
    if files.name == f"{BOX_MODEL}-int8":
        check_box(files)
    return Encoder.load(files)


def _unit(vector: Numbers) -> Vector:
    """Scaled to length 1."""
    import numpy as np  # noqa: PLC0415 - loaded with onnxruntime

    unit = array("f")
    unit.frombytes((vector / np.linalg.norm(vector)).astype(np.float32).tobytes())
    return unit

"""Question and passages -> scores by a cross-encoder on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from shared.adapters.local.files import ModelFiles
from shared.errors import ModelRefused

if TYPE_CHECKING:
    from shared.adapters.local.encoder import Encoder


class CrossEncoderReranker:
    """Loads the model on first use."""

    def __init__(self, files: ModelFiles) -> None:
        self.model = files.name
        self._files = files
        self._encoder: Encoder | None = None
        self._lock = Lock()

    def scores(self, question: str, passages: Sequence[str]) -> tuple[float, ...]:
        """On the model's scale. Raises ModelRefused for files of no model that gives a pair one score."""
        return tuple(self._score(question, passage) for passage in passages)

    def _score(self, question: str, passage: str) -> float:
        scores = self._loaded().read(question, passage)
        if scores.shape != (1,):
            raise ModelRefused(f"{self.model}: not one score a passage, as of a model with one label")
        return float(scores[0])

    def _loaded(self) -> Encoder:
        from shared.adapters.local.encoder import Encoder  # noqa: PLC0415 - as its libraries

        with self._lock:
            if self._encoder is None:
                self._encoder = Encoder.load(self._files)
            return self._encoder

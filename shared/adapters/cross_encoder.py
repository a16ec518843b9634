"""Question and passages -> scores by a cross-encoder on this machine, by sentence-transformers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Lock
from typing import Protocol

from shared.errors import ModelRefused


class Predictor(Protocol):
    """What is used of `sentence_transformers.CrossEncoder`."""

    def predict(self, inputs: list[tuple[str, str]], *, show_progress_bar: bool) -> Iterable[float]: ...


def load(folder: str) -> Predictor:
    """From a folder alone: nothing is downloaded. Takes seconds."""
    from sentence_transformers import CrossEncoder  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415 - brings torch

    encoder: Predictor = CrossEncoder(folder, local_files_only=True)
    return encoder


class CrossEncoderReranker:
    """Loads the model on first use. Threads take turns: torch uses all cores for one batch."""

    def __init__(self, folder: str, *, load: Callable[[str], Predictor] = load) -> None:
        self.model = Path(folder).name
        self._folder = folder
        self._load = load
        self._encoder: Predictor | None = None
        self._lock = Lock()

    def scores(self, question: str, passages: Sequence[str]) -> tuple[float, ...]:
        """On the model's scale. Raises ModelRefused for a folder that holds no such model."""
        with self._lock:
            if self._encoder is None:
                self._encoder = self._loaded()
            given = self._encoder.predict([(question, passage) for passage in passages], show_progress_bar=False)
        return tuple(float(score) for score in given)

    def _loaded(self) -> Predictor:
        try:
            return self._load(self._folder)
        except (OSError, ValueError) as error:
            raise ModelRefused(f"{self.model}: no cross-encoder in that folder ({type(error).__name__})") from error

"""Question and passages -> scores by a cross-encoder on this machine, by sentence-transformers.

Tried with sentence-transformers 5.0 and 6.2 (transformers 4.57 and 5.23, torch 2.15) on small models made for it, whole
and broken. Torch is too large for the tests, which stand in for what is used of a model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from pickle import UnpicklingError
from threading import Lock
from typing import Protocol, SupportsFloat

from shared.errors import ModelRefused

UNREADABLE = (OSError, ValueError, KeyError, RuntimeError, UnpicklingError)
"""What loading a folder raises: no model in it, a broken or cut file, weights of another shape than its config says."""


class Predictor(Protocol):
    """What is used of `sentence_transformers.CrossEncoder`."""

    def predict(self, inputs: list[tuple[str, str]], *, show_progress_bar: bool) -> Iterable[SupportsFloat]:
        """A number a pair; a row of numbers a pair where the model has several labels."""
        ...


def load(folder: str) -> Predictor:
    """From a folder alone: nothing is downloaded. Takes seconds. Raises one of UNREADABLE."""
    _check_kind(Path(folder))
    from safetensors import SafetensorError  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415
    from sentence_transformers import CrossEncoder  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415 - brings torch
    from transformers.utils.logging import disable_progress_bar  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415

    disable_progress_bar()  # it would stand among the log's lines
    try:
        encoder: Predictor = CrossEncoder(folder, local_files_only=True)
    except SafetensorError as broken:
        raise ValueError("weights that cannot be read") from broken
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
        """On the model's scale. Raises ModelRefused for a folder that holds no model that gives a pair one score."""
        pairs = [(question, passage) for passage in passages]
        with self._lock:
            if self._encoder is None:
                self._encoder = self._loaded()
            try:
                return tuple(map(float, self._encoder.predict(pairs, show_progress_bar=False)))
            except TypeError as error:
                raise ModelRefused(f"{self.model}: not one score a passage, as of a model with one label") from error
            except (IndexError, ValueError, RuntimeError) as error:  # its tokenizer is another model's; no memory
                raise ModelRefused(f"{self.model}: cannot read the passages ({type(error).__name__})") from error

    def _loaded(self) -> Predictor:
        try:
            return self._load(self._folder)
        except UNREADABLE as error:
            raise ModelRefused(f"{self.model}: no cross-encoder in that folder ({type(error).__name__})") from error


def _check_kind(folder: Path) -> None:
    """Raises ValueError for an encoder without a head that scores: it would be given one at random."""
    kinds = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("architectures") or ["unknown"]
    if all(kind.endswith("Model") for kind in kinds):
        raise ValueError(f"{kinds[0]} gives no scores")

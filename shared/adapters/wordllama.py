"""Texts to unit vectors on this machine: the static token vectors of WordLlama, weights inside its wheel."""

from __future__ import annotations

import importlib.util
import logging
import threading
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shared.domain import Vector

if TYPE_CHECKING:
    import numpy as np

_FILES = ("weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json")
_NO_WORDS = "-"
"""Embedded in place of a text without any token, which has no direction of its own."""


def available() -> bool:
    """Whether WordLlama is installed with its weights. Releases without them would download: they do not count."""
    folder = _folder()
    return folder is not None and all((folder / name).is_file() for name in _FILES)


class WordLlamaEmbedder:
    """The mean of a text's token vectors, 256 dimensions. Needs no network; loads in under a second, on first use.

    Queries and documents are embedded alike. One text has one vector, whatever else is in its batch.
    Any number of threads may call at once.

    `unrelated_cosine` is the mean cosine of a question with a note that has nothing to do with it, over 17,000 to
    60,000 random pairs each of four public collections, questions embedded by their words and idf as searches do:
    SciFact 0.130, QMSum 0.066, LoCoMo sessions 0.040, LoCoMo turns 0.029 (relevant pairs: 0.48, 0.15, 0.31, 0.29).
    Embedded whole it is 0.155, 0.078, 0.083, 0.055. Where notes have scopes, pairs were drawn across scopes.
    Two unrelated notes are nearer to each other (0.13 to 0.45), but thresholds compare questions with notes.
    """

    model = "wordllama-l2-supercat"
    dimension = 256
    batch_size = 100
    unrelated_cosine = 0.07
    is_static = True

    def __init__(self) -> None:
        self._inference: Any = None
        self._lock = threading.Lock()

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One unit vector a text, in order."""
        if not texts:
            return ()
        inference = self._loaded()
        words = [text or _NO_WORDS for text in texts]
        encoded = inference.tokenizer.encode_batch_fast(words, add_special_tokens=False)
        return tuple(_mean(inference.embedding, entry.ids) for entry in encoded)

    def embed_query(self, text: str) -> Vector:
        return self.embed_documents([text])[0]

    def _loaded(self) -> Any:  # noqa: ANN401 - wordllama has no types
        with self._lock:
            if self._inference is None:
                with _logging_left_alone():
                    from wordllama import WordLlama  # noqa: PLC0415 - half a second with numpy

                # `cache_dir` is where it looks for the tokenizer; without it, it would download one.
                inference = WordLlama.load(cache_dir=_folder(), disable_download=True)
                inference.tokenizer.no_padding()
                self._inference = inference
            return self._inference


def _folder() -> Path | None:
    found = importlib.util.find_spec("wordllama")
    return Path(found.origin).parent if found and found.origin else None


def _mean(table: np.ndarray[Any, Any], ids: Sequence[int]) -> Vector:
    """Of the token vectors `ids`, scaled to length 1. Each distinct token is read once: a long text costs little."""
    import numpy as np  # noqa: PLC0415 - loaded with wordllama

    distinct, counts = np.unique(np.asarray(ids), return_counts=True)
    total = counts.astype(np.float64) @ table[distinct]
    vector = array("f")
    vector.frombytes((total / np.linalg.norm(total)).astype(np.float32).tobytes())
    return vector


@contextmanager
def _logging_left_alone() -> Iterator[None]:
    """Importing wordllama configures the root logger; a library that we load has no say in that."""
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    yield
    root.setLevel(level)
    root.handlers[:] = handlers

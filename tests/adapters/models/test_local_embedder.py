from __future__ import annotations

import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.adapters.local.embedder import LocalEmbedder
from shared.adapters.local.files import available


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


def test_the_model_in_the_box_is_installed() -> None:
    assert available()


@pytest.mark.parametrize("text", ["", " ", "\n", "\x00", "\u200b", "😀", "[SEP] [CLS] [MASK]"])
def test_texts_without_words_have_a_vector_too(text: str, embedder: LocalEmbedder) -> None:
    (vector,) = embedder.embed_documents([text])
    assert math.hypot(*vector) == pytest.approx(1.0, abs=1e-5)


def test_a_vector_does_not_depend_on_its_batch(embedder: LocalEmbedder) -> None:
    (alone,) = embedder.embed_documents(["Cloud Run"])
    assert embedder.embed_documents(["word " * 500, "Cloud Run", ""])[1] == alone
    assert embedder.embed_query("Cloud Run") == alone


def test_no_texts_are_no_vectors(embedder: LocalEmbedder) -> None:
    assert embedder.embed_documents([]) == ()


def test_the_first_calls_of_many_threads_load_it_together() -> None:
    fresh = LocalEmbedder()
    with ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(fresh.embed_query, ["Cloud Run"] * 8))
    assert all(vector == vectors[0] for vector in vectors)


def test_it_finds_what_is_said_in_other_words(embedder: LocalEmbedder) -> None:
    question = embedder.embed_query("I had a baby, how long may I stay at home?")
    answer, other = embedder.embed_documents(
        ["Parental leave lasts twelve weeks.", "Apple pie needs six apples and cinnamon."]
    )
    near, far = (sum(a * b for a, b in zip(question, note, strict=True)) for note in (answer, other))
    assert far < embedder.unrelated_cosine + 0.1 < near


LOADING = """
import logging, socket, sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise SystemExit("network")

sys.addaudithook(refuse)
root = logging.getLogger()
from shared.adapters.local.embedder import LocalEmbedder
LocalEmbedder().embed_query("Cloud Run")
assert root.level == logging.WARNING and not root.handlers, (root.level, root.handlers)
"""


def test_loading_needs_no_network_and_leaves_logging_as_it_was() -> None:
    done = subprocess.run([sys.executable, "-c", LOADING], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")

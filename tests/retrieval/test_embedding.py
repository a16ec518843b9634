"""How a question becomes a vector: whole, or by its words where the embedder is static."""

from __future__ import annotations

import logging
import math

import pytest

from shared.domain import Question, Vector
from shared.errors import AuroraError, BrokenPromise, ModelRefused, ModelUnavailable
from shared.retrieval.analysis import analyse
from shared.retrieval.embedding import KnownVector, QueryVector
from tests.fakes import HashingEmbedder
from tests.retrieval.library import Library, notes
from tests.retrieval.samples import NOW


class Static(HashingEmbedder):
    """Keeps what questions were embedded of."""

    is_static = True

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        return super().embed_query(text)


def _query(text: str, embedder: HashingEmbedder | None) -> QueryVector:
    return QueryVector.of(text, analyse(Question("t", text, NOW)), embedder)


def _cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_an_embedder_that_reads_sentences_gets_the_question_as_it_is() -> None:
    embedder = HashingEmbedder()
    query = _query("Where does the API run?", embedder)
    assert not query.needs_weights
    assert query.embed({"api": 3.0}) == embedder.embed_query("Where does the API run?")


def test_a_static_one_gets_the_content_words_outside_the_time_phrase() -> None:
    embedder = Static()
    query = _query("Where did the API run last week in Berlin?", embedder)
    assert query.needs_weights
    assert query.embed({"api": 1.0, "run": 1.0, "berlin": 1.0}) is not None
    assert embedder.asked == ["API", "run", "Berlin"]


def test_each_word_counts_by_what_its_stem_tells() -> None:
    embedder = Static()
    vector = _query("api berlin", embedder).embed({"api": 3.0, "berlin": 0.5})
    assert vector is not None
    api, berlin = embedder.embed_query("api"), embedder.embed_query("berlin")
    assert _cosine(vector, api) > 0.9
    assert _cosine(vector, berlin) < 0.5
    assert math.hypot(*vector) == pytest.approx(1.0)


def test_words_of_which_nothing_is_known_are_left_out() -> None:
    embedder = Static()
    assert _query("api berlin", embedder).embed({"api": 1.0}) == pytest.approx(embedder.embed_query("api"))


@pytest.mark.parametrize("text", ["What was it about?", "😀", "last week", "!!!"])
def test_a_question_without_content_words_is_embedded_whole(text: str) -> None:
    embedder = Static()
    query = _query(text, embedder)
    assert not query.needs_weights
    assert query.embed({}) == embedder.embed_query(text)


@pytest.mark.parametrize("outage", [ModelUnavailable("away"), ModelRefused("bad key"), BrokenPromise("two vectors")])
@pytest.mark.parametrize("kind", [HashingEmbedder, Static])
def test_without_the_model_there_is_no_vector_and_a_line_in_the_log(
    kind: type[HashingEmbedder], outage: AuroraError, caplog: pytest.LogCaptureFixture
) -> None:
    embedder = kind()
    embedder.outage = outage
    with caplog.at_level(logging.WARNING):
        assert _query("Where does the API run?", embedder).embed({"api": 1.0}) is None
    assert outage.message in caplog.text
    assert "API" not in caplog.text


def test_no_embedder_is_no_vector() -> None:
    assert _query("Where does the API run?", None).embed({}) is None
    assert KnownVector(None).embed({}) is None


def test_rare_words_decide_which_note_is_nearest(library: Library) -> None:
    for number in range(30):
        library.add(f"n{number:02d}", f"meeting about budget, number{number}")
    library.add("hit", "zeppelin")
    library.embedder = library.writer = Static()
    assert notes(library.ask("meeting budget zeppelin"))[0] == "hit"

"""How a question gets its vector, and what becomes of it without."""

from __future__ import annotations

import logging

import pytest

from shared.errors import AuroraError, ModelRefused, ModelUnavailable, PortContractError
from shared.retrieval.legs import query_vector
from tests.fakes import HashingEmbedder

ASKED = "Where does the API run?"


def test_a_question_is_embedded_as_it_is() -> None:
    embedder = HashingEmbedder()
    assert query_vector(ASKED, embedder) == embedder.embed_query(ASKED)


@pytest.mark.parametrize(
    "outage", [ModelUnavailable("away"), ModelRefused("bad key"), PortContractError("two vectors")]
)
def test_without_the_model_there_is_no_vector_and_a_line_in_the_log(
    outage: AuroraError, caplog: pytest.LogCaptureFixture
) -> None:
    embedder = HashingEmbedder()
    embedder.outage = outage
    with caplog.at_level(logging.WARNING):
        assert query_vector(ASKED, embedder) is None
    assert outage.message in caplog.text
    assert "API" not in caplog.text


def test_no_embedder_is_no_vector() -> None:
    assert query_vector(ASKED, None) is None

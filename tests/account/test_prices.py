"""The cost of an answer by list prices."""

from __future__ import annotations

import pytest

from shared.account.prices import usd
from shared.model.answers import Usage

PRICED = "gemini-3.5-flash-lite"


def test_tokens_and_documents_are_added_up() -> None:
    assert usd(Usage(1_000_000, 0, reads=0), PRICED) == 0.30
    assert usd(Usage(0, 1_000_000), PRICED) == 2.50
    assert usd(Usage(1000, 200, reads=100), PRICED) == pytest.approx(0.0003 + 0.0005 + 0.00006)


def test_tokens_of_a_model_without_a_price_are_not_guessed() -> None:
    assert usd(Usage(1000, 200, reads=100), "some-other-model") is None
    assert usd(Usage(0, 0, reads=100), "extractive") == 0.00006


def test_token_counts_add_up() -> None:
    assert Usage(1, 2, reads=3) + Usage(10, 20, reads=30) == Usage(11, 22, reads=3)

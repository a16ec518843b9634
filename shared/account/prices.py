"""Prices: usage -> USD by list prices, or by those of MODEL_PRICES."""

from __future__ import annotations

from dataclasses import dataclass

from shared.errors import SettingsError
from shared.model.answers import Usage
from shared.settings import Settings

READ = 0.06 / 100_000
WRITE = 0.18 / 100_000
DELETE = 0.02 / 100_000
"""USD per document read, written and deleted (multi-region), by https://cloud.google.com/firestore/pricing."""
LOOKED_UP = "2026-11"
"""Month in which these list prices were looked up."""


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """Prices in USD of one token that a model reads, and of one that it writes."""

    read: float
    written: float

    def usd(self, usage: Usage) -> float:
        """Returns the price of the tokens."""
        return usage.input_tokens * self.read + usage.output_tokens * self.written


MODELS = {
    "gemini-3.5-flash-lite": TokenPrice(0.30 / 1_000_000, 2.50 / 1_000_000),
    "gemini-embedding-2": TokenPrice(0.20 / 1_000_000, 0.0),
}
"""List prices by model, by https://ai.google.dev/gemini-api/docs/pricing."""


def check(settings: Settings) -> None:
    """Raises SettingsError for a model of unknown price if DAILY_PROJECT_USD limits the sum."""
    if not settings.daily_project_usd:
        return
    for model in settings.billed_models:
        price_of(model, settings)


def price_of(model: str, settings: Settings) -> TokenPrice:
    """Returns the configured price, else the list price. Raises SettingsError for a model that has neither."""
    name = model.rpartition("/")[2]
    for priced_model, read, written in settings.model_prices:
        if priced_model in (model, name):
            return TokenPrice(read / 1e6, written / 1e6)
    if name not in MODELS:
        raise SettingsError(
            "MODEL_PRICES",
            f"a price of {model}, which DAILY_PROJECT_USD needs, like {model}=0.30/2.50"
            " (USD per million tokens read and written; 0 where it costs nothing)",
        )
    return MODELS[name]


def embedded_token_usd(model: str, settings: Settings) -> float:
    """Returns the price of embedding one token; 0 if it is unknown, which DAILY_PROJECT_USD does not allow."""
    try:
        return price_of(model, settings).read
    except SettingsError:
        return 0.0


def usd(usage: Usage, model: str) -> float | None:
    """Returns the price of an answer: its tokens and the documents read; None if the model is not in the table.

    Two small costs, thousandths of a cent, are left out: the chunks that vector searches scan (at most one read for
    each hundred chunks of the tenant), and the embedding of the question.
    """
    documents = (usage.reads or 0) * READ
    if not usage.input_tokens + usage.output_tokens:
        return round(documents, 6)
    if model not in MODELS:
        return None
    return round(documents + MODELS[model].usd(usage), 6)

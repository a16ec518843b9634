"""Usage -> what it costs by list prices, or by those that MODEL_PRICES gives."""

from __future__ import annotations

from dataclasses import dataclass

from shared.errors import SettingsError
from shared.model.answers import Usage
from shared.settings import Settings

READ = 0.06 / 100_000
"""USD of a document read (multi-region), by https://cloud.google.com/firestore/pricing."""
LOOKED_UP = "2026-11"
"""When these list prices were looked up."""


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """USD for one token that a model reads, and one that it writes."""

    read: float
    written: float

    def usd(self, usage: Usage) -> float:
        return usage.input_tokens * self.read + usage.output_tokens * self.written


MODELS = {
    "gemini-3.5-flash-lite": TokenPrice(0.30 / 1_000_000, 2.50 / 1_000_000),
    "gemini-embedding-2": TokenPrice(0.20 / 1_000_000, 0.0),
}
"""By https://ai.google.dev/gemini-api/docs/pricing."""


def check(settings: Settings) -> None:
    """Raises SettingsError for a model that costs an unknown price while DAILY_PROJECT_USD is to bound the sum."""
    for model in settings.billed_models if settings.daily_project_usd else ():
        price_of(model, settings)


def price_of(model: str, settings: Settings) -> TokenPrice:
    """The price that is set, else the list price. Raises SettingsError for a model that has neither."""
    name = model.rpartition("/")[2]
    for given, read, written in settings.model_prices:
        if given in (model, name):
            return TokenPrice(read / 1e6, written / 1e6)
    if name not in MODELS:
        expected = f"a price of {model}, which DAILY_PROJECT_USD needs, like {model}=0.30/2.50 (USD per million tokens "
        raise SettingsError("MODEL_PRICES", f"{expected}read and written; 0 where it costs nothing)")
    return MODELS[name]


def embedded_token_usd(model: str, settings: Settings) -> float:
    """USD for a token that a hosted model embeds; 0 for an unknown price, which DAILY_PROJECT_USD does not allow."""
    try:
        return price_of(model, settings).read
    except SettingsError:
        return 0.0


def usd(usage: Usage, model: str) -> float | None:
    """USD of an answer: its model's tokens and the documents read. None: tokens of a model that is not in the table.

    Not in it: what vector searches scan (one read for each hundred chunks of the tenant, at most), and the embedding
    of the question, thousandths of a cent.
    """
    documents = (usage.reads or 0) * READ
    if not usage.input_tokens + usage.output_tokens:
        return round(documents, 6)
    if model not in MODELS:
        return None
    return round(documents + MODELS[model].usd(usage), 6)

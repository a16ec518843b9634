"""Usage -> what it costs by list prices, or by those that MODEL_PRICES gives."""

from __future__ import annotations

from dataclasses import dataclass

from shared.errors import SettingsError
from shared.model.answers import Usage
from shared.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPrice:
    """A price that Google lists, and where and when it was looked up."""

    of: str
    usd: float
    amount: int
    """Unit of the price: so many documents or tokens, or one GiB and month."""
    source: str
    looked_up: str = "2026-11"

    @property
    def each(self) -> float:
        return self.usd / self.amount


FIRESTORE = "https://cloud.google.com/firestore/pricing"
GEMINI = "https://ai.google.dev/gemini-api/docs/pricing"
READ = ListPrice(of="documents read (multi-region)", usd=0.06, amount=100_000, source=FIRESTORE)
MODELS = {
    "gemini-3.5-flash-lite": (
        ListPrice(of="tokens read (gemini-3.5-flash-lite)", usd=0.30, amount=1_000_000, source=GEMINI),
        ListPrice(of="tokens written (gemini-3.5-flash-lite)", usd=2.50, amount=1_000_000, source=GEMINI),
    )
}
"""Models that write: the prices of tokens read and written."""
EMBEDDED = ListPrice(of="tokens embedded (gemini-embedding-2)", usd=0.20, amount=1_000_000, source=GEMINI)


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """USD for one token that a model reads, and one that it writes."""

    read: float
    written: float

    def usd(self, usage: Usage) -> float:
        return usage.input_tokens * self.read + usage.output_tokens * self.written


_LISTED = {
    **{model: TokenPrice(read.each, written.each) for model, (read, written) in MODELS.items()},
    "gemini-embedding-2": TokenPrice(EMBEDDED.each, 0.0),
}


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
    if name not in _LISTED:
        expected = f"a price of {model}, which DAILY_PROJECT_USD needs, like {model}=0.30/2.50 (USD per million tokens "
        raise SettingsError("MODEL_PRICES", f"{expected}read and written; 0 where it costs nothing)")
    return _LISTED[name]


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
    documents = (usage.reads or 0) * READ.each
    if not usage.input_tokens + usage.output_tokens:
        return round(documents, 6)
    if model not in MODELS:
        return None
    return round(documents + _LISTED[model].usd(usage), 6)
